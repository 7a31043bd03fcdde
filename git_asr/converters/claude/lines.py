"""Chained lines that are no messages: ``system``, ``attachment``, ``progress`` (reference sections 2.5 and 2.14)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from git_asr.asr.ids import usable
from git_asr.converters.building import rest, word
from git_asr.converters.claude import delegation, plans, user
from git_asr.converters.claude.line import VENDOR, Line
from git_asr.converters.claude.slots import CONTENT
from git_asr.converters.claude.state import Boundary, State
from git_asr.converters.fields import part, text

_HOOKS = {
    "hook_success": "succeeded",
    "hook_non_blocking_error": "failed",
    "hook_blocking_error": "blocked",
    "hook_cancelled": "cancelled",
    "hook_additional_context": "context",
    "hook_system_message": "message",
    "async_hook_response": "response",
}
_HOOK_FIELDS = {
    "hookEvent": ("event", str),
    "hookName": ("name", str),
    "command": ("command", str),
    "exitCode": ("exitCode", int),
    "durationMs": ("durationMs", int | float),
    "stdout": ("stdout", str),
    "stderr": ("stderr", str),
}
_MODES = {
    "plan_mode": ("plan", "on"),
    "plan_mode_exit": ("plan", "off"),
    "plan_mode_reentry": ("plan", "on"),
    "auto_mode": ("auto", "on"),
    "auto_mode_exit": ("auto", "off"),
    "ultra_effort_enter": ("effort", "ultra"),
}
_MENTIONS = ("filename", "path", "ideName")


def system(line: Line, state: State) -> frozenset[str] | None:
    """A ``system`` line, by its subtype."""
    kind = line.value.get("subtype")
    make = _SYSTEM.get(kind) if isinstance(kind, str) else None
    return None if make is None else make(line, state)


def _local_command(line: Line, _: State) -> frozenset[str] | None:
    return frozenset({"subtype", "content"}) if user.command_output(line, line.value.get("content")) else None


def _stop_hooks(line: Line, _: State) -> frozenset[str]:
    line.put(CONTENT, "git-asr/hook", {"event": "Stop", "outcome": "summary"})
    return frozenset({"subtype"})


def _turn(line: Line, _: State) -> frozenset[str]:
    line.put(CONTENT, "state", {"state": "idle", "reason": "turn_duration"})
    return frozenset({"subtype"})


def _notice(line: Line, _: State) -> frozenset[str]:
    fields: dict[str, Any] = {"level": "info", "kind": line.value["subtype"]}
    taken = {"subtype"}
    if isinstance(level := line.value.get("level"), str) and level:
        fields["level"] = level
        taken.add("level")
    if isinstance(said := line.value.get("content"), str):
        fields["text"] = said
        taken.add("content")
    line.put(CONTENT, "git-asr/notice", fields)
    return frozenset(taken)


def _api_error(line: Line, _: State) -> frozenset[str]:
    """A failed attempt of a model call: no inference, for nothing came back."""
    error = part(line.value, "error")
    said = text(error, "formatted") or text(error, "message") or text(line.value, "content")
    fields: dict[str, Any] = {"level": "error", "kind": "api_error"}
    if said is not None:
        fields["text"] = said
    line.put(CONTENT, "git-asr/notice", fields)
    return frozenset({"subtype", "level"} if line.value.get("level") == "error" else {"subtype"})


def _compaction(line: Line, state: State) -> frozenset[str]:
    """A boundary: what came before is replaced by a summary that follows, but for a tail that stays."""
    metadata = part(line.value, "compactMetadata")
    logical = line.value.get("logicalParentUuid")
    taken = {"subtype"}
    if line.chained and isinstance(logical, str) and usable(logical):
        line.parent = logical
        taken.add("logicalParentUuid")
    node = state.graph.nodes.get(line.parent) if line.parent is not None else None
    replaces: dict[str, Any] = {"unknown": True}
    if node is not None:
        replaces = {"through": node.last}
        if kept := _preserved(state, metadata):
            replaces["except"] = kept
    fields: dict[str, Any] = {"replaces": replaces}
    if isinstance(trigger := metadata.get("trigger"), str):
        fields = {"trigger": trigger, **fields}
    line.put(CONTENT, "compaction", fields)
    state.boundary = Boundary(line.uuid if usable(line.uuid) else None, line.own_id(state.graph.used), fields)
    return frozenset(taken)


def _preserved(state: State, metadata: dict[str, Any]) -> list[str]:
    """The records of the units that stay although they stand before the boundary."""
    listed = part(metadata, "preservedMessages").get("allUuids") or part(metadata, "preservedMessages").get(
        "uuids"
    )
    segment = part(metadata, "preservedSegment")
    uuids = (
        [one for one in listed if isinstance(one, str)]
        if isinstance(listed, list)
        else state.graph.preserved(text(segment, "headUuid"), text(segment, "tailUuid"))
    )
    nodes = [state.graph.nodes[one] for one in dict.fromkeys(uuids) if one in state.graph.nodes]
    return [identifier for node in nodes for _, _, identifier in node.records]


def _microcompaction(line: Line, _: State) -> frozenset[str]:
    """Only the results of some calls were cleared, without a summary."""
    metadata = part(line.value, "microcompactMetadata")
    listed = metadata.get("compactedToolIds")
    calls = (
        [one for one in listed if isinstance(one, str) and usable(one)] if isinstance(listed, list) else []
    )
    fields: dict[str, Any] = {"replaces": {"calls": calls}}
    if isinstance(trigger := metadata.get("trigger"), str):
        fields = {"trigger": trigger, **fields}
    line.put(CONTENT, "compaction", fields)
    return frozenset({"subtype"})


_SYSTEM: dict[str, Callable[[Line, State], frozenset[str] | None]] = {
    "compact_boundary": _compaction,
    "microcompact_boundary": _microcompaction,
    "api_error": _api_error,
    "local_command": _local_command,
    "stop_hook_summary": _stop_hooks,
    "turn_duration": _turn,
    **dict.fromkeys(("away_summary", "informational", "bridge_status", "model_refusal_fallback"), _notice),
}


def attachment(line: Line, state: State) -> frozenset[str] | None:
    """An ``attachment`` line, by the type of what is attached."""
    found = line.value.get("attachment")
    kind = word(part(line.value, "attachment").get("type"))
    if not isinstance(found, dict) or kind is None:
        return None
    line.leaf = True
    fields: dict[str, Any] = {}
    taken: set[str] = {"type"}
    if kind == "queued_command":
        taken = user.queued_command(line, state, found)
    elif kind in _HOOKS:
        taken |= _hook(found, fields)
        line.put(CONTENT, "git-asr/hook", {**fields, "outcome": _HOOKS[kind]})
    elif kind in _MODES:
        name, mode = _MODES[kind]
        line.put(CONTENT, "git-asr/mode", {"kind": name, "mode": mode}, meta={"attachment": kind})
    elif kind == "task_reminder" and (items := plans.items(found.get("content"))) is not None:
        line.put(CONTENT, "plan", {"items": items})
    else:
        taken |= _attached(found, fields)
        line.put(CONTENT, "git-asr/attachment", {"kind": kind, **fields})
    draft = line.drafts[0]
    if left := rest(found, taken):
        meta = draft.meta or {}
        draft.meta = {**meta, VENDOR: {**meta.get(VENDOR, {}), "attached": left}}
    return frozenset({"attachment"})


def _hook(found: dict[str, Any], fields: dict[str, Any]) -> set[str]:
    """Take over what hooks say in the same words; the keys taken."""
    taken = set()
    for key, (field, kind) in _HOOK_FIELDS.items():
        if key not in found:
            continue
        value = found[key]
        if isinstance(value, kind) and not isinstance(value, bool) and value != "":
            fields[field] = value
            taken.add(key)
    call = found.get("toolUseID")
    if isinstance(call, str) and "ToolUse" in str(found.get("hookEvent")) and usable(call):
        fields["callId"] = call  # for other hooks this is a random ID
        taken.add("toolUseID")
    said = found.get("content")
    if isinstance(said, str) and said:
        fields["text"] = said
        taken.add("content")
    return taken


def _attached(found: dict[str, Any], fields: dict[str, Any]) -> set[str]:
    taken = set()
    for key in _MENTIONS:
        value = found.get(key)
        if isinstance(value, str) and value:
            fields["name"] = value
            taken.add(key)
            break
    for key in ("content", "snippet"):
        value = found.get(key)
        if isinstance(value, str) and value:
            fields["content"] = [{"type": "text", "text": value}]
        elif isinstance(value, dict) and value:
            fields["content"] = [{"type": "json", "value": value}]
        else:
            continue
        taken.add(key)
        break
    return taken


def progress(line: Line, state: State) -> frozenset[str] | None:
    """A ``progress`` line; a subagent's message in it goes to the embedded stream."""
    data = line.value.get("data")
    kind = text(data, "type")
    if not isinstance(data, dict) or kind is None:
        return None
    if kind == "hook_progress":
        fields: dict[str, Any] = {}
        taken = _hook(data, fields) | {"type"}
        meta = rest(data, taken)
        line.put(CONTENT, "git-asr/hook", {**fields, "outcome": "running"}, meta=meta)
        return frozenset({"data"})
    fields = {"value": data}
    if kind == "agent_progress":
        stream = delegation.progress(state, data, line.value.get("parentToolUseID"))
        if stream is not None:
            fields = {"stream": stream, "value": _without_message(state, data)}
    line.put(CONTENT, f"{VENDOR}/progress", fields)
    return frozenset({"data"})


def _without_message(state: State, data: dict[str, Any]) -> dict[str, Any]:
    """What an ``agent_progress`` says beside the message; the prompt only when it changes."""
    known = {"message"}
    if not state.changed(f"prompt {data['agentId']}", data.get("prompt")):
        known.add("prompt")
    return {**rest(data, known), "message": part(data, "message").get("uuid")}
