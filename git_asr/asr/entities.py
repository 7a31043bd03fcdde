"""Records that stand for others: revisions of one entity, withdrawn records, calls with their results.

A reference to an entity (``callId``, ``messageId``) means its latest revision; a record's ``id`` means exactly that
revision (specification, readers). Records are plain dicts in the order of their ``seq``, as ``stream.read`` gives them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from git_asr.asr.draft import Record
from git_asr.values import dataclass


class Revisions:
    """Which record of a stream supersedes which, and which were withdrawn.

    Only what stands before a record can be superseded by it: what names itself or a later one is a first revision.
    """

    def __init__(self, records: Iterable[Record]) -> None:
        self._records = list(records)
        self._by_id: dict[str, Record] = {}
        self._next: dict[int, Record] = {}
        self._earlier: dict[int, Record] = {}
        self._tombstones: dict[str, Record] = {}
        for record in self._records:
            earlier = self._by_id.get(record.get("supersedes", ""))
            if earlier is not None:
                self._next[id(earlier)] = record
                self._earlier[id(record)] = earlier
            self._by_id.setdefault(record["id"], record)
            if record["type"] == "tombstone":
                self._tombstones[record["target"]] = record
        self._withdrawn: set[int] = set()
        for target in self._tombstones:
            at = self._by_id.get(target)
            while at is not None and id(at) not in self._withdrawn:
                self._withdrawn.add(id(at))
                at = self._earlier.get(id(at))

    def record(self, identifier: str) -> Record | None:
        """The record with exactly this ID; of several (which a stream must not have) the first."""
        return self._by_id.get(identifier)

    def latest(self, record: Record) -> Record:
        """The latest revision of what a record of the stream is about."""
        while (later := self._next.get(id(record))) is not None:
            record = later
        return record

    def is_first(self, record: Record) -> bool:
        """Whether a record of the stream supersedes no other record of it."""
        return id(record) not in self._earlier

    def tombstone(self, record: Record) -> Record | None:
        """The record that withdraws this one, if there is one."""
        return self._tombstones.get(record["id"])

    def stands(self, record: Record) -> bool:
        """Whether neither a record of the stream was withdrawn nor one that supersedes it, be it the latest or not."""
        return self.tombstone(record) is None and id(record) not in self._withdrawn

    def entities(self) -> Iterator[tuple[Record, Record]]:
        """Every entity once: its first revision, in whose place it stands, and its latest; withdrawn ones are out."""
        for record in self._records:
            if self.is_first(record) and record["type"] != "tombstone" and self.stands(record):
                yield record, self.latest(record)

    def standing(self) -> Iterator[Record]:
        """The latest revision of every entity, in the place of its first one; tombstones and targets are out."""
        return (latest for _, latest in self.entities())


@dataclass(frozen=True, slots=True)
class Call:
    """A tool call with its result.

    ``result``: None where there is none, and the outcome unknown. ``ambiguous``: several calls or several results have
    this call's ID, so no result can be said to be its own. ``alone``: no other call has its ID.
    """

    call: Record
    result: Record | None
    ambiguous: bool
    alone: bool


@dataclass(frozen=True, slots=True)
class Calls:
    """The calls of a stream in order, and the results that belong to none."""

    calls: tuple[Call, ...]
    orphans: tuple[Record, ...]


def pair(standing: Sequence[Record]) -> Calls:
    """Pair tool calls with their results by native ID, never by order.

    ``standing``: latest revisions. An ID that stands on several calls, or on several results, pairs none of them.
    """
    calls: dict[str, list[Record]] = {}
    results: dict[str, list[Record]] = {}
    for record in standing:
        if record["type"] == "tool_call":
            calls.setdefault(record["callId"], []).append(record)
        elif record["type"] == "tool_result":
            results.setdefault(record["callId"], []).append(record)
    clear = {one for one, own in calls.items() if len(own) == 1 and len(results.get(one, ())) == 1}
    paired = [
        Call(
            record,
            results[record["callId"]][0] if record["callId"] in clear else None,
            len(calls[record["callId"]]) > 1 or len(results.get(record["callId"], ())) > 1,
            len(calls[record["callId"]]) == 1,
        )
        for record in standing
        if record["type"] == "tool_call"
    ]
    orphans = [one for one in standing if one["type"] == "tool_result" and one["callId"] not in clear]
    return Calls(tuple(paired), tuple(orphans))
