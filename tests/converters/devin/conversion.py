"""Devin's trajectories, converted: what the tests of the converter share."""

from __future__ import annotations

from typing import Any

from git_asr.converters import fields
from git_asr.converters.base import Unit
from git_asr.converters.devin.converter import DevinSession
from tests.support.losslessness import Path
from tests.support.sessions import Agent

VENDOR = "ai.devin"
HEAD = {
    "schema_version": "ATIF-v1.7",
    "session_id": "almond-cylinder",
    "agent": {"version": "3", "model_name": "m"},
}


def implied(unit: Unit, path: Path, value: Any) -> bool:
    """What the records say in other words: times, types, that a step is a copy, and that it is one call."""
    key = str(path[-1])
    if key == "timestamp":
        return fields.time({"": value}, "") is not None
    if key in ("source", "type"):
        return value in ("user", "agent", "system", "tool", "text", "image")
    if key == "step_id":
        return type(value) is int
    return (key == "is_copied_context" and value is True) or (key == "llm_call_count" and value == 1)


DEVIN = Agent("devin", DevinSession, implied, ids={"step_id", "tool_call_id", "source_call_id"})


def step(number: Any, source: str, message: Any = "", **more: Any) -> dict[str, Any]:
    return {"step_id": number, "source": source, "message": message, **more}


def call(identifier: Any, name: str = "read", **arguments: Any) -> dict[str, Any]:
    return {"tool_call_id": identifier, "function_name": name, "arguments": arguments}


def observed(*results: tuple[Any, Any]) -> dict[str, Any]:
    return {"results": [{"source_call_id": one, "content": content} for one, content in results]}


def used(prompt: int, cached: int, completion: int) -> dict[str, int]:
    return {"prompt_tokens": prompt, "cached_tokens": cached, "completion_tokens": completion}
