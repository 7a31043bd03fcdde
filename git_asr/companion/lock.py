"""One writer at a time: a lock on the common directory, so all worktrees share it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from git_asr.errors import AsrError

FILE_NAME = "lock"


@contextmanager
def locked(directory: Path, *, wait: float) -> Iterator[None]:
    """Hold the writers' lock while the block runs.

    ``directory``: ``<common directory>/asr``; it is made. ``wait``: seconds to wait for another writer at most.

    Raises:
        AsrError: another writer holds the lock for longer, or there can be no lock here.
    """
    from filelock import FileLock, Timeout  # noqa: PLC0415  (39 ms that a sync with nothing new does not pay)

    path = directory / FILE_NAME
    try:
        directory.mkdir(mode=0o700, exist_ok=True)
        with FileLock(path, timeout=wait, fallback_to_soft=False):
            yield
    except Timeout as error:
        raise AsrError(
            f"another git-asr is writing ({path} is locked)", hint="wait for it to end, then try again"
        ) from error
    except OSError as error:
        if error.filename not in (str(path), str(directory)):
            raise
        raise AsrError(f"cannot lock {path}: {error.strerror}") from error
