"""What happens beside the conversation: hooks, subagents, commands to the program (reference section 7.2)."""

from __future__ import annotations

from typing import Any

from git_asr.asr.ids import MAX_ID
from git_asr.converters.building import CONTENT, rest, word
from git_asr.converters.copilot.event import Event, Taken
from git_asr.converters.copilot.state import State
from git_asr.converters.fields import part, text

_OUTCOMES = {True: "succeeded", False: "failed"}


def hook_start(event: Event, _: State) -> Taken | None:
    """A hook begins."""
    kind = word(event.data.get("hookType"))
    if kind is None:
        return None
    event.put(CONTENT, "git-asr/hook", {"event": kind, "outcome": "running"})
    return {"hookType"}


def hook_end(event: Event, _: State) -> Taken | None:
    """A hook ended."""
    data = event.data
    kind, success = word(data.get("hookType")), data.get("success")
    if kind is None or not isinstance(success, bool):
        return None
    told: dict[str, Any] = {"event": kind}
    error = part(data, "error")
    taken = {"hookType", "success"}
    if said := text(error, "message"):
        told["text"] = said
        taken.add("error")
        if over := rest(error, ("message",)):
            event.left["error"] = over
    event.put(CONTENT, "git-asr/hook", {**told, "outcome": _OUTCOMES[success]})
    return taken


_STATES = {
    "subagent.started": ("started", None),
    "subagent.completed": ("ended", "completed"),
    "subagent.failed": ("ended", "failed"),
}


def subagent(event: Event, state: State) -> Taken | None:
    """A subagent starts or ends."""
    data = event.data
    told, taken = event.call()
    kind = text(data, "agentName")
    if not taken:
        return None
    call = told["callId"]
    if kind and len(kind) <= MAX_ID:  # it is repeated
        told["agentType"] = kind
        taken.add("agentName")
    now, status = _STATES[event.type]
    fields: dict[str, Any] = {**told, "state": now}
    if status is not None:
        if call in state.streams:
            fields["stream"] = f"{state.stream}.{suffix(call)}"
        fields["status"] = "cancelled" if data.get("cancelled") is True else status
    event.put(CONTENT, "subagent", fields)
    return taken


def suffix(agent: str) -> str:
    """What the ID of a subagent's stream has behind that of the session (profile section 2)."""
    return f"{agent}.embedded"


def command(event: Event, _: State) -> Taken | None:
    """A command to the program."""
    data = event.data
    typed, name = text(data, "command"), word(data.get("commandName"))
    if typed is None:
        return None
    if not name:
        event.put(CONTENT, "git-asr/command", {"kind": "slash", "input": typed})
        return {"command"}
    told, taken = {"kind": "slash", "name": name}, {"commandName"}
    if arguments := text(data, "args"):
        told["arguments"] = arguments
        taken.add("args")
    event.put(CONTENT, "git-asr/command", told)
    return taken
