"""``git asr setup``: lets every ``git fetch`` bring the sessions of a remote."""

from __future__ import annotations

import click

from git_asr.errors import UsageError


@click.command("setup")
@click.argument("remote", required=False, metavar="[REMOTE]")
@click.argument("url", required=False, metavar="[URL]")
@click.option(
    "--via",
    type=click.Choice(["ref", "branch", "repository", "bundle"]),
    default="ref",
    help="How the sessions lie there: as refs/asr/sessions, as a branch, alone in a repository, in a file.",
)
@click.option("--remove", is_flag=True, help="Take out again what was written.")
@click.option("--dry-run", is_flag=True, help="Only show what would be written.")
@click.option("--json", "machine", is_flag=True, help="Print the outcome as JSON.")
def command(
    *, remote: str | None, url: str | None, via: str, remove: bool, dry_run: bool, machine: bool
) -> int:
    """Let every `git fetch` from REMOTE bring its sessions, to refs/asr/remotes/REMOTE/sessions.

    By default REMOTE is where the checkpoints go. One fetch refspec is added to its configuration and shown; what
    `git push` pushes and `git fetch --prune` takes away stays as it is. Doing it again changes nothing.

    Where a host takes no refs but branches and tags, --via branch keeps the sessions in the branch asr/sessions.
    --via repository URL and --via bundle FILE make a remote for them, called asr unless REMOTE says otherwise:
    `git asr setup --via repository [REMOTE] URL`. docs/sharing.md says what is known of hosts.
    """
    from git_asr.cli.configured import Wanted, configure

    if via in ("repository", "bundle"):
        if url is None and not remove:
            remote, url = None, remote
        if url is None and not remove:
            raise UsageError(
                f"say where it is: git asr setup --via {via} {'URL' if via == 'repository' else 'FILE'}"
            )
    elif url is not None:
        raise UsageError(f"a URL is for --via repository: '{url}'")
    return configure(Wanted(remote, url, via, remove=remove, dry_run=dry_run), machine=machine)
