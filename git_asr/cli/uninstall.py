"""``git asr uninstall``: takes back what ``git asr install`` did."""

from __future__ import annotations

import json

import click

from git_asr.errors import DONE, INCOMPLETE


@click.command("uninstall")
@click.option("--global", "everywhere", is_flag=True, help="What was installed for all your repositories.")
@click.option("--dry-run", is_flag=True, help="Only show what would be done.")
@click.option("--json", "machine", is_flag=True, help="Print the outcome as JSON.")
def command(*, everywhere: bool, dry_run: bool, machine: bool) -> int:
    """Take back what `git asr install` did, in all worktrees.

    Hooks that were there before get their names back, and files of others are again as they were, byte for byte. What
    was changed since is left and named. What was synced stays: the ref refs/asr/sessions and the local state.
    """
    from git_asr.cli import installed
    from git_asr.hooks.installing import uninstall

    outcome = uninstall(everywhere=everywhere, dry_run=dry_run)
    if machine:
        click.echo(json.dumps(installed.undone_as_json(outcome), indent=2))
    else:
        installed.print_undone(outcome)
    return INCOMPLETE if any(one.outcome == "left" for one in outcome.undone) else DONE
