"""Damage of every kind in a transcript of every format: no exception, a notice where it stands, the rest as before."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest

from git_asr.asr import codec
from git_asr.converters.base import NativeFormat, Unit
from git_asr.converters.detect import detect
from git_asr.converters.registry import CONVERTERS, FORMATS
from git_asr.converters.units import read_units
from tests.converters import goldens
from tests.converters.oracle import CHECKED, TEXTS, check, deadline, losses, streams
from tests.converters.rules import encoded

pytestmark = pytest.mark.no_cover  # other tests cover the same; measured, it takes twice as long


def _of_each_format() -> dict[str, str]:
    """One fixture for each format: of those without damage the one with most kinds of values."""
    found: dict[str, tuple[int, str]] = {}
    for case in goldens.cases():
        native, units = goldens.units(goldens.chunks(case))
        if native is not None and all(unit.kind != "malformed" and not unit.flags for unit in units):
            size = sum(len(str(unit.value)) for unit in units)
            found[native.name] = max(found.get(native.name, (0, case)), (size if size < 20_000 else 0, case))
    return {name: case for name, (_, case) in sorted(found.items())}


CASES = _of_each_format()
LINES = [one.name for one in FORMATS if one.array is None and one.name not in TEXTS]
DOCUMENTS = [one.name for one in FORMATS if one.array is not None]


def test_every_format_is_there() -> None:
    assert CASES.keys() == {one.name for one in FORMATS} == {*LINES, *DOCUMENTS, *TEXTS}
    assert CONVERTERS.keys() == CHECKED, (
        "tests/converters/oracle.py must know what the records say in other words"
    )


def fixture(name: str) -> tuple[NativeFormat, list[Unit]]:
    native, units = goldens.units(goldens.chunks(CASES[name]))
    assert native is not None
    return native, units


def converted(native: NativeFormat, *chunks: bytes) -> tuple[list[Unit], list[dict[str, Any]]]:
    """The units of a transcript and the records of its stream, once every rule was seen to hold."""
    with deadline(30):
        units = list(read_units(chunks, native))
        return units, list(check(native, units)["stream"])


def text_of(native: NativeFormat, values: list[Any]) -> bytes:
    """A transcript with these units; the first one of a document is what stands beside its array."""
    if native.array is None:
        return b"".join(codec.encode(value) + b"\n" for value in values)
    head, *elements = values
    return codec.encode({**head, native.array: elements})


def values_of(native: NativeFormat, units: list[Unit]) -> list[Any]:
    head = [] if native.array is None or units[0].position == 0 else [{}]
    return [*head, *(unit.value for unit in units)]


def everywhere(value: Any, change: Callable[[Any], Any]) -> Any:
    """A value in which every leaf is changed."""
    if isinstance(value, dict):
        return {key: everywhere(item, change) for key, item in value.items()}
    if isinstance(value, list):
        return [everywhere(item, change) for item in value]
    return change(value)


def deep(levels: int) -> Any:
    value: Any = "bottom"
    for level in range(levels):
        value = [value] if level % 2 else {"x": value}
    return value


def surrogate(value: Any) -> Any:
    return value + "\ud83d" if isinstance(value, str) and " " in value else value


def nul(value: Any) -> Any:
    return value.replace(" ", "\0") if isinstance(value, str) else value


def large(value: Any) -> Any:
    return value + (1 << 53) + 1 if type(value) is int else value


def with_more(value: Any, more: Any) -> Any:
    return {**value, "more": more} if isinstance(value, dict) else value


ODD: dict[str, Callable[[Any], Any]] = {
    "lone surrogates": lambda value: everywhere(value, surrogate),
    "a lone surrogate in a new field": lambda value: with_more(value, "\udc00"),
    "NULs": lambda value: everywhere(value, nul),
    "numbers beyond 2^53": lambda value: everywhere(value, large),
    "64 bits in a new field": lambda value: with_more(value, [(1 << 64) - 1, -(1 << 63), (1 << 53) + 1]),
    "200 levels in a new field": lambda value: with_more(value, deep(200)),
    "200 levels in every object": lambda value: (
        {key: deep(200) for key in value} if isinstance(value, dict) else 7
    ),
}


@pytest.mark.parametrize("odd", ODD)
@pytest.mark.parametrize("name", [*LINES, *DOCUMENTS])
def test_odd_values(name: str, odd: str) -> None:
    """In every unit, and in every second: whatever is in them is found in the records."""
    native, units = fixture(name)
    values = values_of(native, units)
    for kept in (None, 0):
        some = [value if at % 2 == kept else ODD[odd](value) for at, value in enumerate(values)]
        converted(native, text_of(native, some))


JUNK = {
    "a torn object": b'{"torn": [1, ',
    "no JSON": b"<html>",
    "no UTF-8": b'{"a": \xff}\xfe',
    "600 levels": b"[" * 600 + b"]" * 600,
}


@pytest.mark.parametrize("junk", JUNK)
@pytest.mark.parametrize("name", LINES)
def test_damaged_lines_cost_only_themselves(name: str, junk: str) -> None:
    """One before each line, and one at the end, which may still be being written."""
    native, units = fixture(name)
    texts = [codec.encode(unit.value) for unit in units]
    found, records = converted(
        native, b"\n".join(line for text in texts for line in (JUNK[junk], text)) + b"\n" + JUNK[junk]
    )
    assert [unit.position for unit in found if unit.kind == "malformed"] == list(
        range(1, 2 * len(texts) + 2, 2)
    )
    assert places(records, malformed=True) == {(at, 0) for at in range(1, 2 * len(texts), 2)}
    whole = places(converted(native, b"\n".join(texts))[1])
    assert {(2 * at, part) for at, part in whole} - places(records) == set()


def places(records: list[dict[str, Any]], *, malformed: bool = False) -> set[tuple[int, int]]:
    """Position and part of the records, of those of damaged lines or of the others."""
    return {
        divmod(one["seq"], 1_000_000)
        for one in records
        if ("git-asr/malformed" in one.get("_meta", {})) is malformed
    }


@pytest.mark.parametrize("name", LINES)
def test_blank_lines_and_nuls_change_nothing_but_positions(name: str) -> None:
    native, units = fixture(name)
    texts = [codec.encode(unit.value) for unit in units]
    whole = places(converted(native, b"\n".join(texts))[1])
    found = places(converted(native, b"\0\0\r\n" + b"\r\n \0\n".join(texts) + b"\0\0")[1])
    assert found == {(2 * at, part) for at, part in whole}


@pytest.mark.parametrize("name", LINES)
def test_two_objects_on_one_line(name: str) -> None:
    """Each line glued to the next: no unit goes."""
    native, units = fixture(name)
    texts = [codec.encode(unit.value) for unit in units]
    glued = b"\n".join(b"".join(texts[at : at + 2]) for at in range(0, len(texts), 2))
    found, _ = converted(native, glued)
    assert [unit.value for unit in found] == [unit.value for unit in units]
    assert detect(glued) is native


@pytest.mark.parametrize("name", LINES)
def test_a_last_line_that_is_cut(name: str) -> None:
    """Wherever it is cut, the lines before give what they gave."""
    native, units = fixture(name)
    texts = [codec.encode(unit.value) for unit in units]
    before, last = b"\n".join(texts[:-1]), texts[-1]
    settled = list(converted(native, before)[1]) if before else []
    for end in range(1, len(last), 1 + len(last) // 40):
        _, records = converted(native, before + b"\n" + last[:end])
        assert encoded(records)[: len(settled)] == encoded(settled)


@pytest.mark.parametrize("name", DOCUMENTS)
def test_a_document_that_is_cut(name: str) -> None:
    """Wherever it is cut, the elements before are what they were, and the rest is kept as text."""
    native, units = fixture(name)
    text = text_of(native, values_of(native, units))
    values = [unit.value for unit in units]
    known = 0
    for end in range(1, len(text), 1 + len(text) // 60):
        found, _ = converted(native, text[:end])
        whole = [unit for unit in found if unit.kind == "value"]
        assert [unit.kind for unit in found] == ["value"] * len(whole) + ["malformed"]
        if not whole:
            assert found[0].value == text[:end].decode()
            continue
        assert [unit.value for unit in whole[1:]] == values[1:][: len(whole) - 1]
        assert len(whole) >= known
        known = len(whole)
        told = detect(text[:end])
        assert told is native or len(whole) < 3, end
    assert known >= len(units) - 1


@pytest.mark.parametrize("name", DOCUMENTS)
def test_documents_glued_or_in_chunks_of_another_agent(name: str) -> None:
    """The first is read, whatever stands behind it is kept."""
    native, units = fixture(name)
    text = text_of(native, values_of(native, units))
    for other in (DOCUMENTS[DOCUMENTS.index(name) - 1], "claude-code-jsonl", "cursor-text"):
        foreign = b"\n".join(goldens.chunks(CASES[other]))
        glued, _ = converted(native, text + foreign)
        behind, _ = converted(native, text, foreign)
        first, *_ = converted(native, b"", foreign, text)[0]
        assert [unit.value for unit in glued[:-1]] == [unit.value for unit in behind][: len(glued) - 1]
        assert [unit.value for unit in glued[:-1]] == values_of(native, units)
        assert foreign.strip().decode().startswith(glued[-1].value[:40])
        assert first.position == 0


@pytest.mark.parametrize("name", LINES)
def test_a_transcript_of_another_agent_inside(name: str) -> None:
    """Between the lines, and as a chunk of its own: all of it is kept, and so are the agent's own lines."""
    native, units = fixture(name)
    half = len(units) // 2
    texts = [codec.encode(unit.value) for unit in units]
    for other in (LINES[LINES.index(name) - 1], "claude-code-jsonl", "opencode-json", "cursor-text"):
        foreign = b"\n".join(goldens.chunks(CASES[other])).strip(b"\n")
        within, _ = converted(native, b"\n".join([*texts[:half], foreign, *texts[half:]]))
        behind, _ = converted(native, b"\n".join(texts), foreign)
        values = [unit.value for unit in units]
        for found, cut in ((within, half), (behind, len(values))):
            told = [unit.value for unit in found]
            assert [*told[:cut], *told[len(told) - len(values) + cut :]] == values


def members(value: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """The paths of all that is in a value; of a list the first three elements stand for the rest."""
    found = (
        enumerate(value[:3]) if isinstance(value, list) else value.items() if isinstance(value, dict) else ()
    )
    for key, item in found:
        yield (*path, key)
        yield from members(item, (*path, key))


def with_another(value: Any, path: tuple[str | int, ...], other: Any) -> Any:
    """A value in which something else stands in one place."""
    if not path:
        return other
    changed = value.copy()
    changed[path[0]] = with_another(value[path[0]], path[1:], other)
    return changed


@pytest.mark.parametrize("name", [*LINES, *DOCUMENTS])
def test_anything_may_be_something_else(name: str) -> None:
    """In every place that a fixture has, once for each type of unit: the odd value is kept."""
    done: set[tuple[Any, ...]] = set()
    for case in goldens.cases():
        native, units = goldens.units(goldens.chunks(case))
        if native is None or native.name != name:
            continue
        for at, unit in enumerate(units):
            if unit.kind != "value" or unit.flags:
                continue
            kind = native.facts(unit.value)
            for path in members(unit.value):
                place = (kind.type, kind.payload, *("*" if isinstance(key, int) else key for key in path))
                if place in done:
                    continue
                done.add(place)
                value = with_another(unit.value, path, {"odd": 0})
                text = None if unit.text is None else codec.encode(value)
                some = [*units[:at], replace(unit, value=value, text=text), *units[at + 1 :]]
                assert losses(native, some, streams(native, some)) == [], (case, unit.position, path)
    assert done
