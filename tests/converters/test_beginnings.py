"""The check of prefix stability finds what it should find (``tests/support/beginnings.py``)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from git_asr.asr.draft import Draft
from git_asr.converters.base import Embedded, NativeFormat, Unit
from git_asr.converters.opaque import LINES
from git_asr.converters.units import read_lines
from tests.support.beginnings import broken, broken_apart

TEXT = b'{"a":1}\n\n{"b":2}{"c":3}\n{"d":\n{"e":5}\n{"f":'
UNITS = list(read_lines([TEXT]))

Yields = Callable[["Some", Iterator[Unit]], Iterator[Draft]]


class Some:
    """A converter whose drafts are given by a function."""

    name = "some"
    version = 1
    lossy = ()

    def __init__(self, drafts: Yields) -> None:
        self._drafts = drafts
        self.format_version: str | None = None
        self.workspace: dict[str, Any] | None = None
        self.embedded: list[Embedded] = []

    def convert(self, units: Iterator[Unit], _: NativeFormat | None, stream: str = "") -> Iterator[Draft]:
        return self._drafts(self, units)


def draft(unit: Unit, **fields: Any) -> Draft:
    return Draft("message", unit.position, unit.index, fields)


def one_each(_: Some, units: Iterator[Unit]) -> Iterator[Draft]:
    yield from map(draft, units)


def one_line_late(_: Some, units: Iterator[Unit]) -> Iterator[Draft]:
    """What it holds back it gives at the end too."""
    held = None
    for unit in units:
        if held is not None:
            yield draft(held)
        held = unit
    if held is not None:
        yield draft(held)


def says_first(converter: Some, units: Iterator[Unit]) -> Iterator[Draft]:
    for unit in units:
        converter.format_version = converter.format_version or "1"
        if unit.position > 2:
            converter.workspace = {"cwd": "/w", **({"vcs": "main"} if unit.position > 3 else {})}
            converter.embedded = [Embedded("x", (), LINES)]
        yield draft(unit)


def knows_the_end(_: Some, units: Iterator[Unit]) -> Iterator[Draft]:
    found = list(units)
    for unit in found:
        yield draft(unit, count=len(found))


def sees_the_next(_: Some, units: Iterator[Unit]) -> Iterator[Draft]:
    held = None
    for unit in units:
        if held is not None:
            yield draft(held, last=False)
        held = unit
    if held is not None:
        yield draft(held, last=True)


def adds_at_the_end(_: Some, units: Iterator[Unit]) -> Iterator[Draft]:
    position = 0
    for unit in units:
        position = unit.position
        yield draft(unit)
    yield Draft("state", position, 99)


def fails_at_the_end(_: Some, units: Iterator[Unit]) -> Iterator[Draft]:
    last = 0
    for unit in units:
        last = unit.position
        yield draft(unit)
    if last == 3:
        raise KeyError


def says_last(converter: Some, units: Iterator[Unit]) -> Iterator[Draft]:
    for unit in units:
        converter.format_version = str(unit.position)
        yield draft(unit)


def names_streams_anew(converter: Some, units: Iterator[Unit]) -> Iterator[Draft]:
    for unit in units:
        converter.embedded = [Embedded(str(unit.position), (), LINES)]
        yield draft(unit)


@pytest.mark.parametrize("drafts", [one_each, one_line_late, says_first])
def test_a_converter_of_beginnings(drafts: Yields) -> None:
    assert broken(lambda: Some(drafts), UNITS, "s") == []
    assert broken(lambda: LINES, UNITS, "s") == []


@pytest.mark.parametrize(
    ("drafts", "lines"),
    [
        (knows_the_end, [1, 3, 4, 5]),
        (sees_the_next, [1, 3, 4, 5]),
        (adds_at_the_end, [0, 1, 3, 4, 5]),
        (fails_at_the_end, [3]),
        (says_last, [1, 3, 4, 5]),
        (names_streams_anew, [1, 3, 4, 5]),
    ],
)
def test_a_converter_that_knows_the_end(drafts: Yields, lines: list[int]) -> None:
    found = broken(lambda: Some(drafts), UNITS, "s")
    assert [end.position for end in found] == lines
    apart = broken_apart(Some(drafts), UNITS, "s")
    assert [(end.position, end.more) for end in apart] == [(end.position, end.more) for end in found]


def test_a_converter_that_raises_raises() -> None:
    def fails(_: Some, units: Iterator[Unit]) -> Iterator[Draft]:
        yield draft(next(units))
        raise KeyError

    with pytest.raises(KeyError):
        broken(lambda: Some(fails), UNITS, "s")
