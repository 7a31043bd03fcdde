"""Entire's own compact transcript, version 1 (reference entire-checkpoints, section 4)."""

from __future__ import annotations

from typing import Any

from git_asr.converters.base import Facts, Sample
from git_asr.converters.fields import objects, text, time


class EntireTranscript:
    """Lines with a version, the agent, and what Entire kept of a message. Stands in where no native file is."""

    __slots__ = ()
    harness = "entire"
    name = "entire-transcript"
    array: str | None = None
    marks_start = False
    first_line = False

    def recognises(self, sample: Sample) -> bool:
        """By any line that names agent and producer beside its version."""
        return any(
            isinstance(value.get("v"), int)
            and text(value, "agent") is not None
            and text(value, "cli_version") is not None
            and text(value, "type") is not None
            for value in objects(sample)
        )

    def facts(self, value: Any) -> Facts:
        """The ID is the native one of an assistant's message."""
        return Facts(id=text(value, "id"), ts=time(value, "ts"), type=text(value, "type"))
