"""Goose: an exported session, or its messages one a line (reference native-transcripts, section 12.5)."""

from __future__ import annotations

from typing import Any

from git_asr.converters.base import Facts, Format, Sample
from git_asr.converters.fields import document, has, objects, part, text, time


class GooseDocument(Format):
    """One object with the ``conversation``."""

    __slots__ = ()
    harness = "goose"
    name = "goose-json"
    array: str | None = "conversation"

    def recognises(self, sample: Sample) -> bool:
        """By the conversation beside the session's folder."""
        value = document(sample)
        return isinstance(value.get("conversation"), list) and "working_dir" in value

    def facts(self, value: Any) -> Facts:
        """A message, or what the document says of the session (its ID counts up within one day)."""
        if has(value, "working_dir"):
            return Facts(session=text(value, "id"), ts=time(value, "created_at"))
        return _message(value)


class GooseLines(Format):
    """One message a line, with what the session says of itself; earlier in a ``message`` object."""

    __slots__ = ()
    harness = "goose"
    name = "goose-jsonl"

    def recognises(self, sample: Sample) -> bool:
        """By lines that all hold a message with the time at which it was created, and nothing else that has a role."""
        values = objects(sample)
        return bool(values) and all(map(_is_message, values))

    def facts(self, value: Any) -> Facts:
        """The message of the line."""
        return _message(message_of(value), session=text(part(value, "session"), "id"))


def message_of(value: Any) -> dict[str, Any]:
    """The message of a line: the line itself, or its ``message`` where only that was created."""
    if has(value, "created"):
        found: dict[str, Any] = value
        return found
    return part(value, "message")


def _message(message: Any, session: str | None = None) -> Facts:
    return Facts(
        session=session, id=text(message, "id"), ts=time(message, "created"), type=text(message, "role")
    )


def _is_message(value: dict[str, Any]) -> bool:
    """Goose counts the seconds at which it made a message, and content is always a list of blocks."""
    message = message_of(value)
    return (
        text(message, "role") in ("user", "assistant", "system")
        and type(message.get("created")) is int
        and isinstance(message.get("content"), list)
    )
