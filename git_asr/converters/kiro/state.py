"""What the converter remembers of one conversation, and one unit while its records are made."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from git_asr.asr.draft import Draft
from git_asr.asr.ids import derived, usable
from git_asr.converters.base import Unit
from git_asr.converters.building import BLOCK, CONTENT, MAX_BLOCKS, Building, vendor_type
from git_asr.converters.kiro.slots import CONTEXT, MORE
from git_asr.converters.learned import Learned

VENDOR = "dev.kiro"
"""Prefix of vendor types and key of ``_meta``."""


@dataclass(slots=True)
class State(Learned):
    """All that later units depend on.

    ``scope``: of derived IDs. ``used``: the native IDs that records have.
    """

    scope: str | None
    used: set[str] = field(default_factory=set)


class Saying(Building):
    """A unit and the drafts made of it so far.

    ``native``: the ID of its message as stored; ``own``: the record that bears it, by default the first. ``call``: the
    model call that gave what is added. ``context``: what changed of the conversation. ``over``: what exceeds the range.
    """

    __slots__ = ("call", "context", "native", "over", "own")

    def __init__(self, unit: Unit, scope: str | None) -> None:
        super().__init__(unit, VENDOR, None, id_scope=scope)
        self.native: str | None = None
        self.own: Draft | None = None
        self.call: str | None = None
        self.context: dict[str, str] = {}
        self.over: list[Any] = []

    @property
    def here(self) -> str:
        """The derived ID of what is added next."""
        return derived(self.position, self.base + BLOCK * (self.blocks + 1) + CONTENT)

    @property
    def usable(self) -> str | None:
        """The ID of its message if it can be used."""
        return self.native if self.native is not None and usable(self.native) else None

    def add(
        self,
        kind: str,
        fields: dict[str, Any],
        native: Any,
        *,
        meta: dict[str, Any] | None = None,
        capture: dict[str, Any] | None = None,
    ) -> None:
        """Add a record with a block of its own; ``native``: what it is made of, which is kept if there is no room."""
        if self.blocks == MAX_BLOCKS:
            self.over.append(native)
            return
        self.blocks += 1
        block = self.blocks - 1
        self.put(CONTENT, kind, fields, block=block, meta=meta, inference=self.call, capture=capture)

    def keep(self, name: Any, native: Any) -> None:
        """Add a vendor record."""
        self.add(vendor_type(VENDOR, name), {"value": native}, native)

    def end(self) -> None:
        """Add what is told about the unit."""
        if self.context:
            self.after(CONTEXT, "git-asr/context", self.context)
        if self.over:
            self.after(MORE, vendor_type(VENDOR, "more"), {"value": self.over})
