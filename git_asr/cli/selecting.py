"""Which sessions of the companion ref a command is about: by commit, range, checkpoint, session, time or agent."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from git_asr.asr.bundle import Manifest, Session
from git_asr.asr.header import SessionKey
from git_asr.asr.times import instant
from git_asr.cli.meaning import meant
from git_asr.companion import lookup
from git_asr.converters.etf.format import harness_of
from git_asr.errors import AsrError, Report, UsageError
from git_asr.git import ranged
from git_asr.git.base import Objects, Repository
from git_asr.git.process import run_git
from git_asr.views.session import overview


@dataclass(frozen=True, slots=True)
class Selection:
    """What was asked for: ``what`` names sessions, the rest leaves some of them out; without ``what`` all are meant.

    ``since``, ``until``: times as Git reads them. ``agent``: a name or a label.
    """

    what: tuple[str, ...] = ()
    all: bool = False
    since: str | None = None
    until: str | None = None
    agent: str | None = None


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
    filtered = (wanted.since, wanted.until, wanted.agent) != (None, None, None)
    if wanted.all and wanted.what:
        raise UsageError("--all and WHAT exclude each other")
    if not (wanted.all or wanted.what or filtered):
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
    span = _epoch(repo, "since", wanted.since), _epoch(repo, "until", wanted.until)
    keys = sorted(key for key in named & known.keys() if _is_wanted(known[key], wanted.agent, span))
    if not keys:
        raise AsrError(
            "no session is left to be taken" if named else "no session is here", hint="git asr sessions"
        )
    return [known[key] for key in keys]


def _in_range(repo: Repository, manifests: Sequence[Manifest], revisions: str) -> tuple[SessionKey, ...]:
    """The sessions that are tied to a commit of a range. Raises AsrError if there are none."""
    found = lookup.of_commits(manifests, {commit.oid for commit in ranged.commits(repo, [revisions])})
    if not found:
        raise AsrError(f"no session is tied to a commit of {revisions}", hint=f"git asr coverage {revisions}")
    return found


def _is_wanted(session: Session, agent: str | None, span: tuple[int | None, int | None]) -> bool:
    """Whether nothing leaves a session out; one whose times are not known is left out by any time."""
    view = overview(session)
    if agent is not None and not {view.harness.lower(), view.agent.lower()} & {
        agent.lower(),
        harness_of(agent),
    }:
        return False
    begin, end = instant(view.started_at), instant(view.ended_at)
    begin, end = (end if begin is None else begin), (begin if end is None else end)
    since, until = span
    if since is not None and (end is None or end < since):
        return False
    return until is None or (begin is not None and begin <= until)


def _epoch(repo: Repository, option: str, text: str | None) -> int | None:
    """A time as Git reads it, in nanoseconds since 1970."""
    if text is None:
        return None
    said = run_git(repo, "rev-parse", f"--{option}={text}").decode("ascii", "replace")
    return int(said.strip().partition("=")[2]) * 1_000_000_000
