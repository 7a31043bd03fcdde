"""Antigravity: numbered steps (reference native-transcripts, section 10; no real transcript was seen)."""

from __future__ import annotations

from typing import Any

from git_asr.converters.base import Facts, Format, Sample
from git_asr.converters.fields import number_or_text, objects, text, time


class Antigravity(Format):
    """One step a line; the session's ID stands in the file's path only."""

    __slots__ = ()
    harness = "antigravity"
    name = "antigravity-jsonl"

    def recognises(self, sample: Sample) -> bool:
        """By any step."""
        return any(
            "step_index" in value and text(value, "source") is not None and text(value, "status") is not None
            for value in objects(sample)
        )

    def facts(self, value: Any) -> Facts:
        """A step's ID is its index; indexes have gaps."""
        return Facts(
            id=number_or_text(value, "step_index"), ts=time(value, "created_at"), type=text(value, "type")
        )
