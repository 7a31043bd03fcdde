"""``git asr forget``: sessions go, and stay away."""

from __future__ import annotations

import click

from git_asr.errors import DONE


@click.command("forget")
@click.argument("sessions", nargs=-1, metavar="[SESSION]...")
@click.option(
    "--before", metavar="DATE", help="All sessions whose newest checkpoint was made before (YYYY-MM-DD)."
)
@click.option("--reason", metavar="TEXT", help="Why; it stays in the companion, for everybody to read.")
@click.option("--dry-run", is_flag=True, help="Only say what would be forgotten.")
@click.option("--json", "machine", is_flag=True, help="Print the outcome as JSON.")
def command(
    sessions: tuple[str, ...], *, before: str | None, reason: str | None, dry_run: bool, machine: bool
) -> int:
    """Forget sessions: their records go from refs/asr/sessions, and no sync or merge brings them back.

    SESSION is the beginning of a session's ID. What stays of a session is its ID, the reason, and how many units it
    had. Every clone that merges this one forgets it too. --before goes by checkpoints, not by commits; DATE is a
    day, which begins at midnight UTC, or a time in RFC 3339. A session of which no time is known stays.

    What this does not reach: the checkpoints themselves, which Entire keeps; earlier commits of the companion,
    until `git asr compact` and Git's garbage collection; clones and hosts that have it, until they do the same. It
    cannot be undone but by deleting the ref.
    """
    from git_asr.cli import forgotten

    wanted = forgotten.Wanted(sessions, before, reason)
    outcome = forgotten.forget(wanted, dry_run=dry_run)
    if machine:
        import json

        click.echo(json.dumps(outcome.as_json(), indent=2))
    else:
        for line in outcome.lines():
            click.echo(line)
        outcome.say_what_stays()
    return DONE
