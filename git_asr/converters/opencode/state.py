"""What the converter remembers of one session while its messages pass, and one message while its records are made."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

from git_asr.asr.draft import Draft
from git_asr.asr.ids import usable
from git_asr.converters import fields
from git_asr.converters.base import Unit
from git_asr.converters.building import BLOCK, MAX_BLOCKS, Building, rest, word
from git_asr.converters.learned import Learned
from git_asr.converters.revisions import Revisions, carries

VENDOR = "ai.opencode"
"""Prefix of vendor types and key of ``_meta``."""


class Message(Building):
    """A message. ``info``: what it says of itself, ``parts``: what it consists of. ``native``: its own ID as stored.

    ``author``: who wrote its texts. ``call``: the model call from which the part at hand is. ``begun``: the snapshots
    before the first thing that it says, whose record bears its ID. ``steps``: what is said of steps and waits for the
    model call. ``completed``: the time of its end is that of a record. ``asked``: the compaction that it asks for;
    ``summary``: a compaction with the message that is its summary.
    """

    __slots__ = (
        "asked",
        "author",
        "begun",
        "call",
        "completed",
        "info",
        "native",
        "parts",
        "steps",
        "summary",
    )

    def __init__(self, unit: Unit, info: dict[str, Any], parts: list[Any]) -> None:
        super().__init__(unit, VENDOR, fields.time(fields.part(info, "time"), "created"))
        self.info = info
        self.parts = parts
        self.native = fields.text(info, "id")
        self.author = "agent"
        self.call: str | None = None
        self.begun: list[str] = []
        self.steps: list[dict[str, Any]] = []
        self.completed = False
        self.asked: Draft | None = None
        self.summary: tuple[Draft, Draft] | None = None

    def left(self, part: Mapping[str, Any], taken: Collection[str]) -> dict[str, Any]:
        """What a part says beside its type and the ``taken`` keys; its message and session only if they are others."""
        found = rest(part, taken)
        for key, own in (("messageID", "id"), ("sessionID", "sessionID")):
            if key in found and found[key] == self.info.get(own):
                del found[key]
        if isinstance(found.get("type"), str):
            del found["type"]
        return found

    def block(self, index: int) -> int:
        """The part of slot 0 of a block."""
        return self.base + BLOCK * (index + 1)

    @property
    def last(self) -> int:
        """The part of slot 0 behind the content: of the last block, or of the message itself."""
        return self.block(min(self.blocks, MAX_BLOCKS) - 1)


@dataclass(frozen=True, slots=True)
class Boundary:
    """A compaction that may still get its summary. ``native``: the message that asked for it, if its ID is usable."""

    native: str | None
    record: str
    fields: dict[str, Any]


@dataclass(slots=True)
class State(Learned):
    """All that later messages depend on.

    ``scope``: of derived IDs. ``parent``: the session that started this one. ``said``: the last value, as JSON, of
    what is written when it changes. ``records``: the IDs of the records that carry a context, in order; ``starts``:
    how many there were before each message. ``boundary``: the compaction that waits for its summary. ``pruned``: a
    heap of time and ID of calls whose results were cleared. ``revert``: message and part that were undone, with all
    that follows; ``reverted``: they were seen, and ``kept`` is the record before them. ``shell``: the next message
    shows a command that a person ran. ``end``: position and part behind the last unit.
    """

    scope: str | None
    parent: str | None = None
    revisions: Revisions = field(default_factory=Revisions)
    records: list[str] = field(default_factory=list)
    starts: dict[str, int] = field(default_factory=dict)
    boundary: Boundary | None = None
    pruned: list[tuple[str, str]] = field(default_factory=list)
    revert: tuple[str, str | None] | None = None
    reverted: bool = False
    kept: str | None = None
    shell: bool = False
    end: tuple[int, int] = (0, 0)

    @property
    def child(self) -> bool:
        """Whether another session started this one."""
        return self.parent is not None

    def mode(self, message: Message, slot: int, kind: str, value: Any) -> bool:
        """Record a mode that changed; whether the value was one."""
        if not word(value):
            return False
        if self.changed(f"mode {kind}", value):
            message.after(slot, "git-asr/mode", {"kind": kind, "mode": value})
        return True

    def identify(self, message: Message, drafts: list[Draft]) -> tuple[list[Draft], list[str]]:
        """Give the drafts of a message their IDs, and note where it stands."""
        if message.native is not None and usable(message.native):
            self.starts.setdefault(message.native, len(self.records))
        kept, gone = self.revisions.identify(message.native, drafts)
        self.records += [draft.id for draft in kept if carries(draft)]
        return kept, gone
