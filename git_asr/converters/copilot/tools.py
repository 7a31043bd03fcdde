"""Tools that the model or a person asks for, and what they return (reference sections 7.2 and 7.3)."""

from __future__ import annotations

from typing import Any

from git_asr.asr.ids import derived, usable
from git_asr.converters.building import BLOCK, CONTENT, rest, text_part, vendor_type, word
from git_asr.converters.copilot.content import returned
from git_asr.converters.copilot.event import VENDOR, Event, Taken
from git_asr.converters.copilot.state import State, digest
from git_asr.converters.fields import part, text

_CODES = {"denied": "rejected", "rejected": "rejected", "cancelled": "cancelled", "aborted": "cancelled"}
"""How a call ended, by the code of its error; any other is an error."""


def requested(event: Event, state: State, block: int, one: Any, inference: str | None) -> None:
    """A tool that a response asks for."""
    name = word(one.get("name")) if isinstance(one, dict) else None
    if name is None:
        event.put(CONTENT, vendor_type(VENDOR, "toolRequest"), {"value": one}, block=block)
        return
    found = one.get("toolCallId")
    told: dict[str, Any] = {"callId": found}
    taken = ["name", "arguments", "toolCallId"]
    before = None
    if isinstance(found, str) and usable(found):
        before = state.begun.pop(found, None)
        state.calls[found] = digest(name, one.get("arguments"))
    else:
        told = {
            "callId": derived(event.position, event.base + BLOCK * (block + 1)),
            "callIdSource": "derived",
        }
        taken.remove("toolCallId")
    told["name"] = name
    if one.get("arguments") is not None:
        told["arguments"] = one["arguments"]
    if one.get("type") == "function":
        taken.append("type")  # as nearly all are
    meta = rest(one, taken)
    event.put(CONTENT, "tool_call", told, block=block, meta=meta, inference=inference, supersedes=before)


def started(event: Event, state: State) -> Taken | None:
    """A tool begins: a call, if no response asked for it."""
    data = event.data
    name = word(data.get("toolName"))
    told, taken = event.call()
    if name is None or not taken:
        return None
    call = told["callId"]
    if data.get("model") == state.turns[event.agent].model:
        event.again.add("model")
    if call in state.calls or call in state.typed:
        asked = state.calls.get(call)
        state.calls[call] = None
        if asked == digest(name, data.get("arguments")):
            taken |= {"toolName", "arguments"}
        event.keep(taken, callId=call)
        return data.keys()
    told["name"] = name
    if data.get("arguments") is not None:
        told["arguments"] = data["arguments"]
    event.put(CONTENT, "tool_call", told)
    state.calls[call] = None
    state.begun[call] = event.own_id(state.used)
    return {*taken, "toolName", "arguments"}


def completed(event: Event, state: State) -> Taken | None:
    """A tool ended: what the model got, and what else it returned."""
    data = event.data
    result, error = data.get("result"), data.get("error")
    if not isinstance(result, dict | None) or not isinstance(error, dict | None):
        return None
    told, taken = event.call()
    if data.get("model") == state.turns[event.agent].model:
        event.again.add("model")
    content, output, left = returned(result or {})
    if left:
        event.left["result"] = left
    said = text(error, "message")
    if said and text_part(said) not in content:
        content.append(text_part(said))
    if over := rest(error or {}, ("message",) if said else ()):
        event.left["error"] = over
    taken |= {"result", "error"}
    if told["callId"] in state.typed:
        return _printed(event, content, output, taken)
    status = _status(data.get("success"), error, denied=told["callId"] in state.denied)
    if isinstance(data.get("success"), bool):
        taken.add("success")
    event.put(
        CONTENT,
        "tool_result",
        {**told, "status": status, "content": content, **({"output": output} if output else {})},
    )
    return taken


def _status(success: Any, error: dict[str, Any] | None, *, denied: bool) -> str:
    if success is True:
        return "ok"
    if success is not False:
        return "unknown"
    if denied:
        return "rejected"
    return _CODES.get(text(error, "code") or "", "error")


def asked_for(event: Event, state: State) -> Taken | None:
    """A tool that the person asks for, as a rule the shell."""
    name, found = word(event.data.get("toolName")), event.data.get("toolCallId")
    if name is None:
        return None
    if isinstance(found, str) and usable(found):
        state.typed.add(found)
    told: dict[str, Any] = {"kind": "shell", "name": name}
    arguments = event.data.get("arguments")
    command = text(arguments, "command")
    if command is not None:
        told["input"] = command
        if over := rest(part(event.data, "arguments"), ("command",)):
            event.left["arguments"] = over
    event.put(CONTENT, "git-asr/command", told)
    return {"toolName", "arguments"} if command is not None else {"toolName"}


def _printed(
    event: Event, content: list[dict[str, Any]], output: dict[str, Any], taken: set[str]
) -> set[str]:
    """What a tool returned that the person asked for."""
    told: dict[str, Any] = {"kind": "shell-output"}
    if content and content[0]["type"] == "text":
        told["text"] = content.pop(0)["text"]
    if content:
        told["content"] = content
    event.put(CONTENT, "git-asr/command", told)
    if output:
        event.left["output"] = output
    return taken - {"toolCallId"}
