"""A companion ref in a Git bundle, a single file: for hosts that take files, and for no host at all.

Git fetches from such a file and cannot push to one. Here it is written anew beside the old one and takes its place at
once; a lock keeps two writers apart.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from git_asr.companion.lock import at_once
from git_asr.errors import AsrError
from git_asr.git.base import Repository
from git_asr.git.process import run_git
from git_asr.git.pushing import Answer, Move
from git_asr.git.remotes import parse_url, rewritten
from git_asr.git.repository import open_repository
from git_asr.sharing.target import Target

SUFFIX = ".bundle"


def path_of(repo: Repository, target: Target, address: str) -> Path | None:
    """The file that a push to a target, listed at an address, goes to: it ends in ``.bundle``; None for all else."""
    remote = target.remote
    text = rewritten(repo, remote.url if remote is not None and address == remote.name else address)
    text = text.removeprefix("file://")
    if not text.endswith(SUFFIX) or "://" in text or parse_url(text) is not None:
        return None
    path = (repo.work_tree or repo.git_dir) / text
    return None if path.is_dir() else path


def write(repo: Repository, path: Path, move: Move) -> Answer:
    """Put a commit into the file, if the ref in it is where it was seen.

    Raises:
        AsrError: the file cannot be written.
    """
    try:
        with _locked(path) as folder:
            if folder is None:
                return Answer(False, "cannot lock ref")
            if _there(repo, path, move.ref) != move.old:
                return Answer(False, "stale info")
            other = _borrowing(repo, folder)
            run_git(other, "update-ref", move.ref, move.new)
            made = folder / path.name
            run_git(other, "bundle", "create", "--quiet", str(made), move.ref)
            made.replace(path)
    except OSError as error:
        raise AsrError(f"cannot write {path}: {error.strerror}") from error
    return Answer(True)


def _there(repo: Repository, path: Path, ref: str) -> str | None:
    """Where the ref stands in the file."""
    if not path.exists():
        return None
    heads = run_git(repo, "bundle", "list-heads", str(path)).decode("utf-8", "replace").splitlines()
    return next((oid for oid, _, name in (line.partition(" ") for line in heads) if name == ref), None)


def _borrowing(repo: Repository, folder: Path) -> Repository:
    """A repository without anything of its own that reads the objects of another."""
    path = folder / "from"
    form = f"--object-format={repo.object_format}"
    run_git(None, "init", "--quiet", "--bare", "--template=", form, str(path), cwd=folder)
    (path / "objects" / "info").mkdir(exist_ok=True)
    (path / "objects" / "info" / "alternates").write_text(f"{repo.common_dir / 'objects'}\n", "utf-8")
    return open_repository(path)


@contextmanager
def _locked(path: Path) -> Iterator[Path | None]:
    """Hold the lock of the file, and give a new folder beside it; None if another writer holds the lock.

    The lock is the system's, and the folder has one name: whoever is killed leaves nothing that the next does not take.
    """
    lock, folder = (path.with_name(f".{path.name}.{what}") for what in ("lock", "new"))
    with at_once(lock) as mine:
        if not mine:
            yield None
            return
        try:
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir(mode=0o700)
            yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)
            lock.unlink(missing_ok=True)
