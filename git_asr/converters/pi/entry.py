"""One entry of a session while its records are made."""

from __future__ import annotations

from typing import Any

from git_asr.asr.ids import derived, usable
from git_asr.converters import fields
from git_asr.converters.base import Unit
from git_asr.converters.building import BLOCK, CONTENT, MAX_BLOCKS, Building
from git_asr.converters.pi.slots import INFERENCE

VENDOR = "dev.pi"
"""Prefix of vendor types and key of ``_meta``; the fork's too, for the format is one."""


class Entry(Building):
    """An entry, or another line, and the drafts made of it so far.

    ``value``: it as stored. ``native``: its own ID as stored. ``chained``: it belongs to the tree, below the entry with
    the ID ``parent`` (None: it is a root). ``call``: the model call that gave its content. ``left``: what of its
    message no field takes. ``moved``: the record to which it moves the tip of the tree, behind which it
    stands itself: what it was written behind may be on another branch.
    """

    __slots__ = ("call", "chained", "left", "moved", "native", "parent", "value")

    def __init__(self, unit: Unit, value: dict[str, Any]) -> None:
        super().__init__(unit, VENDOR, fields.time(value, "timestamp"))
        self.value = value
        self.native = fields.text(value, "id")
        self.chained, self.parent = fields.chain(value, "id", "parentId")
        self.call: str | None = None
        self.left: dict[str, Any] = {}
        self.moved: str | None = None

    @property
    def usable(self) -> str | None:
        """Its own ID if it can be used."""
        return self.native if self.native is not None and usable(self.native) else None

    def place(self, block: int | None) -> int:
        """The part of the first record of a block, or of the entry itself."""
        return self.base + CONTENT if block is None else self.base + BLOCK * (block + 1) + CONTENT

    @property
    def inference(self) -> str:
        """The ID of the model call that it tells of, where nothing else names that: its own, or one from its place."""
        block = min(self.blocks, MAX_BLOCKS) - 1 if self.blocks else None
        return self.usable or derived(self.position, self.place(block) + INFERENCE)
