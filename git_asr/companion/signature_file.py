"""The file of signatures: what of the companion ref surely does not hold some words, so that a search need not read it.

A cache: it may be deleted at any time, and answers are the same without it. Git names each part of a stream by what is
in it, so a signature never goes stale; those of parts that the companion ref no longer holds go, and nothing of them
stays in the file.
"""

from __future__ import annotations

import json
import sqlite3
import zlib
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from git_asr.companion import store
from git_asr.errors import AsrError
from git_asr.git.base import Objects
from git_asr.git.trees import walk_files
from git_asr.views.signatures import Sieve

FILE_NAME = "signatures.sqlite"
MOST_BYTES = 1 << 30
"""Bytes of the file at most, which is some 8 GiB of text; what finds no place is read by every search."""
_PAGE = 4096
_PATIENCE = 2.0
"""Seconds to wait for somebody else who writes."""
_AT_ONCE = 256
"""Signatures that are held before they are written."""

_TABLES = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE folder (path TEXT PRIMARY KEY, tree TEXT NOT NULL, whole INTEGER NOT NULL DEFAULT 0) WITHOUT ROWID;
CREATE TABLE part (
    path TEXT NOT NULL, oid TEXT NOT NULL, signature BLOB NOT NULL, revisions TEXT NOT NULL, PRIMARY KEY (path, oid));
"""
_FORM = 1
"""Raised when signatures are made another way, or of other text."""
_SCHEMA = f"{zlib.crc32(_TABLES.encode()):08x}-{_FORM}"

Revision = tuple[int, str, str]
"""``seq`` of a record, its ID (empty for a tombstone), and the ID of the record that it supersedes or withdraws."""


@dataclass(frozen=True, slots=True)
class Signed:
    """What is known of a part: its signature, and which of its records with text supersede or withdraw another."""

    signature: bytes
    revisions: Sequence[Revision]


class SignatureFile:
    """The open file. What goes wrong with it is no error: then less is known."""

    def __init__(self, connection: sqlite3.Connection, tree: str) -> None:
        self._connection = connection
        self._tree = tree
        self._new: list[tuple[str, str, str, bytes, str]] = []
        self._whole: list[tuple[str, str]] = []
        self._full = False

    def signed(self, path: str) -> dict[str, Signed]:
        """What is known of the parts of a session, by their object IDs. ``path``: of its folder."""
        asked = "SELECT oid, signature, revisions FROM part WHERE path = ?"
        try:
            return {
                oid: Signed(bytes(found), _revisions(said))
                for oid, found, said in self._connection.execute(asked, (path,))
            }
        except (sqlite3.Error, ValueError, TypeError):
            return {}

    def rules_out(self, path: str, folder: str, sieve: Sieve) -> bool:
        """Whether surely no text of a session passes. ``folder``: the tree of its folder, as in ``add``."""
        if sieve.passes_all:
            return False
        known = "SELECT 1 FROM folder WHERE path = ? AND tree = ? AND whole"
        asked = "SELECT signature FROM part WHERE path = ?"
        try:
            if self._connection.execute(known, (path, folder)).fetchone() is None:
                return False
            return not any(
                sieve.passes(bytes(found)) for (found,) in self._connection.execute(asked, (path,))
            )
        except (sqlite3.Error, TypeError):
            return False

    def add(self, path: str, folder: str, oid: str, signed: Signed) -> None:
        """Keep what was found out about a part. ``folder``: the tree of its session's folder."""
        if not self._full:
            self._new.append((path, folder, oid, signed.signature, json.dumps(signed.revisions)))
            if len(self._new) >= _AT_ONCE:
                self.flush()

    def finish(self, path: str, folder: str) -> None:
        """Note that all parts of a session are known, once they are written."""
        if not self._full:
            self._whole.append((path, folder))

    def flush(self) -> None:
        """Write what was added, unless the companion ref was moved on in the file meanwhile."""
        new, self._new = self._new, []
        whole, self._whole = self._whole, []
        if not (new or whole):
            return
        try:
            self._connection.execute("BEGIN IMMEDIATE")
            if _tree(self._connection) == self._tree:
                folders = {path: folder for path, folder, *_ in new}
                self._connection.executemany(
                    "INSERT OR REPLACE INTO folder VALUES (?, ?, 0)", folders.items()
                )
                parts = ((path, *rest) for path, _, *rest in new)
                self._connection.executemany("INSERT OR REPLACE INTO part VALUES (?, ?, ?, ?)", parts)
                self._connection.executemany("INSERT OR REPLACE INTO folder VALUES (?, ?, 1)", whole)
            self._connection.execute("COMMIT")
        except sqlite3.Error:  # somebody else writes, or it is full
            self._full = True
            with suppress(sqlite3.Error):
                self._connection.execute("ROLLBACK")


@contextmanager
def open_signatures(
    directory: Path, objects: Objects, tree: str, *, make: bool
) -> Iterator[SignatureFile | None]:
    """Open the file for the companion tree that is there now, without what that no longer holds.

    ``directory``: ``<common directory>/asr``. ``make``: make the file where there is none. None where there is no file
    or it cannot be used now; a damaged one goes, for it is made anew.
    """
    path = directory / FILE_NAME
    connection = _opened(path) if make or path.exists() else None
    if connection is None:
        yield None
        return
    with closing(connection):
        found = SignatureFile(connection, tree) if _kept(connection, objects, tree) else None
        try:
            yield found
        finally:
            if found is not None:
                found.flush()


def is_there(directory: Path) -> bool:
    """Whether there is such a file."""
    return (directory / FILE_NAME).exists()


def tree_of(directory: Path) -> str | None:
    """The companion tree that the file is about; None where there is no file, or it is not ours."""
    path = directory / FILE_NAME
    if not path.exists():
        return None
    with (
        suppress(sqlite3.Error),
        closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)) as connection,
    ):
        return _tree(connection)
    return None


def drop_gone(directory: Path, objects: Objects, tree: str | None) -> None:
    """Take out of the file what a companion tree no longer holds; where that cannot be done, the file goes."""
    path = directory / FILE_NAME
    if not path.exists():
        return
    connection = None if tree is None else _opened(path)
    if connection is not None and tree is not None:
        with closing(connection):
            if _kept(connection, objects, tree):
                return
    remove(directory)


def remove(directory: Path) -> bool:
    """Delete the file, and what SQLite puts beside it; tells whether it is gone."""
    path = directory / FILE_NAME
    try:
        for name in (path, path.with_name(path.name + "-journal")):
            name.unlink(missing_ok=True)
    except OSError:
        return False
    return True


def _opened(path: Path) -> sqlite3.Connection | None:
    """Open the file, anew if what is there is none of ours; None where it cannot be written now."""
    for _ in range(2):
        try:
            path.parent.mkdir(mode=0o700, exist_ok=True)
            connection = sqlite3.connect(path, isolation_level=None, timeout=_PATIENCE)
        except (OSError, sqlite3.Error):
            return None
        try:
            _prepare(connection)
        except sqlite3.OperationalError:
            connection.close()
            return None
        except sqlite3.Error:
            connection.close()
            if not remove(path.parent):
                return None
        else:
            return connection
    return None


def _prepare(connection: sqlite3.Connection) -> None:
    """Make the tables where there are none. Raises sqlite3.Error: others are there, or it cannot be written."""
    connection.execute("PRAGMA synchronous = OFF")
    connection.execute(f"PRAGMA max_page_count = {MOST_BYTES // _PAGE}")
    connection.execute("BEGIN IMMEDIATE")
    if not connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
        for statement in _TABLES.split(";"):
            connection.execute(statement)
        connection.execute("INSERT INTO meta VALUES ('schema', ?)", (_SCHEMA,))
    known = connection.execute("SELECT value FROM meta WHERE key = 'schema'").fetchone()
    connection.execute("COMMIT")
    if known is None or known[0] != _SCHEMA:
        raise sqlite3.DatabaseError("a file of another version")


def _revisions(said: str) -> list[Revision]:
    """What the file says of revisions. Raises ValueError or TypeError: it is something else."""
    return [(int(seq), str(identifier), str(target)) for seq, identifier, target in json.loads(said)]


def _tree(connection: sqlite3.Connection) -> str | None:
    found = connection.execute("SELECT value FROM meta WHERE key = 'tree'").fetchone()
    return None if found is None else str(found[0])


def _kept(connection: sqlite3.Connection, objects: Objects, tree: str) -> bool:
    """Take out what a tree does not hold, and note that the file is about that tree; tells whether that was done."""
    try:
        if _tree(connection) != tree:
            _keep(connection, objects, tree)
    except (sqlite3.Error, AsrError):
        with suppress(sqlite3.Error):
            connection.execute("ROLLBACK")
        return False
    return True


def _keep(connection: sqlite3.Connection, objects: Objects, tree: str) -> None:
    connection.execute("BEGIN IMMEDIATE")
    owed = _tree(connection) is None  # it is a new file, or one that could not be written anew the last time
    removed = 0
    there = dict(store.session_folders(objects, tree))
    for path, known in connection.execute("SELECT path, tree FROM folder").fetchall():
        if there.get(path) == known:
            continue
        oids = {entry.oid for _, entry in walk_files(objects, there[path])} if path in there else set()
        held = [oid for (oid,) in connection.execute("SELECT oid FROM part WHERE path = ?", (path,))]
        gone = [(path, oid) for oid in held if oid not in oids]
        connection.executemany("DELETE FROM part WHERE path = ? AND oid = ?", gone)
        removed += len(gone)
        if oids and len(gone) < len(held):
            connection.execute("UPDATE folder SET tree = ?, whole = 0 WHERE path = ?", (there[path], path))
        else:
            connection.execute("DELETE FROM folder WHERE path = ?", (path,))
    connection.execute("DELETE FROM meta WHERE key = 'tree'")
    connection.execute("COMMIT")
    if (
        removed or owed
    ):  # deleted rows, and copies of them that SQLite left when it moved them, stay in its pages
        connection.execute("VACUUM")
    connection.execute("INSERT INTO meta VALUES ('tree', ?)", (tree,))
