"""How OpenCode and its fork Kilo Code store sessions: messages of ``info`` and ``parts`` (reference 5 and 12.2)."""

from __future__ import annotations

from typing import Any

from git_asr.converters.base import Facts, Format, Sample
from git_asr.converters.fields import document, has, objects, part, text, time


class OpenCodeDocument(Format):
    """The export: one object of the session's ``info`` and its ``messages``."""

    __slots__ = ()
    harness = "opencode"
    name = "opencode-json"
    array: str | None = "messages"

    def recognises(self, sample: Sample) -> bool:
        """By the session's ``info`` beside messages of ``info`` and ``parts`` (or none yet)."""
        value = document(sample)
        return "id" in part(value, "info") and (value.get("messages") == [] or _holds_messages(value))

    def facts(self, value: Any) -> Facts:
        """A message, or the session's ``info`` (without ``parts``)."""
        return _facts(value)


class KiloDocument(Format):
    """Kilo Code's export: the session's own keys stand beside ``messages``, not in an ``info``."""

    __slots__ = ()
    harness = "kilo-code"
    name = "kilo-code-json"
    array: str | None = "messages"

    def recognises(self, sample: Sample) -> bool:
        """By the session's keys beside messages of ``info`` and ``parts``."""
        value = document(sample)
        return (
            "info" not in value
            and "id" in value
            and ("project" in value or "time" in value)
            and _holds_messages(value)
        )

    def facts(self, value: Any) -> Facts:
        """A message, or what the document says of the session."""
        if has(value, "id") and "info" not in value:
            return Facts(session=text(value, "id"), ts=time(part(value, "time"), "created"))
        return _facts(value)


class OpenCodeLines(Format):
    """Messages one a line, as the first plug-ins wrote them."""

    __slots__ = ()
    harness = "opencode"
    name = "opencode-jsonl"

    def recognises(self, sample: Sample) -> bool:
        """By lines that are all messages."""
        values = objects(sample)
        return bool(values) and all(map(_is_message, values))

    def facts(self, value: Any) -> Facts:
        """One message."""
        return _facts(value)


class KiloLines(Format):
    """Kilo Code's messages one a line, which carry a projection in ``type`` and ``message``.

    Lines of Kilo Code without that projection cannot be told from OpenCode's.
    """

    __slots__ = ()
    harness = "kilo-code"
    name = "kilo-code-jsonl"

    def recognises(self, sample: Sample) -> bool:
        """By lines that are all messages with the projection."""
        values = objects(sample)
        return bool(values) and all(
            _is_message(value) and "type" in value and "message" in value for value in values
        )

    def facts(self, value: Any) -> Facts:
        """One message."""
        return _facts(value)


def _holds_messages(value: dict[str, Any]) -> bool:
    messages = value.get("messages")
    return isinstance(messages, list) and any(has(message, "info", "parts") for message in messages)


def _is_message(value: dict[str, Any]) -> bool:
    return "role" in part(value, "info") and isinstance(value.get("parts"), list)


def _facts(value: Any) -> Facts:
    """``parentID`` is no predecessor: of a message it is the one that it answers, of a session the parent."""
    info = part(value, "info")
    created = time(part(info, "time"), "created")
    if has(value, "info") and "parts" not in value:
        return Facts(session=text(info, "id"), ts=created)
    return Facts(session=text(info, "sessionID"), id=text(info, "id"), ts=created, type=text(info, "role"))
