"""The file of the local state: its tables, and how it is opened for one sync or for questions."""

from __future__ import annotations

import sqlite3
import zlib
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

from git_asr.companion.private import make_file, make_folder, remove_database
from git_asr.companion.state import State
from git_asr.companion.tables import Tables
from git_asr.errors import AsrError

FILE_NAME = "state.sqlite"

_TABLES = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE store (ref TEXT PRIMARY KEY, tip TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE location (
    checkpoint TEXT NOT NULL, store TEXT NOT NULL, tree TEXT NOT NULL, PRIMARY KEY (checkpoint, store)) WITHOUT ROWID;
CREATE INDEX location_store ON location (store);
CREATE TABLE walked (tip TEXT PRIMARY KEY) WITHOUT ROWID;
CREATE TABLE trailer (
    checkpoint TEXT NOT NULL, commit_id TEXT NOT NULL, committed INTEGER NOT NULL, committed_at TEXT NOT NULL,
    place TEXT NOT NULL, PRIMARY KEY (checkpoint, commit_id)) WITHOUT ROWID;
CREATE TABLE decision (
    id TEXT PRIMARY KEY, checkpoint TEXT NOT NULL, commit_id TEXT NOT NULL, record TEXT NOT NULL) WITHOUT ROWID;
CREATE INDEX decision_checkpoint ON decision (checkpoint);
CREATE TABLE folder (
    checkpoint TEXT NOT NULL, folder TEXT NOT NULL, stored TEXT NOT NULL, harness TEXT, session TEXT,
    PRIMARY KEY (checkpoint, folder)) WITHOUT ROWID;
CREATE INDEX folder_stored ON folder (stored);
CREATE INDEX folder_session ON folder (session, harness);
CREATE TABLE reading (checkpoint TEXT PRIMARY KEY, trees TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE incomplete (checkpoint TEXT PRIMARY KEY) WITHOUT ROWID;
CREATE TABLE session (
    harness TEXT NOT NULL, session TEXT NOT NULL, newest INTEGER NOT NULL, links INTEGER NOT NULL, note TEXT NOT NULL,
    made TEXT NOT NULL, PRIMARY KEY (harness, session)) WITHOUT ROWID;
CREATE TABLE outdated (harness TEXT NOT NULL, session TEXT NOT NULL, PRIMARY KEY (harness, session)) WITHOUT ROWID;
CREATE TABLE linked (
    commit_id TEXT NOT NULL, harness TEXT NOT NULL, session TEXT NOT NULL,
    PRIMARY KEY (commit_id, harness, session)) WITHOUT ROWID;
CREATE INDEX linked_session ON linked (session, harness);
CREATE TABLE sound (tree TEXT PRIMARY KEY) WITHOUT ROWID;
CREATE TABLE finding (
    place TEXT NOT NULL, code TEXT NOT NULL, message TEXT NOT NULL, hint TEXT,
    PRIMARY KEY (place, code, message)) WITHOUT ROWID;
"""

SCHEMA_VERSION = f"{zlib.crc32(_TABLES.encode()):08x}"
"""Names the tables above: a file with others is made anew."""


class DamagedState(AsrError):
    """The file turned out to be damaged while it was in use: what it says can be found again."""


@contextmanager
def write_state(directory: Path, *, fresh: bool = False) -> Iterator[State]:
    """Open the state for one sync: everything is kept if the block ends well, nothing of it otherwise.

    ``directory``: ``<common directory>/asr``; it is made. ``fresh``: begin with empty tables, in the same file: who has
    it open would take the journal of another one for its own. A file that is damaged or of another version is replaced.

    Raises:
        AsrError: the file cannot be written.
        DamagedState: it is damaged, and gone now if it can be deleted.
    """
    path = directory / FILE_NAME
    try:
        make_folder(directory)
        if not _is_ours(path):
            remove_database(path)
        make_file(path)
        connection = _connect(path)
    except (OSError, sqlite3.Error) as error:
        raise _cannot_write(path, error) from error
    with closing(connection):
        try:
            if fresh:
                _empty(connection)
            yield State(Tables(connection))
            connection.commit()
        except sqlite3.OperationalError as error:
            raise _cannot_write(path, error) from error
        except (sqlite3.Error, UnicodeDecodeError) as error:
            with suppress(OSError):  # then the next one finds the damage again
                remove_database(path)
            raise DamagedState(f"{path} is damaged: {error}", hint="git asr sync --full") from error


def _cannot_write(path: Path, error: Exception) -> AsrError:
    return AsrError(f"cannot write {path}: {error}", hint="the file can be deleted: sync finds it all again")


@contextmanager
def read_state(directory: Path) -> Iterator[State | None]:
    """Open the state for questions; None where there is none (or none that this version reads).

    Raises:
        DamagedState: it turns out to be damaged.
    """
    path = directory / FILE_NAME
    if not _is_ours(path):
        yield None
        return
    with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True, isolation_level=None)) as connection:
        try:
            yield State(Tables(connection))
        except (sqlite3.Error, UnicodeDecodeError) as error:
            raise DamagedState(f"{path} is damaged: {error}", hint="git asr sync --full") from error


@contextmanager
def known_state(directory: Path) -> Iterator[State]:
    """Open the state for questions that only a sync can have answered.

    Raises:
        AsrError: nothing was synced yet.
        DamagedState: it turns out to be damaged.
    """
    with read_state(directory) as state:
        if state is None:
            raise AsrError("nothing is synced yet", hint="git asr sync")
        yield state


def _connect(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("PRAGMA synchronous = OFF")  # a lost state is found again
    connection.execute("BEGIN IMMEDIATE")
    if not connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
        _make(connection)
    return connection


def _make(connection: sqlite3.Connection) -> None:
    for statement in _TABLES.split(";"):
        connection.execute(statement)
    connection.execute("INSERT INTO meta VALUES ('schema', ?)", (SCHEMA_VERSION,))


def _empty(connection: sqlite3.Connection) -> None:
    for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
        connection.execute(f'DROP TABLE "{name}"')
    _make(connection)


def _is_ours(path: Path) -> bool:
    """Whether there is a file, whole, and of this version."""
    if not path.is_file():
        return False
    try:
        with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)) as connection:
            row = connection.execute("SELECT value FROM meta WHERE key = 'schema'").fetchone()
    except (sqlite3.Error, UnicodeDecodeError):
        return False
    return row is not None and row[0] == SCHEMA_VERSION
