"""``git asr compact``: the companion without its history."""

from __future__ import annotations

import click

from git_asr.errors import DONE


@click.command("compact")
@click.option("--dry-run", is_flag=True, help="Only say what would be left behind.")
@click.option("--json", "machine", is_flag=True, help="Print the outcome as JSON.")
def command(*, dry_run: bool, machine: bool) -> int:
    """Leave the history of refs/asr/sessions behind: one commit without parents that holds all that it holds now.

    So go the records of forgotten sessions, and what later versions of streams replaced. Nothing that is there now
    goes: no session, no link, and no record that takes a link back or says that a session was forgotten.

    It is local. The remotes keep their history until `git asr push --compact` replaces it, and this clone has
    theirs until it fetches that. If somebody pushes to a remote in between, the next sync unites both, history
    included: compact again then. Git deletes what nothing leads to in its own time; `git gc --prune=now` does now.
    """
    from git_asr.cli import compacted

    outcome = compacted.compact(dry_run=dry_run)
    if machine:
        import json

        click.echo(json.dumps(outcome.as_json(), indent=2))
    else:
        outcome.say()
    return DONE
