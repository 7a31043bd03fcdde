"""Tool calls: call and result stand in one object (reference sections 4.2 and 4.4)."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any

from git_asr.asr import codec
from git_asr.asr.ids import MAX_ID, derived
from git_asr.converters import fields
from git_asr.converters.building import (
    CONTENT,
    call_identity,
    holds,
    join,
    rest,
    text_part,
    vendor_type,
    word,
)
from git_asr.converters.gemini.content import part as content_part
from git_asr.converters.gemini.slots import ENDED, MODE, PLAN, REQUEST, RESPONSE, RESULT, SUBAGENT
from git_asr.converters.gemini.state import Message, State

_ENDED = {"success": "ok", "error": "error", "cancelled": "cancelled"}
_CALL = frozenset({"id", "name", "args", "result", "resultDisplay", "status", "timestamp"})
_LATE = frozenset({RESULT, RESPONSE, ENDED})
"""Slots of what has the time of the end."""
_PLANNING = {"enter_plan_mode": "on", "exit_plan_mode": "off"}


@dataclass(frozen=True, slots=True)
class Call:
    """A call: its block, name, ID and arguments, the agent that it starts, and how it ended (None: it did not)."""

    block: int
    name: str
    id: str
    arguments: dict[str, Any]
    agent: str | None
    status: str | None


def call(message: Message, state: State, block: int, told: Any, inference: str | None) -> None:
    """Make the records of one of a message's ``toolCalls``."""
    name = word(told.get("name")) if isinstance(told, dict) else None
    if name is None:
        message.put(CONTENT, vendor_type(message.vendor, "toolCall"), {"value": told}, block=block)
        return
    first = len(message.drafts)
    meta = rest(told, _CALL)
    identity = call_identity(told.get("id"), derived(message.position, message.place(block)), "id", meta)
    status = _status(told)
    request = {**identity, "name": name, **({"arguments": told["args"]} if "args" in told else {})}
    draft = message.put(CONTENT, "tool_call", request, block=block, inference=inference)
    stamp = fields.time(told, "timestamp")
    if stamp is None and holds(told.get("timestamp")):
        meta["timestamp"] = told["timestamp"]
    if status is None:
        draft.ts = stamp or draft.ts
        meta = {**meta, **rest(told, _CALL - {"result", "resultDisplay", "status"})}
    elif fields.text(told, "status") not in _ENDED and holds(told.get("status")):
        meta["status"] = told["status"]
    if meta:
        draft.meta = {message.vendor: meta}
    if status is not None:
        _result(message, state, block, identity, told)
    found = told.get("args")
    arguments = found if isinstance(found, dict) else {}
    _told(
        message,
        state,
        Call(block, name, identity["callId"], arguments, fields.text(told, "agentId"), status),
        told,
    )
    for one in message.drafts[first:]:
        if status is not None and one.part - message.place(block) in _LATE:
            one.ts = stamp or one.ts


def _status(told: dict[str, Any]) -> str | None:
    """How a call ended; None if it did not."""
    said = told.get("status")
    if isinstance(said, str) and said in _ENDED:
        return _ENDED[said]
    return "unknown" if holds(told.get("result")) else None


def _result(
    message: Message, state: State, block: int, identity: dict[str, str], told: dict[str, Any]
) -> None:
    """The result of a call: what the model got, and what the tool shows to people."""
    found = told.get("result")
    listed = found if isinstance(found, list) else [found] if holds(found) else []
    content: list[dict[str, Any]] = []
    meta: dict[str, Any] = {}
    for at, one in enumerate(listed):
        made, left = returned(one, identity["callId"], told["name"])
        content += made
        if left:
            meta[str(at)] = left
    result: dict[str, Any] = {**identity, "status": _status(told), "content": content}
    if holds(told.get("resultDisplay")):
        result["output"] = told["resultDisplay"]
    draft = message.put(RESULT, "tool_result", result, block=block, meta={"result": meta} if meta else None)
    orphan, _ = state.results.get(identity["callId"], (None, b""))
    draft.supersedes = orphan  # it came first in a message of its own
    if listed:
        state.results[identity["callId"]] = (None, digest(listed[0]))


def returned(one: Any, call: str, name: str | None) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """The content of a part of a result, and what it does not hold."""
    found = one.get("functionResponse") if isinstance(one, dict) else None
    if not isinstance(found, dict):
        made, left = content_part(one)
        return [made], left
    left = rest(one, ("functionResponse",))
    over = rest(found, ("response",))
    for key, own in (("id", call), ("name", name)):
        if key in over and over[key] == own:
            del over[key]
    response = found.get("response")
    content = []
    for key in ("output", "error"):
        if isinstance(response, dict) and isinstance(response.get(key), str):
            content.append(text_part(response[key]))
            response = rest(response, (key,))
    if holds(response):
        content.append({"type": "json", "value": response})
    return content, join(left, {"functionResponse": over}) if over else left


def digest(one: Any) -> bytes:
    """What a ``functionResponse`` says, to be compared."""
    return hashlib.sha256(codec.identity(fields.part(one, "functionResponse"))).digest()


def _told(message: Message, state: State, call: Call, told: dict[str, Any]) -> None:
    """What a call is beside a call: a question, a plan, a mode, a subagent."""
    if call.name == "ask_user":
        _question(message, call, told)
    elif call.name == "write_todos" and isinstance(listed := call.arguments.get("todos"), list):
        items = [_item(one) for one in listed if fields.text(one, "description") is not None]
        message.put(PLAN, "plan", {"items": items, "callId": call.id}, block=call.block)
    elif call.name in _PLANNING and call.status == "ok":
        if state.changed("mode plan", _PLANNING[call.name]):
            fields_ = {"kind": "plan", "mode": _PLANNING[call.name]}
            message.put(MODE, "git-asr/mode", fields_, block=call.block)
    elif call.agent is not None or call.name == "invoke_agent":
        kind = fields.text(call.arguments, "agent_name") or call.name
        named = {"callId": call.id, **({"agentType": kind} if len(kind) <= MAX_ID else {})}
        message.put(SUBAGENT, "subagent", {**named, "state": "started"}, block=call.block)
        if call.status is not None:
            ended = {**named, "state": "ended", "status": call.status}
            meta = None if call.agent is None else {"agentId": call.agent}
            message.put(ENDED, "subagent", ended, block=call.block, meta=meta)


def _item(found: dict[str, Any]) -> dict[str, str]:
    status = fields.text(found, "status")
    return {"text": found["description"], **({} if status is None else {"status": status})}


def _question(message: Message, call: Call, told: dict[str, Any]) -> None:
    """Questions to the user; the answers stand as JSON in the text of the result, by the index of the question."""
    named = {"requestId": call.id, "callId": call.id}
    questions = call.arguments.get("questions")
    asked = questions if isinstance(questions, list) else []
    message.put(
        REQUEST, "input_request", {**named, **({"questions": asked} if asked else {})}, block=call.block
    )
    if call.status is None:
        return
    answers = _answers(told)
    response: dict[str, Any] = dict(named)
    if answers is not None:
        response["answers"] = [_answer(asked, index, said) for index, said in answers.items()]
    meta = None if call.status == "ok" else {"outcome": call.status}
    message.put(RESPONSE, "input_response", response, block=call.block, meta=meta)


def _answers(told: dict[str, Any]) -> dict[str, Any] | None:
    listed = told.get("result")
    first = listed[0] if isinstance(listed, list) and listed else None
    said = fields.text(fields.part(fields.part(first, "functionResponse"), "response"), "output")
    if said is None:
        return None
    try:
        found = codec.strict(said.encode("utf-8", "surrogatepass"))
    except ValueError:
        return None
    answers = found.get("answers") if isinstance(found, dict) else None
    return answers if isinstance(answers, dict) else None


def _answer(asked: list[Any], index: str, said: Any) -> dict[str, Any]:
    """An answer with its question; of an index that is none the index is kept."""
    number = int(index) if index.isascii() and index.isdecimal() and len(index) < 6 else len(asked)
    question = fields.text(asked[number], "question") if number < len(asked) else None
    return {"question": question if question is not None else index, "answer": said}
