"""Where the records of a unit stand: what they follow, and which ID was given to what (profile section 3)."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from git_asr.asr.draft import Draft
from git_asr.asr.ids import SECOND_VALUE, usable
from git_asr.asr.numbering import identify
from git_asr.converters.claude.line import VENDOR, Line

MAX_LEAVES = 64
"""Results and attachments without a child that are kept in mind."""
MAX_STEPS = 256
"""Steps up the graph in search of a leaf's call; a leaf whose call lies further back is let go."""
MAX_PRESERVED = 1000
"""Units of a tail that a compaction keeps, where it names the first and the last; a longer one is not looked for."""

_PROGRESS = "progress"
"""Lines beside a result that do not carry it on: a result with no other child is a leaf still."""
_OWN_CHAINS = frozenset({"inference", "git-asr/context", "git-asr/mode"})
"""Types whose revisions follow their own entity, not the line."""


@dataclass(slots=True)
class Node:
    """A unit of the graph.

    ``last``: the ID of its last record. ``anchor``: the nearest unit above (or itself) that is no result, attachment
    or progress; of the lines of one response the first. ``records``: part, type and ID of each record.
    """

    parent: str | None
    depth: int
    last: str
    anchor: str
    records: tuple[tuple[int, str, str], ...]


class Graph:
    """The units seen so far."""

    def __init__(self) -> None:
        self.nodes: dict[str, Node] = {}
        self.used: set[str] = set()
        self._leaves: dict[str, str] = {}
        self._responses: dict[str, str] = {}
        self._last: str | None = None
        self._before: Draft | None = None

    def place(self, line: Line, drafts: list[Draft]) -> None:
        """Give the drafts of a unit, in order, their IDs and predecessors.

        A unit that stands a second time supersedes what it was, record for record.
        """
        first, last = drafts[0], drafts[-1]
        uuid = first.native_id = line.uuid
        identify(first, self.used)
        parent = line.parent
        above = None if parent is None else self.nodes.get(parent)
        if above is None or parent is None or parent == uuid or not line.chained:
            first.predecessors = self._unfollowed(line)
        elif not self._leaves or line.leaf or line.kind == _PROGRESS:
            first.predecessors = [above.last]  # what goes on from here will name the leaves
        else:
            first.predecessors = self._behind(parent, above)
        if last is not first:
            self._chain(drafts)
        self._before = last
        if line.chained:
            self._last = last.id
        if uuid is not None:
            known = self.nodes.get(uuid)
            if known is not None:
                _supersede(known, drafts)
            if known is not None or first.id_source is None:
                self._remember(line, uuid, above, drafts)

    def _chain(self, drafts: list[Draft]) -> None:
        """The records behind a unit's first; of a vendor's record each says that it follows it."""
        for before, draft in pairwise(drafts):
            identify(draft, self.used)
            if before.type.startswith(VENDOR):
                draft.predecessors = [before.id]

    def loose(self, draft: Draft) -> None:
        """Note a record that was made elsewhere."""
        identify(draft, self.used)
        self._before = draft

    def preserved(self, head: str | None, tail: str | None) -> list[str]:
        """The units from ``tail`` up to ``head``, oldest first; none where they do not hang together."""
        found: list[str] = []
        while tail is not None and tail in self.nodes and len(found) < MAX_PRESERVED:
            found.append(tail)
            if tail == head:
                return found[::-1]
            tail = self.nodes[tail].parent
        return []

    def _behind(self, parent: str, above: Node) -> list[str]:
        """The predecessors of a unit whose parent was seen, where there are leaves."""
        if len(self._leaves) == 1 and parent in self._leaves:  # nearly always
            self._leaves.clear()
            return [above.last]
        return [above.last, *self._siblings(parent, above)]

    def _unfollowed(self, line: Line) -> list[str] | None:
        """The predecessors of a unit without a parent, or with one that was not seen."""
        if not line.chained:
            return self._implied()
        if line.parent is None:
            return []
        if line.parent == line.uuid:
            return self._implied()
        return [line.parent] if usable(line.parent) else self._implied()

    def _implied(self) -> list[str] | None:
        """For a unit without a parent of its own: the last unit of the graph, unsaid where it stands just before."""
        if self._last is None:
            return None if self._before is None else []
        if self._before is not None and self._before.id == self._last:
            return [self._last] if self._before.type.startswith(VENDOR) else None
        return [self._last]

    def _siblings(self, parent: str, node: Node) -> list[str]:
        """The last records of the leaves whose call is an ancestor; they are on the path from now on."""
        wanted = {leaf: self.nodes[leaf].anchor for leaf in self._leaves}
        lowest = min(self.nodes[anchor].depth for anchor in wanted.values())
        above: set[str] = set()
        at = parent
        for _ in range(MAX_STEPS):  # units that stand again may make a circle
            above.add(at)
            step = self.nodes[at]
            if step.parent is None or step.depth <= lowest:  # the parent of a deeper one was seen
                break
            at = step.parent
        found = []
        for leaf, anchor in wanted.items():
            if leaf in above:
                del self._leaves[leaf]
            elif anchor in above:
                found.append(self.nodes[leaf].last)
                del self._leaves[leaf]
            elif node.depth - self.nodes[anchor].depth > MAX_STEPS:
                del self._leaves[leaf]
        return found

    def _remember(self, line: Line, uuid: str, above: Node | None, drafts: list[Draft]) -> None:
        depth = 0 if above is None else above.depth + 1
        anchor = uuid
        if line.response is not None:
            anchor = self._responses.setdefault(line.response, uuid)
        elif above is not None and (line.leaf or line.kind == _PROGRESS):
            anchor = above.anchor
        last = drafts[-1]
        records: tuple[tuple[int, str, str], ...] = ((last.part, last.type, last.id),)
        if len(drafts) > 1:
            records = tuple([(draft.part, draft.type, draft.id) for draft in drafts])
        self.nodes[uuid] = Node(line.parent, depth, last.id, anchor, records)
        if line.leaf and anchor != uuid:
            self._leaves[uuid] = anchor
            if len(self._leaves) > MAX_LEAVES:
                del self._leaves[next(iter(self._leaves))]


def _supersede(known: Node, drafts: list[Draft]) -> None:
    """Let each draft stand for the record that the same unit gave before."""
    old = {(part % SECOND_VALUE, kind): identifier for part, kind, identifier in known.records}
    for draft in drafts:
        before = old.get((draft.part % SECOND_VALUE, draft.type))
        if before is not None and draft.supersedes is None and draft.type not in _OWN_CHAINS:
            draft.supersedes = before
