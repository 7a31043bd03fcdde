"""``git asr fetch``: brings what a clone leaves behind."""

from __future__ import annotations

import json

import click

from git_asr.errors import DONE, INCOMPLETE, UsageError


@click.command("fetch")
@click.argument("remote", required=False, metavar="[REMOTE]")
@click.argument("revisions", nargs=-1, metavar="[RANGE]...")
@click.option("--checkpoints", is_flag=True, help="Fetch checkpoints; must be given.")
@click.option(
    "--configure", is_flag=True, help="Let every `git fetch` from this remote bring them from now on."
)
@click.option("--dry-run", is_flag=True, help="Only show what would be fetched.")
@click.option("--json", "machine", is_flag=True, help="Print the outcome as JSON.")
def command(
    *,
    remote: str | None,
    revisions: tuple[str, ...],
    checkpoints: bool,
    configure: bool,
    dry_run: bool,
    machine: bool,
) -> int:
    """Fetch the refs that hold checkpoints, which an ordinary clone does not bring.

    REMOTE is a remote, a URL or a path. By default it is the repository that .entire/settings.json names as
    checkpoint_remote, else origin. With RANGE, revisions and ranges as for `git log`, of the refs that hold
    one checkpoint each only those are fetched that these commits name.

    Branches go to refs/remotes/REMOTE/entire, other refs to their own names, and those are never moved but
    forward. Nothing is pruned, and no configuration changes without --configure.
    """
    if not checkpoints:
        raise UsageError(
            "say what to fetch: only checkpoints can be fetched so far", hint="git asr fetch --checkpoints"
        )
    from git_asr.cli import fetched, render
    from git_asr.cli.opening import open_repository
    from git_asr.entire import fetch, refspecs, source
    from git_asr.git.remotes import add_refspecs

    repo = open_repository()
    warnings = render.Warnings()
    place = source.named_source(repo, remote) if remote else source.default_source(repo, warnings)
    if configure and place.remote is None:
        raise fetched.unnamed(place)
    added = refspecs.unconfigured(place.remote) if configure and place.remote else []
    named = fetch.named_checkpoints(repo, revisions) if revisions else None
    wanted = refspecs.refspecs(place.place, [*place.refspecs, *added], named)
    if named == []:
        outcome = fetch.Fetched(())
    elif dry_run:
        outcome = fetch.would_fetch(repo, place, wanted, fetched.hear)
    else:
        outcome = fetch.fetch_checkpoints(repo, place, wanted, fetched.hear)
    if place.remote and not dry_run:
        add_refspecs(repo, place.remote.name, added)
    report = fetched.Report(place, outcome, named, added, dry_run)
    fetched.warn(repo, report)
    if machine:
        click.echo(json.dumps(report.as_json(), indent=2))
    else:
        report.print_text()
    return INCOMPLETE if any(one.status == "rejected" for one in outcome.arrivals) else DONE
