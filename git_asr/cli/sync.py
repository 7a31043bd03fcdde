"""``git asr sync``: from trailers and checkpoints to the companion ref."""

from __future__ import annotations

import json

import click

from git_asr.errors import DONE, INCOMPLETE


@click.command("sync")
@click.argument("revisions", nargs=-1, metavar="[REVS]...")
@click.option("--full", is_flag=True, help="Trust no local state: look at everything again.")
@click.option("--orphans", is_flag=True, help="Take sessions too that no commit names a checkpoint of.")
@click.option("--reconvert", is_flag=True, help="Convert anew what earlier versions of git-asr converted.")
@click.option(
    "--remote",
    is_flag=False,
    flag_value="",
    metavar="[REMOTE]",
    help="First fetch from a remote, then push to it; --remote alone: where the checkpoints go.",
)
@click.option(
    "-j", "--jobs", type=click.IntRange(0), metavar="N", help="Convert in N processes; 0: one for each core."
)
@click.option("--strict", is_flag=True, help="End with status 1 if anything could not be followed or read.")
@click.option("--json", "machine", is_flag=True, help="Print the outcome as JSON.")
def command(
    revisions: tuple[str, ...],
    *,
    full: bool,
    orphans: bool,
    reconvert: bool,
    remote: str | None,
    jobs: int | None,
    strict: bool,
    machine: bool,
) -> int:
    """Write the sessions of checkpoints and their commits to refs/asr/sessions.

    The commits that any ref or worktree leads to are searched for Entire-Checkpoint trailers (refs that
    hold no work of yours aside), or only those that REVS select: revisions and ranges as for `git log`. Only
    what is new is read; a second run changes nothing. What cannot be followed today is reported and tried
    again next time.

    What was fetched of other clones' sessions (refs/asr/remotes/*/sessions) is checked and merged.

    With --remote, as `git asr fetch` and `git asr push` around it.
    """
    from git_asr.cli import render
    from git_asr.cli.opening import open_repository
    from git_asr.cli.outcome import as_json, print_text
    from git_asr.sync.outcome import unchanged
    from git_asr.sync.settings import settings

    repo = open_repository()
    wanted = settings(repo).with_options(orphans=orphans, reconvert=reconvert, jobs=jobs)
    warnings = render.Warnings()
    exchange = None
    if remote is not None:
        from git_asr.cli.exchanged import Exchange

        exchange = Exchange.begun(repo, remote, warnings, quiet=machine)
    outcome = None
    if not (full or revisions):
        outcome = unchanged(repo, wanted.exclusions, orphans=wanted.orphans, reconvert=wanted.reconvert)
    if outcome is None:
        from git_asr.cli.syncing import synced

        outcome = synced(repo, wanted, warnings, revisions=revisions, full=full)
    for found in outcome.findings if strict else ():
        warnings(found)
    if not machine:
        print_text(repo, outcome, warnings.seen)
    told = {} if exchange is None else exchange.ended(repo, warnings, quiet=machine)
    if machine:
        click.echo(json.dumps({**as_json(outcome), **told}, indent=2))
    return INCOMPLETE if strict and (outcome.unresolved or outcome.findings) else DONE
