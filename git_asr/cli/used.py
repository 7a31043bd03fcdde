"""What ``git asr usage`` prints."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any

from git_asr.asr.header import SessionKey
from git_asr.asr.usage import total
from git_asr.cli import render
from git_asr.cli.render import paint
from git_asr.errors import Report
from git_asr.git.base import Repository
from git_asr.views import text
from git_asr.views.session import short_id
from git_asr.views.usage import By, Excluded, Figures, Reason, Row, Usage

_HEADS: dict[By, tuple[str, ...]] = {
    "session": ("agent", "session"),
    "commit": ("commit", "date"),
    "day": ("day",),
    "author": ("author",),
    "agent": ("agent",),
    "model": ("model",),
}
_NAMELESS: dict[By, str] = {"commit": "no commit", "author": "no commit"}
_UNKNOWN = "unknown"
_ABOUT = {"session": "first prompt", "commit": "subject"}
_ABOUT_CELLS = 18
"""Room, with the gap before it, that is needed to say what a line is about."""
_LINE = 100
"""Terminal cells of what a line is about."""
_LEAST = Decimal("0.01")
_MOST = 10
"""Sessions that are named one by one for one reason."""

_REASONS: dict[Reason, str] = {
    "unreachable": "of commits on no branch, tag or other ref: --every-commit counts them",
    "outside": "of no commit in the range",
    "copied": "copied from another session or stream, where they count",
    "repeated": "of calls that another stream or an earlier session has, where they count",
    "superseded": "earlier states of calls, of which the last counts",
    "withdrawn": "withdrawn by the agent or in its history",
    "covered": "of calls of which a summary tells, which counts",
    "beside-calls": "summaries beside the calls that they sum up, or of a subagent's own session",
    "overlapping": "summaries of what another summary tells too",
}


def chosen(repo: Repository, filters: Mapping[str, str | None], report: Report) -> set[SessionKey] | None:
    """The sessions that count by what filters say; None where they say nothing."""
    if not any(one is not None for one in filters.values()):
        return None
    from git_asr.cli.selecting import fitting
    from git_asr.companion.listing import overviews
    from git_asr.views.filtering import Filters

    left = fitting(repo, overviews(repo, report), Filters(**filters), report)
    return {SessionKey(one.harness, one.id) for one in left}


def table(found: Usage, cells: int | None) -> Iterator[str]:
    """The rows and their sum; ``cells``: the width of the terminal, None for as wide as it gets."""
    if not found.rows:
        yield "nothing recorded"
        return
    lead = len(_HEADS[found.by])
    dear = found.total.cost is not None
    heads = [*_HEADS[found.by], "calls", "input", "cached", "written", "output"]
    heads += ["cost"] if dear else []
    rows = [heads, *([*_names(found.by, row), *_numbers(row.figures, dear=dear)] for row in found.rows)]
    rows.append(["total", *[""] * (lead - 1), *_numbers(found.total, dear=dear)])
    numbers = range(lead, len(heads))
    if (about := _ABOUT.get(found.by)) is not None and (
        cells is None or text.width(text.columns(rows, right=numbers)[0]) + _ABOUT_CELLS <= cells
    ):
        said = [about, *(text.one_line(_about(row), _LINE) for row in found.rows), ""]
        rows = [[*row, one] for row, one in zip(rows, said, strict=True)]
    first, *lines, last = text.columns(rows, right=numbers, cells=cells)
    yield first
    yield from lines
    yield paint(last, "bold")


def _names(by: By, row: Row) -> list[str]:
    """What a row is by, neutral."""
    if row.session is not None:
        return [text.one_line(row.session.agent, 20), text.one_line(short_id(row.session.id))]
    if row.commit is not None:
        return [row.commit.oid[:12], text.one_line(row.commit.date[:10] or _UNKNOWN)]
    name = _NAMELESS.get(by, _UNKNOWN) if row.name is None else row.name or _UNKNOWN
    return [text.one_line(name, 40), *[""] * (len(_HEADS[by]) - 1)]


def _about(row: Row) -> str:
    """The first line of the first prompt, or the subject."""
    if row.session is not None:
        return next(iter((row.session.first_prompt or "").strip().splitlines()), "")
    return "" if row.commit is None else row.commit.subject


def _numbers(one: Figures, *, dear: bool) -> list[str]:
    """The figures, ``-`` for what is unknown."""
    tokens = one.input, one.usage.get("cacheRead"), one.usage.get("cacheWrite"), _output(one.usage)
    said = [f"{one.calls:,}" if one.calls else "-"]
    said += ("-" if number is None else text.human(number) for number in tokens)
    return [*said, *([_price(one.cost)] if dear else [])]


def _output(used: Mapping[str, Any]) -> int | None:
    found: int | None = used.get("output", {}).get("total")
    return found


def _price(cost: Decimal | None) -> str:
    """Two digits after the point; what is less is said to be."""
    if cost is None:
        return "-"
    return f"{cost:,.2f}" if not cost or cost >= _LEAST else f"<{_LEAST}"


def _cost(cost: Decimal | None) -> str:
    return "" if cost is None else f"{cost:f}"


def left_out(found: Usage, *, explain: bool) -> Iterator[str]:
    """What the figures do not hold; to explain it, by reason and session."""
    one = found.total
    if one.unknown:
        yield f"{text.plural(one.unknown, 'call')} without usage: more was used than is recorded"
    if one.summaries:
        covered = f" in place of {text.plural(one.covered, 'call')}" if one.covered else ""
        yield f"{text.plural(one.summaries, 'summary', 'summaries')} counted{covered}"
    if found.silent:
        yield f"{text.plural(found.silent, 'session')} without any record of calls or tokens"
    by_reason: dict[Reason, list[Excluded]] = {reason: [] for reason in _REASONS}
    for each in found.excluded:
        by_reason[each.reason].append(each)
    if explain and not found.excluded:
        yield "nothing was left out"
    for reason, listed in by_reason.items():
        if listed and (explain or reason == "unreachable"):
            yield from _explained(reason, listed, named=explain)


def _explained(reason: Reason, listed: Sequence[Excluded], *, named: bool) -> Iterator[str]:
    """One reason, and the sessions with the most records that it concerns."""
    records = sum(one.records for one in listed)
    tokens = _tokens(total(one.usage for one in listed))
    line = f"left out: {text.plural(records, 'record')}: {_REASONS[reason]}{tokens}"
    yield paint(line, "yellow") if named else line
    if not named:
        return
    most = sorted(listed, key=lambda one: (-one.records, one.session))
    for one in most[:_MOST]:
        session = f"{one.session.harness} {short_id(one.session.id)}"
        yield f"  {text.one_line(session)}: {text.plural(one.records, 'record')}{_tokens(one.usage)}"
    if len(most) > _MOST:
        yield f"  {render.left_out(len(most) - _MOST, 'session')}"


def _tokens(used: Mapping[str, Any]) -> str:
    from git_asr.asr.usage import tokens

    found = tokens(used)
    return "" if found is None else f" ({text.human(found)} tokens)"


_COLUMNS = (
    "calls", "unknown", "covered", "summaries", "input", "cacheRead", "cacheWrite", "output", "reasoning",
    "tokens", "cost",
)  # fmt: skip
_LEADS: dict[By, tuple[str, ...]] = {
    "session": ("harness", "session", "agent", "startedAt"),
    "commit": ("commit", "author", "committedAt"),
}


def values(found: Usage) -> Iterator[str]:
    """The rows as comma-separated values, without their sum; empty is unknown, or for a name none."""
    leads = _LEADS.get(found.by, (found.by,))
    yield _line([*leads, *_COLUMNS])
    for row in found.rows:
        named = {**_key(found.by, row), **_figures(row.figures)}
        counted = named | {
            "output": _output(row.figures.usage),
            "reasoning": row.figures.usage.get("output", {}).get("reasoning"),
            "cacheRead": row.figures.usage.get("cacheRead"),
            "cacheWrite": row.figures.usage.get("cacheWrite"),
            "cost": _cost(row.figures.cost),
        }
        yield _line([*(_cell(counted.get(name)) for name in leads), *(counted[name] for name in _COLUMNS)])


def _cell(value: Any) -> str:
    """A text that no spreadsheet takes for a formula, and no terminal for its own."""
    said = text.neutral(value or "")
    return f"'{said}" if said[:1] in ("=", "+", "-", "@") else said


def _line(cells: Iterable[Any]) -> str:
    line = io.StringIO()
    csv.writer(line, lineterminator="").writerow(["" if one is None else one for one in cells])
    return line.getvalue()


def as_record(found: Usage, *, explain: bool) -> dict[str, Any]:
    """What ``--json`` prints; version 1."""
    return {
        "version": 1,
        "by": found.by,
        "rows": [{**_key(found.by, row), **_figures(row.figures)} for row in found.rows],
        "total": _figures(found.total),
        "sessionsWithoutRecord": found.silent,
        **({"excluded": [_excluded(one) for one in found.excluded]} if explain else {}),
    }


def _key(by: By, row: Row) -> dict[str, Any]:
    """What a row is by; null where there is none."""
    if row.session is not None:
        one = row.session
        return {
            "harness": one.harness,
            "session": one.id,
            "agent": one.agent,
            "models": list(one.models),
            "startedAt": one.started_at,
            "firstPrompt": one.first_prompt,
        }
    if row.commit is not None:
        found = row.commit
        return {
            "commit": found.oid,
            "author": found.author or None,
            "committedAt": found.date or None,
            "subject": found.subject or None,
        }
    return {by: row.name or None}


def _figures(one: Figures) -> dict[str, Any]:
    return {
        "calls": one.calls,
        "unknown": one.unknown,
        "covered": one.covered,
        "summaries": one.summaries,
        "usage": dict(one.usage),
        "input": one.input,
        "tokens": one.tokens,
        "cost": None if one.cost is None else float(one.cost),
    }


def _excluded(one: Excluded) -> dict[str, Any]:
    key = {"harness": one.session.harness, "session": one.session.id}
    return {**key, "reason": one.reason, "records": one.records, "usage": dict(one.usage)}
