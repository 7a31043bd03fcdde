"""The layouts that are read, the stores of a repository, and which of several copies of a checkpoint counts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

from git_asr.entire.stores.base import Change, Cleared, Layout, Location, Store
from git_asr.entire.stores.branch_v1 import BranchV1
from git_asr.entire.stores.custom_refs import CustomRefs
from git_asr.entire.stores.flat import Flat
from git_asr.entire.stores.per_checkpoint import PerCheckpoint
from git_asr.entire.stores.sessions_v1 import SessionsV1
from git_asr.entire.stores.v2 import V2
from git_asr.errors import AsrError, Diagnostic, Report
from git_asr.git.base import Objects, Ref

LAYOUTS: tuple[Layout, ...] = (PerCheckpoint(), BranchV1(), CustomRefs(), V2(), SessionsV1(), Flat())
"""In the order of preference: the one that Entire went over to, then as reference entire-checkpoints, section 2.5."""

UNREADABLE = "unreadable-store"
"""A store cannot be read; the next look tries again."""

_LAYERED = frozenset(layout.kind for layout in LAYOUTS if layout.layered)


def discover(refs: Iterable[Ref], *, remote: str | None = None) -> list[Store]:
    """The stores among the refs of a repository, the preferred ones first.

    That is by layout, then as :meth:`Layout.rank` says, then by name. ``remote``: the name of the remote that the
    checkpoints are pushed to, where that is known.
    """
    found: list[tuple[int, int, str, Store]] = []
    for ref in refs:
        if "/entire/" not in ref.name:
            continue
        for order, layout in enumerate(LAYOUTS):
            rank = layout.rank(ref.name, remote)
            if rank is not None:
                found.append((order, rank, ref.name, Store(ref.name, layout, ref.oid)))
                break
    return [store for *_, store in sorted(found, key=lambda item: item[:3])]


def searched(stores: Sequence[Store]) -> tuple[str, ...]:
    """The stores in words, each once, for "not found in: …" (reference, section 9, row 2)."""
    return tuple(dict.fromkeys(store.layout.described(store.ref) for store in stores))


def changes(objects: Objects, store: Store, old_tip: str | None, report: Report) -> list[Change] | None:
    """What a store holds now that it did not hold at a former tip, and the reverse; all of it where that is None.

    An equal tip costs nothing. A former tip that cannot be read any more gives :class:`Cleared` and then everything.
    A tip that cannot be read is reported as ``unreadable-store`` and gives None: what is known of the store stays, and
    so does the former tip, so that the next look tries again.
    """
    if store.tip == old_tip:
        return []
    if old_tip is not None:
        try:
            return [*store.layout.checkpoints(objects, store, old_tip, report)]
        except AsrError:
            pass  # whichever of the two it was, reading the present tip alone tells
    try:
        found: list[Change] = [*store.layout.checkpoints(objects, store, None, report)]
    except AsrError as error:
        report(Diagnostic(UNREADABLE, store.ref, error.message, error.hint))
        return None
    return found if old_tip is None else [Cleared(), *found]


def copies(located: Iterable[Location]) -> list[Location]:
    """The copies of one checkpoint: what stores of a layered layout hold of it is one.

    ``located``: those of the preferred stores first.
    """
    found: dict[str, Location] = {}
    for one in located:
        key = one.kind if one.kind in _LAYERED else one.store
        known = found.get(key)
        found[key] = one if known is None else replace(known, trees=(*known.trees, *one.trees))
    return list(found.values())


def rivals(
    candidates: Sequence[Location], tips: Mapping[str, str], is_ancestor: Callable[[str, str], bool]
) -> list[Location]:
    """Which of the copies of one checkpoint may be the one that is read (reference, section 2.5).

    Copies with the same trees are the same, and the first one stands for them. If they differ, a copy goes whose
    store's tip is an ancestor of the tip of another's. Where several are left, the one of greatest merit counts, and
    of equal ones the first. ``tips``: the commit of each store that may descend from another, by ref;
    ``is_ancestor(a, b)``: whether ``a`` is behind ``b``. It is not asked where nothing hangs on it.
    """
    if len(_distinct(candidates)) < 2:
        return [*candidates[:1]]

    def superseded(one: Location) -> bool:
        tip = tips.get(one.store)
        others = {tips[other.store] for other in candidates if other.store in tips} - {tip}
        return tip is not None and any(is_ancestor(tip, other) for other in sorted(others))

    return _distinct([one for one in candidates if not superseded(one)])


def _distinct(candidates: Sequence[Location]) -> list[Location]:
    """The first copy of each content."""
    found: dict[tuple[str, ...], Location] = {}
    for one in candidates:
        found.setdefault(one.trees, one)
    return list(found.values())
