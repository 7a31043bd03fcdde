"""What the converter remembers of one session while its units pass, and one message while its records are made."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from git_asr.asr.draft import Draft
from git_asr.asr.ids import usable
from git_asr.converters import fields
from git_asr.converters.base import Unit
from git_asr.converters.building import BLOCK, CONTENT, MAX_BLOCKS, Building, Standing
from git_asr.converters.revisions import Revisions, carries

VENDOR = "com.google.gemini-cli"
"""Prefix of vendor types and key of ``_meta``."""
HARNESS = "gemini-cli"


class Message(Building):
    """A message, or another unit. ``value``: it as stored. ``native``: its own ID as stored.

    ``first``: the block with which it begins. ``harness``: whether it stands in a history that the harness rebuilt.
    """

    __slots__ = ("first", "harness", "native", "value")

    def __init__(self, unit: Unit, value: dict[str, Any], scope: str | None, first: int = 0) -> None:
        super().__init__(unit, VENDOR, fields.time(value, "timestamp"), id_scope=scope)
        self.value = value
        self.native = fields.text(value, "id")
        self.first = self.blocks = first
        self.harness = False

    def next(self) -> int | None:
        """Begin another block; None where the range is exceeded."""
        if self.blocks == MAX_BLOCKS:
            return None
        self.blocks += 1
        return self.blocks - 1

    def place(self, block: int) -> int:
        """The part of a block's first record."""
        return self.base + BLOCK * (block + 1) + CONTENT

    @property
    def usable(self) -> str | None:
        """Its own ID if it can be used."""
        return self.native if self.native is not None and usable(self.native) else None


@dataclass(slots=True)
class State(Standing):
    """All that later units depend on.

    ``scope``: of derived IDs. ``session``: the session's ID as first recorded. ``child``: it is a subagent's session.
    ``said``: the last value, as JSON, of what is written when it changes. ``history``: of each message that stands the
    ID of its last record (None if it has none), by its ID or, where it has none, by its place. ``results``: of each
    call the ID of a result that stood in a message of its own, and a digest of what it returned.
    ``last``: the ID of the last record that carries a context. ``rebuilt``: the message at hand is new in
    a history that the harness rebuilt.
    """

    scope: str | None
    session: str | None = None
    child: bool = False
    revisions: Revisions = field(default_factory=Revisions)
    history: dict[str, str | None] = field(default_factory=dict)
    results: dict[str, tuple[str | None, bytes]] = field(default_factory=dict)
    last: str | None = None
    rebuilt: bool = False

    def identify(self, native: str | None, drafts: list[Draft]) -> tuple[list[Draft], list[str]]:
        """Give drafts their IDs; those of a message that stands again, after it was taken back, are copies."""
        kept, gone = self.revisions.identify(native, drafts)
        self.last = next((draft.id for draft in reversed(kept) if carries(draft)), self.last)
        for draft in kept:
            if draft.copied_from is not None and self.session is not None:
                origin = {"session": {"harness": HARNESS, "id": self.session}}
                draft.copied_from = {**origin, **draft.copied_from, "evidence": "native_id"}
            else:
                draft.copied_from = None
        return kept, gone
