"""The file of what sessions tell of tokens, so that ``git asr usage`` reads only those that changed (``cache_file``).

Git names the folder of a session by what is in it, so what is kept never goes stale.
"""

from __future__ import annotations

import sqlite3
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress

from git_asr.asr.header import SessionKey
from git_asr.companion import names
from git_asr.companion.cache_file import CacheFile, write
from git_asr.companion.tree import read_tip, session_folders, session_path
from git_asr.errors import AsrError
from git_asr.git.base import Objects, Repository
from git_asr.views import told
from git_asr.views.told import Told

_AT_ONCE = 256
"""Sessions that are held before they are written."""

_TABLES = """
CREATE TABLE session (path TEXT PRIMARY KEY, tree TEXT NOT NULL, told BLOB NOT NULL) WITHOUT ROWID;
"""


class UsageFile:
    """What is known of sessions. What goes wrong with the file is no error: then less is known."""

    def __init__(
        self, connection: sqlite3.Connection | None, tree: str | None, folders: Mapping[str, str]
    ) -> None:
        self._connection = connection
        self._tree = tree or ""
        self._folders = folders
        self._new: list[tuple[str, str, bytes]] = []

    def told(self, key: SessionKey) -> Told | None:
        """What a session tells, None where that is not known."""
        path = session_path(key)
        if self._connection is None:
            return None
        asked = "SELECT told FROM session WHERE path = ? AND tree = ?"
        try:
            found = self._connection.execute(asked, (path, self._folders.get(path, ""))).fetchone()
            return None if found is None else told.load(zlib.decompress(found[0]))
        except (sqlite3.Error, zlib.error, TypeError, ValueError):
            return None

    def add(self, key: SessionKey, one: Told) -> None:
        """Keep what a session tells."""
        path = session_path(key)
        if self._connection is not None and path in self._folders:
            self._new.append((path, self._folders[path], zlib.compress(one.dump(), 1)))
            if len(self._new) >= _AT_ONCE:
                self.flush()

    def flush(self) -> None:
        """Write what was added."""
        new, self._new = self._new, []
        if self._connection is not None and new:
            statement = "INSERT OR REPLACE INTO session VALUES (?, ?, ?)"
            if not write(self._connection, self._tree, [(statement, new)]):
                self._connection = None


@contextmanager
def opened(repo: Repository, objects: Objects, tree: str | None) -> Iterator[UsageFile]:
    """The file for a companion tree; it knows and keeps nothing where it cannot be used."""
    if tree is None:
        keep_up(repo, objects)
        yield UsageFile(None, None, {})
        return
    directory = repo.common_dir / "asr"
    try:
        with USAGE.open(directory, objects, tree, make=True) as connection:
            found = UsageFile(connection, tree, dict(session_folders(objects, tree)))
            try:
                yield found
            finally:
                found.flush()
    finally:
        if read_tip(repo, objects).tree != tree:  # what went meanwhile may have been written once more
            keep_up(repo, objects)


def keep_up(repo: Repository, objects: Objects) -> None:
    """Take out of the file, where there is one, what the companion ref does not hold any more."""
    directory = repo.common_dir / "asr"
    with suppress(AsrError):  # then it is found when the file is opened
        USAGE.drop_gone(directory, objects, read_tip(repo, objects).tree)


def _drop(connection: sqlite3.Connection, _: Objects, there: Mapping[str, str]) -> int:
    held = connection.execute("SELECT path, tree FROM session").fetchall()
    gone = [(path,) for path, tree in held if there.get(path) != tree]
    connection.executemany("DELETE FROM session WHERE path = ?", gone)
    return len(gone)


USAGE = CacheFile(names.USAGE, _TABLES, told.FORM, _drop)
"""The file."""
