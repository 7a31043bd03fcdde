"""Which sessions of the companion ref a command is about: by commit, range, checkpoint or session, and by filters."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from git_asr.asr.bundle import Manifest, Session
from git_asr.asr.header import SessionKey
from git_asr.cli.meaning import meant
from git_asr.companion import lookup
from git_asr.companion.tree import read_tip
from git_asr.errors import AsrError, Report, UsageError
from git_asr.git import ranged
from git_asr.git.backend import open_objects
from git_asr.git.base import Objects, Repository
from git_asr.git.process import run_git
from git_asr.values import dataclass
from git_asr.views.filtering import NO_FILTERS, Filters, within
from git_asr.views.session import Overview, overview


@dataclass(frozen=True, slots=True)
class Selection:
    """What was asked for: ``what`` names sessions, ``filters`` leave some out; without ``what`` all are meant."""

    what: tuple[str, ...] = ()
    all: bool = False
    filters: Filters = NO_FILTERS


def select(
    repo: Repository, objects: Objects, tree: str | None, wanted: Selection, report: Report
) -> list[SessionKey]:
    """The keys of the sessions that are meant, sorted. Raises as ``selected``."""
    return [one.key for one in selected(repo, objects, tree, wanted, report)]


def selected(
    repo: Repository, objects: Objects, tree: str | None, wanted: Selection, report: Report
) -> list[Session]:
    """The sessions that are meant, sorted by their keys; those that were forgotten are none.

    Raises:
        UsageError: nothing is asked for, or something that is nothing, or several things.
        AsrError: no session is meant.
    """
    if wanted.all and wanted.what:
        raise UsageError("--all and WHAT exclude each other")
    if not (wanted.all or wanted.what or wanted.filters):
        raise UsageError("say which sessions", hint="a commit, a range, a checkpoint or a session, or --all")
    manifests = lookup.manifests(objects, tree, report)
    known = {
        one.key: one for each in manifests if each.forgotten is None for one in each.sessions if one.streams
    }
    named = (
        set(known)
        if not wanted.what
        else {
            key
            for one in wanted.what
            for key in (
                _in_range(repo, manifests, one)
                if ".." in one
                else meant(repo, objects, tree, one, report).sessions
            )
        }
    )
    views = [overview(known[key]) for key in sorted(named & known.keys())]
    left = fitting(repo, views, wanted.filters, report)
    if not left:
        raise AsrError(
            "no session is left to be taken" if named else "no session is here", hint="git asr sessions"
        )
    return [known[SessionKey(one.harness, one.id)] for one in left]


def fitting(repo: Repository, views: Iterable[Overview], filters: Filters, report: Report) -> list[Overview]:
    """Those of some sessions that nothing leaves out, in their order. Raises AsrError: Git refuses a time."""
    since, until = _epoch(repo, "since", filters.since), _epoch(repo, "until", filters.until)
    timeless = (since, until) == (None, None)
    left = [one for one in views if filters.fits(one) and (timeless or within(one, since, until))]
    if filters.touched is None or not left:
        return left
    from git_asr.cli.touching import touching
    from git_asr.companion.summaries import summaries

    with open_objects(repo, "git") as objects:
        known = summaries(repo, objects, str(read_tip(repo, objects).tree), report)
        keys = {SessionKey(one.harness, one.id) for one in left}
        found = touching(repo, known, filters.touched, [one for one in known.logged() if one.key in keys])
    return [one for one in left if SessionKey(one.harness, one.id) in found]


def _in_range(repo: Repository, manifests: Sequence[Manifest], revisions: str) -> tuple[SessionKey, ...]:
    """The sessions that are tied to a commit of a range. Raises AsrError if there are none."""
    found = lookup.of_commits(manifests, {commit.oid for commit in ranged.commits(repo, [revisions])})
    if not found:
        raise AsrError(f"no session is tied to a commit of {revisions}", hint=f"git asr coverage {revisions}")
    return found


def _epoch(repo: Repository, option: str, text: str | None) -> int | None:
    """A time as Git reads it, in nanoseconds since 1970."""
    if text is None:
        return None
    said = run_git(repo, "rev-parse", f"--{option}={text}").decode("ascii", "replace")
    return int(said.strip().partition("=")[2]) * 1_000_000_000
