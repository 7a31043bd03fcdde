"""The parts of a message that are no tools (reference section 5.4)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from git_asr.asr.draft import Draft
from git_asr.asr.ids import usable
from git_asr.converters import fields
from git_asr.converters.building import CONTENT, data_part, holds, rest, text_part, vendor_type
from git_asr.converters.opencode.slots import SNAPSHOT, TREE
from git_asr.converters.opencode.state import Message, State

MAX_PRESERVED = 1000
"""Records of a tail that a compaction keeps; of a longer one it is not said what it keeps."""


def other(message: Message, index: int, part: Any) -> None:
    """A part of which nothing more is known: it stays as it is."""
    kind = fields.text(part, "type")
    name = vendor_type(message.vendor, kind)
    value = message.left(part, ()) if isinstance(part, dict) else part
    if kind and not name.endswith(f"/{kind}"):
        value = {"type": kind, **value}
    message.put(CONTENT, name, {"value": value}, block=index)


def is_synthetic(part: dict[str, Any]) -> bool:
    """Whether a text was put in by the harness, or is not for the model."""
    return part.get("synthetic") is True or part.get("ignored") is True


def text(message: Message, _: State, index: int, part: dict[str, Any]) -> bool:
    """What was said."""
    if not isinstance(part.get("text"), str):
        return False
    author = "harness" if is_synthetic(part) else message.author
    said: dict[str, Any] = {"role": message.info["role"], "author": author}
    first = said["role"] == "assistant" and not message.drafts
    if first and message.native is not None and usable(message.native):
        said["messageId"] = message.native
    _timed(message, index, "message", {**said, "content": [text_part(part["text"])]})
    return True


def reasoning(message: Message, _: State, index: int, part: dict[str, Any]) -> bool:
    """What the model thought; providers that keep it to themselves leave an opaque value in the metadata."""
    said = part.get("text")
    if not isinstance(said, str):
        return False
    draft = _timed(message, index, "reasoning", {"content": [text_part(said)] if said else []})
    if not said:
        opaque = holds(part.get("metadata"))
        draft.capture = {"state": "omitted", "reason": "opaque" if opaque else "empty"}
    return True


def _timed(message: Message, index: int, kind: str, told: dict[str, Any]) -> Draft:
    """The record of a text with a time of its own."""
    part = message.parts[index]
    times = part.get("time")
    stamp = fields.time(times, "start")
    meta = message.left(part, ("text", "time"))
    over = rest(times, ("start",) if stamp is not None else ()) if isinstance(times, dict) else times
    if holds(over):
        meta["time"] = over
    inference = None if told.get("author") == "harness" and is_synthetic(part) else message.call
    draft = message.put(CONTENT, kind, told, block=index, meta=meta, inference=inference)
    draft.ts = stamp or draft.ts
    return draft


def step(message: Message, state: State, index: int, part: dict[str, Any]) -> bool:
    """Where a step begins or ends: a tree of the files, when it is another one, and what waits for the model call.

    The tree is one of Git, in a store of OpenCode's own.
    """
    tree = part.get("snapshot")
    message.steps.append(
        {"type": part["type"], **message.left(part, ("snapshot",) if isinstance(tree, str) else ())}
    )
    if isinstance(tree, str) and state.changed("snapshot", tree):
        if message.drafts:
            message.put(TREE, "git-asr/file-snapshot", {"tree": tree}, block=index)
        else:
            message.begun.append(tree)
    return True


def begin(message: Message) -> None:
    """The snapshots with which a message begins, behind its content."""
    if message.begun:
        *before, last = message.begun
        meta = {"before": before} if before else None
        message.after(SNAPSHOT, "git-asr/file-snapshot", {"tree": last}, meta=meta)


def snapshot(message: Message, _: State, index: int, part: dict[str, Any]) -> bool:
    """A tree of the files, or which of them changed since one."""
    key = "snapshot" if part["type"] == "snapshot" else "hash"
    told: dict[str, Any] = {}
    taken = []
    if isinstance(part.get(key), str):
        told["tree"] = part[key]
        taken.append(key)
    files = part.get("files")
    if isinstance(files, list) and all(isinstance(one, str) for one in files):
        told["files"] = files
        taken.append("files")
    if told:
        meta = message.left(part, taken)
        message.put(CONTENT, "git-asr/file-snapshot", told, block=index, meta=meta)
    return bool(told)


def agent(message: Message, _: State, index: int, part: dict[str, Any]) -> bool:
    """A subagent that the user named."""
    return _attached(message, index, part, "name")


def file(message: Message, _: State, index: int, part: dict[str, Any]) -> bool:
    """A file that the user named, whose text the harness puts in, or one of which only a text is left."""
    known = _attached(message, index, part, "filename") or _attached(message, index, part, "url")
    if known:
        message.drafts[-1].capture = data_part(part.get("url"), None).get("capture")
    return known


def _attached(message: Message, index: int, part: dict[str, Any], key: str) -> bool:
    """What is attached under the name that a key has."""
    name = part.get(key)
    if not isinstance(name, str) or not name:
        return False
    told = {"kind": part["type"], "name": name}
    message.put(CONTENT, "git-asr/attachment", told, block=index, meta=message.left(part, (key,)))
    return True


def subtask(message: Message, _: State, index: int, part: dict[str, Any]) -> bool:
    """A task that the user gives to a subagent, or a command whose template becomes one."""
    prompt, command = part.get("prompt"), part.get("command")
    if not isinstance(prompt, str):
        return False
    if isinstance(command, str) and command:
        meta = message.left(part, ("prompt", "command"))
        told = {"kind": "slash", "name": command, "text": prompt}
        message.put(CONTENT, "git-asr/command", told, block=index, meta=meta)
        return True
    said = {"role": "user", "author": message.author, "content": [text_part(prompt)]}
    message.put(CONTENT, "message", said, block=index, meta={"subtask": message.left(part, ("prompt",))})
    return True


def retry(message: Message, _: State, index: int, part: dict[str, Any]) -> bool:
    """A failed attempt of a model call."""
    error = fields.part(part, "error")
    said = fields.text(fields.part(error, "data"), "message") or fields.text(error, "name")
    if said is None:
        return False
    told = {"level": "error", "kind": "retry", "text": said}
    draft = message.put(CONTENT, "git-asr/notice", told, block=index, meta=message.left(part, ()))
    draft.ts = fields.time(part.get("time"), "created") or draft.ts
    return True


def compaction(message: Message, state: State, index: int, part: dict[str, Any]) -> bool:
    """The user, or the agent itself, asks for a summary that replaces all before, but for a tail that stays."""
    tail, auto = part.get("tail_start_id"), part.get("auto")
    replaces: dict[str, Any] = {"through": state.records[-1]} if state.records else {"unknown": True}
    if isinstance(tail, str) and state.records:
        first = state.starts.get(tail, len(state.records))
        if 0 < len(state.records) - first <= MAX_PRESERVED:
            replaces["except"] = state.records[first:]
        else:
            replaces = {"unknown": True}
    told: dict[str, Any] = {"replaces": replaces}
    if isinstance(auto, bool):
        told = {"trigger": "auto" if auto else "manual", **told}
    meta = message.left(part, ("auto",) if isinstance(auto, bool) else ())
    message.asked = message.put(CONTENT, "compaction", told, block=index, meta=meta)
    return True


def pruned(draft: Draft, cleared: Sequence[tuple[str, str]]) -> Draft:
    """Make of a draft the compaction that cleared the results of some calls."""
    draft.fields = {
        "trigger": "auto",
        "replaces": {"calls": list(dict.fromkeys(call for _, call in sorted(cleared)))},
    }
    draft.ts = max(stamp for stamp, _ in cleared)
    return draft


HANDLERS: dict[str, Callable[[Message, State, int, dict[str, Any]], bool]] = {
    "agent": agent,
    "compaction": compaction,
    "file": file,
    "patch": snapshot,
    "reasoning": reasoning,
    "retry": retry,
    "snapshot": snapshot,
    "step-finish": step,
    "step-start": step,
    "subtask": subtask,
    "text": text,
}
"""By type: makes the records of a part; False: it is not what its type says."""
