"""``git asr push``: the sessions to where the checkpoints are."""

from __future__ import annotations

import click

from git_asr.errors import UsageError


@click.command("push")
@click.argument("remote", required=False, metavar="[REMOTE]")
@click.option("--policy", metavar="NAME|FILE", help="Send what a redaction policy makes of the sessions.")
@click.option("--as-is", is_flag=True, help="Send them unredacted where more people may read.")
@click.option("--compact", is_flag=True, help="Leave the history of what stands there behind.")
@click.option("--dry-run", is_flag=True, help="Only show what would be sent.")
@click.option("--json", "machine", is_flag=True, help="Print the outcome as JSON.")
def command(
    remote: str | None, *, policy: str | None, as_is: bool, compact: bool, dry_run: bool, machine: bool
) -> int:
    """Send refs/asr/sessions to a remote, merged with what it has.

    REMOTE is a remote, a URL or a path; by default it is where the checkpoints go: the repository that
    .entire/settings.json names as checkpoint_remote, else the remote that carries them. Why it may go there is
    said. Where more people may read than read the checkpoints nothing is sent without --policy or --as-is.

    A session goes only if the checkpoints that it was made from are at the remote that holds checkpoints, as they
    are here; the others are named and left out. Nothing is ever forced: what the remote has is merged first, and
    whoever was faster is merged too. No hook of yours is run.
    """
    from git_asr.cli import exchanged, render
    from git_asr.cli.autosync import refresh
    from git_asr.cli.opening import open_repository
    from git_asr.sharing import target
    from git_asr.sharing.policies import policy as policy_of
    from git_asr.sharing.pushing import Terms

    if policy is not None and (as_is or compact):
        raise UsageError(f"--policy and {'--as-is' if as_is else '--compact'} exclude each other")
    terms = Terms(
        policy=None if policy is None else policy_of(policy), as_is=as_is, dry_run=dry_run, compact=compact
    )
    repo = open_repository()
    warnings = render.Warnings()
    where = target.named(repo, remote) if remote else target.default(repo, warnings)
    refresh(repo)
    sent = exchanged.pushed_to(repo, where, terms, warnings)
    if machine:
        exchanged.print_json(sent.as_json())
    else:
        sent.print_text()
    return exchanged.status(warnings)
