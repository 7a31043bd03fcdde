"""Kiro: exchanges in a document, or typed lines, or sides of exchanges (reference native-transcripts, section 12.1)."""

from __future__ import annotations

from typing import Any

from git_asr.converters.base import Facts, Format, Sample
from git_asr.converters.fields import document, has, objects, part, text, time

_KINDS = frozenset(["Prompt", "AssistantMessage", "ToolResults"])


class KiroDocument(Format):
    """One object with the ``history``: exchanges of a user's and an assistant's side, or messages of the IDE."""

    __slots__ = ()
    harness = "kiro"
    name = "kiro-json"
    array: str | None = "history"

    def recognises(self, sample: Sample) -> bool:
        """By the conversation's ID (which may be empty) beside its history, or by a history of nothing but messages."""
        value = document(sample)
        history = value.get("history")
        if not isinstance(history, list):
            return False
        return "conversation_id" in value or (bool(history) and all(map(is_message, history)))

    def facts(self, value: Any) -> Facts:
        """Types are the tags of the two sides, or the role; the ID is the assistant's message ID."""
        if is_message(value):
            return Facts(type=text(value["message"], "role"))
        return _facts(value)


class KiroLines(Format):
    """One message a line, with a kind and its data; or one side of an exchange, as Entire writes them."""

    __slots__ = ()
    harness = "kiro"
    name = "kiro-jsonl"

    def recognises(self, sample: Sample) -> bool:
        """By any message of a known kind, or any side with the number of its exchange."""
        return any(is_line(value) or is_side(value) for value in objects(sample))

    def facts(self, value: Any) -> Facts:
        """A message has an ID and a time in seconds, a side what an exchange has."""
        if is_side(value):
            return _facts(value)
        data = part(value, "data")
        return Facts(
            id=text(data, "message_id"), ts=time(part(data, "meta"), "timestamp"), type=text(value, "kind")
        )


def is_line(value: Any) -> bool:
    """Whether a value is a message of a known kind."""
    return has(value, "version") and text(value, "kind") in _KINDS and isinstance(value.get("data"), dict)


def is_side(value: Any) -> bool:
    """Whether a value is one side of an exchange."""
    return has(value, "entry") and any(isinstance(value.get(side), dict) for side in ("user", "assistant"))


def is_message(value: Any) -> bool:
    """Whether a value is a message of the IDE."""
    return text(part(value, "message"), "role") is not None and not is_side(value)


def tag(union: Any) -> str | None:
    """The tag of a tagged union: its only key."""
    if not isinstance(union, dict) or len(union) != 1:
        return None
    return next((key for key in union if isinstance(key, str)), None)


def _facts(value: Any) -> Facts:
    user, assistant = part(value, "user"), part(value, "assistant")
    kind = tag(assistant)
    return Facts(
        session=text(value, "conversation_id") or text(value, "sessionId"),
        id=text(part(assistant, kind), "message_id") if kind else None,
        ts=time(user, "timestamp") or time(value, "timestamp"),
        type=kind,
        payload=tag(user.get("content")),
    )
