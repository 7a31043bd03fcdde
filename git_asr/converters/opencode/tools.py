"""Tools: call and result stand in one part (reference sections 5.4 and 5.6)."""

from __future__ import annotations

from dataclasses import dataclass
from heapq import heappush
from typing import Any

from git_asr.asr import codec
from git_asr.asr.ids import MAX_ID, derived
from git_asr.converters import fields
from git_asr.converters.building import BLOCK, CONTENT, call_identity, data_part, holds, rest, text_part, word
from git_asr.converters.opencode.slots import ENDED, PLAN, REQUEST, RESPONSE, RESULT, SUBAGENT
from git_asr.converters.opencode.state import Message, State

MAX_ARGUMENT_LEVELS = 200
"""Levels of arguments that are stored as JSON text; deeper ones stay text."""
_REJECTED = (
    "The user rejected permission",
    "The user has specified a rule which prevents",
    "Permission denied by ruleset",
    "The user dismissed this question",
)
_CANCELLED = ("Tool execution aborted",)
_ENDED = {"completed": "ok", "error": "error"}
_LATE = frozenset({RESULT, RESPONSE, ENDED})
"""Slots of what has the time of the end."""


@dataclass(frozen=True, slots=True)
class Call:
    """A call: name, ID, arguments, what the agent tells of it, and how it ended (None: it did not)."""

    name: str
    id: str
    arguments: Any
    told: dict[str, Any]
    status: str | None


def tool(message: Message, state: State, index: int, part: dict[str, Any]) -> bool:
    """Make the records of a ``tool`` part; whether it is one."""
    name, told = word(part.get("tool")), part.get("state")
    if name is None or not isinstance(told, dict):
        return False
    first = len(message.drafts)
    status = _status(told)
    started, ended, over = _times(told.get("time"), ended=status is not None)
    if state.shell and (command := fields.text(told.get("input"), "command")) is not None:
        _shell(message, index, part, command, over)
    else:
        meta = message.left(part, ("tool", "callID", "state"))
        identity = call_identity(
            part.get("callID"), derived(message.position, message.block(index)), "callID", meta
        )
        arguments, exact = _arguments(told.get("input"))
        if exact is not None:
            meta["input"] = exact
        if status is None and (left := {**rest(told, ("input", "time")), **over}):
            meta["state"] = left
        request = {**identity, "name": name, **({"arguments": arguments} if "input" in told else {})}
        message.put(CONTENT, "tool_call", request, block=index, meta=meta, inference=message.call)
        if status is not None:
            _result(message, index, identity, status, over)
            cleared = fields.time(told.get("time"), "compacted")
            if cleared is not None:
                heappush(state.pruned, (cleared, identity["callId"]))
        _told(message, index, Call(name, identity["callId"], arguments, told, status))
    for draft in message.drafts[first:]:
        stamp = ended if draft.part % BLOCK in _LATE else started
        draft.ts = stamp or draft.ts
    return True


def _times(found: Any, *, ended: bool) -> tuple[str | None, str | None, dict[str, Any]]:
    """When a call began and when it ended, and what else is said of time."""
    started = fields.time(found, "start")
    end = fields.time(found, "end") if ended else None
    if not isinstance(found, dict):
        return None, None, {"time": found} if holds(found) else {}
    taken = [key for key, stamp in (("start", started), ("end", end)) if stamp is not None]
    over = rest(found, taken)
    return started, end, {"time": over} if over else {}


def _arguments(found: Any) -> tuple[Any, str | None]:
    """The arguments, and their exact text where that is JSON which writing them would not give back."""
    if not isinstance(found, str):
        return found, None
    data = found.encode("utf-8", "surrogatepass")
    if data[:1] not in (b"{", b"[") or codec.deeper(data, MAX_ARGUMENT_LEVELS):
        return found, None
    try:
        value = codec.strict(data)
    except ValueError:
        return found, None
    return value, None if codec.encode(value) == data else found


def _status(told: dict[str, Any]) -> str | None:
    """How a call ended; None if it did not."""
    said = told.get("status")
    status = _ENDED.get(said) if isinstance(said, str) else None
    if status is None:
        return "unknown" if told.get("output") is not None or told.get("error") is not None else None
    error = told.get("error")
    failure = error if status == "error" and isinstance(error, str) else ""
    if failure.startswith(_REJECTED):
        return "rejected"
    if failure.startswith(_CANCELLED) or fields.part(told, "metadata").get("interrupted") is True:
        return "cancelled"
    return status


def _result(
    message: Message, index: int, identity: dict[str, str], status: str, over: dict[str, Any]
) -> None:
    """The result of a call; ``over``: what is said of time beside its start and end."""
    told = message.parts[index]["state"]
    meta: dict[str, Any] = {}
    content: list[dict[str, Any]] = []
    for key in ("output", "error"):
        said = told.get(key)
        if isinstance(said, str):
            content.append(text_part(said))
        elif said is not None:
            content.append({"type": "json", "value": said})
    attached = told.get("attachments")
    taken = {"status", "input", "time", "output", "error", "metadata"}
    if isinstance(attached, list):
        taken.add("attachments")
        found = [file(message, one) for one in attached]
        content += [one for one, _ in found]
        if left := {str(at): one for at, (_, one) in enumerate(found) if one}:
            meta["attachments"] = left
    result: dict[str, Any] = {**identity, "status": status, "content": content}
    if holds(told.get("metadata")):
        result["output"] = told["metadata"]
    meta = {**meta, **rest(told, taken), **over}
    if status == "unknown" and holds(told.get("status")):
        meta["status"] = told["status"]
    message.put(RESULT, "tool_result", result, block=index, meta=meta)


def file(message: Message, part: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """The content part for a ``file``, and what it does not hold: its type too, where that is another."""
    if not isinstance(part, dict):
        return {"type": "json", "value": part}, {}
    one = data_part(part.get("url"), part)
    if "data" not in one:
        return one, {}
    taken = {"url", "mime"} if part.get("mime") == one["mediaType"] else {"url"}
    kind = part.get("type", "file")
    return one, {**({} if kind == "file" else {"type": kind}), **message.left(part, taken)}


def _shell(message: Message, index: int, part: dict[str, Any], command: str, over: dict[str, Any]) -> None:
    """A command that a person ran in the session, and its output."""
    told = part["state"]
    meta = message.left(part, ("state",))
    message.put(CONTENT, "git-asr/command", {"kind": "shell", "input": command}, block=index, meta=meta)
    shown: dict[str, Any] = {"kind": "shell-output"}
    taken = {"input", "time"}
    if isinstance(told.get("output"), str):
        shown["text"] = told["output"]
        taken.add("output")
    left = {**rest(told, taken), **over}
    if beside := rest(told["input"], ("command",)):
        left["input"] = beside
    message.put(RESULT, "git-asr/command", shown, block=index, meta=left)


def _told(message: Message, index: int, call: Call) -> None:
    """What a call is beside a call: a question, a plan, a subagent."""
    arguments = call.arguments if isinstance(call.arguments, dict) else {}
    returned = fields.part(call.told, "metadata")
    if call.name == "question":
        _question(message, index, call, arguments.get("questions"), returned.get("answers"))
    elif call.name == "todowrite":
        asked = arguments.get("todos")
        listed = asked if isinstance(asked, list) else returned.get("todos")
        if isinstance(listed, list):
            items = [_item(one) for one in listed if fields.text(one, "content") is not None]
            message.put(PLAN, "plan", {"items": items, "callId": call.id}, block=index)
    elif call.name == "task":
        kind = fields.text(arguments, "subagent_type")
        named = {"callId": call.id}
        if kind is not None and len(kind) <= MAX_ID:
            named["agentType"] = kind
        message.put(SUBAGENT, "subagent", {**named, "state": "started"}, block=index)
        if call.status is not None:
            session = fields.text(returned, "sessionId")
            ended = {**named, "state": "ended", "status": call.status}
            meta = None if session is None else {"sessionId": session}
            message.put(ENDED, "subagent", ended, block=index, meta=meta)


def _item(found: dict[str, Any]) -> dict[str, str]:
    status = fields.text(found, "status")
    return {"text": found["content"], **({} if status is None else {"status": status})}


def _question(message: Message, index: int, call: Call, questions: Any, answers: Any) -> None:
    """A question to the user, and the answers: for each question the labels that were chosen, or what was typed."""
    request: dict[str, Any] = {"requestId": call.id, "callId": call.id}
    asked = questions if isinstance(questions, list) else []
    if asked:
        request["questions"] = asked
    message.put(REQUEST, "input_request", request, block=index)
    if call.status is None:
        return
    response: dict[str, Any] = {"requestId": call.id, "callId": call.id}
    if isinstance(answers, list):
        response["answers"] = [
            _answer(asked[at] if at < len(asked) else None, said) for at, said in enumerate(answers)
        ]
    meta = None if call.status == "ok" else {"outcome": call.status}
    message.put(RESPONSE, "input_response", response, block=index, meta=meta)


def _answer(question: Any, said: Any) -> dict[str, Any]:
    asked = fields.text(question, "question")
    answer: dict[str, Any] = {} if asked is None else {"question": asked}
    if isinstance(said, list) and len(said) == 1:
        return {**answer, "answer": said[0]}
    return {**answer, "answer": said, **({"choices": said} if isinstance(said, list) else {})}
