"""Droid's sessions, converted: what the tests of the converter share."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from git_asr.asr.draft import Record
from git_asr.converters import fields
from git_asr.converters.base import Unit
from git_asr.converters.droid.converter import DroidSession
from tests.support.converting import Converting
from tests.support.losslessness import Implied, Path

VENDOR = "ai.factory.droid"
SESSION = "a31f0000-0000-4000-8000-0000000000d1"
HEADER = {"type": "session_start", "id": SESSION, "version": 2, "cwd": "/home/ann/garden"}


def says(records: Sequence[Record]) -> Implied:
    """What the records say in other words: types, roles, and texts that were split at the end of a reminder."""
    said = [record.get("content", []) for record in records if record["type"] == "message"]
    texts = {part.get("text", "") for content in said for part in content}
    reminders = [one for one in texts if "</system-reminder>" in one]

    def implied(_: Unit, path: Path, value: Any) -> bool:
        key = path[-1] if path else ""
        if (
            key == "type"
            and isinstance(value, str)
            and re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}", value)
        ):
            return True
        if key == "role":
            return value in ("user", "assistant")
        if key == "timestamp":
            return fields.time({"": value}, "") is not None
        if key == "is_error":
            return type(value) is bool
        return isinstance(value, str) and any(
            value.startswith(one) and value[len(one) :] in texts for one in reminders
        )

    return implied


DROID = Converting(
    DroidSession,
    says,
    ids={"id", "parentId"},
    standing={"git-asr/context", "git-asr/mode", "git-asr/title", "plan", "tool_call"},
    repeated=True,
)


def message(identifier: str, role: str, content: Any, parent: Any = None, **more: Any) -> dict[str, Any]:
    told = {"type": "message", "id": identifier, "message": {"role": role, "content": content, **more}}
    return told if parent is None else {**told, "parentId": parent}


def text(said: str) -> dict[str, Any]:
    return {"type": "text", "text": said}


def use(identifier: str, name: str, **arguments: Any) -> dict[str, Any]:
    return {"type": "tool_use", "id": identifier, "name": name, "input": arguments}


def result(identifier: str, content: Any, **more: Any) -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": identifier, "content": content, **more}
