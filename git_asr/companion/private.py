"""Local state is for its owner alone, whatever the umask: it tells of sessions that others may not read."""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from pathlib import Path


def make_folder(directory: Path) -> None:
    """Make the folder of local state, or close one that a hook made, by the umask of whoever committed, to others.

    ``directory``: ``<common directory>/asr``. In a repository that several people share (``core.sharedRepository``, by
    which Git lets folders hand their group on) a folder that is there stays as it is.

    Raises:
        OSError: it cannot be made.
    """
    directory.mkdir(mode=0o700, exist_ok=True)
    with suppress(OSError):  # another's, or modes mean nothing here
        found = directory.lstat()
        shared = directory.parent.stat().st_mode & stat.S_ISGID
        if stat.S_ISDIR(found.st_mode) and found.st_mode & 0o077 and not shared:
            directory.chmod(found.st_mode & 0o700)


def opener(path: str, flags: int) -> int:
    """For ``open``: a file that is made is its owner's alone."""
    return os.open(path, flags, 0o600)


def make_file(path: Path) -> None:
    """Make an empty file where there is none, before a library does so by the umask.

    Raises:
        OSError: it cannot be made.
    """
    with suppress(FileExistsError):
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))


def remove_database(path: Path) -> None:
    """Delete a file of SQLite's, where there is one, and the journal that it puts beside it.

    Raises:
        OSError: one of them cannot be deleted.
    """
    for name in (path, path.with_name(path.name + "-journal")):
        name.unlink(missing_ok=True)
