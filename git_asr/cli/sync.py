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
@click.option("--strict", is_flag=True, help="End with status 1 if anything could not be followed or read.")
@click.option("--json", "machine", is_flag=True, help="Print the outcome as JSON.")
def command(
    revisions: tuple[str, ...], *, full: bool, orphans: bool, reconvert: bool, strict: bool, machine: bool
) -> int:
    """Write the sessions of checkpoints and their commits to refs/asr/sessions.

    The commits that any ref or worktree leads to are searched for Entire-Checkpoint trailers (refs that
    hold no work of yours aside), or only those that REVS select: revisions and ranges as for `git log`. Only
    what is new is read; a second run changes nothing. What cannot be followed today is reported and tried
    again next time. What was fetched of other clones (refs/asr/remotes/*/sessions) is checked and merged.
    """
    from git_asr.cli import render
    from git_asr.cli.opening import open_repository
    from git_asr.cli.outcome import (
        as_json,
        report_drift,
        report_earlier,
        report_outdated,
        report_unresolved,
        summary,
    )
    from git_asr.sync.outcome import unchanged
    from git_asr.sync.settings import settings

    repo = open_repository()
    wanted = settings(repo)
    orphans, reconvert = orphans or wanted.orphans, reconvert or wanted.reconvert
    warnings = render.Warnings()
    outcome = None
    if not (full or revisions):
        outcome = unchanged(repo, wanted.exclusions, orphans=orphans, reconvert=reconvert)
    if outcome is None:
        from git_asr.cli.progress import progress
        from git_asr.cli.promised import filling
        from git_asr.sync.flow import Options, sync

        with progress() as tick:
            options = Options(
                revisions=revisions or None,
                full=full,
                exclusions=wanted.exclusions,
                orphans=orphans,
                reconvert=reconvert,
                backend=wanted.backend,
                fill=filling(repo),
                progress=lambda done, total: tick("sessions", done, total),
            )
            outcome = sync(repo, options, warnings)
    for found in outcome.findings if strict else ():
        warnings(found)
    if machine:
        click.echo(json.dumps(as_json(outcome), indent=2))
    else:
        report_unresolved(repo, outcome)
        report_earlier(outcome, warnings.seen)
        report_outdated(outcome)
        click.echo(summary(outcome))
        report_drift(outcome)
    return INCOMPLETE if strict and (outcome.unresolved or outcome.findings) else DONE
