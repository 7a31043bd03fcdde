"""``git asr sessions``: the sessions of the companion ref, from their manifests alone."""

from __future__ import annotations

from typing import Any

import click

from git_asr.cli import render
from git_asr.cli.autosync import refresh
from git_asr.git.repository import open_repository
from git_asr.views import text
from git_asr.views.session import Overview, figures

_HEADINGS = ("agent", "session", "started", "model", "figures", "commits", "first prompt")


@click.command("sessions")
@click.option("-n", "--max-count", type=click.IntRange(min=0), help="Show only the newest N sessions.")
@click.option("--json", "as_json", is_flag=True, help="Print all that is known as JSON.")
def command(max_count: int | None, as_json: bool) -> int:
    """List the sessions, the newest first.

    Shows for each its agent, ID, start, models, figures as far as they are known, the number of commits that it
    went into, and the first line of its first prompt.
    """
    import json

    repo = open_repository()
    refresh(repo)
    from git_asr.companion.listing import overviews

    found = overviews(repo, render.Warnings())[:max_count]
    if as_json:
        click.echo(json.dumps({"version": 1, "sessions": [_as_json(one) for one in found]}, indent=2))
        return 0
    if not found:
        render.hint("no sessions here yet: git asr sync")
        return 0
    with render.paged():
        for line in text.columns([_HEADINGS, *map(_row, found)]):
            print(line)
    return 0


def _row(view: Overview) -> tuple[str, ...]:
    prompt = (view.first_prompt or "").strip().splitlines()[:1]
    return (
        text.one_line(view.agent, 20),
        text.one_line(view.id[:8]),
        text.one_line((view.started_at or "")[:16].replace("T", " ")),
        text.one_line(", ".join(view.models), 30),
        ", ".join(figures(view)),
        str(len(view.commits)),
        text.one_line(prompt[0] if prompt else "", 60),
    )


def _as_json(view: Overview) -> dict[str, Any]:
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
