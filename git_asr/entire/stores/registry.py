"""The layouts that are read, the stores of a repository, and which of several copies of a checkpoint counts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from git_asr.entire.stores.base import Change, Cleared, Layout, Location, Merit, Store
from git_asr.entire.stores.branch_v1 import BranchV1
from git_asr.errors import AsrError, Diagnostic, Report
from git_asr.git.base import Objects, Ref

LAYOUTS: tuple[Layout, ...] = (BranchV1(),)
"""In the order of preference of reference entire-checkpoints, section 2.5."""


def discover(refs: Sequence[Ref], *, remote: str | None = None) -> list[Store]:
    """The stores among the refs of a repository, the preferred ones first.

    That is by layout, then as :meth:`Layout.rank` says, then by name. ``remote``: the name of the remote that the
    checkpoints are pushed to, where that is known.
    """
    found: list[tuple[int, int, str, Store]] = []
    for ref in refs:
        for order, layout in enumerate(LAYOUTS):
            if layout.matches(ref):
                store = Store(ref.name, layout, ref.oid)
                found.append((order, layout.rank(ref.name, remote), ref.name, store))
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
            return [*store.layout.checkpoints(objects, store, old_tip)]
        except AsrError:
            pass  # whichever of the two it was, reading the present tip alone tells
    try:
        found: list[Change] = [*store.layout.checkpoints(objects, store, None)]
    except AsrError as error:
        report(Diagnostic("unreadable-store", store.ref, error.message, error.hint))
        return None
    return found if old_tip is None else [Cleared(), *found]


def unite(
    candidates: Sequence[Location],
    *,
    tips: Mapping[str, str],
    is_ancestor: Callable[[str, str], bool],
    merit: Callable[[Location], Merit],
) -> Location:
    """Choose which of the copies of one checkpoint is read (reference, section 2.5).

    ``candidates``: one or more, those of the preferred stores first. Copies with one tree are the same, and the first
    one stands for them. If they differ, a copy goes whose store's tip is an ancestor of the tip of another's; of those
    left the one of greatest ``merit``, and of equal ones the first. ``tips``: the commit of each store, by ref;
    ``is_ancestor(a, b)``: whether ``a`` is behind ``b``. Neither is asked, nor ``merit``, where nothing hangs on it.
    """
    if _same(candidates):
        return candidates[0]

    def superseded(one: Location) -> bool:
        return any(
            tips[one.store] != tips[other.store] and is_ancestor(tips[one.store], tips[other.store])
            for other in candidates
            if other is not one
        )

    left = [one for one in candidates if not superseded(one)]
    return left[0] if _same(left) else max(left, key=merit)


def _same(candidates: Sequence[Location]) -> bool:
    return len({one.tree for one in candidates}) == 1
