"""Subagents: started by a call, known by a thread or a path, ended by a message (reference section 3.8)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from git_asr.asr.ids import usable
from git_asr.converters.building import json_text, word
from git_asr.converters.codex.line import Line, Taken
from git_asr.converters.codex.slots import SUBAGENT
from git_asr.converters.codex.state import Call, State
from git_asr.converters.fields import part, text

TOOLS: frozenset[str] = frozenset({"spawn_agent"})
_AGENT_KEYS = ("agent_id", "agent_thread_id", "new_thread_id", "agent_path", "task_name", "nickname")
_NOTIFIED = "<subagent_notification>"
_NOTIFIED_END = "</subagent_notification>"
_STATES = {"started": "started", "interrupted": "ended"}


def called(line: Line, identifier: str, call: Call) -> None:
    """The call starts a subagent."""
    fields = {"callId": identifier, **_kind(call), "state": "started"}
    call.record = line.put(SUBAGENT, "subagent", fields)


def returned(line: Line, state: State, identifier: str, call: Call, fields: dict[str, Any]) -> None:
    """The result names the agent, which goes on, or says that there is none."""
    said = [one["text"] for one in fields["content"] if one["type"] == "text"]
    found = _object(said[0]) if len(said) == 1 else {}
    named = {key: found[key] for key in _AGENT_KEYS if word(found.get(key))}
    for one in named.values():
        if usable(one):
            state.agents[one] = identifier
    told: dict[str, Any] = {"callId": identifier, **_kind(call)}
    if named:
        told["state"] = "started"
        if fields["status"] == "unknown":
            fields["status"] = "ok"  # the agent is there
    elif fields["status"] in ("error", "rejected", "cancelled"):
        told |= {"state": "ended", "status": fields["status"]}
    else:
        return
    before = None if call.record is None else call.record.id
    call.record = line.put(SUBAGENT, "subagent", told, meta=named, supersedes=before)


def _kind(call: Call) -> dict[str, str]:
    for key in ("agent_type", "agent_role", "role"):
        found = text(call.arguments, key)
        if found and len(found) <= 400:  # it is repeated
            return {"agentType": found}
    return {}


def notified(line: Line, state: State, said: Sequence[str]) -> None:
    """A ``<subagent_notification>`` under the user's role: the agent is done."""
    for one in said:
        if not one.startswith(_NOTIFIED):
            continue
        found = _object(one[len(_NOTIFIED) :].partition(_NOTIFIED_END)[0])
        named = [found.get(key) for key in _AGENT_KEYS]
        call = next(
            (state.agents[key] for key in named if isinstance(key, str) and key in state.agents), None
        )
        status = found.get("status")
        if isinstance(status, dict) and len(status) == 1:
            status = next(iter(status))
        if call is not None and isinstance(status, str) and status != "running":
            line.put(SUBAGENT, "subagent", {"callId": call, "state": "ended", "status": status[:400]})
        return


def activity(line: Line, state: State, told: dict[str, Any]) -> Taken | None:
    """An event ``sub_agent_activity``, or the item of that name."""
    kind = told.get("kind")
    if not isinstance(kind, str) or kind not in _STATES:
        return None
    fields: dict[str, Any] = {}
    named = [one for one in (told.get(key) for key in _AGENT_KEYS) if isinstance(one, str)]
    call = text(told, "event_id")
    if call is None or call not in state.known:
        call = next((state.agents[one] for one in named if one in state.agents), None)
    if call is not None:
        state.agents.update((one, call) for one in named if usable(one))
        fields["callId"] = call
    fields["state"] = _STATES[kind]
    if kind != "started":
        fields["status"] = kind
    line.put(SUBAGENT, "subagent", fields)
    return {"kind"}


def origin(payload: dict[str, Any]) -> tuple[str | None, str | None, str | None]:
    """What kind of subagent a thread is (None for none), which thread started it, and the agent's path."""
    source = part(payload, "source").get("subagent")
    kind: str | None = None
    parent = text(payload, "parent_thread_id")
    path = text(payload, "agent_path")
    if isinstance(source, str):
        kind = source
    elif isinstance(source, dict) and source:
        kind = next(iter(source))
        spawned = part(source, "thread_spawn")
        parent = parent or text(spawned, "parent_thread_id")
        path = path or text(spawned, "agent_path")
    elif payload.get("thread_source") == "subagent":
        kind = "subagent"
    return kind, parent, path


def _object(said: str) -> dict[str, Any]:
    found = json_text(said)[0]
    return found if isinstance(found, dict) else {}
