"""Chat messages in OpenAI's shape, as Mistral Vibe and others store them (reference native-transcripts, 12.8)."""

from __future__ import annotations

from typing import Any

from git_asr.converters.base import Facts, Sample
from git_asr.converters.fields import objects, text


class OpenAIChat:
    """One message a line; known by its tool calls, because bare roles and contents could be anybody's."""

    __slots__ = ()
    harness = "openai-chat"
    name = "openai-chat-jsonl"
    array: str | None = None
    marks_start = False
    first_line = False

    def recognises(self, sample: Sample) -> bool:
        """By lines that all have a role, one of them with a call or a result."""
        values = objects(sample)
        return all(text(value, "role") is not None and "message" not in value for value in values) and any(
            isinstance(value.get("tool_calls"), list) or text(value, "tool_call_id") is not None
            for value in values
        )

    def facts(self, value: Any) -> Facts:
        """A role, and an ID where the agent adds one."""
        return Facts(id=text(value, "message_id"), type=text(value, "role"))
