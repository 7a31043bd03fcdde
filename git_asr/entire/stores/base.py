"""What every layout of a checkpoint store offers: which refs are such stores, and where in them the checkpoints are."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

from git_asr.errors import Report
from git_asr.git.base import Objects
from git_asr.values import dataclass


@dataclass(frozen=True, slots=True)
class Location:
    """Where one store holds one checkpoint.

    ``checkpoint``: its ID. ``store``: the name of the store's ref. ``kind``: the layout's. ``trees``: the object IDs of
    the checkpoint's own tree and of those that are laid under it (:attr:`Layout.layered`), which stand for all of its
    content.
    """

    checkpoint: str
    store: str
    kind: str
    trees: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Removed:
    """A checkpoint that this store held at the old tip and holds no more."""

    checkpoint: str


@dataclass(frozen=True, slots=True)
class Cleared:
    """The old tip cannot be read any more: forget what it held, what follows is all that the store holds now."""


Change = Location | Removed | Cleared
"""One step from what a store held at its old tip to what it holds at its tip."""


Merit = tuple[int, int, int]
"""Number of sessions, newest ``created_at`` in nanoseconds, bytes of transcript: the greater copy is the better one."""


@dataclass(frozen=True, slots=True)
class Store:
    """A ref that holds checkpoints, how it is laid out, and the object ID that it names (not peeled)."""

    ref: str
    layout: Layout
    tip: str


class Layout(Protocol):
    """One way to lay out a store: one module in this package, one entry in ``registry.LAYOUTS``."""

    kind: str
    """Short stable name, as in :class:`Location`."""

    descends: bool
    """Whether such a store holds all checkpoints in one history, so that its tip may descend from another's."""

    layered: bool
    """Whether its stores hold one checkpoint together: their trees are laid over each other, the preferred on top."""

    def rank(self, ref: str, remote: str | None) -> int | None:
        """Where a ref stands among the stores of this layout, 0 first; None if its name is of no such store.

        ``remote``: the name of the remote that the checkpoints are pushed to, where that is known. The order is that
        of reference entire-checkpoints, section 2.5.
        """
        ...

    def described(self, ref: str) -> str:
        """How to name the store to a person; stores that no person tells apart get the same text."""
        ...

    def checkpoints(
        self, objects: Objects, store: Store, old_tip: str | None, report: Report
    ) -> Iterator[Location | Removed]:
        """Yield what changed since a former tip, or everything that the store holds where that is None.

        Nothing is read of what both tips share. What is not named as a checkpoint is skipped without a word.

        Raises:
            AsrError: one of the tips leads to no tree here; ``registry.changes`` turns that into an answer.
        """
        ...
