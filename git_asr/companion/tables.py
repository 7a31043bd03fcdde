"""Statements on the local state's SQLite file, with any text that Python can hold."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from typing import Any

Change = tuple[str, tuple[Any, ...]]
"""A statement that changed something, with its values."""


class Tables:
    """Runs statements; text with lone surrogates (names that are not UTF-8) goes in and comes out as it is.

    ``changes``: where statements that may change something are noted as well, None for nowhere.
    """

    def __init__(self, connection: sqlite3.Connection, changes: list[Change] | None = None) -> None:
        self._connection = connection
        self._changes = changes

    def execute(self, statement: str, values: Iterable[Any] = ()) -> sqlite3.Cursor:
        """Run a statement; rows come out as tuples."""
        given = tuple(values)
        if self._changes is not None and not statement.startswith("SELECT"):
            self._changes.append((statement, given))
        try:
            cursor = self._connection.execute(statement, tuple(map(_storable, given)))
        except UnicodeDecodeError as error:
            raise sqlite3.DatabaseError("a text that is none") from error
        cursor.row_factory = lambda _, row: tuple(map(_stored, row))
        return cursor

    def executemany(self, statement: str, rows: Iterable[Iterable[Any]]) -> None:
        """Run a statement for each row of values."""
        if self._changes is not None:
            given = [tuple(row) for row in rows]
            self._changes += ((statement, row) for row in given)
            rows = given
        self._connection.executemany(statement, (tuple(map(_storable, row)) for row in rows))

    def copy(self, changes: list[Change]) -> Tables:
        """A copy in memory, in which what changes is noted."""
        memory = sqlite3.connect(":memory:", isolation_level=None)
        memory.deserialize(self._connection.serialize())
        return Tables(memory, changes)

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()


def whole(value: Any) -> int:
    """A number that the file holds. Raises sqlite3.DatabaseError: something else stands there, so it is damaged."""
    if not isinstance(value, int):
        raise sqlite3.DatabaseError("no number where one should stand")
    return value


def text(value: Any) -> str:
    """A text that the file holds. Raises sqlite3.DatabaseError as ``whole``."""
    if not isinstance(value, str):
        raise sqlite3.DatabaseError("no text where one should stand")
    return value


def _storable(value: Any) -> Any:
    if isinstance(value, str) and not value.isascii():
        try:
            value.encode()
        except UnicodeEncodeError:
            return value.encode("utf-8", "surrogatepass")
    return value


def _stored(value: Any) -> Any:
    return value.decode("utf-8", "surrogatepass") if isinstance(value, bytes) else value
