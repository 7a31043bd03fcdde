"""Messages: what a user or the agent said and did, and what is about that (reference sections 5.3 to 5.6)."""

from __future__ import annotations

from heapq import heappop
from typing import Any

from git_asr.asr import codec
from git_asr.asr.ids import derived, usable
from git_asr.converters import fields
from git_asr.converters.building import CONTENT, MAX_BLOCKS, holds, rest, text_part, vendor_type, word
from git_asr.converters.opencode import parts, tools, usage
from git_asr.converters.opencode.slots import (
    AGENT,
    COMPACTION,
    CONTEXT,
    ERROR,
    INFERENCE,
    MODE,
    PRUNED,
    REST,
    STEP,
    SUMMARY,
    VARIANT,
)
from git_asr.converters.opencode.state import Message, State

SHELL = "The following tool was executed by the user"
"""The only text of a message before one that shows a command which a person ran."""
_STANDING = ("model", "tools", "system", "format")
"""Keys of a user's message that are recorded when they change."""
_ABORTED = "MessageAbortedError"


def message(message: Message, state: State) -> set[str]:
    """Make the records of a message; the keys of its ``info`` that they hold."""
    listed = message.parts
    message.blocks = min(len(listed), MAX_BLOCKS)
    taken = {"role"} if message.native is None else {"id", "role"}
    if message.info["role"] == "user":
        _user(message, state, listed)
    else:
        taken |= _assistant(message, state, listed)
    if more := listed[MAX_BLOCKS:]:
        message.put(REST, vendor_type(message.vendor, "parts"), {"value": more}, block=MAX_BLOCKS - 1)
    parts.begin(message)
    _context(message, state, taken)
    _modes(message, state, taken)
    _error(message, taken)
    _after(message, state, taken)
    return taken


def _modes(message: Message, state: State, taken: set[str]) -> None:
    """With which agent the message was written, and how."""
    for key, slot in (("agent", AGENT), ("mode", MODE), ("variant", VARIANT)):
        found = message.info.get(key)
        if (key == "mode" and found == message.info.get("agent")) or state.mode(message, slot, key, found):
            taken.add(key)  # newer versions call the mode an agent, and say both


def _after(message: Message, state: State, taken: set[str]) -> None:
    """What a message's turn changed, and which results were cleared before it."""
    summary = message.info.get("summary")
    if isinstance(summary, dict):
        taken.add("summary")
        if left := rest(summary, ()):
            message.after(SUMMARY, vendor_type(message.vendor, "summary"), {"value": left})
    due = []
    while state.pruned and message.ts is not None and state.pruned[0][0] <= message.ts:
        due.append(heappop(state.pruned))
    if due:
        parts.pruned(message.after(PRUNED, "compaction", {}), due)
    if not message.drafts:
        message.put(
            CONTENT, "message", {"role": message.info["role"], "author": message.author, "content": []}
        )


def _user(message: Message, state: State, listed: list[Any]) -> None:
    """What a person, another agent or the harness said; one message, whatever parts it has."""
    message.author = "agent" if state.child else "human"
    content: list[dict[str, Any]] = []
    left: dict[str, Any] = {}
    for index, part in enumerate(listed[:MAX_BLOCKS]):
        one, over = _said(message, part)
        if one is not None:
            content.append(one)
            if over:
                left[str(index)] = over
        else:
            _part(message, state, index, part)
    state.shell = bool(listed) and all(fields.text(one, "text") == SHELL for one in listed)
    if content or not listed:
        said: dict[str, Any] = {"role": "user", "author": message.author if content else "unknown"}
        if message.native is not None and usable(message.native):
            said["messageId"] = message.native
        meta = {"parts": left} if left else None
        message.put(CONTENT, "message", {**said, "content": content}, meta=meta)


def _said(message: Message, part: Any) -> tuple[dict[str, Any] | None, dict[str, Any]]:
    """The content for a part that says something, and what it does not hold."""
    kind, said = fields.text(part, "type"), fields.text(part, "text")
    if kind == "text" and said is not None:
        return (None, {}) if parts.is_synthetic(part) else (text_part(said), message.left(part, ("text",)))
    if kind == "file":
        one, over = tools.file(message, part)
        if "data" in one:
            return one, over
    return None, {}


def _assistant(message: Message, state: State, listed: list[Any]) -> set[str]:
    """What the agent said, thought and called; each message is one model call, or has several steps that are."""
    if message.info.get("summary") is True:
        message.author = "harness"
    ends = [at for at, one in enumerate(listed[:MAX_BLOCKS]) if fields.text(one, "type") == "step-finish"]
    calls = _calls(message, state, ends)
    taken: set[str] = set()
    for index, part in enumerate(listed[:MAX_BLOCKS]):
        while ends and index > ends[0]:
            del ends[0]
        message.call = calls.get(-1, calls.get(ends[0]) if ends else None)
        _part(message, state, index, part)
        if index in calls:
            taken |= _step(message, state, index, calls[index])
    if -1 in calls:
        taken |= _inference(message, state, calls[-1])
    if message.info.get("summary") is True:
        taken.add("summary")
        _summary(message, state)
    state.shell = False
    return taken


def _calls(message: Message, state: State, ends: list[int]) -> dict[int, str]:
    """The IDs of the model calls: by the part that ends a step if there are several, else under -1."""
    if len(ends) > 1:
        native = {at: fields.text(message.parts[at], "id") for at in ends}
        return {
            at: one
            if one is not None and usable(one)
            else derived(message.position, message.block(at) + STEP)
            for at, one in native.items()
        }
    told = isinstance(message.info.get("tokens"), dict) or isinstance(message.info.get("modelID"), str)
    if state.shell or not (ends or told):
        return {}
    if message.native is not None and usable(message.native):
        return {-1: message.native}
    return {-1: derived(message.position, message.last + INFERENCE)}


def _part(message: Message, state: State, index: int, part: Any) -> None:
    """Make the records of a part; one that is not what its type says stays as it is."""
    kind = fields.text(part, "type")
    make = tools.tool if kind == "tool" else parts.HANDLERS.get(kind or "")
    if make is None or not make(message, state, index, part):
        parts.other(message, index, part)


def _model(message: Message, call: str) -> tuple[dict[str, Any], set[str]]:
    """What an ``inference`` says of the model, and which keys that takes."""
    told: dict[str, Any] = {"inferenceId": call}
    taken = set()
    for key, field in (("providerID", "provider"), ("modelID", "model")):
        found = word(message.info.get(key))
        if found is not None:
            told[field] = found
            taken.add(key)
    return told, taken


def _inference(message: Message, state: State, call: str) -> set[str]:
    """The model call that a message is; the keys of its ``info`` that say so."""
    info = message.info
    told, taken = _model(message, call)
    meta: dict[str, Any] = {}
    if word(info.get("finish")) is not None:
        told["stopReason"] = info["finish"]
        taken.add("finish")
    tokens = info.get("tokens")
    ended = any(step["type"] == "step-finish" for step in message.steps)
    if not ended and usage.is_placeholder(tokens):
        meta["tokens"] = tokens  # the call did not end: what it used is not known
    else:
        counted, meta = usage.normal(tokens, state.version)
        if counted:
            told["usage"] = counted
    taken |= {"tokens", "cost"}
    if info.get("cost") is not None:
        meta["cost"] = info["cost"]
    for step in message.steps:
        for key, same in (("reason", "finish"), ("tokens", "tokens"), ("cost", "cost")):
            if key in step and codec.identity(step[key]) == codec.identity(info.get(same)):
                del step[key]
    if message.steps:
        meta["steps"] = message.steps
        message.steps = []
    draft = message.after(INFERENCE, "inference", told, meta=meta)
    completed = fields.time(fields.part(info, "time"), "completed")
    if completed is not None:
        draft.ts = completed
        message.completed = True
    return taken


def _step(message: Message, state: State, index: int, call: str) -> set[str]:
    """A model call that is one of several steps of a message; the keys of its ``info`` that say so."""
    told, taken = _model(message, call)
    ending = message.steps[-1]
    if word(ending.get("reason")) is not None:
        told["stopReason"] = ending.pop("reason")
    counted, meta = usage.normal(ending.pop("tokens", None), state.version)
    if counted:
        told["usage"] = counted
    message.put(STEP, "inference", told, block=index, meta={**meta, "steps": message.steps})
    message.steps = []
    return taken


def _summary(message: Message, state: State) -> None:
    """The summary of a compaction, which is recorded again, now with it."""
    said = next((one for one in message.drafts if one.type == "message"), None)
    if said is None or state.revisions.get(message.native) is not None:
        return
    told: dict[str, Any] = {"replaces": {"unknown": True}}
    boundary, state.boundary = state.boundary, None
    asked = message.info.get("parentID")
    known = boundary is not None and (
        boundary.native is None or not isinstance(asked, str) or not usable(asked) or asked == boundary.native
    )
    if boundary is not None and known:
        told = dict(boundary.fields)
    draft = message.after(
        COMPACTION, "compaction", told, supersedes=boundary.record if boundary and known else None
    )
    message.summary = (draft, said)


def _context(message: Message, state: State, taken: set[str]) -> None:
    """Where and with what the agent works, when it changes."""
    info = message.info
    told: dict[str, Any] = {}
    meta: dict[str, Any] = {}
    session = fields.text(info, "sessionID")
    if session is not None and usable(session):
        taken.add("sessionID")
        if state.changed("session", session):
            told["session"] = session
    if isinstance(info.get("path"), dict):
        taken.add("path")
        _folder(state, info["path"], told, meta)
    for key in _STANDING if info["role"] == "user" else ():
        if info.get(key) is not None:
            taken.add(key)
            if state.changed(key, info[key]):
                meta[key] = info[key]
    if told or meta:
        message.after(CONTEXT, "git-asr/context", told, meta=meta)


def _folder(state: State, path: dict[str, Any], told: dict[str, Any], meta: dict[str, Any]) -> None:
    """The folder in which the agent works."""
    folder = fields.text(path, "cwd")
    if folder is not None and state.changed("cwd", folder):
        told["cwd"] = folder
        state.workspace.setdefault("cwd", folder)
    over = rest(path, () if folder is None else ("cwd",))
    if over and state.changed("path", over):
        meta["path"] = over


def _error(message: Message, taken: set[str]) -> None:
    """How a message failed: a person interrupted it, or something went wrong."""
    error = message.info.get("error")
    name = fields.text(error, "name")
    if not isinstance(error, dict) or name is None:
        return
    taken.add("error")
    data = fields.part(error, "data")
    said = fields.text(data, "message")
    meta = rest(error, ("name", "data"))
    over = rest(data, ("message",) if said is not None else ()) if data else error.get("data")
    if holds(over):
        meta["data"] = over
    if name == _ABORTED:
        told = {"state": "interrupted", "reason": said or name}
        meta["error"] = name
        message.after(ERROR, "state", told, meta=meta)
        return
    shown = {"level": "error", "kind": name, **({"text": said} if said is not None else {})}
    message.after(ERROR, "git-asr/notice", shown, meta=meta)
