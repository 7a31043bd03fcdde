"""``git asr status``: what is here, what is synced, what is missing, and whether the hooks are well."""

from __future__ import annotations

import click


@click.command("status")
@click.option(
    "--fix",
    is_flag=True,
    help="Mend the hooks, try again what failed in the background, sync what was missed.",
)
@click.option("--json", "as_json", is_flag=True, help="Print all that is known as JSON.")
def command(fix: bool, as_json: bool) -> int:
    """Show which checkpoint stores are here, what of them is synced, and what is missing.

    Whether Git finds git-remote-asr is said where a remote needs it.

    Of the hooks that `git asr install` made: whether Git reaches them in each worktree, what waits in their
    queue, what failed, and the proof: commits of the last 14 days that name a checkpoint and that no sync has seen.

    Reads no transcript and, without --fix, writes nothing. What is missing is named with the command that would help.
    """
    import time

    from git_asr.cli import hook_lines, mending, render, status_lines
    from git_asr.git.repository import open_repository
    from git_asr.hooks.display import is_displayed
    from git_asr.hooks.health import health
    from git_asr.sharing.helper import helper
    from git_asr.sync.settings import settings
    from git_asr.sync.status import status

    repo = open_repository()
    wanted = settings(repo)
    if fix:
        mending.mend_all(repo, wanted)
    found = status(repo, wanted.exclusions, render.Warnings(), orphans=wanted.orphans)
    well = health(repo, time.time())
    program = helper(repo)
    displayed = is_displayed(repo)
    if as_json:
        import json

        record = {
            **status_lines.as_record(found),
            "notes": {"displayed": displayed},
            **status_lines.helper_record(program),
            **hook_lines.as_record(well),
        }
        click.echo(json.dumps(record, indent=2))
        return 0
    told = status_lines.lines(found, displayed=displayed)
    for line in (*told, *status_lines.helper_lines(program), *hook_lines.lines(well)):
        click.echo(line)
    for hint in (*status_lines.hints(found), *status_lines.helper_hints(program), *hook_lines.hints(well)):
        render.hint(hint)
    return 0
