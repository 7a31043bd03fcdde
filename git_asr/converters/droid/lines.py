"""Lines that are no messages: the header, lists of tasks, compactions, the ends of turns."""

from __future__ import annotations

from typing import Any

from git_asr.asr.ids import usable, usable_session
from git_asr.converters import fields
from git_asr.converters.building import CONTENT, rest, text_part, vendor_type
from git_asr.converters.droid import plans
from git_asr.converters.droid.slots import COMPACTION, TITLE
from git_asr.converters.droid.state import HARNESS, Line, State

_ENDS = {
    "completed": "idle",
    "interrupted": "interrupted",
    "cancelled": "interrupted",
    "aborted": "interrupted",
}


def session_start(line: Line, state: State) -> set[str]:
    """The header: session, folder, titles, and the sessions that this one comes from."""
    value = line.value
    context: dict[str, Any] = {}
    taken = set()
    session, cwd = line.own, fields.text(value, "cwd")
    if session is not None and state.changed("session", session):
        context["session"] = session
    if cwd:
        taken.add("cwd")
        state.workspace.setdefault("cwd", cwd)
        if state.changed("cwd", cwd):
            context["cwd"] = cwd
    line.put(CONTENT, "git-asr/context", context)
    if state.version is None:
        state.version = fields.number_or_text(value, "version")
    source = next((key for key in ("sessionTitle", "title") if fields.text(value, key)), None)
    if source is not None:
        taken.add(source)
        if state.changed("title", value[source]):
            line.put(TITLE, "git-asr/title", {"title": value[source], "source": source})
    _lineage(value, state)
    line.native = None  # it is the session's, not the line's
    line.own = None
    return {*taken, "id"} if session is not None else taken


def _lineage(value: dict[str, Any], state: State) -> None:
    """The call of another session that started this one, and the session from which it was forked."""
    caller, call = fields.text(value, "callingSessionId"), fields.text(value, "callingToolUseId")
    if caller is not None and usable_session(caller):
        state.child = True
        facet: dict[str, Any] = {"session": {"harness": HARNESS, "id": caller}}
        if usable(call):
            facet["callId"] = call
        state.lineage.setdefault("spawnedBy", {**facet, "evidence": "native_field"})
    parent = fields.text(value, "parent")
    if parent is not None and usable_session(parent):
        facet = {"session": {"harness": HARNESS, "id": parent}, "evidence": "native_field"}
        state.lineage.setdefault("forkedFrom", facet)


def todo_state(line: Line, state: State) -> set[str] | None:
    """A list of tasks; one that a call has written just before is not told again."""
    stored = line.value.get("todos")
    found = plans.listed(stored)
    items = plans.items(found)
    if items is None:
        return None
    if state.changed("todos", found):
        plain = found is stored and plans.is_plain(found)
        line.put(CONTENT, "plan", {"items": items}, meta=None if plain else {"todos": stored})
        return {"todos"}
    line.put(CONTENT, vendor_type(line.vendor, "todo_state"), {})
    return {"todos"} if found is stored or stored == {"todos": found} else set()


def compaction_state(line: Line, state: State) -> set[str] | None:
    """A compaction and its summary. What it replaced is only known where its anchor is the last message removed."""
    value = line.value
    said, taken, left = _summary(value)
    if not said:
        return None
    told = {"role": "user", "author": "harness", "content": [text_part(one) for one in said]}
    line.put(CONTENT, "message", told, meta={"summary": left} if left else None)
    anchor = fields.part(value, "anchorMessage")
    node = state.nodes.get(fields.text(anchor, "id") or "")
    index, removed = anchor.get("index"), value.get("removedCount")
    later = isinstance(index, int) and isinstance(removed, int) and removed != index + 1
    through = None if node is None or later else node.last
    line.after(
        COMPACTION, "compaction", {"replaces": {"unknown": True} if through is None else {"through": through}}
    )
    return taken


def _summary(value: dict[str, Any]) -> tuple[list[str], set[str], dict[str, Any]]:
    """The texts of a summary, the key under which they stand, and what else stands there."""
    for key in ("summaryText", "summary"):
        found = value.get(key)
        if isinstance(found, str) and found:
            return [found], {key}, {}
        if isinstance(found, dict):
            texts = {name: one for name in ("title", "body") if (one := fields.text(found, name))}
            if texts:
                return list(texts.values()), {key}, rest(found, texts)
    return [], set(), {}


def outcome(line: Line, _: State) -> set[str] | None:
    """The end of a turn."""
    reason = fields.text(line.value, "reason")
    state = _ENDS.get(reason or "")
    if state is None:
        return None
    line.put(CONTENT, "state", {"state": state, "reason": reason})
    return {"reason"}
