"""What both forms of a transcript hold: what people and the agent said, and what the agent did (section 8)."""

from __future__ import annotations

import re
from typing import Any

from git_asr.asr.ids import MAX_ID, derived, usable
from git_asr.converters.building import BLOCK, CONTENT, Building, around, rest, text_part
from git_asr.converters.cursor.slots import ADDED, PLAN, REQUEST, SUBAGENT
from git_asr.converters.fields import is_rfc3339, text
from git_asr.converters.opaque import Losses, not_told

VENDOR = "com.cursor"
"""Prefix of vendor types and key of ``_meta``."""

_OPEN, _CLOSE = "<user_query>", "</user_query>"
_TAG = re.compile(r"\s*<[A-Za-z][A-Za-z0-9_-]*[\s>]")
_TIME = re.compile(r"<timestamp>\s*([^<>]{10,60}?)\s*</timestamp>")
_THOUGHT = re.compile(r"(?:\s*\*\*[^\n*]{1,200}\*\*)*\s*\[REDACTED\]\s*")
"""A thought of which Cursor left nothing but headings; it wrote the mark itself."""
_DELEGATES = frozenset({"Subagent", "Task"})

LOSSES: Losses = (
    {"feature": "empty_values", "reason": "null, empty text, arrays and objects are not kept as fields"},
    {"feature": "inferences", "reason": "the source tells no model call, no model and no usage"},
    {
        "feature": "call_ids",
        "reason": "the source gives calls no IDs: they are derived from where a call stands",
    },
    {"feature": "times", "reason": "the source tells no times, but for some prompts"},
    *not_told("agent_version", "approvals", "branch", "compactions", "rewinds", "workspace"),
)


def typed(building: Building, block: int | None, said: str) -> None:
    """A text under the user's role: what a person typed stands in a tag, around it what the program added.

    Without that tag a text that begins with another leaves open who wrote it.
    """
    begin, end = said.find(_OPEN), said.rfind(_CLOSE)
    if begin < 0 or end < begin:
        _message(building, block, "unknown" if _TAG.match(said) else "human", [said])
        return
    inner = said[begin + len(_OPEN) : end]
    lines = len(inner) > 1 and inner[0] == inner[-1] == "\n"
    added, where = around(said, said[begin : end + len(_CLOSE)])
    found = _TIME.search("\n".join(added))
    if found is not None and is_rfc3339(found[1]) and building.ts is None:
        building.ts = found[1]
    if lines:
        _message(building, block, "human", [inner[1:-1]])
    else:
        _message(building, block, "human", [inner], user_query="on one line")
    if added:
        _message(building, block, "harness", added, ADDED, user_query=where)


def answered(building: Building, block: int | None, said: str) -> None:
    """A text of the agent, which in old versions may be a thought."""
    if _THOUGHT.fullmatch(said):
        thought(building, block, said)
    else:
        _message(building, block, "agent", [said])


def _message(
    building: Building, block: int | None, author: str, texts: list[str], slot: int = CONTENT, **meta: str
) -> None:
    told: dict[str, Any] = {"role": "assistant" if author == "agent" else "user", "author": author}
    told["content"] = [text_part(one) for one in texts if one]
    building.put(slot, "message", told, block=block, meta=dict(meta))


def thought(building: Building, block: int | None, said: str) -> None:
    """What the model thought."""
    building.put(CONTENT, "reasoning", {"content": [text_part(said)] if said else []}, block=block)


def returned(building: Building, name: str, found: str) -> None:
    """What a tool returned: no ID says to which call, and the order of several is no evidence."""
    told = {
        "callId": derived(building.position, building.base),
        "callIdSource": "derived",
        "status": "unknown",
    }
    content = [text_part(found)] if found else []
    building.put(CONTENT, "tool_result", {**told, "content": content}, meta={"name": name} if name else None)


def called(building: Building, block: int | None, name: str, arguments: Any, **meta: Any) -> None:
    """A call, and the question, plan or subagent that it is. ``meta``: what else is told, such as an ``id``.

    No result is recorded: whether a call succeeded is not known, so no mode follows from it.
    """
    found = meta.get("id")
    place = building.base if block is None else building.base + BLOCK * (block + 1)
    call = derived(building.position, place)
    told: dict[str, Any] = {"callId": call, "callIdSource": "derived"}
    if isinstance(found, str) and usable(found):
        call = meta.pop("id")
        told = {"callId": call}
    told["name"] = name
    if arguments is not None:
        told["arguments"] = arguments
    building.put(CONTENT, "tool_call", told, block=block, meta=rest(meta, ()))
    _is(building, block, call, name, arguments)


def _is(building: Building, block: int | None, call: str, name: str, arguments: Any) -> None:
    """What a call is beside a call."""
    given = arguments if isinstance(arguments, dict) else {}
    if name in _DELEGATES:
        kind = text(given, "subagent_type")
        told: dict[str, Any] = {"callId": call}
        if kind and len(kind) <= MAX_ID:  # it is repeated
            told["agentType"] = kind
        building.put(SUBAGENT, "subagent", {**told, "state": "started"}, block=block)
    elif name == "AskQuestion" and isinstance(given.get("questions"), list):
        asked = [_question(one) for one in given["questions"]]
        building.put(
            REQUEST, "input_request", {"requestId": call, "callId": call, "questions": asked}, block=block
        )
    elif (items := _plan(name, given)) is not None:
        building.put(PLAN, "plan", {"items": items, "callId": call}, block=block)


def _question(one: Any) -> Any:
    """A question, its text under the usual key."""
    prompt = text(one, "prompt")
    return (
        one if prompt is None else {"question": prompt, **{key: one[key] for key in one if key != "prompt"}}
    )


def _plan(name: str, given: dict[str, Any]) -> list[dict[str, str]] | None:
    """The items of a plan that a call writes as a whole; one that changes some of a list is none."""
    if name == "CreatePlan" and (said := text(given, "plan")):
        return [{"text": said}]
    listed = given.get("todos")
    if name != "TodoWrite" or not isinstance(listed, list) or given.get("merge") is True:
        return None
    found = [(text(one, "content"), text(one, "status")) for one in listed]
    return [
        {"text": said} if status is None else {"text": said, "status": status}
        for said, status in found
        if said is not None
    ]
