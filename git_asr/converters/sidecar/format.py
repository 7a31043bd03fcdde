"""Sidecars that Entire's adapters write from an agent's hooks (reference native-transcripts, section 12.7)."""

from __future__ import annotations

from typing import Any

from git_asr.converters.base import Facts, Format, Sample
from git_asr.converters.fields import objects, text, time


class QwenSidecar(Format):
    """Qwen Code: one hook event a line, a tool's call and result in the same one."""

    __slots__ = ()
    harness = "qwen-code"
    name = "qwen-code-hooks"

    def recognises(self, sample: Sample) -> bool:
        """By any hook event of this agent."""
        return _events(sample, "qwen")

    def facts(self, value: Any) -> Facts:
        """One event."""
        return _event(value)


class GeminiSidecar(Format):
    """Gemini CLI through an external adapter: as Qwen Code's, with Gemini's hooks."""

    __slots__ = ()
    harness = "gemini-cli"
    name = "gemini-cli-hooks"

    def recognises(self, sample: Sample) -> bool:
        """By any hook event of this agent."""
        return _events(sample, "gemini")

    def facts(self, value: Any) -> Facts:
        """One event."""
        return _event(value)


class WindsurfSidecar(Format):
    """Windsurf: prompts, files and responses, without IDs or tools."""

    __slots__ = ()
    harness = "windsurf"
    name = "windsurf-hooks"

    def recognises(self, sample: Sample) -> bool:
        """By lines that are all of its three types."""
        values = objects(sample)
        return bool(values) and all(
            "v" in value
            and text(value, "type") in ("prompt", "file", "response")
            and ("content" in value or "path" in value)
            for value in values
        )

    def facts(self, value: Any) -> Facts:
        """Type and time are all that a line says of itself."""
        return Facts(ts=time(value, "ts"), type=text(value, "type"))


def _events(sample: Sample, agent: str) -> bool:
    return any(
        "v" in value and text(value, "event") is not None and agent in (text(value, "agent") or "").lower()
        for value in objects(sample)
    )


def _event(value: Any) -> Facts:
    return Facts(
        session=text(value, "session_id"),
        ts=time(value, "ts") or time(value, "timestamp"),
        type=text(value, "event"),
        payload=text(value, "tool_name"),
    )
