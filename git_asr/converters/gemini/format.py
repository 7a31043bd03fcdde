"""Gemini CLI: first one document, since April 2026 an event log (reference native-transcripts, section 4)."""

from __future__ import annotations

from typing import Any

from git_asr.converters.base import Facts, Format, Sample
from git_asr.converters.fields import document, has, objects, part, text, time

_TYPES = frozenset(["user", "gemini", "info", "warning", "error"])


class GeminiDocument(Format):
    """One object with ``messages``; a slice of a large one may have nothing else."""

    __slots__ = ()
    harness = "gemini-cli"
    name = "gemini-cli-json"
    array: str | None = "messages"

    def recognises(self, sample: Sample) -> bool:
        """By the keys of the session, or, for a slice, by messages of Gemini's types and nothing beside them."""
        value = document(sample)
        messages = value.get("messages")
        if "sessionId" in value and ("projectHash" in value or "startTime" in value):
            return isinstance(messages, list)
        return bool(
            messages
            and set(value) == {"messages"}
            and isinstance(messages, list)
            and all(has(message, "id") and text(message, "type") in _TYPES for message in messages)
        )

    def facts(self, value: Any) -> Facts:
        """What the document says of itself, or one message."""
        return _facts(value)


class GeminiLines(Format):
    """A header, messages (one that comes again replaces the earlier one), and changes to the session."""

    __slots__ = ()
    harness = "gemini-cli"
    name = "gemini-cli-jsonl"
    marks_start = True
    first_line = True

    def recognises(self, sample: Sample) -> bool:
        """By the header; without one, by nothing but messages and changes, with one that only Gemini writes."""
        values = objects(sample)
        if not values:
            return False
        return _is_header(values[0]) or (
            all(map(_is_record, values)) and any(text(value, "type") in ("gemini", None) for value in values)
        )

    def facts(self, value: Any) -> Facts:
        """The header, a message, or a change (typed by its key; what it changes is its payload)."""
        if has(value, "$set"):
            change = part(value, "$set")
            keys = "+".join(sorted(map(str, change)))
            return Facts(
                session=text(change, "sessionId"),
                ts=time(change, "lastUpdated"),
                type="$set",
                payload=keys or None,
            )
        if has(value, "$rewindTo"):
            return Facts(type="$rewindTo")
        return _facts(value, opens=_is_header(value))


def _facts(value: Any, *, opens: bool = False) -> Facts:
    session = text(value, "sessionId")
    return Facts(
        session=session,
        id=text(value, "id"),
        ts=time(value, "timestamp") or (time(value, "startTime") if session is not None else None),
        type=text(value, "type"),
        opens=opens,
    )


def _is_header(value: Any) -> bool:
    return has(value, "sessionId", "projectHash") and "messages" not in value and "uuid" not in value


def _is_record(value: dict[str, Any]) -> bool:
    if "$set" in value or "$rewindTo" in value:
        return len(value) == 1
    return has(value, "id", "content") and text(value, "type") in _TYPES
