"""Which commits have a session, and why others have none; from facts alone (reference entire-checkpoints, 9)."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field
from typing import Literal

from git_asr.values import dataclass

State = Literal["linked", "content-missing", "ambiguous", "dangling", "no-trailer", "merge"]

_UPSTREAM = "upstream"
"""The remote from which a fork was made, by custom (reference, row 6)."""
_ULID = 26
"""Characters of the ID of a checkpoint that has a ref of its own."""

COVERED: tuple[State, ...] = ("linked", "ambiguous")
"""States of commits whose session is here. A merge that names no checkpoint counts neither way."""


@dataclass(frozen=True, slots=True)
class Commit:
    """A commit of the range. ``oid``: in full. ``author``: name. ``when``, ``date``: of the committer, in epoch seconds
    and in RFC 3339.

    ``checkpoints``: the IDs that its message names. ``quoted``: those that stand neither at the beginning of a line nor
    in the last block, as in a quotation.
    """

    oid: str
    author: str
    when: int
    date: str
    subject: str
    merge: bool
    checkpoints: tuple[str, ...] = ()
    quoted: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Behind:
    """A session behind a commit: its agent as recorded, and whether anything of its transcript is here."""

    agent: str
    content: bool


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What of the repository tells why a checkpoint is not here.

    ``remotes``: their names, the one to ask for checkpoints first. ``checkpoint_remote``: where Entire's settings say
    that checkpoints live (``owner/name``), None where they say nothing. ``stores``: those that were searched, in words;
    ``empty``: whether none of them holds a checkpoint. ``unreadable``: the refs of those that cannot be read.
    ``incomplete``: checkpoints of which something is absent. ``promisor``: whether a partial clone may have left that
    out. ``single_refs``: whether there are refs of single checkpoints.
    ``removed``: checkpoints that a store held once, with the commit of the store that removed each. ``least_version``:
    the version of Entire that the checkpoint policy asks for.
    """

    remotes: tuple[str, ...] = ()
    checkpoint_remote: str | None = None
    stores: tuple[str, ...] = ()
    empty: bool = False
    unreadable: tuple[str, ...] = ()
    incomplete: frozenset[str] = frozenset()
    promisor: bool = False
    single_refs: bool = False
    removed: Mapping[str, str] = field(default_factory=dict)
    least_version: str | None = None


@dataclass(frozen=True, slots=True)
class Row:
    """A commit and what is known of its session.

    ``agents``: of the sessions behind it. ``unresolved``: the checkpoints that it names and no store has. ``reason``:
    why it is not simply linked, in words. ``command``: what would mend that, None where nothing would.
    """

    commit: Commit
    state: State
    agents: tuple[str, ...]
    unresolved: tuple[str, ...]
    reason: str | None
    command: str | None


@dataclass(frozen=True, slots=True)
class Coverage:
    """The rows, and how many commits are in each state: in all, and by author, agent, and month (``YYYY-MM``)."""

    rows: tuple[Row, ...]
    counts: Mapping[State, int]
    by_author: Mapping[str, Mapping[State, int]]
    by_agent: Mapping[str, int]
    by_month: Mapping[str, Mapping[State, int]]

    @property
    def percent(self) -> float | None:
        """Commits with a session, of all that are not plain merges; None where there are no such commits."""
        counted = sum(number for state, number in self.counts.items() if state != "merge")
        covered = sum(self.counts.get(state, 0) for state in COVERED)
        return 100 * covered / counted if counted else None


def coverage(
    commits: Iterable[Commit],
    behind: Mapping[str, Sequence[Behind]],
    unresolved: frozenset[str],
    around: Surroundings,
) -> Coverage:
    """Judge the commits of a range.

    ``behind``: the sessions that link records tie to each commit. ``unresolved``: the checkpoints that no store has.
    """
    listed = list(commits)
    named: dict[str, list[str]] = {}
    for commit in sorted(listed, key=lambda one: one.oid):
        for checkpoint in commit.checkpoints:
            named.setdefault(checkpoint, []).append(commit.oid)
    none_here = bool(named) and all(one in unresolved for one in named)
    first = min((commit.when for commit in listed if commit.checkpoints), default=None)
    reasons = _Reasons(around, none_here, first)
    rows = tuple(_row(commit, behind.get(commit.oid, ()), unresolved, named, reasons) for commit in listed)
    by_author: dict[str, Counter[State]] = {}
    by_month: dict[str, Counter[State]] = {}
    agents: Counter[str] = Counter()
    for row in rows:
        by_author.setdefault(row.commit.author, Counter())[row.state] += 1
        by_month.setdefault(row.commit.date[:7], Counter())[row.state] += 1
        agents.update(set(row.agents))
    counts: Counter[State] = Counter(row.state for row in rows)
    return Coverage(
        rows,
        counts,
        dict(sorted(by_author.items())),
        dict(sorted(agents.items())),
        dict(sorted(by_month.items())),
    )


def _row(
    commit: Commit,
    behind: Sequence[Behind],
    unresolved: frozenset[str],
    named: Mapping[str, Sequence[str]],
    reasons: _Reasons,
) -> Row:
    missing = tuple(one for one in commit.checkpoints if one in unresolved)
    agents = tuple(dict.fromkeys(one.agent for one in behind))
    if any(one.content for one in behind):
        doubt = _doubt(commit, [one for one in commit.checkpoints if one not in unresolved], named)
        some = (
            f"{len(missing)} of {len(commit.checkpoints)} checkpoints are in no store here"
            if missing
            else None
        )
        return Row(commit, "linked" if doubt is None else "ambiguous", agents, missing, doubt or some, None)
    state, reason, command = _without_content(commit, bool(behind), missing, reasons)
    return Row(commit, state, agents, missing, reason, command)


def _without_content(
    commit: Commit, behind: bool, missing: Sequence[str], reasons: _Reasons
) -> tuple[State, str | None, str | None]:
    """State, reason and remedy of a commit of which no transcript is here."""
    if not (missing or reasons.around.incomplete.isdisjoint(commit.checkpoints)):
        return "content-missing", "not all of its checkpoint is in this repository", reasons.completing
    if behind:
        return (
            "content-missing",
            "the transcript cannot be read here, or was never stored",
            "git asr sync --strict",
        )
    if missing:
        return "dangling", *reasons.dangling(missing[0])
    if commit.checkpoints:
        why = "its session was left out (asr.exclude) or forgotten, or is not synced yet"
        return "content-missing", why, "git asr sync"
    return ("merge", None, None) if commit.merge else ("no-trailer", *reasons.none(commit))


def _doubt(commit: Commit, resolved: Sequence[str], named: Mapping[str, Sequence[str]]) -> str | None:
    """Why it is open whether the session is this commit's; None where it is not.

    ``named``: the commits that name each checkpoint, sorted; there may be very many of one.
    """
    if not resolved:
        return None  # a link that was accepted by hand
    if all(one in commit.quoted for one in resolved):
        return "the checkpoint is named in the middle of a text, as in a quotation"
    if all(len(named[one]) > 1 for one in resolved):
        sharing = named[resolved[0]]
        other = next(one for one in sharing[:2] if one != commit.oid)
        more = f" and {len(sharing) - 2} more" if len(sharing) > 2 else ""
        return f"commit {other[:12]}{more} names the same checkpoint"
    return None


@dataclass(frozen=True, slots=True)
class _Reasons:
    """Why a commit has no session. ``none_here``: none of the checkpoints that the range names is here.

    ``first``: when the first commit of the range was made that names one, in epoch seconds.
    """

    around: Surroundings
    none_here: bool
    first: int | None

    @property
    def fetching(self) -> str | None:
        """What would fetch checkpoints from the first remote."""
        remotes = self.around.remotes
        return f"git asr fetch --checkpoints {shlex.quote(remotes[0])}" if remotes else None

    @property
    def completing(self) -> str:
        """What would bring the objects that are absent, else what tells more."""
        return (self.fetching if self.around.promisor else None) or "git asr sync --strict"

    def none(self, commit: Commit) -> tuple[str, str | None]:
        """Why a commit names no checkpoint."""
        if self.first is not None and commit.when < self.first:
            return "older than the first commit that names a checkpoint", None
        return "the message names no checkpoint", f"git asr link --suggest {commit.oid[:12]}^!"

    def dangling(self, checkpoint: str) -> tuple[str, str | None]:
        """Why a checkpoint is in no store here."""
        around = self.around
        fetch = self.fetching
        upstream = f"git asr fetch --checkpoints {_UPSTREAM}" if _UPSTREAM in around.remotes else fetch
        removed = around.removed.get(checkpoint, "")[:12]
        elsewhere = f"checkpoints live in {around.checkpoint_remote} (checkpoint_remote)"
        older = f"the policy asks for Entire {around.least_version}, and older ones write nothing"
        known = (
            (removed, f"it was removed from the store by its commit {removed}", f"git show --stat {removed}"),
            (around.checkpoint_remote, elsewhere, "git asr fetch --checkpoints"),
            (not around.stores, "no checkpoint store was fetched", fetch),
            (around.unreadable, f"{', '.join(around.unreadable[:1])} cannot be read", self.completing),
            (around.empty, "the checkpoint store here is empty", fetch),
            (
                len(checkpoint) == _ULID and not around.single_refs,
                "a clone does not fetch the refs of single checkpoints",
                fetch,
            ),
            (
                self.none_here,
                "no checkpoint of this history is here, as in a fork: ask where it comes from",
                upstream,
            ),
            (around.least_version, f"never written or never pushed; {older}", fetch),
        )
        for holds, reason, command in known:
            if holds:
                return reason, command
        return "never written, or never pushed by its author", fetch
