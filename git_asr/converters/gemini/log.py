"""The event log: the history changes, and what the session says of itself (reference section 4.1)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from git_asr.asr.draft import Draft
from git_asr.asr.ids import usable
from git_asr.converters import fields
from git_asr.converters.base import Unit
from git_asr.converters.building import CONTENT, MAX_BLOCKS, holds, join, rest, vendor_type
from git_asr.converters.gemini import messages
from git_asr.converters.gemini.slots import (
    COMPACTION,
    CONTEXT,
    MAX_TOMBSTONES,
    MORE,
    REST,
    TITLE,
    TOMBSTONES,
)
from git_asr.converters.gemini.state import Message, State
from git_asr.converters.revisions import carries


def is_message(value: Any) -> bool:
    """Whether a value is a message."""
    return fields.text(value, "type") in messages.TYPES


def add(unit: Unit, value: dict[str, Any], state: State, first: int = 0) -> tuple[list[Draft], int]:
    """The drafts of a message that comes new or again, in order; the block behind it.

    ``first``: the block with which it begins.
    """
    message = Message(unit, value, state.scope, first)
    message.harness = state.rebuilt
    left = messages.message(message, state)
    made, gone = state.identify(message.native, message.finish(unit, left))
    new = [draft.id for draft in made if draft.supersedes is None and carries(draft)]
    key = message.usable or f"\0{message.position}.{first}"
    state.history[key] = new[-1] if new else state.history.get(key)
    made += _buried(message, gone, state)
    return sorted(made, key=lambda draft: draft.part), message.blocks


def _buried(message: Message, gone: list[str], state: State) -> list[Draft]:
    """Tombstones for what a message says no more."""
    grave = Message(Unit(message.position, int(message.base > 0), None, None), {}, state.scope)
    grave.blocks, grave.ts = message.blocks, message.ts
    grave.bury(gone, "replaced", TOMBSTONES, MAX_TOMBSTONES, REST)
    return state.identify(None, grave.drafts)[0]


def about(message: Message, state: State, told: dict[str, Any]) -> dict[str, Any]:
    """What the session says of itself, as far as records have a field for it; what they do not hold."""
    taken = set()
    context: dict[str, Any] = {}
    session = fields.text(told, "sessionId")
    if session is not None and usable(session):
        taken.add("sessionId")
        if state.changed("session", session):
            context["session"] = session
        state.session = state.session or session
    summary = fields.text(told, "summary")
    if summary:
        taken.add("summary")
        if state.changed("title", summary):
            message.put(TITLE, "git-asr/title", {"title": summary, "source": "summary"})
    if context:
        message.put(CONTEXT, "git-asr/context", context)
    state.child = state.child or told.get("kind") == "subagent"
    return rest(told, taken)


def header(unit: Unit, value: dict[str, Any], state: State) -> list[Draft]:
    """What a session says of itself at its start."""
    message = Message(unit, value, state.scope)
    message.ts = fields.time(value, "startTime")
    left = about(message, state, value)
    if message.ts is not None:
        left.pop("startTime", None)
    return state.identify(None, message.finish(unit, left))[0]


def patch(unit: Unit, value: dict[str, Any], state: State) -> list[Draft]:
    """A change of what the session says of itself, or a history that is built anew."""
    told = value["$set"]
    message = Message(unit, value, state.scope)
    message.ts = fields.time(told, "lastUpdated")
    left = about(message, state, rest(told, ("messages",)))
    if message.ts is not None:
        left.pop("lastUpdated", None)
    message.put(CONTENT, vendor_type(message.vendor, "set"), {"value": left} if left else {})
    made, _ = state.identify(None, message.finish(unit, rest(value, ("$set",))))
    if isinstance(told.get("messages"), list):
        made += _rebuild(unit, message, told["messages"], state)
    elif holds(told.get("messages")):
        first = made[0]
        first.fields = {"value": join(first.fields.get("value"), {"messages": told["messages"]})}
    return made


def _rebuild(unit: Unit, message: Message, listed: list[Any], state: State) -> list[Draft]:
    """A history built anew: messages that change, those that are new, and those that are gone.

    One that is shorter is what a compaction left, with a summary near its head.
    """
    before, through = dict.fromkeys(state.history), state.last
    named = (fields.text(one, "id") for one in listed if is_message(one))
    again = {one for one in named if one is not None and usable(one)}
    gone = [key for key in before if key not in again]
    kept = [
        one for key in before if key in again and (known := state.revisions.get(key)) for one in known.ids
    ]
    for key in gone:
        state.history.pop(key)
        state.revisions.take_back(key)
    made: list[Draft] = []
    more: list[Any] = []
    summary: str | None = None
    block = 0
    state.history = {}
    own = replace(unit, text=None)  # each is looked through for itself, not the whole line for each
    for one in listed:
        if not is_message(one) or block + 1 >= MAX_BLOCKS:
            more.append(one)
            continue
        state.rebuilt = bool(gone) and not state.revisions.seen(fields.text(one, "id"))
        told, block = add(own, one, state, block)
        made += told
        if state.rebuilt and summary is None and one["type"] == "user" and not messages.is_injected(one):
            summary = next((draft.id for draft in told if draft.type == "message"), None)
    state.rebuilt = False
    end = Message(unit, {}, state.scope)
    end.ts, end.blocks = message.ts, max(block, 1)
    if more:
        end.after(MORE, vendor_type(end.vendor, "messages"), {"value": more})
    if gone and through is not None:
        gap: dict[str, Any] = {"replaces": {"through": through, **({"except": kept} if kept else {})}}
        end.after(COMPACTION, "compaction", {"summary": summary, **gap} if summary else gap)
    return made + state.identify(None, end.drafts)[0]


def rewind(unit: Unit, value: dict[str, Any], state: State) -> list[Draft]:
    """A message and all behind it are taken back; all messages, where it is not known."""
    target = value["$rewindTo"]
    to: str | None = None
    known = target in state.history
    while state.history:
        key, _ = state.history.popitem()
        state.revisions.take_back(key)
        if key == target:
            break
    if known:
        to = next((last for last in reversed(state.history.values()) if last is not None), None)
    message = Message(unit, value, state.scope)
    message.ts = None
    message.put(CONTENT, "rewind", {"to": to}, meta={"rewindTo": target})
    return state.identify(None, message.finish(unit, rest(value, ("$rewindTo",))))[0]
