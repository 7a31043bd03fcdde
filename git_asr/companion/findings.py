"""What was found wrong in what is there, as the local state remembers it until that is read again."""

from __future__ import annotations

from git_asr.companion.tables import Tables
from git_asr.errors import Diagnostic


class Findings:
    """The table of findings, as typed questions and answers."""

    def __init__(self, tables: Tables) -> None:
        self._db = tables

    def all(self) -> list[Diagnostic]:
        """What was found wrong, as it was last read, by place."""
        rows = self._db.execute(
            "SELECT code, place, message, hint FROM finding ORDER BY place, code, message"
        )
        return [Diagnostic(*row) for row in rows]

    def add(self, found: Diagnostic) -> None:
        """Remember something that was found wrong."""
        self._db.execute(
            "INSERT OR REPLACE INTO finding VALUES (?, ?, ?, ?)",
            (found.where, found.code, found.message, found.hint),
        )

    def drop_kind(self, code: str) -> None:
        """Forget every finding of one kind: all of it is about to be looked at again."""
        self._db.execute("DELETE FROM finding WHERE code = ?", (code,))

    def drop(self, place: str) -> None:
        """Forget what was found wrong at a place and in it: it is about to be read again."""
        self._db.execute(
            "DELETE FROM finding WHERE place = ? OR place >= ? AND place < ?",
            (
                place,
                f"{place},",
                f"{place}-",
            ),  # a hyphen comes next after a comma; a pattern would use no index
        )
