"""``git asr sessions``: the sessions of the companion ref, from their manifests alone."""

from __future__ import annotations

import click

from git_asr.cli.filtering import session_filters
from git_asr.errors import UsageError


@click.command("sessions")
@click.option("-n", "--max-count", type=click.IntRange(min=0), help="Show only the newest N sessions.")
@click.option(
    "--orphans", is_flag=True, help="List those of which no commit names a checkpoint, taken or not."
)
@session_filters
@click.option("--json", "as_json", is_flag=True, help="Print all that is known as JSON.")
def command(max_count: int | None, *, orphans: bool, as_json: bool, **filters: str | None) -> int:
    """List the sessions, the newest first.

    Shows for each its agent, ID, start, models, figures as far as they are known, the number of commits that it
    went into, and the first line of its first prompt. Filters must all hold.
    """
    import json
    import shutil

    from git_asr.cli import render
    from git_asr.cli.autosync import refresh
    from git_asr.cli.opening import open_repository

    repo = open_repository()
    hinted = refresh(repo)
    from git_asr.cli.session_table import as_record, table
    from git_asr.companion.listing import overviews

    filtered = any(one is not None for one in filters.values())
    if orphans:
        from git_asr.cli.orphans import show_orphans

        if filtered:
            raise UsageError("--orphans goes with no filter for sessions")
        return show_orphans(repo, max_count, as_json=as_json)
    warnings = render.Warnings()
    found = shown = overviews(repo, warnings, whole=as_json)
    if filtered:
        from git_asr.cli.selecting import fitting
        from git_asr.views.filtering import Filters

        shown = fitting(repo, found, Filters(**filters), warnings)
    shown = shown[:max_count]
    if as_json:
        click.echo(json.dumps({"version": 1, "sessions": [as_record(one) for one in shown]}, indent=2))
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
