"""Gathers what the usage is added up from: the sessions of the companion ref, and the commits that count."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Sequence
from operator import itemgetter

from git_asr.asr import totals
from git_asr.asr.header import SessionKey
from git_asr.asr.times import instant
from git_asr.companion.listing import sessions
from git_asr.companion.opening import open_bundle
from git_asr.companion.tree import read_tip
from git_asr.companion.usage_file import UsageFile, opened
from git_asr.errors import AsrError, Diagnostic, Report
from git_asr.git import ranged
from git_asr.git.backend import open_objects
from git_asr.git.base import Objects, Repository
from git_asr.git.graph import reached
from git_asr.sync.look import look
from git_asr.views.session import Overview, overview
from git_asr.views.told import Told, tell
from git_asr.views.usage import By, Commit, Ledger, Usage

Bring = Callable[[Repository, Objects, str | None, Iterable[SessionKey]], object]
"""Brings files of sessions in a companion tree that a partial clone has not got."""


def used(
    repo: Repository,
    by: By,
    revisions: Sequence[str],
    report: Report,
    bring: Bring,
    *,
    every: bool = False,
    only: Container[SessionKey] | None = None,
) -> Usage:
    """Add up the tokens of all sessions; one after the other is read, and of each only what is counted is kept.

    ``revisions``: as for ``git log``, only what belongs to these commits counts; without any, what belongs to commits
    that a ref leads to, and to none. ``every``: also to commits that no ref leads to, or that are not here.
    ``only``: the sessions that count, by default all; a call that an earlier session has counts in none of them.

    Raises:
        UsageError: an unknown revision.
        AsrError: the companion ref, or the history, is damaged.
    """
    with open_objects(repo, "git") as objects:
        tree = read_tip(repo, objects).tree
        starts: list[tuple[bool, int, SessionKey, Overview]] = []
        linked = dict[str, None]()
        for _, session in sessions(objects, tree, report):
            view = overview(session)
            linked |= dict.fromkeys(view.commits)
            when = instant(view.started_at)
            starts.append((when is None, when or 0, session.key, view))
        starts.sort(key=itemgetter(0, 1, 2))
        ledger = Ledger(by, _commits(repo, revisions, linked, every=every), ranged=bool(revisions))
        with opened(repo, objects, tree) as known:
            bring(repo, objects, tree, (key for _, _, key, _ in starts if known.told(key) is None))
            for _, _, key, view in starts:
                told = known.told(key) or _told(objects, str(tree), key, known, report)
                if told is not None:
                    ledger.add(key, view, told, counts=only is None or key in only)
    return ledger.usage()


def _told(objects: Objects, tree: str, key: SessionKey, known: UsageFile, report: Report) -> Told | None:
    """Read a session, and keep what it tells unless something is wrong with it; None where it cannot be read."""
    faults: list[Diagnostic] = []
    try:
        bundle = open_bundle(objects, tree, key, faults.append, totals.part)
    except AsrError as error:
        report(Diagnostic("unreadable-session", f"session {key.id}", error.message, error.hint))
        return None
    for one in faults:
        report(one)
    if bundle.session.streams and not bundle.streams:
        return None  # what it records is not known, which is not the same as nothing
    told = tell(bundle.streams)
    if not faults:
        known.add(key, told)
    return told


def _commits(
    repo: Repository, revisions: Sequence[str], linked: Iterable[str], *, every: bool
) -> dict[str, Commit]:
    """The commits that count, of those that a session is tied to."""
    some = set(linked)
    if revisions:
        found = (one for one in ranged.commits(repo, revisions) if one.oid in some)
        return {one.oid: _commit(one) for one in found}
    counted = some if every else reached(repo, look(repo).tips, some)
    known = {one.oid: _commit(one) for one in ranged.listed(repo, sorted(counted))}
    return {one: known.get(one) or Commit(one, "", 0, "", "") for one in sorted(counted)}


def _commit(one: ranged.Ranged) -> Commit:
    return Commit(one.oid, one.author, one.committed, one.committed_at, one.subject)
