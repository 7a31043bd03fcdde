"""What ``git asr show`` found, and its JSON form."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import fields, is_dataclass
from itertools import chain
from typing import Any

import click

from git_asr.asr import codec
from git_asr.asr.draft import Record
from git_asr.asr.reading import Stream
from git_asr.cli import render
from git_asr.cli.meaning import meant
from git_asr.companion.lookup import Candidate
from git_asr.companion.opening import OpenBundle, open_bundle
from git_asr.companion.tree import read_tip
from git_asr.errors import AsrError, Diagnostic, Report, UsageError
from git_asr.git.base import Objects, Repository
from git_asr.git.history import PLAIN, expanded
from git_asr.git.process import run_git
from git_asr.values import dataclass
from git_asr.views.drift import unknown
from git_asr.views.excerpt import Excerpt, excerpts
from git_asr.views.items import Item
from git_asr.views.session import overview
from git_asr.views.timeline import Timeline, timeline

_UNREADABLE = "git asr validate --ref   says what is wrong with it"


@dataclass(frozen=True, slots=True)
class CommitLine:
    """A commit in few words: full ID, author, the author's date (``YYYY-MM-DD``), subject."""

    oid: str
    author: str
    date: str
    subject: str


@dataclass(frozen=True, slots=True)
class Shown:
    """What was asked for; the parts of sessions that answer it, each with its bundle; the commit if it is one."""

    what: Candidate
    parts: tuple[tuple[OpenBundle, Excerpt], ...]
    commit: CommitLine | None

    def records(self, only: str | None) -> Iterator[Record]:
        """Headers and records, the header of each stream before its records; or only the records of one ID.

        Raises:
            UsageError: there is no such record.
        """
        streams = (
            chain(excerpt.records(), *((one.header, *one.records) for one in excerpt.subagents))
            for _, excerpt in self.parts
        )
        if only is None:
            yield from chain(*streams)
            return
        missing = True
        for record in chain(*streams):
            if record.get("id") == only:
                missing = False
                yield record
        if missing:
            raise UsageError(
                f"no record '{only}' in what is shown", hint="--whole looks in the whole session"
            )


def find(repo: Repository, objects: Objects, what: str, *, whole: bool) -> Shown:
    """Find what a text means, and read it; what cannot be read of it is said on stderr. Idle sessions come last.

    Raises:
        AsrError: nothing is meant, or several things are, or there is no session.
    """
    tree = read_tip(repo, objects).tree
    warnings = render.Warnings()
    found = meant(repo, objects, tree, what, warnings, streams=True)
    if repo.promisor:
        from git_asr.cli.promised import bring_sessions

        bring_sessions(repo, objects, tree, found.sessions)
    bundles = _open(objects, tree, found, warnings) if tree is not None else []
    asked = {} if found.kind == "session" else {found.kind: found.id}
    parts = [
        (bundle, excerpt) for bundle in bundles for excerpt in excerpts(bundle.streams, whole=whole, **asked)
    ]
    if not parts:
        raise AsrError(f"of {found.kind} {found.id} nothing can be read", hint=_UNREADABLE)
    parts.sort(key=lambda part: part[1].is_empty)
    line = commit_line(repo, found.id) if found.kind == "commit" else None
    return Shown(found, tuple(parts), line)


def _open(objects: Objects, tree: str, found: Candidate, report: Report) -> list[OpenBundle]:
    """The sessions; of several, those that cannot be opened are reported, unless that is all of them."""
    bundles: list[OpenBundle] = []
    for key in found.sessions:
        try:
            bundles.append(open_bundle(objects, tree, key, report))
        except AsrError as error:
            if key == found.sessions[-1] and not bundles:
                raise
            report(Diagnostic("unreadable-session", "", error.message, error.hint))
    return bundles


def commit_line(repo: Repository, commit: str) -> CommitLine:
    """Ask Git for a commit in few words."""
    said = run_git(repo, "log", "-1", *PLAIN, "--format=%H%x00%an%x00%as%x00%s", commit, "--")
    oid, author, date, subject, *_ = said.decode("utf-8", "replace").split("\0")
    return CommitLine(oid, expanded(author, "%an"), expanded(date, "%as"), subject)


def timeline_of(bundle: OpenBundle, excerpt: Excerpt) -> Timeline:
    """The timeline of a part of a session; where a checkpoint begins is said if more than one part is shown."""
    several = excerpt.slices is None or len(excerpt.slices) > 1
    return timeline(
        excerpt.stream, bundle.blob, within=excerpt.slices, subagents=excerpt.subagents, marks=several
    )


def as_json(shown: Shown) -> dict[str, Any]:
    """What ``git asr show --json`` prints; version 1. Absent is unknown."""
    return answer(shown, [_session(bundle, excerpt) for bundle, excerpt in shown.parts])


def answer(shown: Shown, sessions: list[dict[str, Any]]) -> dict[str, Any]:
    """What was asked for, and what is said of each stream."""
    return {
        "version": 1,
        "what": {"kind": shown.what.kind, "id": shown.what.id},
        **({} if shown.commit is None else {"commit": plain(shown.commit)}),
        "sessions": sessions,
    }


def stream_json(bundle: OpenBundle, stream: Stream) -> dict[str, Any]:
    """Which stream of which session it is."""
    view = overview(bundle.session)
    return {
        "harness": view.harness,
        "session": view.id,
        "agent": view.agent,
        "models": list(view.models),
        "stream": stream.id,
        "capture": stream.header["capture"],
        "through": stream.through,
    }


def _session(bundle: OpenBundle, excerpt: Excerpt) -> dict[str, Any]:
    told = timeline_of(bundle, excerpt)
    return {
        **stream_json(bundle, excerpt.stream),
        "slices": None if excerpt.slices is None else plain(excerpt.slices),
        "unplaced": list(excerpt.unplaced),
        "tokens": plain(excerpt.total()),
        "items": plain(told.items),
        "hidden": dict(told.hidden),
        "unknown": unknown(excerpt),
    }


def plain(value: Any) -> Any:
    """Plain values as JSON has them; an item says what kind it is, and what is unknown is left out.

    Lists and objects are recorded values, however deep, and stay as they are.
    """
    if isinstance(value, tuple):
        return [plain(one) for one in value]
    if not is_dataclass(value) or isinstance(value, type | codec.NumberText):
        return value
    kind = {"kind": value.kind} if isinstance(value, Item) else {}
    members = ((one.name, getattr(value, one.name)) for one in fields(value))
    return {**kind, **{name: plain(found) for name, found in members if found is not None}}


def print_records(records: Iterable[Record]) -> None:
    """Print records as JSON Lines, exact; on a terminal in ASCII."""
    terminal = render.on_terminal()
    for record in records:
        data = codec.encode(record)
        click.echo(codec.escaped(data) if terminal else data)


def print_json(value: dict[str, Any]) -> None:
    """Print a value as JSON in ASCII, exact."""
    click.echo(codec.escaped(codec.encode(value)))
