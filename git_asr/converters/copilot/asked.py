"""What the agent asks the person: questions, plans to approve, permissions (reference section 7.2)."""

from __future__ import annotations

from typing import Any

from git_asr.asr.ids import usable
from git_asr.converters.building import CONTENT, rest, word
from git_asr.converters.copilot.content import listed
from git_asr.converters.copilot.event import Event, Taken
from git_asr.converters.copilot.slots import EXCHANGE
from git_asr.converters.copilot.state import State
from git_asr.converters.fields import part, text


def _named(event: Event) -> tuple[dict[str, Any], set[str]] | None:
    """The fields that name a request, and the call that asks it, and their keys; None where it has no ID."""
    request = text(event.data, "requestId")
    if request is None or not usable(request):
        return None
    call = text(event.data, "toolCallId")
    if call is not None and usable(call):
        return {"requestId": request, "callId": call}, {"requestId", "toolCallId"}
    return {"requestId": request}, {"requestId"}


def _options(found: Any) -> list[dict[str, Any]]:
    return [{"label": one} for one in listed(found)]


def _asks(event: Event, state: State, slot: int, question: str, more: dict[str, Any]) -> set[str] | None:
    """Put a question; the keys that name it."""
    named = _named(event)
    if named is None:
        return None
    told, taken = named
    state.asked[told["requestId"]] = question, told.get("callId")
    event.put(slot, "input_request", {**told, "questions": [{"question": question, **more}]})
    return taken


def _answers(event: Event, state: State, answer: Any) -> set[str] | None:
    """Put the answer to a question, which may be none; the keys that name it."""
    named = _named(event)
    if named is None:
        return None
    told, taken = named
    question, call = state.asked.get(told["requestId"], (None, None))
    if call is not None:
        told.setdefault("callId", call)
    if answer is not None:
        told["answers"] = [{**({} if question is None else {"question": question}), "answer": answer}]
    event.put(CONTENT, "input_response", told)
    return taken


def question(event: Event, state: State) -> Taken | None:
    """A question with choices."""
    said = text(event.data, "question")
    if said is None:
        return None
    more = rest(event.data, ("requestId", "toolCallId", "question", "choices", *event.again))
    if isinstance(event.data.get("choices"), list):
        more = {"options": _options(event.data["choices"]), **more}
    elif event.data.get("choices") is not None:
        more["choices"] = event.data["choices"]
    taken = _asks(event, state, CONTENT, said, more)
    return None if taken is None else {*event.data} - ({"requestId", "toolCallId"} - taken)


def answer(event: Event, state: State) -> Taken | None:
    """The answer to a question."""
    taken = _answers(event, state, event.data.get("answer"))
    return None if taken is None else {*taken, "answer"}


def form(event: Event, state: State) -> Taken | None:
    """A form to fill in, or a page to open."""
    said = text(event.data, "message")
    if said is None:
        return None
    more = rest(event.data, ("requestId", "toolCallId", "message", *event.again))
    taken = _asks(event, state, CONTENT, said, more)
    return None if taken is None else {*event.data} - ({"requestId", "toolCallId"} - taken)


def filled(event: Event, state: State) -> Taken | None:
    """A form that was filled in, or was not: one field is the answer, several are one answer by their names."""
    content = event.data.get("content")
    ((name, told),) = content.items() if isinstance(content, dict) and len(content) == 1 else [("", content)]
    taken = _answers(event, state, told or None)
    if taken is None:
        return None
    if name:
        event.left["field"] = name
    return {*taken, "content"} if told else taken


def plan(event: Event, state: State) -> Taken | None:
    """A plan that the person may approve."""
    data = event.data
    said = text(data, "planContent")
    if said is None:
        return None
    taken = _asks(
        event, state, EXCHANGE, text(data, "summary") or "", {"options": _options(data.get("actions"))}
    )
    if taken is None:
        return None
    event.put(CONTENT, "plan", {"items": [{"text": said}]})
    return {
        *taken,
        "planContent",
        *(("summary",) if text(data, "summary") is not None else ()),
        *(("actions",) if isinstance(data.get("actions"), list) else ()),
    }


def decided(event: Event, state: State) -> Taken | None:
    """What the person said of a plan."""
    data = event.data
    told = next((key for key in ("feedback", "selectedAction") if word(data.get(key))), "approved")
    taken = _answers(event, state, data.get(told))
    return None if taken is None else {*taken, told}


def permission(event: Event, state: State) -> Taken:
    """The agent wants to do something; what the person says of it belongs to the call."""
    request, call = text(event.data, "requestId"), text(part(event.data, "permissionRequest"), "toolCallId")
    if request is not None and call is not None:
        state.requests[request] = call
    event.keep()
    return event.data.keys()


def permitted(event: Event, state: State) -> Taken:
    """Whether the agent may: a refusal is told, a permission is what the call shows."""
    data = event.data
    kind = word(part(data, "result").get("kind"))
    if kind is None or ("denied" not in kind and "reject" not in kind):
        event.keep()
        return data.keys()
    call = text(data, "toolCallId") or state.requests.get(text(data, "requestId") or "")
    if call is not None:
        state.denied.add(call)
    event.put(CONTENT, "git-asr/notice", {"level": "warning", "kind": "permission", "text": kind})
    if over := rest(data["result"], ("kind",)):
        event.left["result"] = over
    return {"result"}
