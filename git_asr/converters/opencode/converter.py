"""Units of OpenCode → drafts: what a document says of the session, then its messages."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from git_asr.asr.codec import NON_FINITE
from git_asr.asr.draft import Draft
from git_asr.asr.ids import usable
from git_asr.converters import fields, opaque
from git_asr.converters.base import NativeFormat, Unit
from git_asr.converters.building import CONTENT, holds, join, rest
from git_asr.converters.learned import Learning
from git_asr.converters.opencode import messages, parts
from git_asr.converters.opencode.slots import (
    MAX_TOMBSTONES,
    PRUNED_LAST,
    REST,
    REWIND,
    TITLE,
    TOMBSTONES,
)
from git_asr.converters.opencode.state import Boundary, Message, State
from git_asr.converters.revisions import carries
from git_asr.converters.versions import VERSIONS

_LOSSES = (
    {"feature": "empty_values", "reason": "null, empty text, arrays and objects are not kept as fields"},
    {
        "feature": "repeated_values",
        "reason": "what stands on every message or part (session, folder, agent, mode, snapshot, a step's tokens) "
        "is recorded when it changes",
    },
    *opaque.not_told("approvals", "branch"),
)


class OpenCode(Learning[State]):
    """The converter of one session; ``snapshot``: its source is rewritten as a whole."""

    name = "opencode"
    version = VERSIONS["opencode"]

    def __init__(self, *, snapshot: bool) -> None:
        self.lossy = (opaque.DOCUMENT_LOSSES if snapshot else opaque.CONVERTED_LINE_LOSSES) + _LOSSES
        self._snapshot = snapshot
        super().__init__(State(None))
        self._harness = "opencode"

    @property
    def lineage(self) -> dict[str, Any] | None:
        """The session that started this one, if it says so."""
        parent = self._state.parent
        if parent is None or not usable(parent):
            return None
        return {
            "spawnedBy": {"session": {"harness": self._harness, "id": parent}, "evidence": "native_field"}
        }

    def convert(self, units: Iterator[Unit], native: NativeFormat | None, _: str = "") -> Iterator[Draft]:
        """Yield the drafts of the units; of lines a malformed last one is held back."""
        self._harness = self._harness if native is None else native.harness
        state = self._state = State("capture" if self._snapshot else None)
        for unit in units if self._snapshot else opaque.settled(units):
            if unit.kind == "malformed":
                yield _notice(unit, state)
            else:
                yield from drafts(unit, state)
        if self._snapshot:
            yield from _end(state)


def _notice(unit: Unit, state: State) -> Draft:
    draft = (opaque.LINES if state.scope is None else opaque.DOCUMENTS).draft(unit, None)
    state.revisions.identify(None, [draft])
    state.records.append(draft.id)
    state.end = unit.position, draft.part
    return draft


def drafts(unit: Unit, state: State) -> list[Draft]:
    """The drafts of one unit, in order."""
    value = unit.value if isinstance(unit.value, dict) and NON_FINITE not in unit.flags else {}
    info, listed = value.get("info"), value.get("parts")
    message = Message(
        unit, info if isinstance(info, dict) else {}, listed if isinstance(listed, list) else []
    )
    message.id_scope = state.scope
    if message.info.get("role") in ("user", "assistant") and isinstance(listed, list):
        taken = messages.message(message, state)
        left = _left(message, value, taken)
    elif unit.position == 0 and value:
        left = _session(message, value, state)
    else:
        message.whole(unit, fields.text(message.info, "role"))
        left = {}
    before = state.records[-1] if state.records else None
    made, gone = state.identify(message, message.finish(unit, left))
    _settle(message, made, state)
    _bury(message, made, gone, state)
    _keep(message, made, before, state)
    state.end = unit.position, message.last
    return made


def _left(message: Message, value: dict[str, Any], taken: set[str]) -> dict[str, Any]:
    """What no record of a message holds yet."""
    left = rest(message.info, {*taken, "time"})
    times = message.info.get("time")
    if isinstance(times, dict):
        told = {
            *(("created",) if message.ts is not None else ()),
            *(("completed",) if message.completed else ()),
        }
        times = rest(times, told)
    if holds(times):
        left["time"] = times
    if message.steps:
        left["steps"] = message.steps
    return join(left, rest(value, ("info", "parts")))


def _session(message: Message, value: dict[str, Any], state: State) -> dict[str, Any]:
    """What a document says of its session: the context, the title, and what only matters when all is told."""
    info = message.info or value  # Kilo Code's document says it beside the messages
    beside = rest(value, ("info",)) if message.info else {}
    message.native = None
    message.ts = fields.time(fields.part(info, "time"), "created")
    told: dict[str, Any] = {}
    taken = set()
    for key, field in (("id", "session"), ("directory", "cwd"), ("version", "agentVersion")):
        found = fields.text(info, key)
        if found and (key != "id" or usable(found)):
            told[field] = found
            taken.add(key)
    state.version = fields.text(info, "version")
    state.changed("session", fields.text(info, "id"))
    if "cwd" in told:
        state.workspace["cwd"] = told["cwd"]
        state.changed("cwd", told["cwd"])
    parent = fields.text(info, "parentID")
    state.parent = parent or None
    undone = fields.part(info, "revert")
    if (first := fields.text(undone, "messageID")) is not None and usable(first):
        state.revert = first, fields.text(undone, "partID")
    title = fields.text(info, "title")
    if title:
        taken.add("title")
        message.put(TITLE, "git-asr/title", {"title": title})
    left = rest(info, {*taken, "time"})
    times = info.get("time")
    over = rest(times, ("created",) if message.ts is not None else ()) if isinstance(times, dict) else times
    if holds(over):
        left["time"] = over
    message.put(CONTENT, "git-asr/context", told)
    return join(left, beside)


def _settle(message: Message, made: list[Draft], state: State) -> None:
    """Let a compaction know its summary, and wait for that of one that was asked for."""
    if message.summary is not None:
        compaction, said = message.summary
        compaction.fields = {**compaction.fields, "summary": said.id}
    if message.asked is not None and any(draft is message.asked for draft in made):
        native = message.native if message.native is not None and usable(message.native) else None
        state.boundary = Boundary(native, message.asked.id, message.asked.fields)


def _bury(message: Message, made: list[Draft], gone: list[str], state: State) -> None:
    """Tombstones for what a message says no more when it comes again."""
    first = len(message.drafts)
    message.bury(gone, "replaced", TOMBSTONES, MAX_TOMBSTONES, REST)
    buried, _ = state.revisions.identify(None, message.drafts[first:])
    made += buried
    made.sort(key=lambda draft: draft.part)


def _keep(message: Message, made: list[Draft], before: str | None, state: State) -> None:
    """Note what stands before the message, or the part of the agent's, that was undone."""
    if state.revert is None or state.reverted or message.native != state.revert[0]:
        return
    state.reverted, state.kept = True, before
    undone = next(
        (at for at, one in enumerate(message.parts) if fields.text(one, "id") == state.revert[1]), None
    )
    if undone is not None and message.info.get("role") == "assistant":
        inside = [one.id for one in made if one.part < message.block(undone) and carries(one)]
        state.kept = inside[-1] if inside else before


def _end(state: State) -> Iterator[Draft]:
    """What is only known when a document was told: results that were cleared last, and what was undone."""
    position, part = state.end
    found = []
    if state.pruned:
        found.append(parts.pruned(Draft("compaction", position, part + PRUNED_LAST), state.pruned))
    if state.reverted:
        found.append(Draft("rewind", position, part + REWIND, {"to": state.kept}))
    for draft in found:
        draft.id_scope = state.scope
    yield from state.revisions.identify(None, found)[0]
