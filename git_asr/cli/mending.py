"""What ``git asr status --fix`` does."""

from __future__ import annotations

import time

import click

from git_asr.cli import render
from git_asr.cli.progress import progress
from git_asr.errors import AsrError
from git_asr.git.base import Repository
from git_asr.hooks.health import health, mend
from git_asr.sync.flow import Options, sync
from git_asr.sync.settings import Settings
from git_asr.views.text import neutral


def mend_all(repo: Repository, wanted: Settings) -> None:
    """Mend the hooks, and sync where the background failed or missed something; what was mended is said.

    Raises:
        AsrError: the hooks cannot be mended, or the sync fails.
    """
    before = health(repo, time.time())
    try:
        mended = mend(repo)
    except OSError as error:
        raise AsrError(f"cannot mend the queue: {error.strerror}") from error
    for one in mended:
        if one.outcome in ("written", "updated"):
            click.echo(neutral(f"{one.outcome}: {one.path}"), err=True)
        elif one.refusal is not None:
            render.warning(one.refusal.reason)
    if before.given_up or before.missed:
        with progress() as tick:
            options = Options(
                exclusions=wanted.exclusions,
                orphans=wanted.orphans,
                backend=wanted.backend,
                progress=lambda done, total: tick("sessions", done, total),
            )
            sync(repo, options, render.Warnings())
