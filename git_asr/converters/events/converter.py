"""Lines of one session, as ``reading`` sorts them → drafts, one line at a time and without looking ahead."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from git_asr.asr.codec import NON_FINITE
from git_asr.asr.draft import Draft
from git_asr.asr.numbering import identify
from git_asr.converters import opaque
from git_asr.converters.base import Embedded, NativeFormat, Unit
from git_asr.converters.events import appended, lifecycle
from git_asr.converters.events.state import PRIVATE, Line, State, Taken
from git_asr.converters.secret_answers import entire_secret_answers

LOSSES = (
    *opaque.CONVERTED_LINE_LOSSES,
    {"feature": "paths", "reason": "session_ref and transcript_path tell of the author's machine"},
    {"feature": "chunk_times", "reason": "chunks are joined; the time is that of the last"},
    {"feature": "empty_values", "reason": "null, empty text, arrays and objects are not kept as fields"},
    {
        "feature": "repeated_values",
        "reason": "the model, the session before, and records that come again unchanged are recorded once",
    },
)


def kind_of(value: Any) -> str | None:
    """What a line is: the name of an event, or the type of a record; None for what is neither."""
    kind = value.get("type") if isinstance(value, dict) else None
    if isinstance(kind, str) and kind in appended.HANDLERS:
        return kind
    return lifecycle.name_of(kind)


class Events:
    """The converter of one session; what it has learned after ``convert`` is what the lines said."""

    name = "entire-events"
    version = 1
    """Apart from the versions of the other converters: a sync makes none of these streams."""
    lossy = LOSSES
    format_version: str | None = "1"
    workspace: Mapping[str, Any] | None = None
    embedded: Sequence[Embedded] = ()

    def __init__(self, session: str) -> None:
        self.state = State(session)

    @property
    def lineage(self) -> Mapping[str, Any] | None:
        """The session that this one goes on from, without its agent, which no event tells."""
        previous = self.state.continues
        if previous is None:
            return None
        return {"continues": {"session": {"id": previous}, "reason": "other", "evidence": "native_field"}}

    def convert(self, units: Iterator[Unit], _: NativeFormat | None, __: str = "") -> Iterator[Draft]:
        """Yield the drafts of the units.

        Chunks that follow their message are one record with it, where the last of them stands; what is open when the
        lines end is written there as partial, and a longer file may write it elsewhere.
        """
        state = self.state = State(self.state.session)
        for unit in units:
            yield from drafts(unit, state)
        yield from appended.close(state, final=False)


def drafts(unit: Unit, state: State) -> list[Draft]:
    """The drafts of the message that a unit closes, and its own, in order."""
    if unit.kind == "malformed":
        draft = opaque.notice(unit)
        made = appended.close(state)
        identify(draft, state.used)
        return [*made, draft]
    unit = _public(unit)
    value = unit.value if isinstance(unit.value, dict) else {}
    line = Line(unit, value)
    if NON_FINITE not in unit.flags and appended.appends(value, state):
        appended.append(line, state)
        return []
    made = appended.close(state)
    taken = None if NON_FINITE in unit.flags else _records(line, state)
    if state.open is not None:
        return made
    if taken is None:
        line.drafts.clear()
        line.whole(unit, value.get("type"))
        return made + line.done(state, {})
    return made + line.done(state, state.left(line, taken))


def _public(unit: Unit) -> Unit:
    """A unit without what is recorded nowhere: secret answers, paths of the author's machine."""
    value = entire_secret_answers(unit.value)
    if value is None and (not isinstance(unit.value, dict) or PRIVATE.isdisjoint(unit.value)):
        return unit
    found = unit.value if value is None else value
    return replace(unit, value={key: item for key, item in found.items() if key not in PRIVATE}, text=None)


def _records(line: Line, state: State) -> Taken | None:
    """Make the records of a line; the members of it that they hold, None where it must be kept as it is."""
    kind = kind_of(line.value)
    if kind is None:
        return None
    handler = appended.HANDLERS.get(kind)
    return lifecycle.handle(kind, line, state) if handler is None else handler(line, state)
