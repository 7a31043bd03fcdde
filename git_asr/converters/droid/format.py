"""Factory AI Droid: a header, then messages that may name their parent (reference native-transcripts, section 9)."""

from __future__ import annotations

from typing import Any

from git_asr.converters.base import Facts, Format, Sample
from git_asr.converters.fields import chain, objects, part, text, time


class Droid(Format):
    """Lines of a type, begun by ``session_start``."""

    __slots__ = ()
    harness = "factory-droid"
    name = "factory-droid-jsonl"
    marks_start = True
    first_line = True

    def recognises(self, sample: Sample) -> bool:
        """By the header."""
        values = objects(sample)
        return bool(values) and text(values[0], "type") == "session_start" and "id" in values[0]

    def facts(self, value: Any) -> Facts:
        """A line is part of the chain only if it names a parent: the first message does not, old ones never do."""
        kind = text(value, "type")
        if kind == "session_start":
            return Facts(session=text(value, "id"), ts=time(value, "timestamp"), type=kind, opens=True)
        chained, parent = chain(value, "id", "parentId")
        return Facts(
            id=text(value, "id"),
            ts=time(value, "timestamp"),
            type=kind,
            payload=text(part(value, "message"), "role"),
            chained=chained,
            parent=parent,
        )
