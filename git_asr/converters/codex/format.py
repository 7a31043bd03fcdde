"""Codex rollouts: a flat list of wrapped items and events (reference native-transcripts, section 3)."""

from __future__ import annotations

from typing import Any

from git_asr.converters.base import Facts, Format, Sample
from git_asr.converters.fields import objects, part, text, time

_TYPES = frozenset(
    [
        "session_meta",
        "response_item",
        "event_msg",
        "turn_context",
        "compacted",
        "world_state",
        "inter_agent_communication",
        "inter_agent_communication_metadata",
        "token_usage_record",
        "retained_context",
        "realtime_item",
    ]
)


class Codex(Format):
    """Lines of ``timestamp``, ``type`` and ``payload``, begun by a ``session_meta``, which may come again."""

    __slots__ = ()
    harness = "codex"
    name = "codex-jsonl"
    marks_start = True
    first_line = True

    def recognises(self, sample: Sample) -> bool:
        """By any wrapped line of a known type."""
        return any(
            "timestamp" in value and isinstance(value.get("payload"), dict) and text(value, "type") in _TYPES
            for value in objects(sample)
        )

    def facts(self, value: Any) -> Facts:
        """The session is the thread of the ``session_meta``; only items have IDs of their own, and not all do.

        ``call_id`` names a call, not a line: its output has it too.
        """
        kind = text(value, "type")
        payload = part(value, "payload")
        opens = kind == "session_meta"
        return Facts(
            session=text(payload, "id") if opens else None,
            id=text(payload, "id") if kind == "response_item" else None,
            ts=time(value, "timestamp"),
            type=kind,
            payload=text(payload, "type"),
            opens=opens,
        )
