"""Commits of a remote that are not here, fetched without their files to look at their trees.

They go to a repository of their own below the common directory's ``asr/``, which borrows all objects that are here: a
fetch with a filter would make a partial clone of the user's. It can be deleted at any time. One push at a time fetches
into it.
"""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from git_asr.companion.lock import locked
from git_asr.errors import AsrError
from git_asr.git.base import Repository
from git_asr.git.fetching import Hear, fetch
from git_asr.git.process import run_git
from git_asr.git.repository import open_repository
from git_asr.sync.look import directory

_FOLDER = "listed"
_REPOSITORY = "repository.git"
LOCK_WAIT = 600.0
"""Seconds to wait for another push that fetches."""


def without_blobs(repo: Repository, address: str, refs: Sequence[str], hear: Hear) -> Repository:
    """Fetch what refs of a remote name, without blobs where it can leave them out; the repository that has it.

    Raises:
        Busy: another push fetches for longer than ``LOCK_WAIT``.
        AsrError: the remote cannot be read.
    """
    folder = directory(repo) / _FOLDER
    with locked(folder, wait=LOCK_WAIT):
        try:
            other = _prepared(repo, folder / _REPOSITORY)
        except AsrError:  # left half-made, or damaged
            shutil.rmtree(folder / _REPOSITORY, ignore_errors=True)
            other = _prepared(repo, folder / _REPOSITORY)
        fetch(other, address, [f"+{ref}:{_kept(ref)}" for ref in refs], hear, ("--filter=blob:none",))
    return other


def _kept(ref: str) -> str:
    """The ref that keeps what a ref of a remote named: none lies below another, whatever stood there before."""
    return f"refs/listed/{hashlib.sha256(os.fsencode(ref)).hexdigest()[:32]}"


def _prepared(repo: Repository, path: Path) -> Repository:
    """The repository, made where there is none; it knows the remotes of the user's."""
    if not (path / "HEAD").is_file():
        form = f"--object-format={repo.object_format}"
        run_git(None, "init", "--quiet", "--bare", "--template=", form, str(path), cwd=repo.common_dir)
        _write(path / "objects" / "info" / "alternates", f"{repo.common_dir / 'objects'}\n")
        found = open_repository(path)
        run_git(found, "config", "include.path", str(repo.common_dir / "config"))
    # a remote whose URL is a relative path counts from the user's worktree
    return replace(open_repository(path), work_tree=repo.work_tree)


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(exist_ok=True)
    path.write_text(text, "utf-8")
