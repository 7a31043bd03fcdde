"""What a sync did and found; and the outcome of one that has nothing to do, known without importing what does it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from git_asr.companion.state import State
from git_asr.companion.state_file import DamagedState, read_state
from git_asr.converters.versions import VERSIONS
from git_asr.entire.stores import registry
from git_asr.errors import Diagnostic
from git_asr.git.base import Repository
from git_asr.sync.look import Seen, directory, is_current, look


@dataclass(slots=True)
class Tally:
    """Sessions that are new, changed or removed in the companion ref, and those that ``asr.exclude`` kept out."""

    new: int = 0
    changed: int = 0
    removed: int = 0
    excluded: int = 0


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a sync did and found.

    ``tally``: sessions by what became of them. ``sessions``, ``links``: how many the companion ref holds now.
    ``unresolved``: checkpoints that commits name and no store holds, with those commits. ``searched``: the stores in
    words. ``findings``: what is wrong in what was read, now or before. ``commit``: the companion's tip, None while
    there is none.
    """

    tally: Tally
    sessions: int
    links: int
    unresolved: tuple[tuple[str, tuple[str, ...]], ...]
    searched: tuple[str, ...]
    findings: tuple[Diagnostic, ...]
    commit: str | None


def unchanged(repo: Repository, exclusions: Iterable[str], *, orphans: bool = False) -> Outcome | None:
    """The outcome of a sync that has nothing to do; None where it may have."""
    try:
        with read_state(directory(repo)) as state:
            if state is None or state.is_unsettled() or state.meta("converters") != converters():
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
    searched, findings = registry.searched(seen.stores), tuple(state.findings())
    return Outcome(tally, sessions, links, unresolved, searched, findings, state.meta("companion"))


def converters() -> str:
    """The converters with their versions: when one changes, all sessions are looked at again."""
    return " ".join(f"{name}/{version}" for name, version in sorted(VERSIONS.items()))
