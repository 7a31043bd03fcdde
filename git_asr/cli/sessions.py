"""``git asr sessions``: the sessions of the companion ref, from their manifests alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from git_asr.views.session import Overview


@click.command("sessions")
@click.option("-n", "--max-count", type=click.IntRange(min=0), help="Show only the newest N sessions.")
@click.option(
    "--orphans", is_flag=True, help="List those of which no commit names a checkpoint, taken or not."
)
@click.option("--json", "as_json", is_flag=True, help="Print all that is known as JSON.")
def command(max_count: int | None, orphans: bool, as_json: bool) -> int:
    """List the sessions, the newest first.

    Shows for each its agent, ID, start, models, figures as far as they are known, the number of commits that it
    went into, and the first line of its first prompt.
    """
    import json
    import shutil

    from git_asr.cli import render
    from git_asr.cli.autosync import refresh
    from git_asr.cli.opening import open_repository

    repo = open_repository()
    hinted = refresh(repo)
    from git_asr.cli.session_table import table
    from git_asr.companion.listing import overviews

    if orphans:
        from git_asr.cli.orphans import show_orphans

        return show_orphans(repo, max_count, as_json=as_json)
    found = overviews(repo, render.Warnings())
    shown = found[:max_count]
    if as_json:
        click.echo(json.dumps({"version": 1, "sessions": [_as_json(one) for one in shown]}, indent=2))
        return 0
    if not found:
        if not hinted:
            render.hint("no sessions here yet: git asr sync")
        return 0
    cells = shutil.get_terminal_size().columns if render.on_terminal() else None
    with render.paged():
        for line in table(shown, cells):
            print(line)
    return 0


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
