"""The flow on one page: see what changed, convert that, move the refs.

Cost follows what changed: tips that moved lead to checkpoints and commits, these to the sessions that they touch, and
only those are converted. Nothing can be seen before the refs move, all at once, at the end.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from git_asr.companion import caches, store
from git_asr.companion.arrivals import Fill
from git_asr.companion.forgetting import Forget
from git_asr.companion.lock import locked
from git_asr.companion.soundness import Spend, TooMuch
from git_asr.companion.state import Key, State
from git_asr.companion.state_file import DamagedState, write_state
from git_asr.entire import exclusion
from git_asr.errors import Diagnostic, Report
from git_asr.git.backend import open_objects
from git_asr.git.base import Backend, RefRaced, Repository
from git_asr.git.phases import timed
from git_asr.git.tolerant import TolerantObjects
from git_asr.git.writing import ObjectWriter
from git_asr.sync import parallel
from git_asr.sync.arriving import Arrived, Arriving
from git_asr.sync.changes import Changes
from git_asr.sync.conversion import Conversion
from git_asr.sync.decisions import Deciding, Decision
from git_asr.sync.look import TAKEN, directory, joined, look
from git_asr.sync.outcome import Imported, Outcome, Taken, outcome_of, unchanged
from git_asr.sync.publication import Publication
from git_asr.sync.reconversion import AT_ONCE, groups, note_outdated
from git_asr.sync.relinking import relink
from git_asr.values import dataclass

if TYPE_CHECKING:
    from git_asr.sync.importing import Import
    from git_asr.sync.taking import Offer

LOCK_WAIT = 60.0
"""Seconds that a sync waits for another one, unless it is told otherwise."""
RACES = 8
"""How often a sync begins again when somebody else moved a ref under it."""


def _too_much() -> TooMuch:
    """What stops a sync in passing."""
    return TooMuch("there is too much to read in passing", hint="git asr sync")


Progress = Callable[[int, int], object]
"""Told how many groups of sessions are done, of how many."""


@dataclass(frozen=True, slots=True)
class Options:
    """What a sync is asked.

    ``revisions``: walk only these, None for every ref. ``full``: trust no local state. ``exclusions``: the values of
    ``asr.exclude``. ``orphans``: take sessions too of which no commit names a checkpoint. ``reconvert``: convert anew
    what earlier versions of the converters made, when all else is done. ``progress``: told how many groups of sessions
    are done, of how many. ``at_most``: bytes of transcripts beyond which it is not done now. ``lock_wait``: seconds to
    wait for another writer. ``decisions``: links to accept or to take back. ``imports``: what files tell of sessions
    beside those in checkpoints. ``offers``: bundles whose sessions are to be taken in. ``forget``: sessions that are to
    be forgotten. ``compact``: leave the history of the companion behind. ``fill``: brings
    what a partial clone left out of what remotes have; None where nothing may be asked of the network. ``jobs``: in how
    many processes many sessions may be converted.
    """

    revisions: tuple[str, ...] | None = None
    full: bool = False
    exclusions: tuple[str, ...] = ()
    orphans: bool = False
    reconvert: bool = False
    backend: Backend = "auto"
    progress: Progress | None = None
    at_most: int | None = None
    lock_wait: float = LOCK_WAIT
    decisions: tuple[Decision, ...] = ()
    imports: tuple[Import, ...] = ()
    offers: tuple[Offer, ...] = ()
    forget: Forget | None = None
    compact: bool = False
    fill: Fill | None = None
    jobs: int = 1

    @property
    def brings(self) -> bool:
        """Whether there is something to take in beside what the repository has."""
        return bool(self.decisions or self.imports or self.offers or self.forget or self.compact)


def sync(repo: Repository, options: Options, report: Report) -> Outcome:
    """Bring the companion ref up to date with the commits and the checkpoint stores.

    Running it again changes nothing. Diagnostics go to ``report``; what cannot be read is looked at again next time.

    Raises:
        UsageError: an unknown revision.
        TooMuch: there is more to convert than ``at_most``.
        AsrError: another writer holds the lock for too long, Git refuses, or a decision cannot be carried out.
    """
    if not (options.full or options.revisions is not None or options.brings):
        known = unchanged(repo, options.exclusions, orphans=options.orphans, reconvert=options.reconvert)
        if known is not None:
            return known
    try:
        outcome = _retried(repo, options, report)
    except DamagedState:
        outcome = _retried(repo, replace(options, full=True), report)
    again = replace(options, full=False, decisions=(), imports=(), offers=(), forget=None, compact=False)
    while options.reconvert and outcome.outdated:
        more = _retried(repo, again, report, again=True)
        outcome = replace(
            more,
            tally=outcome.tally + more.tally,
            imported=outcome.imported,
            taken=outcome.taken,
            drift=outcome.drift + more.drift,
        )
    return outcome


def _retried(repo: Repository, options: Options, report: Report, *, again: bool = False) -> Outcome:
    """Sync, once more if somebody else moves a ref meanwhile."""
    for _ in range(RACES):
        try:
            return _sync_once(repo, options, report, again=again)
        except RefRaced as error:
            raced = error
            time.sleep(random.uniform(0.005, 0.05))  # noqa: S311  (no secret: two writers should not meet again)
    raise raced


def _sync_once(repo: Repository, options: Options, report: Report, *, again: bool) -> Outcome:
    """Sync; ``again``: and convert anew some sessions that earlier versions of the converters made."""
    own = directory(repo)
    with (
        locked(own, wait=options.lock_wait),
        write_state(own, fresh=options.full) as state,
        open_objects(repo, _backend(options.backend, state)) as objects,
        ObjectWriter(repo, objects) as writer,
    ):

        def note(found: Diagnostic) -> None:
            if found.code != "damaged-bundle":  # which this very sync mends
                state.findings.add(found)
            report(found)

        seen = timed("look", look, repo)
        spend = _spending(options.at_most)
        arriving = Arriving(repo, objects, writer, state, seen, spend, options.fill)
        arrived = timed("arrive", _arrive, arriving, options, note)
        tip = arrived.tip
        upstream = TolerantObjects(objects, note)
        changes = Changes(repo, upstream, state, seen, note)
        deciding = Deciding(objects, state, tip, repo.object_format)
        if state.meta("companion") != seen.companion or tip.tree != arrived.own:
            deciding.recall()
        changed, named = (
            timed("stores", changes.in_stores),
            timed("walk", changes.in_commits, options.revisions),
        )
        decided = deciding.take(options.decisions)
        touched = changes.groups(changed, named | decided)
        note_outdated(state)
        anew = state.outdated(AT_ONCE) if again else []
        touched |= groups(state, anew)
        rules = {"exclusions": joined(options.exclusions), "companion": seen.companion}
        touched |= _again(state, rules, orphans=options.orphans)
        kept_out = exclusion.parse(options.exclusions)
        conversion = Conversion(
            repo, objects, upstream, writer, state, changes, tip, kept_out, options.orphans, note
        )
        conversion.decided |= decided
        timed("convert", _convert, conversion, touched, options)
        conversion.drop_left(changes.left)
        arrived.adopt(conversion)
        relink(conversion, decided)
        deciding.check(options.decisions)
        imported, taken = _brought(conversion, deciding, options)
        timed("publish", Publication(conversion, seen, joined(options.exclusions)).publish)
        _remember(state, options, anew)
        arrived.remember(state, seen.remotes_digest)
        timed("caches", partial(caches.keep_up, learn=options.at_most is None), repo, objects)
        return replace(
            outcome_of(conversion.results.tally, state, seen),
            imported=imported,
            taken=taken,
            drift=tuple(conversion.results.drifting),
        )


def _brought(
    conversion: Conversion, deciding: Deciding, options: Options
) -> tuple[tuple[Imported, ...], tuple[Taken, ...]]:
    """Take in what the caller brings."""
    if not options.imports and not options.offers:
        return (), ()
    from git_asr.sync.importing import take  # noqa: PLC0415  (most syncs bring nothing)
    from git_asr.sync.taking import take as take_offers  # noqa: PLC0415

    imported = take(conversion, options.imports)
    taken = take_offers(conversion, options.offers)
    deciding.remember(record for key in taken for _, record in store.links_of(conversion.present(key.key)))
    return imported, taken


def _backend(wanted: Backend, state: State) -> Backend:
    """What reads the repository: where most is known already Git itself does, which is here sooner than libgit2."""
    return "git" if wanted == "auto" and state.meta("companion") is not None else wanted


def _arrive(arriving: Arriving, options: Options, report: Report) -> Arrived:
    """Merge what remotes have; whatever the last sync merged where other exclusions may leave more of it here."""
    anew = arriving.state.meta("exclusions") != joined(options.exclusions)
    return arriving.arrive(report, forget=options.forget, compact=options.compact, anew=anew)


def _convert(conversion: Conversion, groups: Collection[str], options: Options) -> None:
    """Convert groups of sessions, unless that is too much now."""
    if options.at_most is not None and conversion.exceeds(groups, options.at_most):
        raise _too_much()
    for done, total in parallel.convert(conversion, groups, options.jobs, options.backend):
        if options.progress is not None:
            options.progress(done, total)


def _remember(state: State, options: Options, anew: Iterable[Key]) -> None:
    """Remember for the next sync by what this one went, and that some sessions were converted ``anew``."""
    state.drop_outdated(anew)
    state.set_meta("exclusions", joined(options.exclusions))
    state.set_meta("orphans", TAKEN if options.orphans else None)


def _spending(at_most: int | None) -> Spend:
    """Counts the bytes of what arrived that are read, up to ``at_most``. What it gives raises TooMuch."""
    spent = 0

    def spend(count: int) -> None:
        nonlocal spent
        spent += count
        if at_most is not None and spent > at_most:
            raise _too_much()

    return spend


def _again(state: State, rules: Mapping[str, str | None], *, orphans: bool) -> set[str]:
    """All groups, if other exclusions or companions, or a wish for orphans, may change what they become."""
    changed = any(state.meta(name) != value for name, value in rules.items())
    return state.groups() if changed or (orphans and state.meta("orphans") != TAKEN) else set()
