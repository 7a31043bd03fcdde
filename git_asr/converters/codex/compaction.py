"""Compactions and rollbacks of the history (reference sections 3.5 and 3.9)."""

from __future__ import annotations

from typing import Any

from git_asr.converters.building import rest, text_part, vendor_type
from git_asr.converters.codex import usage
from git_asr.converters.codex.line import VENDOR, Line, Taken
from git_asr.converters.codex.slots import COMPACTION, CONTENT, HISTORY
from git_asr.converters.codex.state import State

_ITEM = frozenset({"type", "role", "content"})
_TEXTS = ("input_text", "output_text", "text")


def compacted(line: Line, state: State) -> Taken | None:
    """A line ``compacted``: what came before is replaced by a summary and a list of items, copies most of them."""
    payload = line.payload
    said, history = payload.get("message"), payload.get("replacement_history")
    if not isinstance(said, str | None) or not isinstance(history, list | None):
        return None
    fields: dict[str, Any] = {}
    if said:
        summary = line.put(
            CONTENT, "message", {"role": "user", "author": "harness", "content": [text_part(said)]}
        )
        fields["summary"] = line.identify(summary)
    kept, items = _kept(state, history or [])
    replaces: dict[str, Any] = {"unknown": True} if state.last is None else {"through": state.last}
    if kept and "through" in replaces:
        replaces["except"] = kept
    sealed = not said and any(isinstance(one, dict) and "summary" in str(one.get("type")) for one in items)
    line.put(
        COMPACTION if said else CONTENT,
        "compaction",
        {**fields, "replaces": replaces},
        capture={"state": "omitted", "reason": "the summary is encrypted"} if sealed else None,
    )
    if items:
        line.put(HISTORY, vendor_type(VENDOR, "replacement_history"), {"value": items})
    usage.repeated(line, state)
    state.compacted = True
    state.said.clear()
    return {"message", "replacement_history"}


def _kept(state: State, history: list[Any]) -> tuple[list[str], list[Any]]:
    """The records of messages that stay, and the list of items with those messages by their record alone."""
    kept: dict[str, None] = {}
    items: list[Any] = []
    for one in history:
        found = None
        if isinstance(one, dict) and not rest(one, _ITEM) and one.get("type") == "message":
            found = state.messages.get(_texts(one))
        if found is None:
            items.append(one)
        else:
            kept[found.id] = None
            items.append({"record": found.id})
    return list(kept), items


def _texts(item: dict[str, Any]) -> tuple[str, ...]:
    """Role and texts of a message of nothing but texts; empty for any other."""
    content = item.get("content")
    role = item.get("role")
    if not isinstance(content, list) or not isinstance(role, str):
        return ()
    found = [role]
    for one in content:
        if not isinstance(one, dict) or one.keys() != {"type", "text"} or one["type"] not in _TEXTS:
            return ()
        if not isinstance(one["text"], str):
            return ()
        found.append(one["text"])
    return tuple(found)


def told_again(line: Line, state: State) -> Taken:
    """An event ``context_compacted``, or the item of that name: a compaction, if no line told of it."""
    if not state.compacted:
        replaces = {"unknown": True} if state.last is None else {"unknown": True, "through": state.last}
        line.put(CONTENT, "compaction", {"replaces": replaces})
    state.compacted = False
    return ()


def rolled_back(line: Line, state: State) -> Taken | None:
    """An event ``thread_rolled_back``: the last turns of the user are taken back."""
    number = line.payload.get("num_turns")
    if type(number) is not int or number < 1 or not state.prompts:
        return None
    if number > len(state.prompts) and (state.thread is None or state.origin is not None):
        return None  # some of them may stand in another file
    to = state.prompts[-min(number, len(state.prompts))]
    del state.prompts[-number:]
    line.put(CONTENT, "rewind", {"to": to})
    state.said.clear()
    return ()
