"""Converts many sessions in several processes, and comes to what one process would have come to.

Each process is a fork that works on a copy of the local state. It takes some groups of sessions at a time from a common
list, and says of each such lot what became of the sessions, what it changed in its copy of the state, and what it found
wrong; at its end it hands over what it packed. All of that is taken in here in the order of the groups, whoever was
first. A session that turns up in groups of several lots none of them saw whole: it is converted once more, here.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Collection, Iterable, Iterator
from contextlib import closing
from typing import TYPE_CHECKING

from git_asr.companion.state import State
from git_asr.git.base import Backend
from git_asr.sync.conversion import Conversion

if TYPE_CHECKING:
    from git_asr.sync.processes import Lot

LOT = 8
"""Groups that a process takes at a time: enough to read ahead, few enough that no process is left alone for long."""

WORTH = 4 * LOT
"""Fewer groups than these are converted here, which takes no time to begin with."""


def convert(
    conversion: Conversion, groups: Collection[str], jobs: int, backend: Backend
) -> Iterator[tuple[int, int]]:
    """As ``Conversion.convert``, in up to ``jobs`` processes where that is worth it.

    ``backend``: how the processes read the repository.

    Raises:
        AsrError: a process ended without a word, or as ``Conversion.convert`` raises.
    """
    wanted = sorted(groups)
    jobs = min(jobs, len(wanted) // LOT)
    if jobs < 2 or len(wanted) < WORTH or not _can_fork(conversion):
        yield from conversion.convert(wanted)
        return
    from git_asr.sync.processes import converted  # noqa: PLC0415  (most syncs convert a few)

    lots = [wanted[begin : begin + LOT] for begin in range(0, len(wanted), LOT)]
    together: list[set[str]] = []
    done = 0
    with closing(converted(conversion, lots, jobs, backend)) as results:
        for lot in results:
            _take_in(conversion, lot)
            together.append(lot.groups)
            done += len(lots[lot.number])
            yield done, len(wanted)
    for more, _ in conversion.convert({*wanted[done:]} | _torn(conversion.state, together)):
        yield min(done + more, len(wanted)), len(wanted)


def _can_fork(conversion: Conversion) -> bool:
    """Whether a fork is a copy of this process, and leaves nothing behind if it is killed."""
    conversion.writer.settle()
    conversion.objects.rest()
    return hasattr(os, "fork") and threading.active_count() == 1 and not conversion.repo.promisor


def _torn(state: State, together: Iterable[set[str]]) -> set[str]:
    """The groups of sessions that a lot saw only a part of. ``together``: the groups of each lot."""
    lots = list(together)
    return {
        group
        for groups in state.spread()
        if any(not lot.isdisjoint(groups) and not lot.issuperset(groups) for lot in lots)
        for group in groups
    }


def _take_in(conversion: Conversion, lot: Lot) -> None:
    conversion.state.change(lot.changes)
    conversion.results.add(lot.results)
    for found in lot.found:
        conversion.report(found)
