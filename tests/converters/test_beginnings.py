"""The check of prefix stability finds what it should find (``tests/support/beginnings.py``)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from git_asr.asr.draft import Draft
from git_asr.converters.base import Embedded, NativeFormat, Unit
from git_asr.converters.opaque import LINES
from git_asr.converters.units import read_lines
from tests.support.beginnings import broken, broken_apart, is_beginning

TEXT = b'{"a":1}\n\n{"b":2}{"c":3}\n{"d":\n{"e":5}\n{"f":'
UNITS = list(read_lines([TEXT]))

OTHER = b'{"type":"state","state":"idle"}'
FIRST = b'{"type":"message","content":[{"text":"a"}],"assembly":{"state":"partial","fragments":1}}'
SECOND = b'{"type":"message","content":[{"text":"ab"}],"assembly":{"state":"final","fragments":2}}'

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


def joined(*, marks: bool = True, loses: bool = False) -> Yields:
    """Two lines each become one message, where the second stands; the third and the sixth stand for themselves."""

    def drafts(_: Some, units: Iterator[Unit]) -> Iterator[Draft]:
        held: list[Unit] = []
        for unit in units:
            if unit.position in (3, 6):
                yield draft(unit, content=[])
                continue
            held.append(unit)
            if len(held) == 2:
                yield from [] if loses else [message(held, marks=False)]
                held = []
        if held:
            yield message(held, marks=marks)

    return drafts


def message(held: list[Unit], *, marks: bool) -> Draft:
    text = "".join(str(one.value) for one in held)
    assembly = {"state": "partial" if marks else "final", "fragments": len(held)}
    return Draft("message", held[-1].position, 0, {"content": [{"text": text}], "assembly": assembly})


PIECES = list(read_lines([b'{"a":1}\n{"b":1}\n{"c":1}\n{"d":1}\n{"e":1}\n{"f":1}\n']))


def test_a_message_that_was_open_may_move_on() -> None:
    assert broken(lambda: Some(joined()), PIECES, "s") == []


@pytest.mark.parametrize(
    ("drafts", "lines"),
    [
        (joined(marks=False), [1, 4]),  # it does not say that it is open
        (joined(loses=True), [1, 4]),  # nothing takes its place
    ],
)
def test_no_other_record_may_move(drafts: Yields, lines: list[int]) -> None:
    assert [end.position for end in broken(lambda: Some(drafts), PIECES, "s")] == lines


@pytest.mark.parametrize(
    ("some", "whole", "expected"),
    [
        ([], [], True),
        ([OTHER], [OTHER, FIRST], True),
        ([OTHER], [FIRST], False),
        ([OTHER, FIRST], [OTHER], False),
        ([FIRST], [FIRST, OTHER], True),
        ([FIRST], [OTHER, SECOND], True),
        ([FIRST, OTHER], [OTHER, SECOND], True),
        ([FIRST, OTHER], [SECOND, OTHER], False),
        ([FIRST, OTHER], [OTHER], False),
        ([FIRST, FIRST], [SECOND], False),
        ([SECOND], [FIRST], False),
    ],
)
def test_what_a_beginning_is(some: list[bytes], whole: list[bytes], expected: bool) -> None:
    assert is_beginning(some, whole) is expected


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
