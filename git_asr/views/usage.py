"""Tokens over all sessions, each model call once (profile section 9), in rows by session, commit, day and so on.

A call that several sessions have counts in the one that started first, and so does a summary of such calls. A call is
given to one commit: the earliest that counts of those that name a checkpoint with whose slice it came in. So the rows
add up to the same sum whatever they are by.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any, Literal, TypeVar

from git_asr.asr import totals, usage
from git_asr.asr.bundle import Session
from git_asr.asr.draft import Record
from git_asr.asr.header import SessionKey
from git_asr.asr.origins import commits_of
from git_asr.asr.reading import Stream, position
from git_asr.asr.times import instant
from git_asr.asr.totals import Entry, spawning_calls
from git_asr.asr.usage import normal
from git_asr.views.session import Overview, overview

By = Literal["session", "commit", "day", "author", "agent", "model"]
Reason = totals.Reason | Literal["unreachable", "outside"]
"""Why something does not count: as ``totals.Reason``, or its commits are on no branch or tag, or none in the range."""

_Number = TypeVar("_Number", int, Decimal)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Commit:
    """A commit. ``author``: name, empty where it is unknown. ``when``: of the committer, in epoch seconds."""

    oid: str
    author: str
    when: int
    date: str
    subject: str


@dataclass(frozen=True, slots=True)
class Figures:
    """A sum. ``usage``, ``calls``, ``unknown``, ``summaries``: as ``totals.Total``.

    ``covered``: the calls of which summaries tell, wherever those stand. ``input``: without the cache where that is
    known. ``tokens``: all that are known. ``cost``: as recorded, in the agents' currency. None is unknown, never 0.
    """

    usage: Mapping[str, Any]
    calls: int
    unknown: int
    covered: int
    summaries: int
    input: int | None
    tokens: int | None
    cost: Decimal | None


@dataclass(frozen=True, slots=True)
class Row:
    """One sum. ``name``: what it is by, None for what has none: no commit, no model, no day.

    ``session``, ``commit``: of rows by session and by commit.
    """

    name: str | None
    figures: Figures
    session: Overview | None = None
    commit: Commit | None = None


@dataclass(frozen=True, slots=True)
class Excluded:
    """Records of one session that do not count, for one reason. ``usage``: what they tell, each of them."""

    session: SessionKey
    reason: Reason
    records: int
    usage: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Usage:
    """The rows, their sum, what was left out, and how many sessions record neither a call nor tokens."""

    by: By
    rows: tuple[Row, ...]
    total: Figures
    excluded: tuple[Excluded, ...]
    silent: int


@dataclass(slots=True)
class _Sum:
    usage: dict[str, Any] = field(default_factory=dict)
    calls: int = 0
    unknown: int = 0
    covered: int = 0
    summaries: int = 0
    input: int | None = None
    tokens: int | None = None
    cost: Decimal | None = None

    def add(self, entry: Entry, cost: Decimal | None) -> None:
        """Add an entry, and what it cost."""
        told, is_call = entry.usage, entry.call is not None
        unknown = is_call and not entry.covered and not told
        plain, tokens = usage.plain_input(told), usage.tokens(told)
        self.join(_Sum(told, is_call, unknown, entry.covered, not is_call, plain, tokens, cost))

    def join(self, other: _Sum) -> None:
        """Add another sum."""
        self.usage = usage.total((self.usage, other.usage))
        self.calls += other.calls
        self.unknown += other.unknown
        self.covered += other.covered
        self.summaries += other.summaries
        self.input = _both(self.input, other.input)
        self.tokens = _both(self.tokens, other.tokens)
        self.cost = _both(self.cost, other.cost)

    def figures(self) -> Figures:
        cost = None if self.cost is None else self.cost.normalize()
        return Figures(
            self.usage, self.calls, self.unknown, self.covered, self.summaries, self.input, self.tokens, cost
        )


def _both(one: _Number | None, other: _Number | None) -> _Number | None:
    """The sum of what is known of two numbers."""
    if one is None or other is None:
        return other if one is None else one
    return one + other


class Ledger:
    """Adds up sessions, one after the other; of each only sums stay, and a digest of each of its native calls."""

    def __init__(self, by: By, commits: Mapping[str, Commit], *, ranged: bool = False) -> None:
        """``commits``: those that count, by ID. ``ranged``: what belongs to none of them does not count either."""
        self._by: By = by
        self._commits = commits
        self._ranged = ranged
        self._seen: set[bytes] = set()
        self._rows: dict[tuple[str | None, ...], _Sum] = {}
        self._sessions: dict[tuple[str | None, ...], Overview] = {}
        self._excluded: dict[tuple[SessionKey, Reason], tuple[int, Mapping[str, Any]]] = {}
        self._silent = 0

    def add(self, session: Session, streams: Iterable[Stream], *, counts: bool = True) -> None:
        """Add a session. The one that started first comes first: calls that several have count there.

        ``counts``: else nothing of it does, nor what later sessions have of it.
        """
        view = overview(session)
        listed = sorted(streams, key=_order)
        commits = commits_of(listed)
        told: list[tuple[Stream, Record]] = []

        def leave(reason: Reason, stream: Stream, record: Record) -> None:
            if counts:
                self._leave(session.key, reason, normal(record.get("usage")))
            if reason == "beside-calls":
                told.append((stream, record))

        found = totals.entries(listed, leave=leave)
        costs = _costs(found, told)
        self._silent += counts and not found
        earlier = {one.call for one in found if self._is_known(one)}
        for entry in found if counts else ():
            if entry.call in earlier or (entry.over and entry.over <= earlier):
                self._leave(session.key, "repeated", entry.usage)
                continue
            named = commits(entry.stream, position(entry.place))
            of = min(
                (self._commits[one] for one in named if one in self._commits),
                key=lambda one: (one.when, one.oid),
                default=None,
            )
            if of is None and (named or self._ranged):
                reason: Reason = "outside" if self._ranged else "unreachable"
                self._leave(session.key, reason, entry.usage)
                continue
            key = self._key(entry, view, of)
            if self._by == "session":
                self._sessions[key] = view
            self._rows.setdefault(key, _Sum()).add(entry, costs.get(id(entry)))

    def usage(self) -> Usage:
        """What was added up: sessions and commits the newest first, days in order, the rest by tokens."""
        rows = [
            Row(
                key[-1],
                found.figures(),
                self._sessions.get(key),
                self._commits.get(key[0] or "") if self._by == "commit" else None,
            )
            for key, found in self._rows.items()
        ]
        rows.sort(key=_ORDERS.get(self._by, _largest))
        excluded = tuple(
            Excluded(session, reason, records, used)
            for (session, reason), (records, used) in sorted(self._excluded.items())
        )
        total = _Sum()
        for found in self._rows.values():
            total.join(found)
        return Usage(self._by, tuple(rows), total.figures(), excluded, self._silent)

    def _is_known(self, entry: Entry) -> bool:
        """Whether an earlier session has this very call; of those with a derived ID none can."""
        if entry.call is None or totals.is_derived(entry.call):
            return False
        digest = hashlib.blake2b(
            "\0".join(entry.call).encode("utf-8", "surrogatepass"), digest_size=16
        ).digest()
        known = digest in self._seen
        self._seen.add(digest)
        return known

    def _leave(self, session: SessionKey, reason: Reason, used: Mapping[str, Any]) -> None:
        records, before = self._excluded.get((session, reason), (0, {}))
        self._excluded[session, reason] = records + 1, usage.total((before, used))

    def _key(self, entry: Entry, view: Overview, commit: Commit | None) -> tuple[str | None, ...]:
        names: dict[By, Callable[[], str | None]] = {
            "commit": lambda: None if commit is None else commit.oid,
            "day": lambda: _day(entry),
            "author": lambda: None if commit is None else commit.author,
            "agent": lambda: view.agent,
            "model": lambda: entry.model,
        }
        return (view.harness, view.id) if self._by == "session" else (names[self._by](),)


def _order(stream: Stream) -> tuple[bool, str, str]:
    """A session's own streams before those of its subagents, each by its start."""
    return bool(spawning_calls(stream)), str(stream.header.get("startedAt") or "~"), stream.id


def _newest(row: Row) -> tuple[bool, int, str]:
    """Sessions by their start, commits by their time, from the last to the first."""
    if row.session is not None:
        return False, -(instant(row.session.started_at) or 0), row.session.id
    return row.commit is None, -(row.commit.when if row.commit is not None else 0), row.name or ""


def _named(row: Row) -> tuple[bool, int, str]:
    return row.name is None, 0, row.name or ""


def _largest(row: Row) -> tuple[bool, int, str]:
    return row.name is None, -(row.figures.tokens or 0), row.name or ""


_ORDERS: dict[By, Callable[[Row], tuple[bool, int, str]]] = {
    "session": _newest,
    "commit": _newest,
    "day": _named,
}
"""How rows are sorted where it is not by tokens; what has no name comes last."""


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
    told = {id(one): cost for one in found if (cost := usage.cost(one.record)) is not None}
    by_call = {one.stream.id for one in found if one.call is not None and id(one) in told}
    costs = {
        id(one): told[id(one)]
        for one in found
        if id(one) in told and (one.call is not None or one.stream.id not in by_call)
    }
    known = {one.stream.id for one in found if id(one) in costs}
    last = {one.stream.id: one for one in found if one.stream.id not in known}
    for stream, record in beside:
        cost = usage.cost(record) if record.get("scope") == "session" else None
        if cost is not None and stream.id in last:
            costs[id(last[stream.id])] = cost
    return costs
