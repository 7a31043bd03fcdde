"""Typed lines of the newer store, and messages of the IDE."""

from __future__ import annotations

from typing import Any

from git_asr.converters import fields
from git_asr.converters.building import holds, rest, text_part
from git_asr.converters.kiro import tools
from git_asr.converters.kiro.exchange import answer, thought
from git_asr.converters.kiro.state import Saying, State

_AUTHORS = {"user": "human", "assistant": "agent"}


def line(saying: Saying, state: State, value: dict[str, Any]) -> dict[str, Any] | None:
    """Make the records of a typed line; what they do not hold, None where it must be kept as it is."""
    data = value["data"]
    content = data.get("content")
    if not isinstance(content, list):
        return None
    about = data.get("meta")
    saying.native = fields.text(data, "message_id")
    saying.ts = fields.time(about, "timestamp")
    _KINDS[value["kind"]](saying, content)
    taken = {"content"} if saying.native is None else {"content", "message_id"}
    over = rest(data, taken)
    if isinstance(about, dict):
        over = {**over, "meta": rest(about, ("timestamp",) if saying.ts is not None else ())}
    over = rest(over, ())
    left = rest(
        value, ("kind", "data", *(() if state.changed("version", value["version"]) else ("version",)))
    )
    return {**left, "data": over} if over else left


def _prompt(saying: Saying, content: list[Any]) -> None:
    """What the person typed, and perhaps pictures."""
    _said(saying, content, "human")


def _said(saying: Saying, content: list[Any], author: str) -> None:
    named = {} if saying.usable is None else {"messageId": saying.usable}
    told = {"role": "user", "author": author if content else "unknown", **named}
    saying.add("message", {**told, "content": [tools.part(one) for one in content]}, content)


def _assistant(saying: Saying, content: list[Any]) -> None:
    """What the model thought, said and called."""
    for one in content:
        _block(saying, one)
    if not saying.drafts:
        answer(saying, "", content)


def _block(saying: Saying, block: Any) -> None:
    kind = fields.text(block, "kind")
    data = block.get("data") if isinstance(block, dict) and block.keys() == {"kind", "data"} else None
    if kind == "text" and isinstance(data, str):
        if data:
            answer(saying, data, block)
    elif kind == "toolUse" and isinstance(data, dict):
        tools.call(saying, data, "toolUseId", "input")
    elif kind in ("thinking", "reasoning") and holds(data):
        thought(saying, data)
    else:
        saying.keep(kind, block)


def _results(saying: Saying, content: list[Any]) -> None:
    """Results of calls, and what else the program put with them."""
    others = []
    for one in content:
        if fields.text(one, "kind") == "toolResult" and one.keys() == {"kind", "data"}:
            tools.result(saying, one["data"])
        else:
            others.append(one)
    if others or not content:
        _said(saying, others, "harness")


_KINDS = {"Prompt": _prompt, "AssistantMessage": _assistant, "ToolResults": _results}


def message(saying: Saying, value: dict[str, Any]) -> dict[str, Any] | None:
    """Make the record of a message of the IDE; what it does not hold, None where it must be kept as it is."""
    found = value["message"]
    author = _AUTHORS.get(found["role"])
    content = found.get("content")
    if author is None:
        return None
    listed = content if isinstance(content, list) else [content] if holds(content) else []
    told = {"role": found["role"], "author": author if listed else "unknown"}
    saying.add("message", {**told, "content": [_part(one) for one in listed]}, content)
    over = rest(found, ("role", "content"))
    left = rest(value, ("message",))
    return {**left, "message": over} if over else left


def _part(found: Any) -> dict[str, Any]:
    if isinstance(found, str):
        return text_part(found)
    said = fields.text(found, "text")
    if said is not None and found == {"type": "text", "text": said}:
        return text_part(said)
    return {"type": "json", "value": found}
