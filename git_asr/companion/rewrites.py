"""Which commits Git rewrote into which, as its ``post-rewrite`` hook told: local state, in no record.

A text file under the common directory, ``asr/rewrites``, with a line for each pair: ``old new kind unix-time``. Unlike
the rest of the local state it cannot be found again; a sync from scratch leaves it alone.
"""

from __future__ import annotations

import os
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from git_asr.companion.private import opener
from git_asr.values import dataclass

FILE_NAME = "rewrites"
MAX_BYTES = 1 << 20
"""Beyond this the older half of the file goes."""
FARTHEST = 1000
"""Commits that are looked at for one, however long the chain."""

_LINE = re.compile(r"([0-9a-f]{40}|[0-9a-f]{64}) ([0-9a-f]{40}|[0-9a-f]{64}) (amend|rebase) ([0-9]{1,12})")


@dataclass(frozen=True, slots=True)
class Pair:
    """A commit and what Git made of it. ``kind``: ``amend`` or ``rebase``; ``when``: epoch seconds."""

    old: str
    new: str
    kind: str
    when: int

    def __str__(self) -> str:
        """Its line in the file."""
        return f"{self.old} {self.new} {self.kind} {self.when}"


def pairs(directory: Path) -> list[Pair]:
    """All pairs, the oldest first; ``directory``: ``<common directory>/asr``. What is no pair is passed over."""
    found = map(_LINE.fullmatch, _text(directory).split("\n"))
    return [Pair(one[1], one[2], one[3], int(one[4])) for one in found if one]


def add(directory: Path, more: Iterable[Pair]) -> None:
    """Add pairs, each once: the file is replaced as a whole, or stays as it was.

    Raises:
        OSError: it cannot be written.
    """
    known = dict.fromkeys(map(str, pairs(directory)))
    lines = list(known | dict.fromkeys(str(one) for one in more if one.old != one.new))
    if len(lines) == len(known):
        return
    while sum(map(len, lines)) + len(lines) > MAX_BYTES:
        del lines[: (len(lines) + 1) // 2]
    path = directory / FILE_NAME
    new = path.with_name(f"{FILE_NAME}.new")
    with open(new, "w", encoding="ascii", opener=opener) as file:
        file.writelines(f"{line}\n" for line in lines)
    new.replace(path)


def _text(directory: Path) -> str:
    """The file, of one that grew beyond all measure the end; empty where there is none."""
    try:
        with (directory / FILE_NAME).open("rb") as file:
            file.seek(max(0, os.fstat(file.fileno()).st_size - 2 * MAX_BYTES))
            return file.read(2 * MAX_BYTES).decode("ascii", "replace")
    except OSError:
        return ""


class Rewrites:
    """The pairs as a graph in which to look for the commits that one was before, or became."""

    def __init__(self, found: Iterable[Pair]) -> None:
        self._before: Mapping[str, list[str]] = defaultdict(list)
        self._after: Mapping[str, list[str]] = defaultdict(list)
        for one in found:
            self._before[one.new].append(one.old)
            self._after[one.old].append(one.new)

    def origins(self, commit: str, wanted: Callable[[str], bool]) -> list[str]:
        """The nearest commits that one was rewritten from and that are wanted: on each way back the first of them."""
        return _nearest(self._before, commit, wanted)

    def outcomes(self, commit: str, wanted: Callable[[str], bool]) -> list[str]:
        """The nearest commits that one was rewritten into and that are wanted."""
        return _nearest(self._after, commit, wanted)

    def olds(self, beginning: str) -> list[str]:
        """The rewritten commits whose ID begins so."""
        return [one for one in self._after if one.startswith(beginning)]


def _nearest(edges: Mapping[str, Sequence[str]], commit: str, wanted: Callable[[str], bool]) -> list[str]:
    """Go along the edges, the nearest first, at most so far, and nowhere twice: pairs may form a circle."""
    met, todo = {commit}, [commit]
    found: list[str] = []
    for here in todo:
        for one in edges.get(here, ()):
            if one in met or len(met) > FARTHEST:
                continue
            met.add(one)
            (found if wanted(one) else todo).append(one)
    return found
