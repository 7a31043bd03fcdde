"""From which trees of checkpoints sessions were made, and which of these a remote holds."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import field
from typing import Any

from git_asr.asr.links import CHECKPOINT
from git_asr.companion.imports import is_imported
from git_asr.companion.state import State
from git_asr.companion.store import StoredSession
from git_asr.entire.copies import ABSENT
from git_asr.entire.stores.base import Location, Store
from git_asr.errors import AsrError, Report
from git_asr.git.backend import open_objects
from git_asr.git.base import Objects, Repository
from git_asr.git.fetching import Hear
from git_asr.sharing.probing import without_blobs
from git_asr.values import dataclass

Trees = Mapping[str, frozenset[str]]
"""Trees by the checkpoint that they are of."""


class Undecided(Exception):
    """Nobody can tell here what a session was made from; why, as the end of a sentence."""


@dataclass(frozen=True, slots=True)
class Sources:
    """What the local state knows of where sessions come from.

    ``tree``: the companion tree that the last sync left, for of another version of a session the state says nothing.
    """

    objects: Objects
    state: State | None
    tree: str | None

    def of(self, path: str, tree: str, stored: StoredSession) -> Trees:
        """The trees of the checkpoints that a session was made from. Raises Undecided."""
        there = None if self.tree is None else self.objects.lookup(self.tree, path)
        if self.state is None or there is None or there.oid != tree:
            raise Undecided("it is not as the last sync left it")
        streams = stored.state.streams.values()
        if any(is_imported(one.entry) for one in streams):
            raise Undecided("a bundle brought it")
        if all(_is_unread(one.header) for one in streams):
            raise Undecided("its transcript is not here")
        named = {record["id"] for one in streams for record in one.links if record["type"] == CHECKPOINT}
        if not named:
            raise Undecided("no checkpoint holds it")
        found = {one: self._read(self.state, one) for one in sorted(named)}
        for checkpoint, trees in found.items():
            if not trees:
                raise Undecided(f"its checkpoint {checkpoint} is not here")
        return found

    def names(self, checkpoints: Iterable[str]) -> set[str]:
        """How refs of single checkpoints end that may hold some checkpoints: an ID may be another one there."""
        found = set(checkpoints)
        for one in sorted(found):
            found |= {ref.rpartition("/")[2] for ref in (self.state.locations(one) if self.state else ())}
        return found

    def _read(self, state: State, checkpoint: str) -> frozenset[str]:
        """The trees as they were read; where something of them was absent, those of every copy that is here."""
        return frozenset(state.reading(checkpoint) or state.locations(checkpoint).values())


def _is_unread(header: Mapping[str, Any]) -> bool:
    """Whether a stream says no more than that a clone lacks what it would be made of."""
    capture = header.get("capture")
    return isinstance(capture, dict) and capture.get("reason") == ABSENT


@dataclass(slots=True)
class Held:
    """The trees of checkpoints that the stores of a remote hold, of those that are looked for.

    ``address``: the remote's; ``stores``: as they were just listed.
    """

    repo: Repository
    objects: Objects
    address: str | None
    stores: tuple[Store, ...]
    hear: Hear
    report: Report
    _known: dict[str, set[str]] = field(default_factory=dict)

    def lacks(self, wanted: Trees, names: set[str]) -> set[str]:
        """The checkpoints of which a tree is not held there; ``names``: as of ``Sources.names``.

        A commit that was listed and is not here is fetched without blobs; one that cannot be fetched counts as absent.
        """
        stores = [one for one in self.stores if one.layout.kind != "per-checkpoint" or _last(one) in names]
        sizes = self.objects.sizes({one.tip for one in stores})
        self._look(wanted, self.objects, [one for one in stores if sizes[one.tip] is not None])
        lacking = self._lacking(wanted)
        absent = [one for one in stores if sizes[one.tip] is None]
        if lacking and absent and self.address is not None:
            try:
                other = without_blobs(self.repo, self.address, [one.ref for one in absent], self.hear)
            except AsrError:
                return lacking
            with closing(open_objects(other, "git")) as objects:
                self._look(wanted, objects, absent)
            lacking = self._lacking(wanted)
        return lacking

    def _lacking(self, wanted: Trees) -> set[str]:
        return {one for one, trees in wanted.items() if not trees <= self._known.get(one, set())}

    def _look(self, wanted: Trees, objects: Objects, stores: Iterable[Store]) -> None:
        for location in _locations(objects, stores, self.report):
            if location.checkpoint in wanted:
                self._known.setdefault(location.checkpoint, set()).update(location.trees)


def _locations(objects: Objects, stores: Iterable[Store], report: Report) -> Iterator[Location]:
    """All that stores hold; one that cannot be read holds nothing."""
    for store in stores:
        try:
            for step in store.layout.checkpoints(objects, store, None, report):
                if isinstance(step, Location):
                    yield step
        except AsrError:
            continue


def _last(store: Store) -> str:
    return store.ref.rpartition("/")[2]
