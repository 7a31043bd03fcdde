"""Links that persons accept and take back: from a decision to the rows of which a sync makes records.

The companion ref is where decisions live: one that somebody else moved is read again, and what it says counts.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from git_asr.asr import codec
from git_asr.asr.draft import Record
from git_asr.asr.links import (
    AcceptedLink,
    accepted,
    checkpoint_of,
    for_session,
    is_decision,
    pairs,
    standing,
    withdrawal,
)
from git_asr.companion import store
from git_asr.companion.decisions import DecisionRow
from git_asr.companion.state import State
from git_asr.companion.tree import Tip
from git_asr.errors import AsrError, UsageError
from git_asr.git.base import Objects
from git_asr.values import dataclass


@dataclass(frozen=True, slots=True)
class Removal:
    """An accepted link that is taken back."""

    commit: str
    checkpoint: str


Decision = AcceptedLink | Removal


def records(state: State, checkpoint: str) -> list[Record]:
    """What was decided about a checkpoint's links, as no session has it yet."""
    return [codec.decode(row.record.encode()).value for row in state.decisions.of(checkpoint)]


@dataclass(frozen=True, slots=True)
class Deciding:
    """Takes decisions into the state. ``objects`` read the companion, whose ref stands at ``tip``."""

    objects: Objects
    state: State
    tip: Tip
    object_format: str

    def recall(self) -> None:
        """Find the decisions that the companion ref holds, in place of those that are remembered."""
        self.state.decisions.clear()
        self.remember(store.link_records(self.objects, self.tip.tree))

    def remember(self, links: Iterable[Record]) -> None:
        """Take in the decisions among the link records of sessions that are in the companion ref."""
        found: dict[str, DecisionRow] = {}
        for record in links:
            if is_decision(record):
                row = _row(for_session(record, ()))
                known = found.setdefault(row.id, row)
                if row.record > known.record:  # one record stands in every session of its checkpoint
                    found[row.id] = row
        self.state.decisions.put(found.values())

    def take(self, decisions: Iterable[Decision]) -> set[str]:
        """Take in new decisions; the checkpoints that they are about.

        Raises:
            AsrError: no store holds the checkpoint, or there is no such link to take back.
        """
        touched: set[str] = set()
        for one in decisions:
            if isinstance(one, AcceptedLink):
                if not self.state.locations(one.checkpoint):
                    raise AsrError(
                        f"no store holds checkpoint {one.checkpoint}, so nothing can be linked to it"
                    )
                self._accept(one)
            else:
                self._remove(one)
            touched.add(one.checkpoint)
        return touched

    def _accept(self, link: AcceptedLink) -> None:
        known = records(self.state, link.checkpoint)
        if (link.checkpoint, link.commit) not in pairs(known):
            taken = {record["id"] for record in known}
            self.state.decisions.put([_row(accepted(link, self.object_format, taken))])

    def _remove(self, removal: Removal) -> None:
        """A link that somebody else may have is taken back by a record; any other simply goes."""
        known = records(self.state, removal.checkpoint)
        mine = [one for one in standing(known) if one["commit"] == removal.commit]
        if not mine:
            raise UsageError(
                f"there is no accepted link from commit {removal.commit[:12]} to checkpoint {removal.checkpoint}",
                hint="git asr link   lists the links that were accepted",
            )
        for record in mine:
            if self._is_exchanged(record):
                self.state.decisions.put([_row(withdrawal(record))])
            else:
                self.state.decisions.drop(record["id"])

    def _is_exchanged(self, record: Record) -> bool:
        return any(one["id"] == record["id"] for one in store.link_records(self.objects, self.tip.base))

    def check(self, decisions: Sequence[Decision]) -> None:
        """See that every accepted link stands in a session now.

        Raises:
            AsrError: none of the checkpoint's sessions is kept here.
        """
        for one in decisions:
            keys = {row.key for row in self.state.folders(one.checkpoint) if row.key is not None}
            if isinstance(one, AcceptedLink) and not any(map(self.state.is_written, keys)):
                raise AsrError(
                    f"no session of checkpoint {one.checkpoint} is kept here, so nothing can be linked to it",
                    hint="asr.exclude may leave it out, or it was forgotten, or the checkpoint holds none",
                )


def _row(record: Record) -> DecisionRow:
    return DecisionRow(record["id"], checkpoint_of(record), record["commit"], codec.encode(record).decode())
