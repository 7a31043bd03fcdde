"""What the converter remembers of one session while its lines pass, and one line while its records are made."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from git_asr.asr.draft import Draft
from git_asr.asr.ids import usable
from git_asr.asr.numbering import identify
from git_asr.converters import fields
from git_asr.converters.base import Unit
from git_asr.converters.building import Building, word
from git_asr.converters.droid.slots import MAX_TOMBSTONES, REST, TOMBSTONES
from git_asr.converters.learned import Learned
from git_asr.converters.revisions import Revisions, carries

VENDOR = "ai.factory.droid"
"""Prefix of vendor types and key of ``_meta``."""
HARNESS = "factory-droid"


class Line(Building):
    """A line. ``value``: it as stored. ``native``: its own ID as stored, ``own`` that if it can be used.

    ``parent``: the ID of the line that it follows, as far as it can be used; ``root``: it says that it follows none.
    ``again``: it is a message, which may come again and then revises what it was.
    """

    __slots__ = ("again", "native", "own", "parent", "root", "value")

    def __init__(self, unit: Unit, value: dict[str, Any]) -> None:
        super().__init__(unit, VENDOR, fields.time(value, "timestamp"))
        self.value = value
        self.native = fields.text(value, "id")
        self.own = self.native if usable(self.native) else None
        found = fields.text(value, "parentId")
        self.parent = found if usable(found) and found != self.native else None
        self.root = "parentId" in value and value["parentId"] is None
        self.again = False


@dataclass(frozen=True, slots=True)
class Call:
    """A call that its result is understood by."""

    id: str
    name: str
    arguments: dict[str, Any]


@dataclass(slots=True)
class Node:
    """A line that others may follow: the parent that it named, and the ID of its last record."""

    parent: str | None
    last: str


@dataclass(slots=True)
class State(Learned):
    """All that later lines depend on.

    ``nodes``: the lines with an ID; ``head``:
    the ID of the last message, if it has one: what lies loose behind it goes with it. ``calls``: those that their
    results are understood by. ``child``: another session started this one.
    """

    child: bool = False
    revisions: Revisions = field(default_factory=Revisions)
    calls: dict[str, Call] = field(default_factory=dict)
    nodes: dict[str, Node] = field(default_factory=dict)
    head: str | None = None

    def mode(self, line: Line, slot: int, kind: str, value: Any) -> bool:
        """Record a mode that changed; whether the value was one."""
        if not word(value):
            return False
        if self.changed(f"mode {kind}", value):
            line.after(slot, "git-asr/mode", {"kind": kind, "mode": value})
        return True

    def place(self, line: Line, made: list[Draft]) -> list[Draft]:
        """Give the drafts of a line, in order, their IDs and predecessors.

        Of a message that comes again only what it says anew is kept, and it stands where the message stood.
        """
        gone: list[str] = []
        if line.again:
            made, gone = self.revisions.identify(line.native, made)
        else:
            self.loose(made, line.native)
        known = None if line.own is None else self.nodes.get(line.own)
        new = [draft for draft in made if draft.supersedes is None]
        if new:
            self._follow(line, new, known)
        if gone:
            first = len(line.drafts)
            line.bury(gone, "replaced", TOMBSTONES, MAX_TOMBSTONES, REST)
            self.loose(line.drafts[first:])
            made = sorted([*made, *line.drafts[first:]], key=lambda draft: draft.part)
        return made

    def loose(self, made: list[Draft], native: str | None = None) -> None:
        """Give drafts their IDs, the first one that of its line."""
        for draft in made:
            draft.native_id = native if draft is made[0] else None
            identify(draft, self.revisions.used)

    def _follow(self, line: Line, new: list[Draft], known: Node | None) -> None:
        """Say what new records follow, and what may follow them."""
        first, last = new[0], new[-1]
        if known is not None:
            first.predecessors = [known.last]
        elif line.parent is not None:
            above = self.nodes.get(line.parent)
            first.predecessors = [line.parent if above is None else above.last]
        elif line.root:
            first.predecessors = []
        for before, draft in pairwise(new):
            if not carries(before):
                draft.predecessors = [before.id]
        if known is not None:
            known.last = last.id
            return
        if line.own is not None:
            self.nodes[line.own] = Node(line.parent, last.id)
        if line.again or line.parent is not None or line.root:
            self.head = line.own
        elif self.head is not None and carries(last):
            self.nodes[self.head].last = last.id
