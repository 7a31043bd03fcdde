"""Amp: an exported thread, or its messages one a line (reference native-transcripts, section 12.4)."""

from __future__ import annotations

from typing import Any

from git_asr.converters.base import Facts, Format, Sample
from git_asr.converters.fields import document, has, number_or_text, objects, part, text, time


class AmpDocument(Format):
    """One object with the ``messages`` of a thread."""

    __slots__ = ()
    harness = "amp"
    name = "amp-json"
    array: str | None = "messages"

    def recognises(self, sample: Sample) -> bool:
        """By the version beside the messages, and the agent's mode or the ID of a thread."""
        value = document(sample)
        named = "agentMode" in value or (text(value, "id") or "").startswith("T-")
        return "v" in value and named and isinstance(value.get("messages"), list)

    def facts(self, value: Any) -> Facts:
        """A message, or what the document says of the thread."""
        if has(value, "v") and "role" not in value:
            return Facts(session=text(value, "id"), ts=time(value, "created"))
        return _message(value)


class AmpLines(Format):
    """One message a line, with the thread's ID added."""

    __slots__ = ()
    harness = "amp"
    name = "amp-jsonl"

    def recognises(self, sample: Sample) -> bool:
        """By any message that names its thread."""
        return any("threadID" in value and "messageId" in value for value in objects(sample))

    def facts(self, value: Any) -> Facts:
        """One message."""
        return _message(value)


def _message(value: Any) -> Facts:
    """Messages are numbered within their thread."""
    return Facts(
        session=text(value, "threadID"),
        id=number_or_text(value, "messageId"),
        ts=time(part(value, "meta"), "sentAt"),
        type=text(value, "role"),
    )
