"""``--touched PATH``: which sessions edited a path, for every command that filters sessions."""

from __future__ import annotations

import posixpath
from collections.abc import Sequence
from pathlib import Path

from git_asr.asr.header import SessionKey
from git_asr.cli.promised import bring_sessions
from git_asr.companion.summaries import Logged, Summaries
from git_asr.git.base import Repository
from git_asr.views.filtering import touches


def touching(
    repo: Repository, known: Summaries, path: str, sessions: Sequence[Logged]
) -> dict[SessionKey, frozenset[str]]:
    """Those of some sessions that touched a path or a glob, each with the commits it came in with.

    ``path``: as the user typed it, so it counts from the current folder. Sessions that were not asked for before are
    read, and what they touched is kept.
    """
    meant = touches(_from_top(repo, path), None if repo.work_tree is None else str(repo.work_tree))
    bring_sessions(repo, known.objects, known.tree, (one.key for one in sessions if one.paths is None))
    try:
        return known.touching(meant, sessions)
    finally:
        known.keep(repo)


def _from_top(repo: Repository, path: str) -> str:
    """The path from the top of the work tree, with slashes; one outside of it stays as it is."""
    here = Path.cwd()
    if repo.work_tree is None or not here.is_relative_to(repo.work_tree):
        return posixpath.normpath(path)
    whole = posixpath.normpath(posixpath.join(here.as_posix(), path))
    top = repo.work_tree.as_posix()
    return posixpath.relpath(whole, top) if whole == top or whole.startswith(f"{top}/") else whole
