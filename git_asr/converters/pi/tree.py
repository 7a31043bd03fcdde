"""Where the records of an entry stand: what they follow, and which ID was given to what (profile section 3)."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from git_asr.asr.draft import Draft
from git_asr.asr.ids import SECOND_VALUE, derived, usable
from git_asr.asr.numbering import identify
from git_asr.converters.pi.entry import VENDOR, Entry
from git_asr.converters.revisions import carries


@dataclass(slots=True)
class Node:
    """An entry that was seen.

    ``before``: the ID of the last record above it, None where nothing is. ``last``: that of its own last record.
    ``records``: part, type and ID of each.
    """

    before: str | None
    last: str
    records: tuple[tuple[int, str, str], ...]


class Tree:
    """The entries so far.

    ``lines``: for each line the ID of the record that it follows if it is outside the tree, as all are in the oldest
    version, which counts lines.
    """

    def __init__(self) -> None:
        self.used: set[str] = set()
        self.lines: list[str | None] = []
        self._nodes: dict[str, Node] = {}
        self._last: str | None = None

    def get(self, native: str | None) -> Node | None:
        """The entry of an ID, None where it was not seen."""
        return None if native is None else self._nodes.get(native)

    def begin(self) -> None:
        """Note that a line begins."""
        self.lines.append(self._last)

    def first_id(self, entry: Entry) -> str:
        """The ID that the first record of an entry will have, if that stands in its first slot."""
        own = entry.usable
        return own if own is not None and own not in self.used else derived(entry.position, entry.place(None))

    def linked(self, entry: Entry) -> bool:
        """Whether the place of an entry's records tells which is its parent."""
        parent = entry.parent
        if entry.moved is not None or not entry.chained:
            return False
        return parent is None or (parent != entry.native and (parent in self._nodes or usable(parent)))

    def place(self, entry: Entry, drafts: list[Draft], *, linked: bool) -> None:
        """Give the drafts of an entry, in order, their IDs and predecessors; ``linked``: its place tells its parent.

        An entry that stands a second time supersedes what it was, record for record.
        """
        first, last = drafts[0], drafts[-1]
        native = first.native_id = entry.native
        above = self.get(entry.parent)
        if entry.moved is not None:
            first.predecessors = [entry.moved]
        elif linked:
            found = entry.parent if above is None else above.last
            first.predecessors = [] if found is None else [found]
        identify(first, self.used)
        for before, draft in pairwise(drafts):
            identify(draft, self.used)
            if before.type.startswith(VENDOR):
                draft.predecessors = [before.id]
        if not entry.chained:
            self._last = next((draft.id for draft in reversed(drafts) if carries(draft)), self._last)
        known = self.get(native)
        if known is not None:
            _supersede(known, drafts)
        if native is not None and (known is not None or first.id_source is None):
            records = tuple([(draft.part, draft.type, draft.id) for draft in drafts])
            self._nodes[native] = Node(above.last if above else None, last.id, records)


def _supersede(known: Node, drafts: list[Draft]) -> None:
    """Let each draft stand for the record that the same entry gave before."""
    old = {(part % SECOND_VALUE, kind): identifier for part, kind, identifier in known.records}
    for draft in drafts:
        before = old.get((draft.part % SECOND_VALUE, draft.type))
        if before is not None and draft.supersedes is None:
            draft.supersedes = before
