"""A stream as a reader follows it: what was said, done and asked, in order, revisions and results put together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby

from git_asr.asr import entities, stream
from git_asr.asr.branches import SPOKEN, Branches, branches
from git_asr.asr.draft import Record
from git_asr.asr.ids import PART_SPAN
from git_asr.asr.reading import GetBlob, Stream, position
from git_asr.asr.slices import Slice, holding, slices
from git_asr.asr.summary import QUEUE
from git_asr.values import dataclass
from git_asr.views import calls, entries
from git_asr.views.items import Event, Gap, Item, Mark, Turn

_OWN = frozenset({"tool_call", "tool_result", "input_request", "input_response", "plan", "subagent"})
"""Types that may be shown with a call."""
_COUNTED = frozenset({"inference", "usage_summary"})
"""Types that are shown as figures."""

_Place = tuple[int, int]
"""Sort key: seq, and what stands before what at the same one."""


@dataclass(frozen=True, slots=True)
class Timeline:
    """``items`` in order; ``hidden``: how many records of each type are in none of them."""

    items: tuple[Item, ...]
    hidden: Mapping[str, int]


def timeline(
    stream: Stream,
    blob: GetBlob,
    *,
    within: Sequence[Slice] | None = None,
    subagents: Sequence[Stream] = (),
    marks: bool = True,
) -> Timeline:
    """The timeline of a stream.

    ``within``: the slices that are shown, None for the whole stream. ``subagents``: other streams of the session: what
    they hold stands below the call that started them. ``marks``: show where the slices of checkpoints begin.
    """
    spawned = calls.Spawned(stream.id, subagents)
    return _Reader(stream, blob, spawned).timeline(within, marks=marks)


def projection(stream: Stream, records: Sequence[Record], blob: GetBlob) -> Timeline:
    """The records of a context view (``asr.context``) of a stream as items, in their order."""
    found = replace(stream, records=tuple(records), gaps=())
    return _Reader(found, blob, calls.Spawned(stream.id, ()), Branches({}, frozenset(), {})).all()


class _Reader:
    """One stream while its timeline is made."""

    def __init__(
        self, stream: Stream, blob: GetBlob, spawned: calls.Spawned, graph: Branches | None = None
    ) -> None:
        self._stream = stream
        self._blob = blob
        self._entities = list(entities.Revisions(stream.records).entities())
        self._numbers = {id(record): number for number, record in enumerate(stream.records)}
        self._graph = branches(stream.records) if graph is None else graph
        self._spawned = spawned
        self._calls = calls.Calls([latest for _, latest in self._entities], blob, spawned, self._below)
        self._hidden: Counter[str] = Counter()

    def timeline(self, within: Sequence[Slice] | None, *, marks: bool) -> Timeline:
        held = holding(within)
        shown = [pair for pair in self._entities if held(position(pair[0]))]
        self._calls.show(latest for _, latest in shown)
        withdrawn = sum(one["type"] == "tombstone" and held(position(one)) for one in self._stream.records)
        self._hidden.update({"tombstone": withdrawn} if withdrawn else {})
        placed: list[tuple[_Place, Item]] = []
        for first, latest in shown:
            item = self._item(first, latest)
            if item is not None:
                placed.append(((first["seq"], 2), item))
        placed += self._gaps(held)
        placed += self._turns(held)
        if marks:
            asked = None if within is None else set(within)
            placed += (_mark(one) for one in slices(self._stream) if asked is None or one in asked)
        ordered = [item for _, item in sorted(placed, key=lambda one: one[0])]
        return Timeline(tuple(self._with_branches(ordered)), dict(sorted(self._hidden.items())))

    def all(self) -> Timeline:
        """The items of all records in the order in which they stand, and nothing of the course."""
        self._calls.show(latest for _, latest in self._entities)
        found = [item for pair in self._entities if (item := self._item(*pair)) is not None]
        return Timeline(tuple(found), dict(sorted(self._hidden.items())))

    def _item(self, first: Record, latest: Record) -> Item | None:
        """The item of an entity; None where it is shown with another, or not at all."""
        place = entries.Place(
            record=latest["id"],
            position=position(first),
            ts=first.get("ts") or latest.get("ts"),
            aside=self._is_aside(first, latest),
        )
        if latest["type"] in _OWN and self._calls.is_shown_elsewhere(latest):
            return None
        if latest.get("session") == self._stream.header["session"]["id"]:
            latest = {field: said for field, said in latest.items() if field != "session"}  # nothing new
        item = self._calls.item(latest, place) or entries.entry(latest, place, self._blob)
        if item is None and latest["type"] not in _COUNTED:
            self._hidden[latest["type"]] += 1
        return item

    def _is_aside(self, first: Record, latest: Record) -> bool:
        if latest["type"] not in SPOKEN or QUEUE in (latest.get("_meta") or {}):
            return False
        left = self._graph.left
        return all(self._numbers[id(one)] in left for one in (first, latest))

    def _below(self, stream: Stream) -> tuple[Item, ...]:
        """What happened in a subagent's stream."""
        found = _Reader(stream, self._blob, self._spawned).timeline(None, marks=False)
        self._hidden.update(found.hidden)
        return found.items

    def _gaps(self, held: Callable[[int], bool]) -> Iterator[tuple[_Place, Item]]:
        records = self._stream.records
        for (number, reason, _), run in groupby(enumerate(self._stream.gaps), _row):
            (_, (_, first)), *others = run
            seq = records[number - 1]["seq"] if number else 0
            at = seq // PART_SPAN
            if held(at):
                lines = 1 + len(others)
                yield (seq, 3), Gap(record=None, position=at, line=first.line, lines=lines, reason=reason)

    def _turns(self, held: Callable[[int], bool]) -> Iterator[tuple[_Place, Item]]:
        """Where the graph starts anew, and where it is broken; each missing record once."""
        told: set[str] = set()
        for number, record in enumerate(self._stream.records):
            missing = self._graph.breaks.get(number)
            if not held(position(record)) or (missing is None and number not in self._graph.roots):
                continue
            if missing is None or missing not in told:
                told.add(missing or "")
                what = "root" if missing is None else "break"
                yield (
                    (record["seq"], 1),
                    Turn(record=record["id"], position=position(record), what=what, to=missing),
                )

    def _with_branches(self, items: Sequence[Item]) -> Iterator[Item]:
        """The items, with a word before each run of those that stand on a branch that was left."""
        ids = {record["id"]: number for number, record in enumerate(self._stream.records)}
        run: list[Item] = []
        for item in items:
            spoken = item.aside or _is_spoken(item)
            if spoken and not item.aside:
                yield from self._branch(run, ids)
                run = []
            if run or item.aside:
                run.append(item)
            else:
                yield item
        yield from self._branch(run, ids)

    def _branch(self, run: Sequence[Item], ids: Mapping[str, int]) -> Iterator[Item]:
        left = [item for item in run if item.aside]
        if left:
            first = left[0]
            origin = self._graph.left.get(ids.get(first.record or "", -1), -1)
            to = self._stream.records[origin]["id"] if origin >= 0 else None
            yield Turn(record=None, position=first.position, what="branch", to=to, count=len(left))
        yield from run


def _row(numbered: tuple[int, tuple[int, stream.Gap]]) -> tuple[int, str, int]:
    """What gaps in a row have in common: the records before them, the reason, and how far the lines are ahead."""
    number, (records, gap) = numbered
    return records, gap.reason, gap.line - number


def _is_spoken(item: Item) -> bool:
    return not isinstance(item, Event | Turn | Mark | Gap)


def _mark(one: Slice) -> tuple[_Place, Item]:
    mark = Mark(
        record=one.checkpoint, position=one.first, ts=one.ts, checkpoint=one.checkpoint, commits=one.commits
    )
    return (one.first * PART_SPAN, 0), mark
