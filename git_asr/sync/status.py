"""What is here, what of it is synced, and what is missing: from the local state and a look at the refs."""

from __future__ import annotations

from collections.abc import Sequence

from git_asr.companion.state import State
from git_asr.companion.state_file import DamagedState, read_state
from git_asr.entire.source import Source, possible_source
from git_asr.errors import Diagnostic, Report
from git_asr.git.base import Repository
from git_asr.sync.look import Seen, directory, is_current, look
from git_asr.values import dataclass

ABSENT = frozenset({"absent-blob", "absent-tree"})
"""Findings that say that an object of a checkpoint is not in this repository."""


@dataclass(frozen=True, slots=True)
class StoreStatus:
    """Stores that no person tells apart: in words, their layout, and how many checkpoints they hold."""

    store: str
    layout: str
    checkpoints: int


@dataclass(frozen=True, slots=True)
class Status:
    """The state of a repository.

    ``companion``: the commit of the companion ref. ``synced``: whether the last sync saw all that is here, None where
    there was none. ``sessions``, ``links``: how many the companion ref holds. ``orphans``: sessions that no commit
    leads to, and how many of them are ``taken``. ``unresolved``: checkpoints that no store has, with the commits that
    name them. ``absent``: objects of checkpoints that are not in this repository; ``findings``: what else was found
    wrong. ``source``: from where checkpoints would be fetched, None for nowhere.
    """

    stores: tuple[StoreStatus, ...] = ()
    companion: str | None = None
    synced: bool | None = None
    sessions: int = 0
    links: int = 0
    orphans: int = 0
    taken: int = 0
    unresolved: tuple[tuple[str, tuple[str, ...]], ...] = ()
    absent: tuple[Diagnostic, ...] = ()
    findings: tuple[Diagnostic, ...] = ()
    source: Source | None = None


def status(repo: Repository, exclusions: Sequence[str], report: Report, *, orphans: bool) -> Status:
    """Look at a repository; ``exclusions``, ``orphans``: as configured. Nothing is written and no transcript read."""
    seen = look(repo)
    source = possible_source(repo, report)
    try:
        with read_state(directory(repo)) as state:
            if state is not None:
                current = is_current(state, seen, exclusions, orphans=orphans) and not state.is_unsettled()
                return _known(state, seen, source, synced=current)
    except DamagedState as error:
        report(Diagnostic("damaged-state", "", error.message, error.hint))
    return Status(_stores(None, seen), seen.companion, source=source)


def _known(state: State, seen: Seen, source: Source | None, *, synced: bool) -> Status:
    sessions, links = state.counts()
    orphans, written = state.orphans(), state.sessions()
    findings = state.findings.all()
    return Status(
        stores=_stores(state, seen),
        companion=seen.companion,
        synced=synced,
        sessions=sessions,
        links=links,
        orphans=len(orphans),
        taken=sum(key in written for key, _ in orphans),
        unresolved=tuple((checkpoint, tuple(commits)) for checkpoint, commits in state.unresolved()),
        absent=tuple(one for one in findings if one.code in ABSENT),
        findings=tuple(one for one in findings if one.code not in ABSENT),
        source=source,
    )


def _stores(state: State | None, seen: Seen) -> tuple[StoreStatus, ...]:
    held = {} if state is None else state.store_sizes()
    found: dict[tuple[str, str], int] = {}
    for one in seen.stores:
        key = one.layout.described(one.ref), one.layout.kind
        found[key] = found.get(key, 0) + held.get(one.ref, 0)
    return tuple(StoreStatus(*key, number) for key, number in found.items())
