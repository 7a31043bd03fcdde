"""The file of signatures: what of the companion ref surely does not hold some words, so that a search need not read it.

Git names each part of a stream by what is in it, so a signature never goes stale; those of parts that the companion ref
no longer holds go (``cache_file``).
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from git_asr.companion import names
from git_asr.companion.cache_file import CacheFile, write
from git_asr.git.base import Objects
from git_asr.git.trees import walk_files
from git_asr.values import dataclass
from git_asr.views.signatures import Sieve

_AT_ONCE = 256
"""Signatures that are held before they are written."""

_TABLES = """
CREATE TABLE folder (path TEXT PRIMARY KEY, tree TEXT NOT NULL, whole INTEGER NOT NULL DEFAULT 0) WITHOUT ROWID;
CREATE TABLE part (
    path TEXT NOT NULL, oid TEXT NOT NULL, signature BLOB NOT NULL, revisions TEXT NOT NULL, PRIMARY KEY (path, oid));
"""

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
        folders = {path: folder for path, folder, *_ in new}
        parts = ((path, *rest) for path, _, *rest in new)
        self._full = not write(
            self._connection,
            self._tree,
            [
                ("INSERT OR REPLACE INTO folder VALUES (?, ?, 0)", folders.items()),
                ("INSERT OR REPLACE INTO part VALUES (?, ?, ?, ?)", parts),
                ("INSERT OR REPLACE INTO folder VALUES (?, ?, 1)", whole),
            ],
        )


@contextmanager
def open_signatures(
    directory: Path, objects: Objects, tree: str, *, make: bool
) -> Iterator[SignatureFile | None]:
    """Open the file for the companion tree that is there now; as ``CacheFile.open``."""
    with SIGNATURES.open(directory, objects, tree, make=make) as connection:
        found = None if connection is None else SignatureFile(connection, tree)
        try:
            yield found
        finally:
            if found is not None:
                found.flush()


def _revisions(said: str) -> list[Revision]:
    """What the file says of revisions. Raises ValueError or TypeError: it is something else."""
    return [(int(seq), str(identifier), str(target)) for seq, identifier, target in json.loads(said)]


def _drop(connection: sqlite3.Connection, objects: Objects, there: Mapping[str, str]) -> int:
    removed = 0
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
    return removed


SIGNATURES = CacheFile(names.SIGNATURES, _TABLES, 1, _drop)
"""The file. Its form is raised when signatures are made another way, or of other text."""
