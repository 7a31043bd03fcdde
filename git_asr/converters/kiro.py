"""Kiro: a document of exchanges, or typed lines of its newer store (reference native-transcripts, section 12.1)."""

from __future__ import annotations

from typing import Any

from git_asr.converters.base import Facts, Sample
from git_asr.converters.fields import document, has, objects, part, text, time

_KINDS = frozenset(["Prompt", "AssistantMessage", "ToolResults"])


class KiroDocument:
    """One object with the ``history`` of exchanges, each a user's and an assistant's side."""

    __slots__ = ()
    harness = "kiro"
    name = "kiro-json"
    array: str | None = "history"
    marks_start = False
    first_line = False

    def recognises(self, sample: Sample) -> bool:
        """By the conversation's ID (which may be empty) beside its history."""
        value = document(sample)
        return "conversation_id" in value and isinstance(value.get("history"), list)

    def facts(self, value: Any) -> Facts:
        """Types are the tags of the two sides; the ID is the assistant's message ID."""
        if has(value, "conversation_id"):
            return Facts(session=text(value, "conversation_id"))
        user, assistant = part(value, "user"), part(value, "assistant")
        kind = _tag(assistant)
        return Facts(
            id=text(part(assistant, kind), "message_id") if kind else None,
            ts=time(user, "timestamp"),
            type=kind,
            payload=_tag(part(user, "content")),
        )


class KiroLines:
    """One message a line, with a kind and its data."""

    __slots__ = ()
    harness = "kiro"
    name = "kiro-jsonl"
    array: str | None = None
    marks_start = False
    first_line = False

    def recognises(self, sample: Sample) -> bool:
        """By any message of a known kind."""
        return any(
            "version" in value and text(value, "kind") in _KINDS and isinstance(value.get("data"), dict)
            for value in objects(sample)
        )

    def facts(self, value: Any) -> Facts:
        """A message has an ID and a time in seconds."""
        data = part(value, "data")
        return Facts(
            id=text(data, "message_id"), ts=time(part(data, "meta"), "timestamp"), type=text(value, "kind")
        )


def _tag(union: dict[str, Any]) -> str | None:
    """The tag of a tagged union: its only key."""
    return next((key for key in union if isinstance(key, str)), None) if len(union) == 1 else None
