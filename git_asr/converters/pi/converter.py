"""Lines of a session of Pi → drafts, one line at a time and without looking ahead."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from git_asr.asr.codec import NON_FINITE
from git_asr.asr.draft import Draft
from git_asr.converters import opaque
from git_asr.converters.base import NativeFormat, Unit
from git_asr.converters.building import join, rest
from git_asr.converters.learned import Learning
from git_asr.converters.pi import lines, messages
from git_asr.converters.pi.entry import Entry
from git_asr.converters.pi.state import State
from git_asr.converters.versions import VERSIONS

_Handler = Callable[[Entry, State], "lines.Taken | None"]

_HANDLERS: dict[str, _Handler] = {
    "message": messages.message,
    "session": lines.header,
    "title": lines.slot,
    "model_change": lines.model,
    "thinking_level_change": lines.effort,
    "mode_change": lines.mode,
    "compaction": lines.compaction,
    "branch_summary": lines.branch,
    "custom_message": lines.injected,
    "session_info": lines.name,
    "title_change": lines.title,
    "session_init": lines.begun,
    "leaf": lines.moved,
}
"""By the type of the line: makes its records and names the keys that they hold; None: it is kept as it is."""

LOSSES = (
    *opaque.CONVERTED_LINE_LOSSES,
    {"feature": "empty_values", "reason": "null, empty text, arrays and objects are not kept as fields"},
    {
        "feature": "repeated_values",
        "reason": "the provider's interface is recorded when it changes, the name of a tool with the call alone",
    },
    {"feature": "padding", "reason": "blanks that keep room for a longer title are not kept"},
    *opaque.not_told("agent_version", "approvals", "branch"),
)


class PiSession(Learning[State]):
    """The converter of one session, of Pi or of its fork."""

    name = "pi"
    version = VERSIONS["pi"]
    lossy = LOSSES

    def __init__(self) -> None:
        super().__init__(State("pi"))

    @property
    def lineage(self) -> Mapping[str, Any] | None:
        """The session from which this one was forked, or that started it, as its header says."""
        source = self._state.source
        facet = "spawnedBy" if self._state.child else "forkedFrom"
        return None if source is None else {facet: {"session": source, "evidence": "native_field"}}

    def convert(self, units: Iterator[Unit], native: NativeFormat | None, _: str = "") -> Iterator[Draft]:
        """Yield the drafts of the units; a malformed last one is held back."""
        state = self._state = State("pi" if native is None else native.harness)
        for unit in opaque.settled(units):
            if unit.kind == "malformed":
                yield opaque.notice(unit)
            else:
                yield from drafts(unit, state)


def drafts(unit: Unit, state: State) -> list[Draft]:
    """The drafts of one unit, in order."""
    state.tree.begin()
    value = unit.value if isinstance(unit.value, dict) else {}
    entry = Entry(unit, value)
    kind = value.get("type")
    handler = _HANDLERS.get(kind) if isinstance(kind, str) and NON_FINITE not in unit.flags else None
    taken = None if handler is None else handler(entry, state)
    linked = state.tree.linked(entry)
    if taken is None:
        entry.whole(unit, kind)
        left = {}
    else:
        left = _left(entry, taken, linked=linked)
    made = entry.finish(unit, left)
    state.tree.place(entry, made, linked=linked)
    if state.is_copied(entry):
        state.copy(made)
    return made


def _left(entry: Entry, taken: lines.Taken, *, linked: bool) -> dict[str, Any]:
    """What no record of an entry holds yet, without what is null or empty; ``linked``: they tell its parent."""
    told = {"type", *taken}
    if entry.native is not None:
        told.add("id")
    if entry.ts is not None:
        told.add("timestamp")
    if linked:
        told.add("parentId")
    left = {} if entry.value.keys() <= told else rest(entry.value, told)
    return join(entry.left, left) if entry.left else left
