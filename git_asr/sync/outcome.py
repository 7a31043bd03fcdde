"""What a sync did and found; and the outcome of one that has nothing to do, known without importing what does it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields
from typing import TYPE_CHECKING, Literal

from git_asr.asr.header import SessionKey
from git_asr.companion.state import State
from git_asr.companion.state_file import DamagedState, read_state
from git_asr.converters.versions import known
from git_asr.entire.stores import registry
from git_asr.errors import Diagnostic
from git_asr.git.base import Repository
from git_asr.sync.look import Seen, directory, is_current, look
from git_asr.values import dataclass

if TYPE_CHECKING:
    from git_asr.views.drift import Drifting


@dataclass(slots=True)
class Tally:
    """Sessions that are new, changed or removed in the companion ref, and those that ``asr.exclude`` kept out."""

    new: int = 0
    changed: int = 0
    removed: int = 0
    excluded: int = 0

    def __add__(self, other: Tally) -> Tally:
        """What became of the sessions in two syncs, one after the other."""
        return Tally(*(getattr(self, one.name) + getattr(other, one.name) for one in fields(self)))


@dataclass(frozen=True, slots=True)
class Imported:
    """What became of a session that a file told of, ``units`` lines of it: its stream is ``new`` or ``extended``,
    ``unchanged``, or the session was ``refused``.
    """

    key: SessionKey
    stream: str
    units: int
    became: Literal["new", "extended", "unchanged", "refused"]


Became = Literal["new", "changed", "unchanged", "refused"]


@dataclass(frozen=True, slots=True)
class Taken:
    """What became of a session that a bundle brought."""

    key: SessionKey
    became: Became


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a sync did and found.

    ``tally``: sessions by what became of them. ``sessions``, ``links``: how many the companion ref holds now.
    ``unresolved``: checkpoints that commits name and no store holds, with those commits. ``searched``: the stores in
    words. ``findings``: what is wrong in what was read, now or before. ``outdated``: how many sessions an earlier
    version of a converter made. ``commit``: the companion's tip, None while there is none.
    ``imported``: what became of sessions that a file told of, ``taken``: of those that bundles brought. ``drift``: the
    streams that were converted now and have kinds that are new to git-asr.
    """

    tally: Tally
    sessions: int
    links: int
    unresolved: tuple[tuple[str, tuple[str, ...]], ...]
    searched: tuple[str, ...]
    findings: tuple[Diagnostic, ...]
    outdated: int
    commit: str | None
    imported: tuple[Imported, ...] = ()
    taken: tuple[Taken, ...] = ()
    drift: tuple[Drifting, ...] = ()


def unchanged(
    repo: Repository, exclusions: Iterable[str], *, orphans: bool = False, reconvert: bool = False
) -> Outcome | None:
    """The outcome of a sync that has nothing to do; None where it may have."""
    try:
        with read_state(directory(repo)) as state:
            if state is None or state.is_unsettled() or state.meta("converters") != known():
                return None
            if reconvert and state.outdated(1):
                return None
            seen = look(repo)
            current = is_current(state, seen, exclusions, orphans=orphans)
            return outcome_of(Tally(), state, seen) if current else None
    except DamagedState:
        return None


def outcome_of(tally: Tally, state: State, seen: Seen) -> Outcome:
    """The outcome by what the state says."""
    sessions, links = state.counts()
    unresolved = tuple((checkpoint, tuple(commits)) for checkpoint, commits in state.unresolved())
    searched, findings = registry.searched(seen.stores), tuple(state.findings.all())
    outdated, commit = len(state.outdated()), state.meta("companion")
    return Outcome(tally, sessions, links, unresolved, searched, findings, outdated, commit)
