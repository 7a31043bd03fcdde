"""A stream is converted a few units at a time, one step after the other.

Each step (decode, convert, number, see what a summary needs, encode) runs through code and tables of its own. All steps
for one unit after the other do not fit into the cache of a processor: a step for some units takes a sixth less time
(docs/performance.md). What is written is the same.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeVar

from git_asr.converters.base import Unit

MOST_UNITS = 32
"""Units of a batch at most."""
MOST_BYTES = 64 * 1024
"""Bytes of its units as stored; the last one may exceed them, so that of long lines there is one at a time."""

T = TypeVar("T")


class Batches:
    """The steps of one conversion: ``units`` is the first, and each ``step`` the next one."""

    def __init__(self) -> None:
        self._before: list[Any] = []

    def units(self, units: Iterator[Unit]) -> Iterator[Unit]:
        """Read a batch of units, and pass it on."""
        waiting: list[Unit] = []
        self._before = waiting
        return _read(units, waiting)

    def step(self, made: Iterator[T]) -> Iterator[T]:
        """Pass on what the last step made when all that was waiting for it is done."""
        before, waiting = self._before, list[T]()
        self._before = waiting
        return _made(made, before, waiting)


def _read(units: Iterator[Unit], waiting: list[Unit]) -> Iterator[Unit]:
    size = 0
    for unit in units:
        waiting.append(unit)
        size += 0 if unit.text is None else len(unit.text)
        if size >= MOST_BYTES or len(waiting) == MOST_UNITS:
            waiting.reverse()
            while waiting:
                yield waiting.pop()
            size = 0
    waiting.reverse()
    while waiting:
        yield waiting.pop()


def _made(made: Iterator[T], before: list[Any], waiting: list[T]) -> Iterator[T]:
    for one in made:
        waiting.append(one)
        if not before:
            waiting.reverse()
            while waiting:
                yield waiting.pop()
    waiting.reverse()
    while waiting:
        yield waiting.pop()
