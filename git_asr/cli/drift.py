"""``git asr drift``: what agents wrote that git-asr does not know yet."""

from __future__ import annotations

import click

from git_asr.errors import DONE, INCOMPLETE


@click.command("drift")
@click.argument("revisions", nargs=-1, metavar="[RANGE]...")
@click.option("--strict", is_flag=True, help="End with status 1 if there is any.")
@click.option("--json", "as_json", is_flag=True, help="Print all that is known as JSON.")
def command(revisions: tuple[str, ...], strict: bool, as_json: bool) -> int:
    """Report kinds of lines, fields and blocks that are new to git-asr.

    Agents change what they write. Nothing is lost when they do: what a converter has no place for stands in the
    records as it was, and is counted. RANGE selects commits as for `git log`, and of all sessions those behind them.
    For each agent and version it says which kinds are new, in how many records of how many sessions, and where the
    first is; never what stands there, which `git asr show --record` tells.
    """
    from git_asr.cli import render
    from git_asr.cli.autosync import refresh
    from git_asr.cli.drift_lines import as_record, hint, lines
    from git_asr.cli.opening import open_repository
    from git_asr.companion.drifting import drifts
    from git_asr.git import ranged
    from git_asr.views.drift import groups

    repo = open_repository()
    hinted = refresh(repo)
    commits = {one.oid for one in ranged.commits(repo, revisions)} if revisions else None
    looked = drifts(repo, commits, render.Warnings())
    found = groups(looked.streams)
    if as_json:
        import json

        click.echo(json.dumps(as_record(looked, found), indent=2))
    elif not looked.sessions and commits is None:
        if not hinted:
            render.hint("no sessions here yet: git asr sync")
    else:
        with render.paged():
            for line in lines(looked, found):
                print(line)
        if found:
            render.hint(hint(found))
    return INCOMPLETE if strict and found else DONE
