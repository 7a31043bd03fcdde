"""What ``git asr blame`` prints."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from typing import Any

from git_asr.cli.render import left_out, paint
from git_asr.git.blame import Line, Origin
from git_asr.sync.blamed import Blamed
from git_asr.views import text
from git_asr.views.blame import Association
from git_asr.views.session import short_id

_NOTE = "sessions by the links of the commits: an association, not proof of who wrote a line"
_BOUNDARY = "or an earlier commit: nothing before this one was looked at"
_UNCOMMITTED = "not committed yet"
_REPORTED = ["reported"]
"""The evidence of a trailer, which is not worth a word."""
_MOST = 5
"""Sessions of one commit that are named one by one."""
_FROM = {"before": "earlier: ", "session": "of the session: "}


def lines(found: Blamed, cells: int = 100) -> Iterator[str]:
    """The lines in blocks of one commit, each below what is known of it; what was said before is said in short.

    ``cells``: what is said of a commit is cut to that width, the lines are not.
    """
    if not found.lines:
        return
    yield paint(_NOTE, "dim")
    room = len(str(max(one.number for one in found.lines)))
    told: set[str] = set()
    several = len({one.origin.path for one in found.lines}) > 1
    for origin, block in groupby(found.lines, key=lambda one: one.origin):
        yield ""
        path = f"  {origin.path}" if several else ""
        yield from _head(found, origin, path, cells, again=origin.oid in told)
        told.add(origin.oid)
        for one in block:
            said = text.neutral(one.text.removesuffix("\r").expandtabs(8))
            yield f"{paint(f'{one.number:>{room}}', 'dim')}  {said}".rstrip()


def _head(found: Blamed, origin: Origin, path: str, cells: int, *, again: bool) -> Iterator[str]:
    """The commit, and its sessions or why there are none. ``path``: what is said of where the lines stood there."""
    if not origin.oid.strip("0"):
        yield paint(_UNCOMMITTED, "yellow")
        return
    about = f"{origin.oid[:12]}  {origin.date}  {origin.author}{path}"
    row, ties = found.rows.get(origin.oid), found.sessions.get(origin.oid, ())
    if again:
        short = ", ".join(f"{one.agent} {short_id(one.session)}" for one in ties) or "no session"
        yield paint(text.one_line(f"{about}  {short}", cells), "yellow")
        return
    yield paint(text.one_line(f"{about}  {origin.subject}", cells), "yellow")
    if origin.boundary:
        yield f"  {_BOUNDARY}"
    for one in ties[:_MOST]:
        yield "  " + paint(text.one_line(_tie(one), cells - 2), "cyan")
    if len(ties) > _MOST:
        yield f"  {left_out(len(ties) - _MOST, 'session')}"
    if not ties:
        reason = "the reason is not known" if row is None or row.reason is None else row.reason
        yield f"  no session: {text.one_line(reason)}"
    elif row is not None and row.state == "ambiguous":
        yield f"  ambiguous: {text.one_line(row.reason or '')}"


def _tie(one: Association) -> str:
    """A session in one line, with the first line of the prompt."""
    parts = [f"{one.agent} {short_id(one.session)}", *([", ".join(one.models)] if one.models else [])]
    if list(one.evidence) != _REPORTED:
        parts.append(f"link: {', '.join(one.evidence) or 'evidence unknown'}")
    prompt = next(iter((one.prompt or "").strip().splitlines()), None)
    origin = _FROM.get(one.prompt_from or "slice", "")
    parts.append("prompt unknown" if prompt is None else f"{origin}“{prompt}”")
    return " · ".join(parts)


def as_record(found: Blamed) -> dict[str, Any]:
    """What ``--json`` prints; version 1."""
    origins = {one.origin.oid: one.origin for one in found.lines}
    return {
        "version": 1,
        "commits": {oid: _commit(found, origin) for oid, origin in origins.items()},
        "lines": [_line(one) for one in found.lines],
    }


def _commit(found: Blamed, origin: Origin) -> dict[str, Any]:
    if not origin.oid.strip("0"):
        return {"state": "uncommitted", "sessions": []}
    row = found.rows.get(origin.oid)
    return {
        "author": origin.author,
        "date": origin.date or None,
        "subject": origin.subject,
        "boundary": origin.boundary,
        "state": None if row is None else row.state,
        "reason": None if row is None else row.reason,
        "command": None if row is None else row.command,
        "sessions": [_association(one) for one in found.sessions.get(origin.oid, ())],
    }


def _association(one: Association) -> dict[str, Any]:
    return {
        "harness": one.harness,
        "session": one.session,
        "agent": one.agent,
        "models": list(one.models),
        "checkpoints": list(one.checkpoints),
        "evidence": list(one.evidence),
        "prompt": one.prompt,
        "promptFrom": one.prompt_from,
    }


def _line(one: Line) -> dict[str, Any]:
    return {
        "line": one.number,
        "originalLine": one.original,
        "commit": one.origin.oid,
        "path": one.origin.path,
        "text": one.text,
    }
