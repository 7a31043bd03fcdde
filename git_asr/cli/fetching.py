"""Fetching sessions, and the sync that merges them."""

from __future__ import annotations

import click

from git_asr.cli import exchanged, outcome, render
from git_asr.cli.opening import open_repository
from git_asr.cli.syncing import synced
from git_asr.sharing import target
from git_asr.sync.settings import settings


def fetch_sessions(remote: str | None, *, whole: bool, dry_run: bool, machine: bool) -> int:
    """Fetch from a remote, by default from where checkpoints are, and merge. Gives the exit status.

    Raises:
        AsrError: the remote cannot be read, or another writer holds the lock for too long.
    """
    repo = open_repository()
    warnings = render.Warnings()
    where = target.named(repo, remote) if remote else target.default(repo, warnings)
    arrived = exchanged.fetched_from(repo, where, whole=whole, dry_run=dry_run)
    merged = None if dry_run or arrived.fetched.new is None else synced(repo, settings(repo), warnings)
    if machine:
        told = {} if merged is None else {"sync": outcome.as_json(merged)}
        exchanged.print_json({**arrived.as_json(), **told})
    else:
        click.echo(arrived.summary())
        if merged is not None:
            click.echo(outcome.summary(merged))
    return exchanged.status(warnings)
