"""Antigravity's sessions, converted: what the tests of the converter share."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from git_asr.asr import codec
from git_asr.asr.draft import Record
from git_asr.converters import fields
from git_asr.converters.antigravity.converter import AntigravitySteps
from git_asr.converters.base import Unit
from tests.support.converting import Converting
from tests.support.losslessness import Implied, Path

VENDOR = "google.antigravity"


def says(records: Sequence[Record]) -> Implied:
    """What the records say in other words: types, who made a step, a request without its tags, arguments."""
    said = [record.get("content", []) for record in records if record["type"] == "message"]
    texts = {part.get("text", "") for content in said for part in content} | {""}

    def implied(_: Unit, path: Path, value: Any) -> bool:
        key = path[-1] if path else ""
        if (
            key == "type"
            and isinstance(value, str)
            and re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}", value)
        ):
            return True
        if key in ("source", "status", "created_at"):
            told = ("MODEL", "SYSTEM", "USER_EXPLICIT", "DONE", "ERROR")
            return value in told or fields.time({"": value}, "") is not None
        if key == "step_index":
            return type(value) is int and any(record["id"] == str(value) for record in records)
        if path[:1] == ("tool_calls",) and isinstance(value, str):
            return codec.encode(codec.decode(value.encode()).value) == value.encode()
        if key != "content" or not isinstance(value, str):
            return False
        request, closed, behind = value.removeprefix("<USER_REQUEST>\n").rpartition("\n</USER_REQUEST>")
        return bool(closed) and request in texts and behind.removeprefix("\n") in texts

    return implied


STEPS = Converting(AntigravitySteps, says, ids={"step_index"}, standing={"git-asr/mode"}, repeated=True)


def step(
    index: Any, kind: str, content: Any = None, *, source: str | None = None, **more: Any
) -> dict[str, Any]:
    usual = {"USER_INPUT": "USER_EXPLICIT", "SYSTEM_MESSAGE": "SYSTEM", "CHECKPOINT": "SYSTEM"}.get(
        kind, "MODEL"
    )
    told = {"step_index": index, "source": source or usual, "type": kind, "status": "DONE", **more}
    return told if content is None else {**told, "content": content}


def planner(index: Any, *calls: Any, **more: Any) -> dict[str, Any]:
    return step(index, "PLANNER_RESPONSE", tool_calls=list(calls), **more)


def call(name: str, **arguments: Any) -> dict[str, Any]:
    return {"name": name, "args": arguments}
