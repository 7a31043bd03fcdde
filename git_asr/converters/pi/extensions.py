"""What tools of extensions are beside calls: questions, plans, subagents (reference section 6.5).

None of them is Pi's own, so that their shapes vary; what is told here is what those known have in common.
"""

from __future__ import annotations

from typing import Any

from git_asr.asr.ids import MAX_ID
from git_asr.converters import fields
from git_asr.converters.pi.entry import Entry
from git_asr.converters.pi.slots import EXCHANGE, PLAN, SUBAGENT
from git_asr.converters.pi.state import Call

_QUESTIONS = frozenset({"ask_user_question", "ask_user", "ask", "question", "questionnaire"})
_PLANS = frozenset({"todo", "todo_write"})
_SUBAGENTS = frozenset({"subagent", "task"})
TOOLS = _QUESTIONS | _PLANS | _SUBAGENTS

_ANSWERS = ("answer", "customInput", "label", "value", "selectedOptions")
"""Keys under which an answer stands, the one that says most first."""
_MAX_QUESTIONS = 100
"""Questions that are looked through for the one that an answer is to; no tool asks more than a few."""


def called(entry: Entry, index: int, call: Call) -> None:
    """The call asks, or starts a subagent."""
    if call.name in _QUESTIONS:
        asked = _asked(call.arguments)
        told = {"requestId": call.id, "callId": call.id, **({"questions": asked} if asked else {})}
        entry.put(EXCHANGE, "input_request", told, block=index)
    elif call.name in _SUBAGENTS:
        told = {"callId": call.id, **_kind(call), "state": "started"}
        call.record = entry.identify(entry.put(SUBAGENT, "subagent", told, block=index))


def returned(entry: Entry, call: Call, status: str, details: Any) -> None:
    """The result answers, tells the plan, or ends a subagent."""
    told = details if isinstance(details, dict) else {}
    if call.name in _QUESTIONS:
        _answered(entry, call, status, told)
    elif call.name in _PLANS:
        items = [item for one in _steps(told) if (item := _step(one)) is not None]
        if items:
            entry.put(PLAN, "plan", {"items": items, "callId": call.id})
    else:
        _ended(entry, call, status, told)


def _asked(arguments: dict[str, Any]) -> list[Any]:
    """The questions of a call: a list of them, or the arguments are one."""
    listed = arguments.get("questions")
    if isinstance(listed, list):
        return listed
    return [arguments] if "question" in arguments else []


def _answered(entry: Entry, call: Call, status: str, told: dict[str, Any]) -> None:
    fields_: dict[str, Any] = {"requestId": call.id, "callId": call.id}
    listed = next((told[key] for key in ("answers", "results") if isinstance(told.get(key), list)), [told])
    asked = _asked(call.arguments)[:_MAX_QUESTIONS]
    answers = [answer for one in listed if (answer := _answer(one, asked)) is not None]
    meta = None
    if answers:
        fields_["answers"] = answers
    else:
        meta = {"outcome": "cancelled" if status == "ok" else status}
    entry.put(EXCHANGE, "input_response", fields_, meta=meta)


def _answer(one: Any, asked: list[Any]) -> dict[str, Any] | None:
    """An answer with its question, which may be named by an ID."""
    if not isinstance(one, dict):
        return None
    said = next((one[key] for key in _ANSWERS if one.get(key) not in (None, "", [])), None)
    if said is None:
        return None
    question = fields.text(one, "question")
    if question is None:
        names = [found for found in asked if fields.text(found, "id") == one.get("id")] or asked[:1]
        worded = (fields.text(found, key) for found in names for key in ("question", "prompt"))
        question = next(filter(None, worded), None)
    told: dict[str, Any] = {} if question is None else {"question": question}
    told["answer"] = said
    return {**told, "choices": said} if isinstance(said, list) else told


def _steps(told: dict[str, Any]) -> list[Any]:
    """The steps of a plan, which may stand in phases."""
    phases = told.get("phases")
    listed = (
        [fields_.get("tasks") for fields_ in phases if isinstance(fields_, dict)]
        if isinstance(phases, list)
        else [told.get("todos")]
    )
    return [step for steps in listed if isinstance(steps, list) for step in steps]


def _step(found: Any) -> dict[str, str] | None:
    said = fields.text(found, "content") or fields.text(found, "text")
    if said is None:
        return None
    status = fields.text(found, "status")
    if status is None and isinstance(found.get("done"), bool):
        status = "completed" if found["done"] else "pending"
    return {"text": said, **({} if status is None else {"status": status})}


def _kind(call: Call) -> dict[str, str]:
    found = fields.text(call.arguments, "agent")
    return {} if not found or len(found) > MAX_ID else {"agentType": found}  # it is repeated


def _ended(entry: Entry, call: Call, status: str, told: dict[str, Any]) -> None:
    """The result ends a subagent, unless it says that this one goes on by itself."""
    running = fields.text(told, "asyncId")
    named: dict[str, Any] = {"callId": call.id, **_kind(call)}
    if running and status == "ok":
        meta = {"asyncId": running}
        draft = entry.put(
            SUBAGENT, "subagent", {**named, "state": "started"}, meta=meta, supersedes=call.record
        )
        call.record = entry.identify(draft)
    else:
        entry.put(SUBAGENT, "subagent", {**named, "state": "ended", "status": status})
