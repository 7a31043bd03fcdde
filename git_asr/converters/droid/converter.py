"""Units of Factory AI Droid → drafts, one line at a time and without looking ahead."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from git_asr.asr.codec import NON_FINITE
from git_asr.asr.draft import Draft
from git_asr.converters import opaque
from git_asr.converters.base import NativeFormat, Unit
from git_asr.converters.building import rest
from git_asr.converters.droid import lines, messages
from git_asr.converters.droid.state import Line, State
from git_asr.converters.learned import Learning
from git_asr.converters.revisions import settle
from git_asr.converters.versions import VERSIONS

LOSSES = (
    *opaque.CONVERTED_LINE_LOSSES,
    {"feature": "empty_values", "reason": "null, empty text, arrays and objects are not kept as fields"},
    {
        "feature": "repeated_values",
        "reason": "modes and lists of tasks are recorded when they change, a message that comes again where it differs",
    },
    {
        "feature": "usage",
        "reason": "the source has counters and settings in another file, which is not stored",
    },
    *opaque.not_told("stop_reasons", "agent_version", "approvals", "rewinds"),
)
_HANDLERS = {
    "message": messages.message,
    "session_start": lines.session_start,
    "todo_state": lines.todo_state,
    "compaction_state": lines.compaction_state,
    "agent_turn_outcome": lines.outcome,
}
"""By the type of the line: makes its records and names the keys that they hold; None: not such a line."""


class DroidSession(Learning[State]):
    """The converter of one session."""

    name = "factory-droid"
    version = VERSIONS["factory-droid"]
    lossy = LOSSES

    def __init__(self) -> None:
        super().__init__(State())

    def convert(self, units: Iterator[Unit], _: NativeFormat | None, __: str = "") -> Iterator[Draft]:
        """Yield the drafts of the units; a malformed last one is held back."""
        state = self._state = State()
        for unit in opaque.settled(units):
            if unit.kind == "malformed":
                draft = opaque.notice(unit)
                state.loose([draft])
                yield draft
            else:
                yield from drafts(unit, state)


def drafts(unit: Unit, state: State) -> list[Draft]:
    """The drafts of one unit, in order."""
    value = unit.value if isinstance(unit.value, dict) else {}
    line = Line(unit, value)
    kind = value.get("type")
    handler = _HANDLERS.get(kind) if isinstance(kind, str) and NON_FINITE not in unit.flags else None
    taken = None if handler is None else handler(line, state)
    if taken is None:
        line.whole(unit, kind)
        return state.place(line, line.finish(unit, {}))
    made = line.finish(unit, _left(line, state, {*taken, "type"}))
    placed = state.place(line, made)
    settle(placed)
    return placed


def _left(line: Line, state: State, taken: set[str]) -> dict[str, Any]:
    """What of a line no record holds; its place stands in the envelope of its records."""
    if line.native is not None:
        taken.add("id")
    if line.ts is not None:
        taken.add("timestamp")
    known = None if line.own is None or not line.again else state.nodes.get(line.own)
    if line.parent is not None and (known is None or known.parent == line.parent):
        taken.add("parentId")
    return rest(line.value, taken)
