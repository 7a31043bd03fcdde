"""GitHub Copilot CLI: events, each pointing at the one before (reference native-transcripts, section 7)."""

from __future__ import annotations

from typing import Any

from git_asr.converters.base import Facts, Format, Sample
from git_asr.converters.fields import chain, objects, part, text, time


class Copilot(Format):
    """Events of a dotted type with ``data``, begun by ``session.start``."""

    __slots__ = ()
    harness = "copilot-cli"
    name = "copilot-cli-jsonl"
    marks_start = True
    first_line = True

    def recognises(self, sample: Sample) -> bool:
        """By any event: a dotted type, an object as data, and a parent (null for the first)."""
        return any(
            "." in (text(value, "type") or "") and isinstance(value.get("data"), dict) and "parentId" in value
            for value in objects(sample)
        )

    def facts(self, value: Any) -> Facts:
        """``session.start`` names the session; the chain of parents has no branches."""
        kind = text(value, "type")
        opens = kind == "session.start"
        chained, parent = chain(value, "id", "parentId")
        return Facts(
            session=text(part(value, "data"), "sessionId") if opens else None,
            id=text(value, "id"),
            ts=time(value, "timestamp"),
            type=kind,
            chained=chained,
            parent=parent,
            opens=opens,
        )
