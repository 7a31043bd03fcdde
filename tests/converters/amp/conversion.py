"""Amp's threads, converted: what the tests of the converter share."""

from __future__ import annotations

import re
from typing import Any

from git_asr.converters import fields
from git_asr.converters.amp.converter import AmpThread
from git_asr.converters.base import Unit
from tests.support.losslessness import Path
from tests.support.sessions import Agent

SESSION = "T-5f0c2d1e-7a43-4b8e-9d10-2f6a1b3c4d01"
VENDOR = "com.ampcode"
HEAD = {"v": 1, "id": SESSION, "agentMode": "smart", "created": 1777885200000}

_STATUS = ("done", "error", "cancelled", "rejected-by-user", "complete", "in-progress", "todo")
_TIMES = ("sentAt", "timestamp", "startTime", "created")
_PRIVATE = ("creatorUserID", "installationID", "deviceFingerprint")


def implied(unit: Unit, path: Path, value: Any) -> bool:
    """What the records say in other words: times, sums, types and status; and what is not kept."""
    told = unit.value["message"] if path[0] == "message" else None
    if isinstance(told, dict) and told.keys() <= {"role", "id", "content", "usage"}:
        return True
    key = str(path[-1])
    if key in _PRIVATE:
        return unit.position == 0
    if key in _TIMES:
        return fields.time({"": value}, "") is not None
    if key in ("status", "type") and value in _STATUS:
        return True
    if key in ("role", "type"):
        return isinstance(value, str) and re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}", value) is not None
    if key == "messageId":
        return type(value) is int
    return (key, value) in (("complete", True), ("interrupted", True)) or (
        key == "totalInputTokens" and type(value) is int
    )


AMP = Agent("amp", AmpThread, implied, ids={"id", "toolUseID", "tool_use_id", "messageId", "threadID"})


def user(number: Any, *content: Any, **more: Any) -> dict[str, Any]:
    return {"role": "user", "messageId": number, "content": list(content), **more}


def agent(number: Any, *content: Any, **more: Any) -> dict[str, Any]:
    return {"role": "assistant", "messageId": number, "content": list(content), **more}


def text(said: str, **more: Any) -> dict[str, Any]:
    return {"type": "text", "text": said, **more}


def call(identifier: Any, name: str = "Bash", **arguments: Any) -> dict[str, Any]:
    return {"type": "tool_use", "id": identifier, "name": name, "input": arguments}


def result(identifier: Any, status: str = "done", **run: Any) -> dict[str, Any]:
    return {"type": "tool_result", "toolUseID": identifier, "run": {"status": status, **run}}
