"""What ``git asr search`` does and prints, while it is found."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from contextlib import closing
from itertools import chain
from typing import Any, Literal

import click

from git_asr.asr import codec
from git_asr.asr.bundle import Session
from git_asr.cli import render
from git_asr.cli.autosync import refresh
from git_asr.cli.opening import open_repository
from git_asr.cli.patience import patient
from git_asr.cli.promised import bring_sessions
from git_asr.cli.selecting import Selection, selected
from git_asr.companion import searching
from git_asr.companion.searching import Hit
from git_asr.companion.tree import read_tip
from git_asr.git.backend import open_objects
from git_asr.values import dataclass
from git_asr.views.matching import Line, Matcher, split
from git_asr.views.session import overview
from git_asr.views.signatures import Sieve
from git_asr.views.text import neutral

CELLS = 400
"""Characters of a line that are shown; of a longer one those around the first match."""
_LEAD = 100


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is looked for, and in which sessions. ``index``: whether signatures are used and kept."""

    matcher: Matcher
    selection: Selection
    index: bool


@dataclass(frozen=True, slots=True)
class Shown:
    """How it is shown. ``before``, ``after``: lines around a match."""

    form: Literal["lines", "count", "sessions", "json"]
    before: int
    after: int


def search(wanted: Wanted, shown: Shown) -> bool:
    """Search and print; tells whether something was found.

    Raises:
        UsageError: a filter that is nothing, or a pattern that takes too long.
        AsrError: there is no session to look through.
    """
    repo = open_repository()
    refresh(repo)
    warnings = render.Warnings()
    with open_objects(repo, "git") as objects:
        tree = read_tip(repo, objects).tree
        sessions = selected(repo, objects, tree, wanted.selection, warnings)
        sessions.sort(key=_newest, reverse=True)
        bring_sessions(repo, objects, tree, (one.key for one in sessions))
        with searching.opened(repo, objects, str(tree), warnings, index=wanted.index) as place:
            return _show(_found(place, sessions, wanted.matcher), shown)


def _found(
    place: searching.Place, sessions: Iterable[Session], matcher: Matcher
) -> Iterator[tuple[Session, Iterator[Hit]]]:
    """The sessions with hits, and their hits, which are found while they are taken; there is at least one."""
    find, sieve = patient(matcher), Sieve(matcher.literals)
    for session in sessions:
        with closing(searching.search(place, session, find, sieve)) as hits:
            first = next(hits, None)
            if first is not None:
                yield session, chain([first], hits)


def _newest(session: Session) -> tuple[str, str]:
    view = overview(session)
    return view.ended_at or view.started_at or "", view.id


def _show(found: Iterable[tuple[Session, Iterator[Hit]]], shown: Shown) -> bool:
    if shown.form == "json":
        return _print_json(found, shown)
    with render.paged():
        some = False
        for session, hits in found:
            for line in _lines(session, hits, shown, first=not some):
                print(line)
            some = True
            sys.stdout.flush()  # the next one may be a while
    return some


def _lines(session: Session, hits: Iterable[Hit], shown: Shown, *, first: bool) -> Iterator[str]:
    name = neutral(session.key.id)
    if shown.form == "sessions":
        yield name
    elif shown.form == "count":
        yield f"{name}:{sum(len(hit.lines) for hit in hits)}"
    else:
        if not first:
            yield ""
        view = overview(session)
        begun = (view.started_at or "")[:10]
        said = " · ".join(neutral(one) for one in (view.agent, begun) if one)
        yield f"{render.paint(f'session {name}', 'yellow')}  {said}".rstrip()
        for hit in hits:
            yield from _hit(hit, shown)


def _hit(hit: Hit, shown: Shown) -> Iterator[str]:
    """The record, then its lines: ``12:`` for one that matches, ``11-`` for one around it, as ``git grep`` has them."""
    told = hit.passage
    place = " ".join(
        neutral(one) for one in (told.record, (told.ts or "")[:19].replace("T", " "), told.who) if one
    )
    yield render.paint(place, "cyan")
    matching = {line.number: line for line in hit.lines}
    last = 0
    for number, text in _around(hit, shown):
        if last and number > last + 1 and (shown.before or shown.after):
            yield render.paint("--", "cyan")
        last = number
        line = matching.get(number)
        mark = "-" if line is None else ":"
        yield f"{render.paint(f'{number}{mark}', 'green')} {_marked(line or Line(number, text, ()))}"


def _around(hit: Hit, shown: Shown) -> Iterator[tuple[int, str]]:
    """The lines that match with those around them, each once, in order."""
    if not (shown.before or shown.after):
        yield from ((line.number, line.text) for line in hit.lines)
        return
    texts = split(hit.passage.text)
    next_one = 1
    for line in hit.lines:
        first = max(line.number - shown.before, next_one)
        next_one = min(line.number + shown.after, len(texts)) + 1
        for number in range(first, next_one):
            yield number, texts[number - 1]


def _marked(line: Line) -> str:
    """A line, neutral, with what matched in it in colour; cut around the first match if it is long."""
    begin = max(line.spans[0][0] - _LEAD, 0) if line.spans and len(line.text) > CELLS else 0
    end = min(begin + CELLS, len(line.text))
    pieces = ["…" if begin else ""]
    at = begin
    for span in line.spans:
        start, stop = max(span[0], at), min(span[1], end)
        if start < stop:
            pieces += [neutral(line.text[at:start]), render.paint(neutral(line.text[start:stop]), "red")]
            at = stop
    pieces += [neutral(line.text[at:end]), "…" if end < len(line.text) else ""]
    return "".join(pieces)


def _print_json(found: Iterable[tuple[Session, Iterator[Hit]]], shown: Shown) -> bool:
    """Print one JSON value in pieces, for there may be more hits than memory holds; version 1."""

    def put(data: bytes) -> None:
        click.echo(codec.escaped(data), nl=False)

    put(b'{"version":1,"sessions":[')
    some = False
    for session, hits in found:
        put((b",\n" if some else b"\n") + codec.encode(_session(session))[:-1] + b',"records":[')
        for number, hit in enumerate(hits):
            put((b",\n " if number else b"\n ") + codec.encode(_record(hit, shown)))
        put(b"]}")
        some = True
    put(b"\n]}\n")
    return some


def _session(session: Session) -> dict[str, Any]:
    view = overview(session)
    return {"harness": view.harness, "session": view.id, "agent": view.agent}


def _record(hit: Hit, shown: Shown) -> dict[str, Any]:
    told = hit.passage
    matching = {line.number: line for line in hit.lines}
    return {
        "stream": hit.stream,
        "id": told.record,
        "type": told.type,
        "who": told.who,
        **({} if told.ts is None else {"ts": told.ts}),
        "lines": [
            {
                "number": number,
                "text": text,
                "matches": [list(span) for span in matching[number].spans] if number in matching else [],
            }
            for number, text in _around(hit, shown)
        ],
    }
