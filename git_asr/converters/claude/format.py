"""Claude Code: a graph of chained lines, and loose lines between them (reference native-transcripts, section 2)."""

from __future__ import annotations

from typing import Any

from git_asr.converters.base import Facts, Format, Sample
from git_asr.converters.fields import chain, objects, part, text, time

_LOOSE = frozenset(
    [
        "file-history-snapshot",
        "file-history-delta",
        "summary",
        "queue-operation",
        "last-prompt",
        "custom-title",
        "ai-title",
        "agent-name",
        "permission-mode",
        "mode",
        "pr-link",
        "bridge-session",
        "frame-link",
        "worktree-state",
    ]
)
_WITHOUT_SESSION = {
    "file-history-snapshot": ("messageId", "snapshot"),
    "file-history-delta": ("messageId", "trackingPath"),
    "summary": ("summary", "leafUuid"),
}
"""Loose lines that do not name their session, with the keys that tell them from other agents' lines."""

_WRAPPED = {"system": "subtype", "queue-operation": "operation"}
_WRAPPING = {"attachment": "attachment", "progress": "data"}


class ClaudeCode(Format):
    """Claude Code's session and subagent files. A session starts with a root of the graph; there is no header."""

    __slots__ = ()
    harness = "claude-code"
    name = "claude-code-jsonl"
    marks_start = True

    def recognises(self, sample: Sample) -> bool:
        """By any line: chained ones, or one of the loose kinds."""
        return any(map(_is_line, objects(sample)))

    def facts(self, value: Any) -> Facts:
        """Chained lines have ``uuid`` and ``parentUuid``; a root's parent is null."""
        kind = text(value, "type")
        chained, parent = chain(value, "uuid", "parentUuid")
        return Facts(
            session=text(value, "sessionId"),
            id=text(value, "uuid"),
            ts=time(value, "timestamp"),
            type=kind,
            payload=_payload(value, kind),
            chained=chained,
            parent=parent,
        )


def _is_line(value: dict[str, Any]) -> bool:
    kind = text(value, "type")
    if kind is None:
        return False
    if "sessionId" in value:
        return ("uuid" in value and "parentUuid" in value) or kind in _LOOSE
    keys = _WITHOUT_SESSION.get(kind)
    return keys is not None and all(key in value for key in keys)


def _payload(value: Any, kind: str | None) -> str | None:
    """What a line that is not a message is about: its subtype, operation, or the type of what it wraps."""
    if kind in _WRAPPED:
        return text(value, _WRAPPED[kind])
    return text(part(value, _WRAPPING[kind]), "type") if kind in _WRAPPING else None
