"""Fetching checkpoints, whose refs an ordinary clone does not bring."""

from __future__ import annotations

import json
from collections.abc import Sequence

import click

from git_asr.cli import fetched, render
from git_asr.cli.opening import open_repository
from git_asr.entire import fetch, refspecs, source
from git_asr.errors import DONE, INCOMPLETE
from git_asr.git.remotes import add_refspecs
from git_asr.values import dataclass


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is to be fetched: from which remote, for which commits, and whether its configuration is to say so."""

    remote: str | None
    revisions: Sequence[str]
    configure: bool
    dry_run: bool


def fetch_checkpoints(wanted: Wanted, *, machine: bool) -> int:
    """Fetch, and say what came. Gives the exit status.

    Raises:
        UsageError: there is no such remote or revision, or nothing that could be configured.
        AsrError: the remote cannot be read.
    """
    repo = open_repository()
    warnings = render.Warnings()
    place = (
        source.named_source(repo, wanted.remote) if wanted.remote else source.default_source(repo, warnings)
    )
    if wanted.configure and place.remote is None:
        raise fetched.unnamed(place)
    added = refspecs.unconfigured(place.remote) if wanted.configure and place.remote else []
    named = fetch.named_checkpoints(repo, wanted.revisions) if wanted.revisions else None
    specs = refspecs.refspecs(place.place, [*place.refspecs, *added], named)
    if named == []:
        outcome = fetch.Fetched(())
    elif wanted.dry_run:
        outcome = fetch.would_fetch(repo, place, specs, fetched.hear)
    else:
        outcome = fetch.fetch_checkpoints(repo, place, specs, fetched.hear)
    if place.remote and not wanted.dry_run:
        add_refspecs(repo, place.remote.name, added)
    report = fetched.Report(place, outcome, named, added, wanted.dry_run)
    fetched.warn(repo, report)
    if machine:
        click.echo(json.dumps(report.as_json(), indent=2))
    else:
        report.print_text()
    return INCOMPLETE if any(one.status == "rejected" for one in outcome.arrivals) else DONE
