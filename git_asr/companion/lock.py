"""One writer at a time: locks on files in the common directory, so all worktrees share them."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from git_asr.companion.private import make_folder
from git_asr.errors import AsrError

FILE_NAME = "lock"

if sys.platform == "win32":  # pragma: no cover
    import msvcrt

    def _take(descriptor: int) -> None:
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
else:
    import fcntl

    def _take(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)


_TAKEN = frozenset({errno.EACCES, errno.EAGAIN, errno.EWOULDBLOCK})


class Busy(AsrError):
    """Another writer is at work."""


@contextmanager
def locked(directory: Path, *, wait: float) -> Iterator[None]:
    """Hold the writers' lock while the block runs.

    ``directory``: ``<common directory>/asr``; it is made. ``wait``: seconds to wait for another writer at most. A lock
    that is free is taken at once; filelock, which takes the same lock of the system, waits for one that is not.

    Raises:
        Busy: another writer holds the lock for longer.
        AsrError: there can be no lock here.
    """
    path = directory / FILE_NAME
    try:
        make_folder(directory)
        with at_once(path) as mine:
            if mine:
                yield
                return
        if wait > 0:
            from filelock import FileLock, Timeout  # noqa: PLC0415  (39 ms that only those pay who wait)

            try:
                with FileLock(path, timeout=wait, fallback_to_soft=False):
                    yield
                    return
            except Timeout:
                pass
    except OSError as error:
        if error.filename not in (str(path), str(directory)):
            raise
        raise AsrError(f"cannot lock {path}: {error.strerror}") from error
    raise Busy(f"another git-asr is writing ({path} is locked)", hint="wait for it to end, then try again")


@contextmanager
def at_once(path: Path) -> Iterator[bool]:
    """Hold the lock of a file while the block runs, if nobody else does: the block is told which.

    The file is made and stays. The lock goes with the process, however that ends.

    Raises:
        OSError: the file cannot be opened, or there are no locks here; its ``filename`` is the path.
    """
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o600)
    try:
        yield _is_mine(descriptor, path)
    finally:
        os.close(descriptor)


def replace_file(path: Path, data: bytes) -> bool:
    """Replace a file as a whole, or leave it; False where somebody else is replacing it.

    What is written first always has the same name, so that whoever is killed leaves nothing that piles up.

    Raises:
        OSError: it cannot be written.
    """
    new = path.with_name(f"{path.name}.new")
    with at_once(new) as mine:
        if mine:
            try:
                new.write_bytes(data)
                new.replace(path)
            except OSError:
                new.unlink(missing_ok=True)
                raise
        return mine


def _is_mine(descriptor: int, path: Path) -> bool:
    """Take the lock; not if it is taken, or if the file was deleted meanwhile and others may have made another."""
    try:
        _take(descriptor)
        return os.path.samestat(os.fstat(descriptor), path.stat())
    except FileNotFoundError:
        return False
    except OSError as error:
        if error.errno in _TAKEN:
            return False
        raise OSError(error.errno, error.strerror, str(path)) from error
