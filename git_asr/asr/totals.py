"""Tokens of streams, every model call counted once (profile section 9, *Totals*)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from dataclasses import field, replace
from itertools import accumulate
from typing import Any, Literal

from git_asr.asr import usage
from git_asr.asr.draft import Record
from git_asr.asr.entities import Revisions
from git_asr.asr.reading import Stream, position
from git_asr.asr.usage import normal
from git_asr.values import dataclass

Call = tuple[str, ...]
"""What tells model calls apart: provider, ``inferenceId`` and ``requestId``; for a derived ID the session too."""


@dataclass(frozen=True, slots=True)
class Total:
    """The tokens of some records.

    ``usage``: in the profile's normal form; absent is unknown, never 0. ``calls``: model calls. ``unknown``: those of
    which no usage is recorded, so that the usage is less than what was used. ``summaries``: usage records that were
    added in place of calls: of those that they cover, or of streams that record none.
    """

    usage: dict[str, Any] = field(default_factory=dict)
    calls: int = 0
    unknown: int = 0
    summaries: int = 0


Reason = Literal["copied", "withdrawn", "superseded", "repeated", "covered", "beside-calls", "overlapping"]
"""Why the usage of a record does not count.

``copied``: it counts where it comes from. ``withdrawn``: by a tombstone. ``superseded``: a later revision counts.
``repeated``: another stream has the same call. ``covered``: a summary tells of the call. ``beside-calls``: a summary
that names no span, in a stream that records calls. ``overlapping``: a summary of what another one tells too.
"""

Leave = Callable[[Reason, Stream, Record], object]
"""Is told of each record whose usage does not count."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A model call, or a summary that counts in place of calls.

    ``place``: where it stands: the first revision of a call; of a summary the last call that it covers, else its own
    first revision. ``record``: the latest revision. ``call``: None for a summary. ``covered``: a summary tells of the
    call, so that only the summary's usage counts. ``model``: None where it is not recorded. ``over``: the calls that a
    summary covers.
    """

    stream: Stream
    place: Record
    record: Record
    call: Call | None
    covered: bool
    model: str | None
    over: frozenset[Call] = frozenset()

    @property
    def usage(self) -> dict[str, Any]:
        """What counts of it, in normal form."""
        return {} if self.covered else normal(self.record.get("usage"))


def total(streams: Iterable[Stream], within: Callable[[Stream, Record], bool] | None = None) -> Total:
    """Add up the model calls of streams, the latest usage of each; arguments as for ``entries``."""
    return added(entries(streams, within))


def added(found: Iterable[Entry]) -> Total:
    """The sum of entries."""
    listed = list(found)
    calls = [one for one in listed if one.call is not None]
    return Total(
        usage.total(one.usage for one in listed),
        len(calls),
        sum(not one.covered and not one.usage for one in calls),
        len(listed) - len(calls),
    )


def entries(
    streams: Iterable[Stream],
    within: Callable[[Stream, Record], bool] | None = None,
    leave: Leave = lambda *_: None,
) -> list[Entry]:
    """The model calls of streams, and the summaries that count in their place.

    Copied records are counted where they come from. A usage summary that says which calls it covers stands for them,
    if all of them are asked for. Others are added only for a stream that records no call: beside calls they repeat
    some, or tell a part of what a subagent used, which is no call of this stream. Of summaries that cover the
    same calls one counts (``usage.accounts``).
    ``streams``: the session that started first comes first; ``within`` tells which records count, by the first revision
    of each call. A call that is superseded takes the place of the first one.
    """
    counting = _Counting(within or (lambda *_: True), leave)
    for one in streams:
        counting.add(one)
    return counting.entries()


class _Counting:
    """Gathers the entries of streams."""

    def __init__(self, within: Callable[[Stream, Record], bool], leave: Leave) -> None:
        self._within = within
        self._leave = leave
        self._calls: dict[Call, Entry] = {}
        self._covered: set[Call] = set()
        self._summaries: list[Entry] = []

    def add(self, stream: Stream) -> None:
        """Add a stream."""
        told = sorted((one for one in stream.records if one["type"] == "inference"), key=position)
        places = [position(record) for record in told]
        left_out = [0, *accumulate(not self._within(stream, one) for one in told)]
        known: dict[str, tuple[Record, Record]] = {}
        for first, record in self._counted(stream):
            if record["type"] == "inference":
                self._add_call(stream, first, record)
                continue
            found = usage.span(record.get("covers"))
            own = None if found is None else usage.within(places, found)
            if own is not None and left_out[own.stop] <= left_out[own.start]:
                known[record["id"]] = first, record
            elif not told:
                self._summaries.append(_summary(stream, first, record, ()))
            elif own is None:
                self._leave("beside-calls", stream, record)
        for account in usage.accounts((key, record.get("covers")) for key, (_, record) in known.items()):
            covered = told[usage.within(places, account.span)]
            self._summaries += (_summary(stream, *known.pop(key), covered) for key in account.told.values())
            self._cover(stream, covered, account.missing)
        for _, record in known.values():
            self._leave("overlapping", stream, record)

    def entries(self) -> list[Entry]:
        """What counts."""
        for key in sorted(self._covered & self._calls.keys()):
            entry = self._calls[key]
            self._leave("covered", entry.stream, entry.record)
            self._calls[key] = replace(entry, covered=True)
        return [*self._calls.values(), *self._summaries]

    def _add_call(self, stream: Stream, first: Record, record: Record) -> None:
        """Add a model call; one that is known stays in its place, and has the later usage."""
        key, model = call(stream, record), record.get("model")
        before = self._calls.get(key)
        if before is None:
            self._calls[key] = Entry(stream, first, record, key, False, model)
        else:
            self._leave("repeated", stream, before.record)
            self._calls[key] = replace(before, record=record, model=model)

    def _cover(self, stream: Stream, records: Iterable[Record], missing: Set[str]) -> None:
        """A summary tells of calls, but for those of models of which it tells nothing."""
        for record in records:
            key = call(stream, record)
            model = self._calls[key].model if key in self._calls else record.get("model")
            if model not in missing:
                self._covered.add(key)

    def _counted(self, stream: Stream) -> Iterator[tuple[Record, Record]]:
        """The first and the latest revision of each call and summary that counts."""
        revisions = Revisions(stream.records)
        for record in stream.records:
            if record["type"] not in ("inference", "usage_summary"):
                continue
            if "copiedFrom" in record:
                self._leave("copied", stream, record)
            elif not revisions.stands(record):
                self._leave("withdrawn", stream, record)
            elif revisions.is_first(record) and self._within(stream, record):
                latest = revisions.latest(record)
                if latest["type"] != record["type"]:
                    latest = record
                elif latest is not record:
                    self._leave("superseded", stream, record)
                yield record, latest


def _summary(stream: Stream, first: Record, record: Record, covered: Sequence[Record]) -> Entry:
    """The entry of a summary; ``covered``: the calls that it covers, in order."""
    model = (record.get("covers") or {}).get("model")
    if model is None and len(models := {one.get("model") for one in covered}) == 1:
        (model,) = models
    place = covered[-1] if covered else first
    over = frozenset(call(stream, one) for one in covered)
    return Entry(stream, place, record, None, False, model if isinstance(model, str) else None, over)


def call(stream: Stream, record: Record) -> Call:
    """What tells the model call of an ``inference`` record from others, over all sessions."""
    identifier = record["inferenceId"]
    provider = str(record.get("provider") or "")
    if identifier.startswith("~"):
        session = stream.header["session"]
        return str(session["harness"]), str(session["id"]), stream.id, identifier
    return provider, identifier, str(record.get("requestId") or "")


def is_derived(call: Call) -> bool:
    """Whether an ID was made for the call, so that only its session can have it."""
    return len(call) == 4


def part(record: Record) -> Record | None:
    """What these functions, and ``spawning_calls``' callers, need of a transcript record; None where that is nothing.

    For ``reading.load``: a stream of such parts gives the same totals, and takes little room whatever its texts.
    """
    kind = record["type"]
    if kind in ("usage_summary", "inference"):
        return record
    if kind in ("tombstone", "tool_call") or "supersedes" in record:
        return {field: record[field] for field in _PLACING if field in record}
    return None


_PLACING = ("type", "seq", "id", "supersedes", "copiedFrom", "callId", "target")
"""The fields that say where a record stands and what it takes the place of."""


def spawning_calls(stream: Stream) -> list[str]:
    """The calls that started the subagent whose stream this is; none for any other stream."""
    lineage = stream.header.get("lineage")
    spawned = lineage.get("spawnedBy") if isinstance(lineage, dict) else None
    facets = spawned if isinstance(spawned, list) else [spawned]
    named = [one.get("callId") for one in facets if isinstance(one, dict)]
    return [one for one in named if isinstance(one, str)]
