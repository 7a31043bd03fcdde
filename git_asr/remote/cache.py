"""The private repositories in which checkpoints of others are converted; each may be deleted at any time."""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from git_asr.companion.lock import locked
from git_asr.errors import AsrError
from git_asr.git.base import Repository
from git_asr.git.credentials import without_credentials
from git_asr.git.process import run_git
from git_asr.git.repository import open_repository
from git_asr.sync.look import directory

LOCK_WAIT = 600.0
"""Seconds to wait for another Git that converts the same source."""
_FOLDER = "converted"
_REPOSITORY = "repository.git"
_SETTINGS = {
    "core.hooksPath": os.devnull,  # hooks that the user has for all repositories are not meant for this one
    "remote.source.promisor": "true",  # no Git that checks this one shall miss what was left out
}
_ANSWER = "answer"
"""The file that says what was made of which source."""


def folder(repo: Repository | None, url: str) -> Path:
    """Where a source is converted: below the Git directory, outside of a repository in the user's cache folder.

    Raises:
        AsrError: the user has no such folder.
    """
    shown = without_credentials(url)
    name = hashlib.sha256(shown.encode("utf-8", "surrogateescape")).hexdigest()[:16]
    if repo is not None:
        return directory(repo) / _FOLDER / name
    given = os.environ.get("XDG_CACHE_HOME", "")
    try:
        base = Path(given) if given.startswith("/") else Path.home() / ".cache"
    except RuntimeError as error:
        raise AsrError(
            "there is no home folder to convert in", hint="set XDG_CACHE_HOME to a folder"
        ) from error
    return base / "git-asr" / _FOLDER / name


@contextmanager
def opened(place: Path, object_format: str) -> Iterator[Repository]:
    """Give the private repository at a place, while nobody else converts there; it is made where there is none.

    One that cannot be opened, or of the other object format, is made anew.

    Raises:
        Busy: somebody else converts there for longer than ``LOCK_WAIT``.
        AsrError: it cannot be made.
    """
    try:
        place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with locked(place, wait=LOCK_WAIT):
            found = _opened(place / _REPOSITORY)
            yield found if found and found.object_format == object_format else _made(place, object_format)
    except OSError as error:
        raise AsrError(f"cannot convert in {place}: {error.strerror}") from error


def _opened(path: Path) -> Repository | None:
    try:
        return open_repository(path)
    except AsrError:
        return None


def _made(place: Path, object_format: str) -> Repository:
    """Make one beside its place and move it there, so that one that is there is whole."""
    target = place / _REPOSITORY
    shutil.rmtree(target, ignore_errors=True)
    made = place / f"{_REPOSITORY}.new"  # always the same name: a kill leaves no litter
    shutil.rmtree(made, ignore_errors=True)
    settings = ("--bare", "--quiet", "--template=", f"--object-format={object_format}")
    run_git(None, "init", *settings, "--", str(made), cwd=place)
    for name, value in _SETTINGS.items():
        run_git(None, "config", "--file", str(made / "config"), name, value, cwd=place)
    made.replace(target)
    return open_repository(target)


def answer(repo: Repository, source: str) -> str | None:
    """What was made of just this source, as ``remember`` has it: a companion commit; None if nothing was."""
    try:
        known, _, commit = (repo.git_dir / _ANSWER).read_text("ascii").partition(" ")
    except (OSError, ValueError):
        return None
    return commit.strip() if known == source else None


def remember(repo: Repository, source: str, commit: str) -> None:
    """Keep what was made of a source."""
    new = repo.git_dir / f"{_ANSWER}.new"
    new.write_text(f"{source} {commit}\n", "ascii")
    new.replace(repo.git_dir / _ANSWER)
