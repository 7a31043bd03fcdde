"""Subagents: started by a call, ended by its result or by a notification (reference section 2.12)."""

from __future__ import annotations

from typing import Any

from git_asr.asr.ids import MAX_ID, usable
from git_asr.converters.claude import usage
from git_asr.converters.claude.authors import inner
from git_asr.converters.claude.line import Line
from git_asr.converters.claude.slots import SUBAGENT, USAGE
from git_asr.converters.claude.state import Call, Outcome, State
from git_asr.converters.fields import text

TOOLS: frozenset[str] = frozenset({"Task", "Agent"})
SCOPE = "last response of the subagent"
"""``scope`` of the usage in a subagent's result: it is that of its last response, never its total."""
EMBEDDED_LIMIT = 100
"""Subagents embedded in one transcript that get a stream: each costs another pass, and
the messages of the others stay in its own stream. No sample has more than two."""
_GOES_ON = frozenset({"async_launched", "teammate_spawned"})


def called(line: Line, index: int, call: Call) -> None:
    """The call starts a subagent."""
    fields = {"callId": call.id, **_kind(call, None), "state": "started"}
    draft = line.put(SUBAGENT, "subagent", fields, block=index)
    call.record = line.identify(draft)


def returned(line: Line, state: State, index: int, call: Call, outcome: Outcome) -> None:
    """The result ends it, unless it says that the agent goes on in the background."""
    found = outcome.output if isinstance(outcome.output, dict) else {}
    said = text(found, "status")
    agent = text(found, "agentId")
    fields: dict[str, Any] = {"callId": call.id, **_kind(call, found)}
    meta = {} if agent is None else {"agentId": agent}
    goes_on = said in _GOES_ON
    fields["state"] = "started" if goes_on else "ended"
    if agent is not None and agent in state.agents and call.id in state.agents[agent]:
        fields["stream"] = stream(state.stream, agent)
    fields["status"] = said or outcome.status
    before = call.record if goes_on else None
    draft = line.put(SUBAGENT, "subagent", fields, block=index, meta=meta, supersedes=before)
    if goes_on:
        call.record = line.identify(draft)
    counted, left = usage.normal(found.get("usage"))
    if counted:
        covers = {"callId": call.id} if agent is None else {"callId": call.id, "agentId": agent}
        line.put(
            USAGE,
            "usage_summary",
            {"scope": SCOPE, "covers": covers, "usage": counted},
            block=index,
            meta={"usage": left} if left else None,
        )


def notified(line: Line, state: State, said: str) -> None:
    """A ``<task-notification>``: the end of what a call left running, if that was a subagent."""
    identifier = inner(said, "tool-use-id")
    call = state.calls.get(identifier) if identifier is not None and usable(identifier) else None
    if call is None or call.name not in TOOLS:
        return
    fields: dict[str, Any] = {"callId": call.id, **_kind(call, None), "state": "ended"}
    if status := inner(said, "status"):
        fields["status"] = status
    task = inner(said, "task-id")
    line.put(SUBAGENT, "subagent", fields, meta={"agentId": task} if task else None)


def progress(state: State, data: dict[str, Any], parent: Any) -> str | None:
    """Note a message of an embedded subagent; the stream in which it stands, None where it cannot have one."""
    agent = text(data, "agentId")
    if agent is None or not usable(agent) or not isinstance(data.get("message"), dict):
        return None
    if agent not in state.agents and len(state.agents) == EMBEDDED_LIMIT:
        return None
    calls = state.agents.setdefault(agent, {})
    if isinstance(parent, str) and usable(parent):
        calls[parent] = None
    return stream(state.stream, agent)


def stream(session: str, agent: str) -> str:
    """The ID of the stream with a subagent's messages that stand in its parent's file (profile section 2)."""
    return f"{session}.{agent}.embedded"


def _kind(call: Call, output: dict[str, Any] | None) -> dict[str, str]:
    found = text(output, "agentType") or text(call.arguments, "subagent_type")
    return {} if found is None or len(found) > MAX_ID else {"agentType": found}  # it is repeated
