"""Where the records of a unit stand: what they follow, and which ID was given to what (profile section 3)."""

from __future__ import annotations

from typing import NamedTuple

from git_asr.asr.draft import Draft
from git_asr.asr.ids import SECOND_VALUE, derived, usable
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


class Node(NamedTuple):
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
        self._before: tuple[str, str] | None = None

    def place(self, line: Line, drafts: list[Draft]) -> list[str]:
        """Give the drafts of a unit, in order, their predecessors; their IDs.

        A unit that stands a second time supersedes what it was, record for record.
        """
        first = drafts[0]
        uuid = first.native_id = line.uuid
        known = self.nodes.get(uuid) if uuid is not None else None
        position = line.position
        own = line.native_id(self.used)
        if own is not None:
            self.used.add(own)
        ids = [own or derived(position, first.part)]
        ids += [derived(position, draft.part) for draft in drafts[1:]]
        if known is not None:
            _supersede(known, drafts)
        first.predecessors = self._predecessors(line)
        for index in range(1, len(drafts)):
            if drafts[index - 1].type.startswith(VENDOR):
                drafts[index].predecessors = [ids[index - 1]]
        self._before = (drafts[-1].type, ids[-1])
        if line.uuid is not None and (own is not None or known is not None):
            self._remember(line, line.uuid, drafts, ids)
        if line.chained:
            self._last = ids[-1]
        return ids

    def loose(self, kind: str, identifier: str) -> None:
        """Note a record that was made elsewhere."""
        self._before = (kind, identifier)

    def preserved(self, head: str | None, tail: str | None) -> list[str]:
        """The units from ``tail`` up to ``head``, oldest first; none where they do not hang together."""
        found: list[str] = []
        while tail is not None and tail in self.nodes and len(found) < MAX_PRESERVED:
            found.append(tail)
            if tail == head:
                return found[::-1]
            tail = self.nodes[tail].parent
        return []

    def _predecessors(self, line: Line) -> list[str] | None:
        if not line.chained:
            return self._implied()
        parent = line.parent
        if parent is None:
            return []
        if parent == line.uuid:
            return self._implied()
        node = self.nodes.get(parent)
        if node is None:
            return [parent] if usable(parent) else self._implied()
        if not self._leaves or line.leaf or line.value.get("type") == _PROGRESS:
            return [node.last]  # what goes on from here will name the leaves
        return [node.last, *self._siblings(parent, node)]

    def _implied(self) -> list[str] | None:
        """For a unit without a parent of its own: the last unit of the graph, unsaid where it stands just before."""
        if self._last is None:
            return None if self._before is None else []
        if self._before is not None and self._before[1] == self._last:
            return [self._last] if self._before[0].startswith(VENDOR) else None
        return [self._last]

    def _siblings(self, parent: str, node: Node) -> list[str]:
        """The last records of the leaves whose call is an ancestor; they are on the path from now on."""
        wanted = {leaf: self.nodes[leaf].anchor for leaf in self._leaves}
        lowest = min(self.nodes[anchor].depth for anchor in wanted.values())
        above: set[str] = set()
        at = parent
        for _ in range(MAX_STEPS):  # the parents of hostile lines run in circles
            above.add(at)
            here = self.nodes[at]
            if here.depth <= lowest or here.parent is None:  # what has a depth has a parent here
                break
            at = here.parent
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

    def _remember(self, line: Line, uuid: str, drafts: list[Draft], ids: list[str]) -> None:
        above = self.nodes.get(line.parent) if line.parent is not None else None
        depth = above.depth + 1 if above is not None else 0
        anchor = uuid
        if line.response is not None:
            anchor = self._responses.setdefault(line.response, uuid)
        elif above is not None and (line.leaf or line.value.get("type") == _PROGRESS):
            anchor = above.anchor
        records = tuple((draft.part, draft.type, one) for draft, one in zip(drafts, ids, strict=True))
        self.nodes[uuid] = Node(line.parent, depth, ids[-1], anchor, records)
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
