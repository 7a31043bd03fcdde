"""``git asr status``: what is here, what is synced, and what is missing."""

from __future__ import annotations

import click


@click.command("status")
@click.option("--json", "as_json", is_flag=True, help="Print all that is known as JSON.")
def command(as_json: bool) -> int:
    """Show which checkpoint stores are here, what of them is synced, and what is missing.

    Reads no transcript and writes nothing. What is missing is named with the command that would help.
    """
    from git_asr.cli import render
    from git_asr.cli.status_lines import as_record, hints, lines
    from git_asr.git.repository import open_repository
    from git_asr.sync.settings import settings
    from git_asr.sync.status import status

    repo = open_repository()
    wanted = settings(repo)
    found = status(repo, wanted.exclusions, render.Warnings(), orphans=wanted.orphans)
    if as_json:
        import json

        click.echo(json.dumps(as_record(found), indent=2))
        return 0
    for line in lines(found):
        click.echo(line)
    for hint in hints(found):
        render.hint(hint)
    return 0
