"""Which copies tell the same line of a session's history, and how the lines hang together (profile section 5)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import field
from typing import NamedTuple

from git_asr.asr.ids import usable
from git_asr.converters.base import Facts, NativeFormat, Unit
from git_asr.entire.copies import (
    ContentReader,
    Copy,
    Family,
    Line,
    Place,
    Segment,
    is_simple,
    newest_first,
    units_of,
)
from git_asr.values import dataclass


class UnitKey(NamedTuple):
    """What tells one unit from another: place and native ID, else place, time and types.

    ``readable`` is False for a damaged line, which is the same as whatever another copy has in its place.
    """

    place: Place
    id: str | None
    ts: str | None
    type: str | None
    payload: str | None
    parent: str | None
    root: bool
    chained: bool
    opens: bool
    readable: bool

    @property
    def identity(self) -> str | tuple[str, str | None, str | None] | None:
        """The key without its position; None where that names no unit (no ID and no time)."""
        if self.id is not None:
            return self.id
        return None if self.ts is None else (self.ts, self.type, self.payload)


def same_unit(left: UnitKey, right: UnitKey) -> bool:
    """Tell whether two units at the same place are one: by native ID, else by time and types."""
    if not (left.readable and right.readable):
        return True
    if left.id is not None and right.id is not None:
        return left.id == right.id
    return (left.ts, left.type, left.payload) == (right.ts, right.type, right.payload)


def common(left: Sequence[UnitKey], right: Sequence[UnitKey]) -> tuple[int, int]:
    """How many keys of each side lie before the first difference.

    A damaged line that only one side has at its place is passed over.
    """
    i = j = 0
    while i < len(left) and j < len(right):
        a, b = left[i], right[j]
        if a.place == b.place and same_unit(a, b):
            i, j = i + 1, j + 1
        elif not a.readable and a.place < b.place:
            i += 1
        elif not b.readable and b.place < a.place:
            j += 1
        else:
            break
    return i, j


def keys(units: Iterable[Unit], native: NativeFormat | None) -> list[UnitKey]:
    """The keys of a copy's units; a damaged last line of JSON Lines is a write that was cut off, and none."""
    result = [_key(unit, native) for unit in units]
    if result and not result[-1].readable and (native is None or native.array is None):
        result.pop()
    return result


def _key(unit: Unit, native: NativeFormat | None) -> UnitKey:
    readable = unit.kind != "malformed"
    facts = native.facts(unit.value) if readable and native is not None else Facts()
    return UnitKey(
        (unit.position, unit.index),
        facts.id if usable(facts.id) else None,
        facts.ts,
        facts.type,
        facts.payload,
        facts.parent,
        facts.chained and facts.parent is None,
        facts.chained,
        facts.opens,
        readable,
    )


def starts_session(own: Iterable[UnitKey], native: NativeFormat | None) -> bool:
    """Tell whether a copy starts where its session starts: with its format's first line, or with a root.

    Formats without such marks always do. Where a damaged line stands before the mark, it may have been the mark, and
    the copy counts as a start.
    """
    if native is None or not native.marks_start:
        return True
    opening = True
    for key in own:
        if not key.readable:
            return True
        if opening and key.opens:
            return True
        opening = False
        if key.chained:
            return key.root
    return not native.first_line


@dataclass(slots=True)
class _Draft:
    """A line while copies are still being put to it: keys of all its copies, and each copy with its own."""

    native: NativeFormat | None
    keys: list[UnitKey]
    members: list[tuple[Copy, Family, list[UnitKey]]] = field(default_factory=list)

    @property
    def starts(self) -> bool:
        """Whether it starts where the session does."""
        known = all(copy.continues for copy, *_ in self.members)
        return not known and starts_session(self.keys, self.native)


def lines(session: str, kin: Sequence[Family], reader: ContentReader) -> tuple[Line, ...]:
    """Arrange the families of one session into its lines, the plain one first.

    ``session``: the session's ID. The plain line carries it as its stream ID; it is the line that starts at the
    session's start and whose first copy is the oldest.
    """
    if is_simple(kin):
        family = kin[0]
        newest = newest_first(family.copies)
        own = _lazily(newest[0], family, reader)
        if not newest[0].continues and starts_session(own, family.native):
            segment = Segment(newest[0], family, (0, 0), None)
            return (Line(session, family.native, (segment,), tuple((copy, family) for copy in newest)),)
    return _named(session, _drafts(kin, reader))


def _lazily(copy: Copy, family: Family, reader: ContentReader) -> Iterator[UnitKey]:
    return (_key(unit, family.native) for unit in units_of(copy, family, reader))


def _drafts(kin: Sequence[Family], reader: ContentReader) -> list[_Draft]:
    """Put each copy, the oldest first, to the first line of which it is a beginning or a longer form."""
    drafts: list[_Draft] = []
    known: dict[tuple[str, ...], list[UnitKey]] = {}
    pairs = sorted(((copy, family) for family in kin for copy in family.copies), key=lambda pair: pair[0].age)
    for copy, family in pairs:
        if copy.content not in known:
            known[copy.content] = keys(units_of(copy, family, reader), family.native)
        own = known[copy.content]
        for draft in drafts:
            if draft.native == family.native:
                mine, theirs = common(own, draft.keys)
                if mine == len(own) or theirs == len(draft.keys):
                    break
        else:
            draft = _Draft(family.native, [])
            drafts.append(draft)
        draft.members.append((copy, family, own))
        draft.keys = _united(draft.keys, own)
    return drafts


def _united(left: list[UnitKey], right: list[UnitKey]) -> list[UnitKey]:
    """The keys of two copies of one line: at each place the first that is readable."""
    by_place = {key.place: key for key in left}
    for key in right:
        known = by_place.get(key.place)
        if known is None or (key.readable and not known.readable):
            by_place[key.place] = key
    return [by_place[place] for place in sorted(by_place)]


def _named(session: str, drafts: list[_Draft]) -> tuple[Line, ...]:
    """Name the lines and find where each leaves or goes on from another."""
    plain = next((d for d in drafts if d.starts), None)
    ordered = [d for d in drafts if d is plain] + [d for d in drafts if d is not plain]
    result: list[Line] = []
    owner: dict[object, tuple[str, str | None]] = {}
    for draft in ordered:
        stream, relation = (session, None) if draft is plain else _relation(session, draft, plain, owner)
        if any(line.stream == stream for line in result):
            stream = f"{stream}@{draft.members[0][0].checkpoint}"
        copied = {k.place: owner[k.identity] for k in draft.keys if k.identity in owner}
        members = sorted(draft.members, key=lambda member: member[0].age, reverse=True)
        kin = tuple((copy, family) for copy, family, _ in members)
        result.append(Line(stream, draft.native, _segments(draft), kin, relation, copied or None))
        for key in draft.keys:
            if key.identity is not None:
                owner.setdefault(key.identity, (stream, key.id))
    return tuple(result)


def _relation(
    session: str, draft: _Draft, plain: _Draft | None, owner: dict[object, tuple[str, str | None]]
) -> tuple[str, tuple[str, str | None] | None]:
    """The stream ID of a line that is not the plain one, and its lineage where the units tell one."""
    if plain is not None and draft.starts:
        shared = common(draft.keys, plain.keys)[0] if draft.native == plain.native else 0
        return f"{session}@{_unit_name(draft, shared)}", ("forkedFrom", session) if shared else None
    parent = next((key.parent for key in draft.keys if key.chained), None)
    before = owner[parent][0] if parent in owner else None
    return f"{session}@{_unit_name(draft, 0)}", ("continues", before)


def _unit_name(draft: _Draft, index: int) -> str:
    """The name of a unit in a stream ID: its native ID, else its time, else the first copy's checkpoint."""
    key = draft.keys[index] if index < len(draft.keys) else None
    return (key and (key.id or key.ts)) or draft.members[0][0].checkpoint


def _segments(draft: _Draft) -> tuple[Segment, ...]:
    """Which copy gives which units: for each the newest that has it readable."""
    givers: dict[Place, tuple[bool, Copy, Family]] = {}
    for copy, family, own in sorted(draft.members, key=lambda member: member[0].age, reverse=True):
        for key in own:
            known = givers.get(key.place)
            if known is None or (key.readable and not known[0]):
                givers[key.place] = (key.readable, copy, family)
    result: list[Segment] = []
    for place in sorted(givers):
        _, copy, family = givers[place]
        if result and result[-1].copy == copy:
            result[-1] = Segment(copy, family, result[-1].first, place)
        else:
            result.append(Segment(copy, family, place, place))
    return tuple(result)
