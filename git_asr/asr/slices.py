"""Which part of a stream belongs to which checkpoint (profile section 6; reference entire-checkpoints, section 3.4)."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable

from git_asr.asr.links import CHECKPOINT, pairs
from git_asr.asr.reading import Stream
from git_asr.asr.times import instant
from git_asr.values import dataclass


@dataclass(frozen=True, slots=True)
class Slice:
    """What came in between the checkpoint before and this one.

    ``first``, ``last``: positions, both included; ``last`` is ``first - 1`` where nothing came in. ``commits``: full
    IDs of the commits that name the checkpoint. ``ts``: its time as recorded.
    """

    checkpoint: str
    first: int
    last: int
    commits: tuple[str, ...]
    ts: str | None

    def holds(self, position: int) -> bool:
        """Whether a unit of this position came in with the checkpoint; position 0 is nobody's."""
        return self.first <= position <= self.last


def slices(stream: Stream) -> list[Slice]:
    """The slices of a stream, by start and then by the checkpoint's time.

    A slice ends before the next greater start, or where the stream does; checkpoints with one start share one slice.
    A checkpoint whose start is not recorded has none.
    """
    starts: list[tuple[int, int, str]] = []
    times: dict[str, str | None] = {}
    commits: dict[str, list[str]] = {}
    for checkpoint, commit in pairs(stream.links):
        commits.setdefault(checkpoint, []).append(commit)
    for record in stream.links:
        if record["type"] == CHECKPOINT and _is_start(record.get("start")):
            times[record["id"]] = record.get("ts")
            starts.append((record["start"], instant(record.get("ts")) or 0, record["id"]))
    found = []
    firsts = sorted({start for start, *_ in starts})
    ends = dict(zip(firsts, [*(one - 1 for one in firsts[1:]), stream.through], strict=False))
    for start, _, checkpoint in sorted(starts):
        own = tuple(sorted(commits.get(checkpoint, ())))
        found.append(Slice(checkpoint, start, max(ends[start], start - 1), own, times[checkpoint]))
    return found


def holding(parts: Iterable[Slice] | None) -> Callable[[int], bool]:
    """Tells of a position whether some of these slices of one stream holds it; None stands for all of the stream."""
    if parts is None:
        return lambda _: True
    listed = sorted(parts, key=_first)

    def holds(position: int) -> bool:
        """Slices have nothing in common, or everything."""
        found = bisect_right(listed, position, key=_first) - 1
        return found >= 0 and listed[found].holds(position)

    return holds


def commits_at(parts: Iterable[Slice]) -> Callable[[int], tuple[str, ...]]:
    """Tells of a position of one stream which commits name the checkpoints with which it came in: none, or several."""
    by_start: dict[int, list[Slice]] = {}
    for one in sorted(parts, key=_first):
        by_start.setdefault(one.first, []).append(one)
    firsts = list(by_start)

    def commits(position: int) -> tuple[str, ...]:
        found = bisect_right(firsts, position) - 1
        own = [one for one in by_start[firsts[found]] if one.holds(position)] if found >= 0 else []
        return tuple(sorted({commit for one in own for commit in one.commits}))

    return commits


def _first(one: Slice) -> int:
    return one.first


def _is_start(found: object) -> bool:
    return isinstance(found, int) and not isinstance(found, bool) and found >= 1
