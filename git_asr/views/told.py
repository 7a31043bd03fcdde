"""What one session tells of tokens: what counts of it, and what does not, before other sessions and commits are asked.

It depends on the session alone, so it can be kept (``companion.usage_file``); texts have no part in it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

from git_asr.asr import totals
from git_asr.asr.cost import recorded_cost
from git_asr.asr.draft import Record
from git_asr.asr.origins import commits_of
from git_asr.asr.reading import Stream, position
from git_asr.asr.times import instant
from git_asr.asr.totals import Call, Entry, spawning_calls
from git_asr.asr.usage import normal, total
from git_asr.values import dataclass

FORM = 1
"""Raised when the same streams tell something else: what was kept in another form is found out anew."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Counted:
    """A model call, or a summary in place of calls.

    ``call``: a digest that tells the call from those of other sessions; None for a summary, and for a call that only
    this session can have. ``over``: the digests of the calls that a summary covers, if others can have all of them.
    ``covered``: a summary tells of the call. ``usage``: in normal form. ``day``: in UTC. ``commits``: those that name a
    checkpoint with which it came in, sorted.
    """

    is_call: bool
    call: str | None
    over: frozenset[str]
    covered: bool
    usage: Mapping[str, Any]
    cost: Decimal | None
    model: str | None
    day: str | None
    commits: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Told:
    """What counts, and what does not: by reason how many records, and what they tell."""

    counted: tuple[Counted, ...]
    left: Mapping[totals.Reason, tuple[int, Mapping[str, Any]]]

    def dump(self) -> bytes:
        """As JSON, for ``load``."""
        counted = [
            (
                one.is_call,
                one.call,
                sorted(one.over),
                one.covered,
                one.usage,
                cost,
                one.model,
                one.day,
                one.commits,
            )
            for one in self.counted
            for cost in (None if one.cost is None else str(one.cost),)
        ]
        return json.dumps([counted, self.left], separators=(",", ":")).encode("ascii")


def load(data: bytes) -> Told:
    """What ``Told.dump`` gave, which is taken at its word.

    Raises:
        ValueError: it is something else.
    """
    try:
        counted, left = json.loads(data)
        return Told(
            tuple(
                Counted(
                    is_call, call, frozenset(over), covered, used, _cost(cost), model, day, tuple(commits)
                )
                for is_call, call, over, covered, used, cost, model, day, commits in counted
            ),
            {reason: (records, used) for reason, (records, used) in left.items()},
        )
    except (TypeError, AttributeError, ArithmeticError) as error:
        raise ValueError(str(error)) from error


def _cost(said: str | None) -> Decimal | None:
    return None if said is None else Decimal(said)


def tell(streams: Iterable[Stream]) -> Told:
    """What the streams of one session tell."""
    listed = sorted(streams, key=_order)
    commits = commits_of(listed)
    beside: list[tuple[Stream, Record]] = []
    left: dict[totals.Reason, tuple[int, Mapping[str, Any]]] = {}

    def leave(reason: totals.Reason, stream: Stream, record: Record) -> None:
        records, before = left.get(reason, (0, {}))
        left[reason] = records + 1, total((before, normal(record.get("usage"))))
        if reason == "beside-calls":
            beside.append((stream, record))

    found = totals.entries(listed, leave=leave)
    costs = _costs(found, beside)
    return Told(
        tuple(
            Counted(
                one.call is not None,
                None if one.call is None else _digest(one.call),
                _covered(one),
                one.covered,
                one.usage,
                costs.get(id(one)),
                one.model,
                _day(one),
                commits(one.stream, position(one.place)),
            )
            for one in found
        ),
        left,
    )


def _digest(call: Call) -> str | None:
    """What tells a call from those of other sessions; of those with a derived ID no other session has one."""
    if totals.is_derived(call):
        return None
    return hashlib.blake2b("\0".join(call).encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def _covered(entry: Entry) -> frozenset[str]:
    digests = [_digest(one) for one in entry.over]
    return frozenset(one for one in digests if one is not None) if None not in digests else frozenset()


def _order(stream: Stream) -> tuple[bool, str, str]:
    """A session's own streams before those of its subagents, each by its start."""
    return bool(spawning_calls(stream)), str(stream.header.get("startedAt") or "~"), stream.id


def _day(entry: Entry) -> str | None:
    """The day, in UTC, of the first record that tells of a call."""
    for record in (entry.place, entry.record):
        when = instant(record.get("ts"))
        if when is not None:
            try:
                return (_EPOCH + timedelta(seconds=when // 1_000_000_000)).date().isoformat()
            except OverflowError:
                return None
    return None


def _costs(found: list[Entry], beside: Iterable[tuple[Stream, Record]]) -> dict[int, Decimal]:
    """What each entry cost, by its ``id()``.

    Of a stream whose calls tell costs it is those; else those of its summaries that count; else what a summary of the
    whole session tells beside calls (``beside``), which goes to the last of them.
    """
    told = {id(one): cost for one in found if (cost := recorded_cost(one.record)) is not None}
    by_call = {one.stream.id for one in found if one.call is not None and id(one) in told}
    costs = {
        id(one): told[id(one)]
        for one in found
        if id(one) in told and (one.call is not None or one.stream.id not in by_call)
    }
    known = {one.stream.id for one in found if id(one) in costs}
    last = {one.stream.id: one for one in found if one.stream.id not in known}
    for stream, record in beside:
        cost = recorded_cost(record) if record.get("scope") == "session" else None
        if cost is not None and stream.id in last:
            costs[id(last[stream.id])] = cost
    return costs
