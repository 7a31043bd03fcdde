"""Cursor: messages without IDs, times or results (reference native-transcripts, section 8)."""

from __future__ import annotations

from typing import Any

from git_asr.converters.base import Facts, Format, Sample
from git_asr.converters.fields import objects, part, text


class CursorLines(Format):
    """Lines of ``role`` and ``message``, and a mark at the end of a turn."""

    __slots__ = ()
    harness = "cursor"
    name = "cursor-jsonl"

    def recognises(self, sample: Sample) -> bool:
        """By lines that are all messages without a type, or marks."""
        values = objects(sample)
        return bool(values) and all(_is_message(value) or _is_mark(value) for value in values)

    def facts(self, value: Any) -> Facts:
        """The role of a message, or the type of a mark; a line says nothing else of itself."""
        return Facts(type=text(value, "type") or text(value, "role"))


def _is_message(value: dict[str, Any]) -> bool:
    return (
        text(value, "role") in ("user", "assistant")
        and "content" in part(value, "message")
        and not {"type", "uuid", "sessionId", "id"} & value.keys()
    )


def _is_mark(value: dict[str, Any]) -> bool:
    return text(value, "type") == "turn_ended" and "status" in value
