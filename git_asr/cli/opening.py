"""Opens the repository that a command works on; at the end one line says so if the hooks are not well."""

from __future__ import annotations

import click

from git_asr.cli import render
from git_asr.git import repository
from git_asr.git.base import Repository


def open_repository() -> Repository:
    """Find the repository of the caller. Raises as ``git.repository.open_repository``."""
    repo = repository.open_repository()
    context = click.get_current_context(silent=True)
    if context is not None:
        context.call_on_close(lambda: _glance(repo))
    return repo


def _glance(repo: Repository) -> None:
    from git_asr.hooks.first_look import is_worth_a_glance

    directory = repo.common_dir / "asr"
    if not is_worth_a_glance(str(directory)):
        return
    from git_asr.hooks.glance import HINT, glance

    told = glance(directory)
    if told is not None:
        render.hint(f"{told}: {HINT}")
