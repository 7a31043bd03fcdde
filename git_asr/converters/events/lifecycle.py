"""Lifecycle events of Entire's agent protocol (companion specification; reference entire-checkpoints, section 6)."""

from __future__ import annotations

import re
from typing import Any

from git_asr.asr.ids import usable, usable_session
from git_asr.converters import fields
from git_asr.converters.building import text_part, word
from git_asr.converters.events.slots import IDLE, PROMPT, RESPONSE, STATE
from git_asr.converters.events.state import Handler, Line, State, Taken

NAMES = (
    *("SessionStart", "TurnStart", "TurnEnd", "Compaction", "SessionEnd", "SubagentStart"),
    "SubagentEnd",
)
"""The seven types, in the order of their numbers, which begin at 1."""

_BETWEEN = re.compile(r"[^a-z]+")
_KNOWN = {name.lower(): name for name in NAMES}


def name_of(kind: Any) -> str | None:
    """The name of a type of event, however it is told: ``1``, ``SessionStart``, ``session_start``; None for others."""
    if type(kind) is int:
        return NAMES[kind - 1] if 1 <= kind <= len(NAMES) else None
    if not isinstance(kind, str) or len(kind) > 40:
        return None
    return _KNOWN.get(_BETWEEN.sub("", kind.lower()))


def _session_start(line: Line, state: State) -> Taken:
    """When the session began, for the header; a session that begins again goes on."""
    state.started_at = state.started_at or line.ts
    state.ended_at = None
    line.put(STATE, "git-asr/context", {"session": state.session})
    return set()


def _turn_start(line: Line, state: State) -> Taken:
    state.ended_at = None
    line.put(STATE, "state", {"state": "running"})
    prompt = fields.text(line.value, "prompt")
    if not prompt:
        return set()
    line.put(PROMPT, "message", {"role": "user", "author": "unknown", "content": [text_part(prompt)]})
    return {"prompt"}


def _turn_end(line: Line, _: State) -> Taken:
    response = fields.text(line.value, "response_message")
    if not response:
        line.put(STATE, "state", {"state": "idle"})
        return set()
    line.put(RESPONSE, "message", {"role": "assistant", "author": "agent", "content": [text_part(response)]})
    line.put(IDLE, "state", {"state": "idle"})
    return {"response_message"}


def _session_end(line: Line, state: State) -> Taken:
    state.ended_at = line.ts
    line.put(STATE, "state", {"state": "ended"})
    return set()


def _compaction(line: Line, state: State) -> Taken:
    """For an audit only: the event does not say what was replaced."""
    told = state.left(line, set())
    line.put(STATE, "io.entire/compaction", {"value": told} if told else {})
    return set(line.value)


def _subagent(phase: str) -> Handler:
    def handler(line: Line, _: State) -> Taken:
        told: dict[str, Any] = {}
        call, kind = fields.text(line.value, "tool_use_id"), word(line.value.get("subagent_type"))
        if usable(call):
            told["callId"] = call
        if kind:
            told["agentType"] = kind
        line.put(STATE, "subagent", {**told, "state": phase})
        taken = {"tool_use_id"} if "callId" in told else set()
        return taken | ({"subagent_type"} if kind else set())

    return handler


_HANDLERS: dict[str, Handler] = {
    "SessionStart": _session_start,
    "TurnStart": _turn_start,
    "TurnEnd": _turn_end,
    "Compaction": _compaction,
    "SessionEnd": _session_end,
    "SubagentStart": _subagent("started"),
    "SubagentEnd": _subagent("ended"),
}


def handle(name: str, line: Line, state: State) -> Taken | None:
    """Make the records of an event; the members of it that they hold."""
    previous = fields.text(line.value, "previous_session_id")
    if state.continues is None and usable_session(previous) and previous != state.session:
        state.continues = previous
    return _HANDLERS[name](line, state)
