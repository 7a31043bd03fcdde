"""Calls and their results (reference sections 6.2 and 6.5)."""

from __future__ import annotations

from typing import Any

from git_asr.asr.ids import derived
from git_asr.converters import fields
from git_asr.converters.building import CONTENT, call_identity, holds, rest
from git_asr.converters.pi import extensions, usage
from git_asr.converters.pi.content import parts
from git_asr.converters.pi.entry import Entry
from git_asr.converters.pi.slots import USAGE
from git_asr.converters.pi.state import Call, State

_CALL = frozenset({"type", "id", "name", "arguments"})
_RESULT = frozenset({"role", "toolCallId", "content", "details"})
_CANCELLED = ("Operation aborted", "Command aborted", "Skipped due to queued user message")
"""What the agent says of a call that was interrupted, or left out because the person wrote in between."""
_BLOCKED = "Tool execution was blocked"


def call(entry: Entry, state: State, index: int, block: dict[str, Any]) -> None:
    """A ``toolCall`` block: the call, and the question or subagent that it is."""
    meta = rest(block, _CALL)
    identity = call_identity(block.get("id"), derived(entry.position, entry.place(index)), "id", meta)
    name = block["name"]
    told: dict[str, Any] = {**identity, "name": name}
    if "arguments" in block:
        told["arguments"] = block["arguments"]
    entry.put(CONTENT, "tool_call", told, block=index, meta=meta, inference=entry.call)
    known = Call(identity["callId"], name, {})
    state.calls[known.id] = known
    if name in extensions.TOOLS:
        known.arguments = fields.part(block, "arguments")
        extensions.called(entry, index, known)


def result(entry: Entry, state: State, said: dict[str, Any]) -> bool:
    """A message ``toolResult``: what the model got, what the tool returned, and what it ends or answers."""
    content, left = parts(said.get("content"))
    identity = call_identity(
        said.get("toolCallId"), derived(entry.position, entry.place(None)), "toolCallId", entry.left
    )
    status = _status(said.get("isError"), content)
    told: dict[str, Any] = {**identity, "status": status, "content": content}
    if holds(said.get("details")):
        told["output"] = said["details"]
    entry.put(CONTENT, "tool_result", told, meta={"content": left} if left else None)
    known = state.calls.get(identity["callId"])
    name = fields.text(said, "toolName")
    taken = {*_RESULT}
    if isinstance(said.get("isError"), bool):
        taken.add("isError")
    if known is not None and known.name == name:
        taken.add("toolName")
    if "callIdSource" not in identity and name in extensions.TOOLS:
        extensions.returned(entry, known or Call(identity["callId"], name, {}), status, said.get("details"))
    if "usage" in said and _used(entry, identity["callId"], said["usage"]):
        taken.add("usage")
    entry.left.update(rest(said, taken))
    return True


def _used(entry: Entry, call: str, used: Any) -> bool:
    """What the tool used, in model calls of its own; whether that is known."""
    counted, left = usage.normal(used)
    if counted:
        summary = {"scope": "tool", "covers": {"callId": call}, "usage": counted}
        entry.put(USAGE, "usage_summary", summary, meta=left)
    return bool(counted)


def _status(failed: Any, content: list[dict[str, Any]]) -> str:
    """How a call ended, from the flag and the fixed sentences of the agent."""
    if not isinstance(failed, bool):
        return "unknown"
    if not failed:
        return "ok"
    said = content[-1].get("text", "") if content else ""
    if said.startswith(_CANCELLED) or said.endswith(_CANCELLED):
        return "cancelled"
    return "rejected" if said.startswith(_BLOCKED) else "error"
