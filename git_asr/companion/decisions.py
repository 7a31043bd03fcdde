"""What persons decided about links, as the local state remembers it; it is found again in the companion ref."""

from __future__ import annotations

from collections.abc import Iterable

from git_asr.companion.tables import Tables
from git_asr.values import dataclass


@dataclass(frozen=True, slots=True)
class DecisionRow:
    """A link record that a person made, as JSON, with its ID and what it ties together."""

    id: str
    checkpoint: str
    commit: str
    record: str


class Decisions:
    """The table of decisions, as typed questions and answers."""

    def __init__(self, tables: Tables) -> None:
        self._db = tables

    def put(self, rows: Iterable[DecisionRow]) -> None:
        """Remember decisions, each in place of one with its ID."""
        self._db.executemany(
            "INSERT OR REPLACE INTO decision VALUES (?, ?, ?, ?)",
            ((row.id, row.checkpoint, row.commit, row.record) for row in rows),
        )

    def drop(self, identifier: str) -> None:
        """Forget one."""
        self._db.execute("DELETE FROM decision WHERE id = ?", (identifier,))

    def clear(self) -> None:
        """Forget all."""
        self._db.execute("DELETE FROM decision")

    def of(self, checkpoint: str) -> list[DecisionRow]:
        """Those about a checkpoint, by ID."""
        rows = self._db.execute("SELECT * FROM decision WHERE checkpoint = ? ORDER BY id", (checkpoint,))
        return [DecisionRow(*row) for row in rows]

    def all(self) -> list[DecisionRow]:
        """All of them, by ID."""
        return [DecisionRow(*row) for row in self._db.execute("SELECT * FROM decision ORDER BY id")]
