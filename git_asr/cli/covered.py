"""What ``git asr coverage`` prints."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from textwrap import indent
from typing import Any

from git_asr.cli.render import left_out, paint
from git_asr.views import text
from git_asr.views.coverage import Coverage, Row, State

_WORDS: dict[State, str] = {
    "linked": "linked",
    "ambiguous": "ambiguous",
    "content-missing": "content missing",
    "dangling": "dangling",
    "no-trailer": "no trailer",
    "merge": "merge",
}
_MOST = 10
"""Commits that are named one by one for one reason, and reasons that are named for one state."""


def lines(found: Coverage) -> Iterator[str]:
    """The figures, then the commits that are not simply linked, by reason."""
    counted = sum(number for state, number in found.counts.items() if state != "merge")
    said = [
        f"{found.counts[state]} {word}"
        for state, word in _WORDS.items()
        if found.counts.get(state) and state != "merge"
    ]
    merges = found.counts.get("merge", 0)
    aside = f" ({text.plural(merges, 'merge')} aside)" if merges else ""
    yield f"{text.plural(counted, 'commit')}{': ' if said else ''}{', '.join(said)}{aside}"
    yield "coverage: " + (
        "no commit counts" if found.percent is None else paint(f"{_percent(found.percent)} %", "bold")
    )
    told: Counter[State] = Counter()
    reasons = _reasons(found)
    for (state, reason, command), rows in reasons.items():
        told[state] += 1
        if told[state] > _MOST:
            if told[state] == _MOST + 1:
                more = sum(one == state for one, *_ in reasons) - _MOST
                yield ""
                yield f"{_WORDS[state]}: {left_out(more, 'reason')}"
            continue
        yield ""
        yield paint(f"{_WORDS[state]}: {text.one_line(reason)}", "yellow")
        for row in rows[:_MOST]:
            yield f"  {row.commit.oid[:12]}  {row.commit.date[:10]}  {text.one_line(_about(row), 100)}"
        if len(rows) > _MOST:
            yield f"  {left_out(len(rows) - _MOST)}"
        if command is not None:
            yield paint(f"  {text.one_line(command)}", "cyan")


def _about(row: Row) -> str:
    return f"{row.commit.author}  {row.commit.subject}"


def _percent(number: float) -> str:
    """Rounded down, so that 100 means all."""
    return f"{int(number * 10) / 10:g}"


def _reasons(found: Coverage) -> dict[tuple[State, str, str | None], list[Row]]:
    """The rows with a reason, by state, reason and command; one command that names a commit stands for its like."""
    grouped: dict[tuple[State, str], list[Row]] = {}
    for state in _WORDS:
        for row in found.rows:
            if row.state == state and row.reason is not None:
                grouped.setdefault((state, row.reason), []).append(row)
    return {(state, reason, rows[0].command): rows for (state, reason), rows in grouped.items()}


def table(found: Coverage, by: str) -> Iterator[str]:
    """How many commits are in each state, by author or month; by agent, how many have a session of it."""
    if by == "agent":
        rows = [
            ("agent", "commits"),
            *((text.one_line(name, 40), str(n)) for name, n in found.by_agent.items()),
        ]
        yield from text.columns(rows, right={1})
        return
    counts = found.by_author if by == "author" else found.by_month
    states = [state for state in _WORDS if found.counts.get(state)]
    head = (by, *(_WORDS[state] for state in states))
    body = [
        (text.one_line(name, 40), *(str(own.get(state, 0)) for state in states))
        for name, own in counts.items()
    ]
    yield from text.columns([head, *body], right=range(1, len(head)))


def as_json(found: Coverage) -> Iterator[str]:
    """What ``--json`` prints, in pieces, for there may be very many commits; version 1."""
    empty: dict[str, Any] = {
        "version": 1,
        "percent": found.percent,
        "counts": _counts(found.counts),
        "byAuthor": {name: _counts(own) for name, own in found.by_author.items()},
        "byAgent": dict(found.by_agent),
        "byMonth": {name: _counts(own) for name, own in found.by_month.items()},
        "commits": [],
    }
    yield json.dumps(empty, indent=2).removesuffix("]\n}")
    for number, row in enumerate(found.rows):
        yield ("," if number else "") + indent("\n" + json.dumps(_commit(row), indent=2), "    ")
    yield "\n  ]\n}\n" if found.rows else "]\n}\n"


def _commit(row: Row) -> dict[str, Any]:
    return {
        "commit": row.commit.oid,
        "author": row.commit.author,
        "committedAt": row.commit.date,
        "subject": row.commit.subject,
        "state": row.state,
        "checkpoints": list(row.commit.checkpoints),
        "unresolved": list(row.unresolved),
        "agents": list(row.agents),
        "reason": row.reason,
        "command": row.command,
    }


def _counts(own: Mapping[State, int]) -> dict[str, int]:
    return {state: own[state] for state in _WORDS if own.get(state)}
