"""Goose: an exported session, or its messages one a line (reference native-transcripts, section 12.5)."""

from __future__ import annotations

from typing import Any

from git_asr.converters.base import Facts, Sample
from git_asr.converters.fields import document, has, objects, part, text, time


class GooseDocument:
    """One object with the ``conversation``."""

    __slots__ = ()
    harness = "goose"
    name = "goose-json"
    array: str | None = "conversation"
    marks_start = False
    first_line = False

    def recognises(self, sample: Sample) -> bool:
        """By the conversation beside the session's folder."""
        value = document(sample)
        return isinstance(value.get("conversation"), list) and "working_dir" in value

    def facts(self, value: Any) -> Facts:
        """A message, or what the document says of the session (its ID counts up within one day)."""
        if has(value, "working_dir"):
            return Facts(session=text(value, "id"), ts=time(value, "created_at"))
        return _message(value)


class GooseLines:
    """One message a line, in a ``message`` object."""

    __slots__ = ()
    harness = "goose"
    name = "goose-jsonl"
    array: str | None = None
    marks_start = False
    first_line = False

    def recognises(self, sample: Sample) -> bool:
        """By lines that all hold a message with Goose's flags of who sees it."""
        values = objects(sample)
        return bool(values) and all(_is_message(part(value, "message")) for value in values)

    def facts(self, value: Any) -> Facts:
        """The message of the line."""
        return _message(part(value, "message"))


def _message(message: Any) -> Facts:
    return Facts(id=text(message, "id"), ts=time(message, "created"), type=text(message, "role"))


def _is_message(message: dict[str, Any]) -> bool:
    flags = part(message, "metadata")
    return "role" in message and "created" in message and ("userVisible" in flags or "agentVisible" in flags)
