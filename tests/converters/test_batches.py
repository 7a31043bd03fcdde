"""Batches: each step is done for some units before the next one begins, and nothing else changes."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from git_asr.converters.base import Unit
from git_asr.converters.batches import MOST_BYTES, MOST_UNITS, Batches


def units(sizes: list[int | None], done: list[str]) -> Iterator[Unit]:
    for position, size in enumerate(sizes, start=1):
        done.append(f"read {position}")
        yield Unit(position, 0, position, None if size is None else b"x" * size)


def through(sizes: list[int | None], made: int, done: list[str]) -> list[int]:
    """Take units through three steps; the second makes so many things of each. ``done``: what was done, in order."""

    def second(found: Iterator[Unit]) -> Iterator[int]:
        for unit in found:
            done.append(f"make {unit.position}")
            yield from range(unit.position * 10, unit.position * 10 + made)

    def third(found: Iterator[int]) -> Iterator[int]:
        for one in found:
            done.append(f"end {one}")
            yield one

    batches = Batches()
    return list(batches.step(third(batches.step(second(batches.units(units(sizes, done)))))))


@pytest.mark.parametrize("made", [0, 1, 2])
@pytest.mark.parametrize("count", [0, 1, MOST_UNITS, MOST_UNITS + 1, 3 * MOST_UNITS])
def test_all_comes_through_in_order(count: int, made: int) -> None:
    wanted = [one * 10 + number for one in range(1, count + 1) for number in range(made)]
    assert through([1] * count, made, []) == wanted


def test_steps_take_turns() -> None:
    done: list[str] = []
    through([MOST_BYTES - 1, 1, 5], 1, done)
    first = ["read 1", "read 2", "make 1", "make 2", "end 10", "end 20"]
    assert done == [*first, "read 3", "make 3", "end 30"]


@pytest.mark.parametrize(("size", "most"), [(1, MOST_UNITS), (None, MOST_UNITS), (MOST_BYTES, 1)])
def test_a_batch_has_bounds(size: int | None, most: int) -> None:
    done: list[str] = []
    through([size] * (2 * MOST_UNITS), 1, done)
    assert done.index("make 1") == most
    assert done.index(f"read {most + 1}") == 3 * most


def test_of_the_last_unit_nothing_need_be_made() -> None:
    batches = Batches()
    found = batches.units(units([1, 1, 1], []))
    made = batches.step(unit.position for unit in found if unit.position < 3)
    assert list(batches.step(made)) == [1, 2]


def test_what_is_passed_on_is_not_kept() -> None:
    taken = Batches().units(units([1, 1, 1], []))
    next(taken)
    waiting = taken.gi_frame.f_locals["waiting"]
    assert [unit.position for unit in waiting] == [3, 2]


def test_a_fault_of_a_step_comes_through() -> None:
    def broken(found: Iterator[Unit]) -> Iterator[int]:
        yield next(found).position
        raise ValueError("broken")

    batches = Batches()
    with pytest.raises(ValueError, match="broken"):
        list(batches.step(broken(batches.units(units([1, 1], [])))))
