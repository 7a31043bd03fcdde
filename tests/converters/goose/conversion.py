"""Goose's sessions, converted: what the tests of the converter share."""

from __future__ import annotations

import re
from typing import Any

from git_asr.converters import fields
from git_asr.converters.base import Unit
from git_asr.converters.goose.converter import GooseSession
from tests.support.losslessness import Path
from tests.support.sessions import Agent

VENDOR = "xyz.block.goose"
HEAD = {"id": "20260504_1", "working_dir": "/home/ann/garden", "created_at": "2026-05-04T09:00:00Z"}
NOBODY = {"userVisible": False, "agentVisible": False}
PERSON = {"userVisible": True, "agentVisible": False}
AGENT = {"userVisible": False, "agentVisible": True}

_SAID = {
    "status": ("success", "error"),
    "isError": (True, False),
    "userVisible": (True,),
    "agentVisible": (True,),
    "actionType": ("elicitation", "elicitationResponse", "toolConfirmation"),
}


def implied(unit: Unit, path: Path, value: Any) -> bool:
    """What the records say in other words: times, sums, types and status; and what the adapter derived."""
    if path[0] == "message" and "content" in unit.value and isinstance(unit.value["message"], dict):
        return True
    key = str(path[-1])
    if key in ("created", "created_at", "timestamp"):
        return fields.time({"": value}, "") is not None
    if key in ("role", "type"):
        return isinstance(value, str) and re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}", value) is not None
    if key == "accumulated_total_tokens":
        return type(value) is int
    return any(type(one) is type(value) and one == value for one in _SAID.get(key, ()))


GOOSE = Agent("goose", GooseSession, implied, ids={"id"})


def message(identifier: Any, role: str, *content: Any, **more: Any) -> dict[str, Any]:
    listed = [{"type": "text", "text": one} if isinstance(one, str) else one for one in content]
    return {"id": identifier, "role": role, "created": 1777885200, "content": listed, **more}


def user(identifier: Any, *content: Any, **more: Any) -> dict[str, Any]:
    return message(identifier, "user", *content, **more)


def agent(identifier: Any, *content: Any, **more: Any) -> dict[str, Any]:
    return message(identifier, "assistant", *content, **more)


def call(identifier: Any, name: str = "shell", **arguments: Any) -> dict[str, Any]:
    value = {"name": name, "arguments": arguments}
    return {"type": "toolRequest", "id": identifier, "toolCall": {"status": "success", "value": value}}


def result(identifier: Any, **returned: Any) -> dict[str, Any]:
    return {"type": "toolResponse", "id": identifier, "toolResult": returned}


def returned(*texts: Any, **more: Any) -> dict[str, Any]:
    content = [{"type": "text", "text": one} if isinstance(one, str) else one for one in texts]
    return {"status": "success", "value": {"content": content, **more}}
