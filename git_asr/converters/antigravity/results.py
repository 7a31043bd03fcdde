"""Steps that are the results of calls (reference section 10): paired by their order, for the source has no IDs."""

from __future__ import annotations

import re
from typing import Any

from git_asr.asr.ids import MAX_ID, derived
from git_asr.converters.antigravity.slots import RESPONSE, SUBAGENT
from git_asr.converters.antigravity.state import TOOLS, Call, State, Step, questions
from git_asr.converters.building import CONTENT, MAX_BLOCKS, text_part
from git_asr.converters.fields import text

TYPES = frozenset({*TOOLS.values(), "GENERIC"})
"""Types of steps that are results."""

_CHILD = re.compile(r'"conversationId"\s*:\s*"([^"\\]{1,200})"')
_ANSWER = re.compile(r"^A(\d{1,3}): ?(.*)$", re.MULTILINE)
_FAILED = re.compile(r"The command (?:failed|exited with code:? [1-9])")
_REFUSED = re.compile(
    r"user (?:has )?(?:rejected|declined|denied)|(?:rejected|declined|denied) by (?:the )?user", re.I
)
_HEAD = 1_000
"""Characters of a result in which its outcome is looked for."""
_STATUS = {"DONE": "ok", "ERROR": "error", "CANCELED": "cancelled", "CANCELLED": "cancelled"}


def result(step: Step, state: State) -> None:
    """A step that is the result of a call: of the first that waits for one of its type."""
    said = step.take("content") or ""
    call = state.results.get(step.own or "") or _waiting(step.type, state.waiting)
    if call is None:
        call = Call(derived(step.position, step.base + CONTENT), "", {})
    else:
        state.answered.add(call.id)
    if step.own is not None:
        state.results[step.own] = call
    meta = {} if call.step == step.type else {"type": step.type}
    status = _status(step, said)
    told: dict[str, Any] = {"callId": call.id, "callIdSource": "derived", "status": status}
    content = [text_part(said)] if said else []
    step.put(CONTENT, "tool_result", {**told, "content": content}, meta=meta, capture=step.capture("content"))
    if call.step == "ASK_QUESTION":
        answers = _answers(call, said)
        named: dict[str, Any] = {"requestId": call.id, "callId": call.id}
        step.put(RESPONSE, "input_response", {**named, **({"answers": answers} if answers else {})})
    if "INVOKE_SUBAGENT" in (step.type, call.step):
        _subagents(step, state, call, said)


def _waiting(kind: str, waiting: list[Call]) -> Call | None:
    """The call whose result a step is: the first of its type, else the first of a tool that is not known."""
    fits = [at for at, call in enumerate(waiting) if kind in (call.step, "GENERIC")]
    fits += [at for at, call in enumerate(waiting) if call.tool not in TOOLS]
    return waiting.pop(fits[0]) if fits else None


def _status(step: Step, said: str) -> str:
    """How a call ended; a command that failed counts as done."""
    found = step.value.get("status")
    status = _STATUS.get(found, "unknown") if isinstance(found, str) else "unknown"
    if found == "ERROR":
        step.taken.add("status")
        return "rejected" if _REFUSED.search(said, 0, _HEAD) else status
    return "error" if status == "ok" and _FAILED.search(said, 0, _HEAD) else status


def _answers(call: Call, said: str) -> list[dict[str, Any]]:
    """The answers in a result, by the number of the question."""
    asked = questions(call)
    found = []
    for number, answer in _ANSWER.findall(said):
        at = int(number) - 1
        question = (
            text(asked[at], "question") or text(asked[at], "Question") if 0 <= at < len(asked) else None
        )
        found.append({"question": f"Q{number}" if question is None else question, "answer": answer})
    return found


def _subagents(step: Step, state: State, call: Call, said: str) -> None:
    """The subagents that a call started, each a conversation of its own."""
    listed = call.arguments.get("Subagents")
    wanted = listed if isinstance(listed, list) else []
    children = list(dict.fromkeys(_CHILD.findall(said)))[:MAX_BLOCKS]
    for at, child in enumerate(children):
        state.children.add(child)
        kind = text(wanted[at], "TypeName") if at < len(wanted) else None
        told: dict[str, Any] = {"callId": call.id} if call.name else {}
        if kind is not None and len(kind) <= MAX_ID:
            told["agentType"] = kind
        meta = {"conversationId": child}
        step.put(SUBAGENT, "subagent", {**told, "state": "started"}, block=at, meta=meta)
