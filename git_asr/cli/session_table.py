"""The table of ``git asr sessions``."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from git_asr.views import text
from git_asr.views.session import Overview, figures, short_id

_HEADINGS = ("agent", "session", "started", "model", "figures", "commits", "first prompt")
_LEAST = (3, 2, 4)
"""Columns that go where a terminal is too narrow, in this order."""
_PROMPT_CELLS = 18
"""Room, with the gap before it, that the prompts get before other columns do."""


def table(found: Iterable[Overview], cells: int | None) -> list[str]:
    """The lines of the table, neutral; ``cells``: the width of the terminal, None for as wide as it gets."""
    rows = [_HEADINGS, *map(_row, found)]
    kept = list(range(len(_HEADINGS)))
    for least in _LEAST:
        before_prompts = text.columns([[row[at] for at in kept[:-1]] for row in rows])
        if cells is None or max(map(text.width, before_prompts)) + _PROMPT_CELLS <= cells:
            break
        kept.remove(least)
    return text.columns([[row[at] for at in kept] for row in rows], cells=cells)


def _row(view: Overview) -> tuple[str, ...]:
    prompt = (view.first_prompt or "").strip().splitlines()[:1]
    return (
        text.one_line(view.agent, 20),
        text.one_line(short_id(view.id)),
        text.one_line((view.started_at or "")[:16].replace("T", " ")),
        text.one_line(", ".join(view.models), 30),
        ", ".join(figures(view)),
        str(len(view.commits)),
        text.one_line(prompt[0] if prompt else ""),
    )


def as_record(view: Overview) -> dict[str, Any]:
    """What `git asr sessions --json` prints of a session; version 1."""
    return {
        "harness": view.harness,
        "id": view.id,
        "agent": view.agent,
        "models": list(view.models),
        "startedAt": view.started_at,
        "endedAt": view.ended_at,
        "firstPrompt": view.first_prompt,
        "counts": dict(view.counts),
        "usage": dict(view.usage),
        "streams": view.streams,
        "commits": list(view.commits),
    }
