"""Calls and their results (reference sections 2.7 and 2.13)."""

from __future__ import annotations

from typing import Any

from git_asr.asr.ids import derived
from git_asr.converters.blocks import parts
from git_asr.converters.building import BLOCK, call_identity, rest
from git_asr.converters.claude import delegation, exchange, plans
from git_asr.converters.claude.line import Line
from git_asr.converters.claude.slots import CONTENT
from git_asr.converters.claude.state import Call, Outcome, State

_REJECTED = "The user doesn't want to "
_CANCELLED = (
    "[Request interrupted by user",
    "<tool_use_error>Sibling tool call errored",
    "Sibling tool call errored",
)
_CALL = frozenset({"type", "id", "name", "input"})
_RESULT = frozenset({"type", "tool_use_id", "content", "is_error"})
_REMEMBERED = exchange.TOOLS | plans.TOOLS | delegation.TOOLS


def call(line: Line, state: State, index: int, block: dict[str, Any], inference: str | None) -> None:
    """A ``tool_use`` block: the call, and the question, plan or subagent that it is."""
    meta = rest(block, _CALL)
    identity = call_identity(block.get("id"), _place(line, index), "id", meta)
    name, arguments = block["name"], block.get("input")
    fields: dict[str, Any] = {**identity, "name": name}
    if "input" in block:
        fields["arguments"] = arguments
    line.put(CONTENT, "tool_call", fields, block=index, meta=meta, inference=inference)
    if name in _REMEMBERED:
        known = Call(identity["callId"], name, arguments if isinstance(arguments, dict) else {})
        state.calls[known.id] = known
        for kind in (exchange, plans, delegation):
            if name in kind.TOOLS:
                kind.called(line, index, known)


def result(line: Line, state: State, index: int, block: dict[str, Any], output: Any) -> None:
    """A ``tool_result`` block: what the model got, what the tool returned, and what it ends or answers.

    ``output``: the line's ``toolUseResult``, which is that of its first result.
    """
    meta = rest(block, _RESULT)
    identity = call_identity(block.get("tool_use_id"), _place(line, index), "tool_use_id", meta)
    status = _status(line, block, output)
    fields: dict[str, Any] = {**identity, "status": status}
    if "content" in block:
        fields["content"], left = parts(block["content"])
        if left:
            meta["content"] = left
    failed = block.get("is_error")
    if failed is not None and failed is not (status == "error"):
        meta["is_error"] = failed
    if output is not None:
        fields["output"] = output
    line.put(CONTENT, "tool_result", fields, block=index, meta=meta)
    known = state.calls.get(identity["callId"])
    name = known.name if known is not None else exchange.guess(output)
    if name:
        call = known or Call(identity["callId"], name, {})
        for kind in (exchange, plans, delegation):
            if name in kind.TOOLS:
                kind.returned(line, state, index, call, Outcome(status, output))


def _place(line: Line, index: int) -> str:
    """The ID of a call that has none of its own."""
    return derived(line.position, line.base + BLOCK * (index + 1))


def _status(line: Line, block: dict[str, Any], output: Any) -> str:
    """How a call ended, from the flags and the fixed sentences of the agent."""
    failed = block.get("is_error")
    if failed is True:
        return _failure(line, block.get("content"), output if isinstance(output, str) else "")
    if isinstance(output, dict) and output.get("interrupted") is True:
        return "cancelled"
    return "ok" if isinstance(failed, bool | None) else "unknown"


def _failure(line: Line, content: Any, returned: str) -> str:
    """How a call failed: it was refused, or cancelled, or it went wrong."""
    if isinstance(content, list):
        first = content[0] if content else None
        content = first.get("text") if isinstance(first, dict) else None
    said = content if isinstance(content, str) else ""
    refused = said.startswith(_REJECTED) or returned == "User rejected tool use"
    if refused or line.value.get("toolDenialKind"):
        return "rejected"
    return "cancelled" if said.startswith(_CANCELLED) or returned.startswith(_CANCELLED) else "error"
