"""A file of SQLite's in which is kept what the companion ref tells, so that it need not be found out again.

It may be deleted at any time, and answers are the same without it. What it says is about one companion tree; what that
does not hold any more goes, and nothing of it stays in the file.
"""

from __future__ import annotations

import sqlite3
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any

from git_asr.companion.private import make_file, make_folder, remove_database
from git_asr.companion.tree import session_folders
from git_asr.errors import AsrError
from git_asr.git.base import Objects
from git_asr.values import dataclass

MOST_BYTES = 1 << 30
"""Bytes of a file at most; what finds no place is found out each time."""
_PAGE = 4096
_PATIENCE = 2.0
"""Seconds to wait for somebody else who writes."""
_META = "CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;"

Drop = Callable[[sqlite3.Connection, Objects, Mapping[str, str]], int]
"""Takes out of a file what the folders of sessions, their trees by their paths, do not hold; how many rows that was."""


@dataclass(frozen=True, slots=True)
class CacheFile:
    """A kind of file. ``name``: of the file; ``tables``: as SQL; ``form``: raised when its rows mean something else."""

    name: str
    tables: str
    form: int
    drop: Drop

    @property
    def schema(self) -> str:
        """Names the tables and what they mean: a file with others is made anew."""
        return f"{zlib.crc32((_META + self.tables).encode()):08x}-{self.form}"

    @contextmanager
    def open(
        self, directory: Path, objects: Objects, tree: str, *, make: bool
    ) -> Iterator[sqlite3.Connection | None]:
        """Open the file for the companion tree that is there now, without what that no longer holds.

        ``directory``: ``<common directory>/asr``. ``make``: make the file where there is none. None where there is no
        file or it cannot be used now; a damaged one goes, for it is made anew.
        """
        path = directory / self.name
        connection = self._opened(path) if make or path.exists() else None
        if connection is None:
            yield None
            return
        with closing(connection):
            yield connection if self._kept(connection, objects, tree) else None

    def tree_of(self, directory: Path) -> str | None:
        """The companion tree that the file is about; None where there is no file, or it is not ours."""
        path = directory / self.name
        if not path.exists():
            return None
        with (
            suppress(sqlite3.Error),
            closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)) as connection,
        ):
            return _tree(connection)
        return None

    def drop_gone(self, directory: Path, objects: Objects, tree: str | None) -> None:
        """Take out of the file what a companion tree no longer holds; where that cannot be done, the file goes."""
        path = directory / self.name
        if not path.exists():
            return
        connection = None if tree is None else self._opened(path)
        if connection is not None and tree is not None:
            with closing(connection):
                if self._kept(connection, objects, tree):
                    return
        self.remove(directory)

    def remove(self, directory: Path) -> bool:
        """Delete the file, and what SQLite puts beside it; tells whether it is gone."""
        try:
            remove_database(directory / self.name)
        except OSError:
            return False
        return True

    def _opened(self, path: Path) -> sqlite3.Connection | None:
        """Open the file, anew if what is there is none of ours; None where it cannot be written now."""
        for _ in range(2):
            try:
                make_folder(path.parent)
                make_file(path)
                connection = sqlite3.connect(path, isolation_level=None, timeout=_PATIENCE)
            except (OSError, sqlite3.Error):
                return None
            try:
                self._prepare(connection)
            except sqlite3.OperationalError:
                connection.close()
                return None
            except sqlite3.Error:
                connection.close()
                if not self.remove(path.parent):
                    return None
            else:
                return connection
        return None

    def _prepare(self, connection: sqlite3.Connection) -> None:
        """Make the tables where there are none. Raises sqlite3.Error: others are there, or it cannot be written."""
        connection.execute("PRAGMA synchronous = OFF")
        connection.execute(f"PRAGMA max_page_count = {MOST_BYTES // _PAGE}")
        connection.execute("BEGIN IMMEDIATE")
        if not connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
            for statement in (_META + self.tables).split(";"):
                connection.execute(statement)
            connection.execute("INSERT INTO meta VALUES ('schema', ?)", (self.schema,))
        known = connection.execute("SELECT value FROM meta WHERE key = 'schema'").fetchone()
        connection.execute("COMMIT")
        if known is None or known[0] != self.schema:
            raise sqlite3.DatabaseError("a file of another version")

    def _kept(self, connection: sqlite3.Connection, objects: Objects, tree: str) -> bool:
        """Take out what a tree does not hold, and note that the file is about that tree; tells whether it was."""
        try:
            if _tree(connection) != tree:
                self._keep(connection, objects, tree)
        except (sqlite3.Error, AsrError):
            with suppress(sqlite3.Error):
                connection.execute("ROLLBACK")
            return False
        return True

    def _keep(self, connection: sqlite3.Connection, objects: Objects, tree: str) -> None:
        connection.execute("BEGIN IMMEDIATE")
        owed = _tree(connection) is None  # a new file, or one that could not be written anew the last time
        removed = self.drop(connection, objects, dict(session_folders(objects, tree)))
        connection.execute("DELETE FROM meta WHERE key = 'tree'")
        connection.execute("COMMIT")
        if removed or owed:  # deleted rows, and copies of rows that SQLite moved, stay in its pages
            connection.execute("VACUUM")
        connection.execute("INSERT INTO meta VALUES ('tree', ?)", (tree,))


def write(
    connection: sqlite3.Connection, tree: str, rows: Iterable[tuple[str, Iterable[tuple[Any, ...]]]]
) -> bool:
    """Write rows, each lot with its statement, unless the file is about another tree by now; tells whether it can.

    It cannot where somebody else writes, or the file is full.
    """
    try:
        connection.execute("BEGIN IMMEDIATE")
        if _tree(connection) == tree:
            for statement, lot in rows:
                connection.executemany(statement, lot)
        connection.execute("COMMIT")
    except sqlite3.Error:
        with suppress(sqlite3.Error):
            connection.execute("ROLLBACK")
        return False
    return True


def _tree(connection: sqlite3.Connection) -> str | None:
    found = connection.execute("SELECT value FROM meta WHERE key = 'tree'").fetchone()
    return None if found is None else str(found[0])
