"""``git asr fetch``: brings what a clone leaves behind."""

from __future__ import annotations

import click

from git_asr.errors import UsageError


@click.command("fetch")
@click.argument("remote", required=False, metavar="[REMOTE]")
@click.argument("revisions", nargs=-1, metavar="[RANGE]...")
@click.option("--checkpoints", is_flag=True, help="Fetch checkpoints instead of sessions.")
@click.option(
    "--configure",
    is_flag=True,
    help="Let every `git fetch` bring the checkpoints of this remote from now on.",
)
@click.option("--no-filter", "whole", is_flag=True, help="In a partial clone: bring the sessions whole.")
@click.option("--dry-run", is_flag=True, help="Only show what would be fetched.")
@click.option("--json", "machine", is_flag=True, help="Print the outcome as JSON.")
def command(
    *,
    remote: str | None,
    revisions: tuple[str, ...],
    checkpoints: bool,
    configure: bool,
    whole: bool,
    dry_run: bool,
    machine: bool,
) -> int:
    """Fetch the sessions that a remote has, and merge them with those that are here.

    REMOTE is a remote, a URL or a path. By default it is the repository that .entire/settings.json names as
    checkpoint_remote, else the remote that carries checkpoints, else origin. What comes goes to
    refs/asr/remotes/REMOTE/sessions; a sync then checks it and merges what is sound.

    With --checkpoints it is the refs that hold checkpoints, which an ordinary clone does not bring. With RANGE,
    revisions and ranges as for `git log`, of the refs that hold one checkpoint each only those are fetched that
    these commits name. Branches go to refs/remotes/REMOTE/entire, other refs to their own names, and those are
    never moved but forward. Nothing is pruned, and no configuration changes without --configure.
    """
    if checkpoints:
        if whole:
            raise UsageError(
                "--no-filter is for sessions: --checkpoints brings what a clone leaves out anyway"
            )
        from git_asr.cli.checkpoints import Wanted, fetch_checkpoints

        return fetch_checkpoints(Wanted(remote, revisions, configure, dry_run), machine=machine)
    for given, what in ((configure, "--configure is"), (bool(revisions), "a range of commits is")):
        if given:
            raise UsageError(f"{what} for checkpoints", hint="git asr fetch --checkpoints …")
    from git_asr.cli.fetching import fetch_sessions

    return fetch_sessions(remote, whole=whole, dry_run=dry_run, machine=machine)
