"""Statements on the local state's SQLite file, with any text that Python can hold."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from typing import Any


class Tables:
    """Runs statements; text with lone surrogates (names that are not UTF-8) goes in and comes out as it is."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def execute(self, statement: str, values: Iterable[Any] = ()) -> sqlite3.Cursor:
        """Run a statement; rows come out as tuples."""
        try:
            cursor = self._connection.execute(statement, tuple(map(_storable, values)))
        except UnicodeDecodeError as error:
            raise sqlite3.DatabaseError("a text that is none") from error
        cursor.row_factory = lambda _, row: tuple(map(_stored, row))
        return cursor

    def executemany(self, statement: str, rows: Iterable[Iterable[Any]]) -> None:
        """Run a statement for each row of values."""
        self._connection.executemany(statement, (tuple(map(_storable, row)) for row in rows))


def _storable(value: Any) -> Any:
    if isinstance(value, str) and not value.isascii():
        try:
            value.encode()
        except UnicodeEncodeError:
            return value.encode("utf-8", "surrogatepass")
    return value


def _stored(value: Any) -> Any:
    return value.decode("utf-8", "surrogatepass") if isinstance(value, bytes) else value
