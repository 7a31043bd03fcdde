"""Calls and their results: questions, lists of tasks, plans, subagents (reference section 9)."""

from __future__ import annotations

import re
from typing import Any

from git_asr.asr.ids import MAX_ID, derived, usable
from git_asr.converters import fields
from git_asr.converters.blocks import parts
from git_asr.converters.building import BLOCK, CONTENT, holds, rest
from git_asr.converters.droid import plans
from git_asr.converters.droid.slots import PLAN, REQUEST, RESPONSE, SUBAGENT
from git_asr.converters.droid.state import Call, Line, State

_HEAD = 1_000
"""Characters of a result in which its outcome, or a subagent's ID, is looked for."""
_REFUSED = re.compile(
    r"user (?:has )?(rejected|declined|denied|cancell?ed|aborted)"
    r"|(rejected|declined|denied|cancell?ed|aborted) by (?:the )?user",
    re.IGNORECASE,
)
_AGENT = re.compile(r"agentId: ([A-Za-z0-9_-]+)")
_QUESTION = re.compile(r"\d{1,9}[.)]\s*\[question\]\s*(\S.*)", re.DOTALL)
_ANSWER = re.compile(r"\[(?:answer|option)\]\s*(\S.*)", re.DOTALL)
"""Lines without what is blank around them."""
_REMEMBERED = frozenset({"AskUser", "Task"})
_CALL = ("type", "id", "name", "input")
_RESULT = ("type", "tool_use_id", "content", "is_error")


def call(line: Line, state: State, at: int, block: dict[str, Any], inference: str) -> None:
    """A ``tool_use`` block: the call, and the question, plan or subagent that it is."""
    meta = rest(block, _CALL)
    identity = _identity(line, at, block, "id", meta)
    name, arguments = block["name"], block.get("input")
    told = {**identity, "name": name, **({"arguments": arguments} if "input" in block else {})}
    line.put(CONTENT, "tool_call", told, block=at, meta=meta, inference=inference)
    found = Call(identity["callId"], name, arguments if isinstance(arguments, dict) else {})
    if name in _REMEMBERED:
        state.calls[found.id] = found
    if name == "AskUser":
        named = {"requestId": found.id, "callId": found.id}
        questions = _questions(found.arguments)
        line.put(
            REQUEST, "input_request", {**named, **({"questions": questions} if questions else {})}, block=at
        )
    elif name == "Task":
        started = {"callId": found.id, **_kind(found), "state": "started"}
        line.put(SUBAGENT, "subagent", started, block=at)
    else:
        _plan(line, state, at, found)


def _identity(line: Line, at: int, block: dict[str, Any], key: str, meta: dict[str, Any]) -> dict[str, str]:
    """The ID of a call: the agent's, else one from its place; what was found instead goes to ``meta``."""
    found = block.get(key)
    if isinstance(found, str) and usable(found):
        return {"callId": found}
    if holds(found):
        meta[key] = found
    return {"callId": derived(line.position, line.base + BLOCK * (at + 1)), "callIdSource": "derived"}


def _plan(line: Line, state: State, at: int, found: Call) -> None:
    """A list of tasks, or a plan that is put to the user."""
    items = None
    if found.name == "TodoWrite":
        listed = plans.listed(found.arguments.get("todos"))
        items = plans.items(listed)
        state.changed("todos", listed)
    elif found.name == "ExitSpecMode" and fields.text(found.arguments, "plan"):
        items = [{"text": found.arguments["plan"]}]
    if items is not None:
        line.put(PLAN, "plan", {"items": items, "callId": found.id}, block=at)


def result(line: Line, state: State, at: int, block: dict[str, Any]) -> None:
    """A ``tool_result`` block: what the model got, and what it ends or answers."""
    meta = rest(block, _RESULT)
    identity = _identity(line, at, block, "tool_use_id", meta)
    content, left = parts(block["content"]) if holds(block.get("content")) else ([], {})
    if left:
        meta["content"] = left
    said = next((one["text"] for one in content if one["type"] == "text"), "")
    failed = block.get("is_error")
    status = _status(failed, said)
    if failed is not None and failed is not (status == "error"):
        meta["is_error"] = failed
    line.put(CONTENT, "tool_result", {**identity, "status": status, "content": content}, block=at, meta=meta)
    known = state.calls.get(identity["callId"])
    if known is not None and known.name == "Task":
        agent = _AGENT.search(said, 0, _HEAD)
        ended = {"callId": known.id, **_kind(known), "state": "ended", "status": status}
        line.put(SUBAGENT, "subagent", ended, block=at, meta=None if agent is None else {"agentId": agent[1]})
    elif known is not None:
        answers = _answers(known, said) if status == "ok" else []
        told: dict[str, Any] = {"requestId": known.id, "callId": known.id}
        if answers:
            told["answers"] = answers
        line.put(
            RESPONSE, "input_response", told, block=at, meta=None if status == "ok" else {"outcome": status}
        )


def _status(failed: Any, said: str) -> str:
    """How a call ended; a refusal is an error whose text says so."""
    if failed is not True:
        return "ok" if failed in (None, False) else "unknown"
    found = _REFUSED.search(said, 0, _HEAD)
    if found is None:
        return "error"
    return "cancelled" if (found[1] or found[2]).lower().startswith(("cancel", "abort")) else "rejected"


def _kind(found: Call) -> dict[str, str]:
    kind = fields.text(found.arguments, "subagent_type")
    return {} if kind is None or len(kind) > MAX_ID else {"agentType": kind}


def _questions(arguments: dict[str, Any]) -> list[Any]:
    """The questions of a call: a list, or one text with marks at its lines, or a text without them."""
    listed = arguments.get("questions")
    if isinstance(listed, list):
        return listed
    said = fields.text(arguments, "questionnaire") or fields.text(arguments, "question")
    if said is None:
        return []
    marked: list[dict[str, Any]] = []
    for line in said.split("\n"):
        if (asked := _QUESTION.fullmatch(line.strip())) is not None:
            marked.append({"question": asked[1]})
        elif marked and (option := _ANSWER.fullmatch(line.strip())) is not None:
            marked[-1].setdefault("options", []).append({"label": option[1]})
    return marked or [{"question": said}]


def _answers(known: Call, said: str) -> list[dict[str, Any]]:
    """The answers in a result: each behind its question, or the text as it is."""
    found: list[dict[str, Any]] = []
    asked: str | None = None
    for line in said.split("\n"):
        if (question := _QUESTION.fullmatch(line.strip())) is not None:
            asked = question[1]
        elif asked is not None and (answer := _ANSWER.fullmatch(line.strip())) is not None:
            found.append({"question": asked, "answer": answer[1]})
    if found or not said:
        return found
    questions = _questions(known.arguments)
    asked = fields.text(questions[0], "question") if len(questions) == 1 else None
    return [{"answer": said} if asked is None else {"question": asked, "answer": said}]
