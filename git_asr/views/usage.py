"""Tokens over all sessions, each model call once (profile section 9), in rows by session, commit, day and so on.

A call that several sessions have counts in the one that started first, and so does a summary of such calls. A call is
given to one commit: the earliest that counts of those that name a checkpoint with whose slice it came in. So the rows
add up to the same sum whatever they are by.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field
from decimal import Decimal
from typing import Any, Literal, TypeVar

from git_asr.asr import totals, usage
from git_asr.asr.header import SessionKey
from git_asr.asr.times import instant
from git_asr.values import dataclass
from git_asr.views.session import Overview
from git_asr.views.told import Counted, Told

By = Literal["session", "commit", "day", "author", "agent", "model"]
Reason = totals.Reason | Literal["unreachable", "outside"]
"""Why something does not count: as ``totals.Reason``, or its commits are on no branch or tag, or none in the range."""

_Number = TypeVar("_Number", int, Decimal)


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

    def add(self, one: Counted) -> None:
        """Add what counts."""
        used, is_call = one.usage, one.is_call
        unknown = is_call and not one.covered and not used
        plain, tokens = usage.plain_input(used), usage.tokens(used)
        self.join(_Sum(dict(used), is_call, unknown, one.covered, not is_call, plain, tokens, one.cost))

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
    """Adds up sessions, one after the other; of each only sums stay, and 16 bytes of each call that others may have."""

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

    def add(self, key: SessionKey, view: Overview, told: Told, *, counts: bool = True) -> None:
        """Add a session. The one that started first comes first: calls that several have count there.

        ``counts``: else nothing of it does, nor what later sessions have of it.
        """
        for reason, (records, used) in told.left.items() if counts else ():
            self._leave(key, reason, used, records)
        self._silent += counts and not told.counted
        earlier = {one.call for one in told.counted if one.call is not None and self._is_known(one.call)}
        for one in told.counted if counts else ():
            if one.call in earlier or (one.over and one.over <= earlier):
                self._leave(key, "repeated", one.usage)
                continue
            of = min(
                (self._commits[oid] for oid in one.commits if oid in self._commits),
                key=lambda commit: (commit.when, commit.oid),
                default=None,
            )
            if of is None and (one.commits or self._ranged):
                self._leave(key, "outside" if self._ranged else "unreachable", one.usage)
                continue
            row = self._key(one, view, of)
            if self._by == "session":
                self._sessions[row] = view
            self._rows.setdefault(row, _Sum()).add(one)

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

    def _is_known(self, call: str) -> bool:
        """Whether an earlier session has this very call."""
        digest = bytes.fromhex(call)
        known = digest in self._seen
        self._seen.add(digest)
        return known

    def _leave(self, session: SessionKey, reason: Reason, used: Mapping[str, Any], records: int = 1) -> None:
        known, before = self._excluded.get((session, reason), (0, {}))
        self._excluded[session, reason] = known + records, usage.total((before, used))

    def _key(self, one: Counted, view: Overview, commit: Commit | None) -> tuple[str | None, ...]:
        names: dict[By, Callable[[], str | None]] = {
            "commit": lambda: None if commit is None else commit.oid,
            "day": lambda: one.day,
            "author": lambda: None if commit is None else commit.author,
            "agent": lambda: view.agent,
            "model": lambda: one.model,
        }
        return (view.harness, view.id) if self._by == "session" else (names[self._by](),)


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
