"""Entries that are no message, and the lines outside the tree (reference sections 6.1, 6.4 and 12.3)."""

from __future__ import annotations

from typing import Any

from git_asr.asr.ids import usable_session
from git_asr.converters import fields
from git_asr.converters.building import CONTENT, rest, vendor_type, word
from git_asr.converters.pi import messages, usage
from git_asr.converters.pi.entry import Entry
from git_asr.converters.pi.format import is_header, is_title
from git_asr.converters.pi.slots import COMPACTION, INFERENCE, RETAINED, TITLE
from git_asr.converters.pi.state import State

Taken = tuple[str, ...] | set[str]


def header(entry: Entry, state: State) -> Taken | None:
    """The header: which session this is, where it works, and where it comes from."""
    value = entry.value
    if not is_header(value):
        return None
    entry.native, entry.chained = None, False  # the ID is the session's
    taken = set()
    told: dict[str, Any] = {}
    for key, field in (("id", "session"), ("cwd", "cwd")):
        found = fields.text(value, key)
        if found and (key == "cwd" or usable_session(found)):
            told[field] = found
            taken.add(key)
    entry.put(CONTENT, "git-asr/context", told)
    if title := fields.text(value, "title"):
        entry.put(TITLE, "git-asr/title", {"title": title})
        taken.add("title")
    if state.started is None and state.session is None:
        state.session, state.started = told.get("session"), entry.ts
        version = value.get("version")
        state.version = str(version) if type(version) is int else word(version)
        state.origin = _session_of(fields.text(value, "parentSession"))
        if "cwd" in told:
            state.workspace["cwd"] = told["cwd"]
    return taken


def _session_of(found: str | None) -> str | None:
    """The ID of a session in the path of its file (``<time>_<id>.jsonl``), which the fork may write alone."""
    if found is None:
        return None
    name = found.replace("\\", "/").rpartition("/")[2]
    return name.removesuffix(".jsonl").rpartition("_")[2]


def slot(entry: Entry, _: State) -> Taken | None:
    """The line before the header that has the title, with blanks to keep room for a longer one."""
    if not is_title(entry.value):
        return None
    taken = {"pad"} if (fields.text(entry.value, "pad") or "").isspace() else set()
    entry.ts = fields.time(entry.value, "updatedAt")
    if entry.ts is not None:
        taken.add("updatedAt")
    return _titled(entry, "title", taken)


def _titled(entry: Entry, key: str, taken: set[str]) -> set[str] | None:
    title = fields.text(entry.value, key)
    if not title:
        return None
    told = {"title": title}
    if source := word(entry.value.get("source")):
        told["source"] = source
        taken.add("source")
    entry.put(CONTENT, "git-asr/title", told)
    return {key, *taken}


def name(entry: Entry, _: State) -> Taken | None:
    """The session gets a name."""
    return _titled(entry, "name", set())


def title(entry: Entry, _: State) -> Taken | None:
    """The session gets a title."""
    return _titled(entry, "title", set())


def model(entry: Entry, _: State) -> Taken | None:
    """The person, or the program, chose another model."""
    key = "model" if "model" in entry.value else "modelId"
    return _mode(entry, "model", key)


def effort(entry: Entry, _: State) -> Taken | None:
    """The model is to think more, or less."""
    return _mode(entry, "effort", "thinkingLevel")


def mode(entry: Entry, _: State) -> Taken | None:
    """The agent is to work in another way."""
    return _mode(entry, "mode", "mode")


def _mode(entry: Entry, kind: str, key: str) -> Taken | None:
    found = word(entry.value.get(key))
    if not found:
        return None
    entry.put(CONTENT, "git-asr/mode", {"kind": kind, "mode": found})
    return (key,)


def begun(_: Entry, state: State) -> None:
    """A subagent's session begins: what stands under the user's role was written by the agent that started it."""
    state.child = True


def injected(entry: Entry, state: State) -> Taken:
    """A text that an extension puts into the context."""
    messages.custom(entry, state, rest(entry.value, ("type", "id", "parentId", "timestamp")))
    return entry.value.keys() - {"id", "parentId", "timestamp"}


def moved(entry: Entry, state: State) -> Taken | None:
    """The tip of the tree is moved: what comes next follows another entry, or none."""
    target = entry.value.get("targetId")
    known = state.tree.get(target) if isinstance(target, str) else None
    if (known is None and target is not None) or not entry.chained:
        return None
    entry.moved = None if known is None else known.last
    entry.put(CONTENT, "rewind", {"to": entry.moved})
    return ()


def branch(entry: Entry, _: State) -> Taken | None:
    """A branch was left, and what it brought is told in short."""
    said = fields.text(entry.value, "summary")
    if not said:
        return None
    messages.told(entry, "user", "harness", said)
    return {"summary", *_used(entry)}


def compaction(entry: Entry, state: State) -> Taken | None:
    """All above the first entry that is kept is replaced by a summary."""
    value = entry.value
    said = fields.text(value, "summary")
    if said is None:
        return None
    told: dict[str, Any] = {}
    if said:
        messages.told(entry, "user", "harness", said)
        told["summary"] = state.tree.first_id(entry)
    told["replaces"] = _replaced(value, state, entry)
    tail = value.get("retainedTail")
    taken = {"summary", *_used(entry)}
    if isinstance(tail, list) and tail:
        entry.put(RETAINED, vendor_type(entry.vendor, "retainedTail"), {"value": tail})
        taken.add("retainedTail")
    meta = rest(value, {"type", "id", "parentId", "timestamp", *taken})
    entry.put(COMPACTION if said else CONTENT, "compaction", told, meta=meta)
    return {*taken, *meta}


def _replaced(value: dict[str, Any], state: State, entry: Entry) -> dict[str, Any]:
    """What a compaction replaces.

    The oldest version counts the lines of the file up to the first that is kept.
    """
    first, index = fields.text(value, "firstKeptEntryId"), value.get("firstKeptEntryIndex")
    kept = state.tree.get(first)
    if kept is not None:
        return {} if kept.before is None else {"through": kept.before}
    if first is None and type(index) is int and 0 <= index < len(state.tree.lines):
        through = state.tree.lines[index]
        return {} if through is None else {"through": through}
    above = state.tree.get(entry.parent)
    if first is None and above is not None and isinstance(value.get("retainedTail"), list):
        return {"through": above.last, "unknown": True}
    return {"unknown": True}


def _used(entry: Entry) -> tuple[str, ...]:
    """The model call that made a summary, where its usage is recorded; the key that it holds."""
    counted, left = usage.normal(entry.value.get("usage"))
    if not counted:
        return ()
    entry.after(INFERENCE, "inference", {"inferenceId": entry.inference, "usage": counted}, meta=left)
    return ("usage",)
