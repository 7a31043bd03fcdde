"""What holds for every transcript: nothing is lost, the first lines give the first records, nothing raises."""

from __future__ import annotations

import random
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from git_asr.asr import codec
from git_asr.asr.large import describe, line
from git_asr.converters.base import Unit
from tests.converters import goldens
from tests.converters.claude.conversion import convert, losses, streams, units
from tests.support.companion import schema
from tests.support.losslessness import written

CASES = [case for case in goldens.cases() if case.startswith("claude-code/")]
NON_FINITE = {"claude-code/non-finite"}


def text_of(case: str) -> bytes:
    return b"\n".join(goldens.chunks(case))


def encoded(text: bytes) -> dict[str, list[bytes]]:
    return {name: [line(one, describe) for one in records] for name, records in streams(text).items()}


@pytest.mark.parametrize("case", sorted({*CASES} - NON_FINITE))
def test_nothing_is_lost(case: str) -> None:
    lost = [one for one in losses(text_of(case)) if not _is_cut_off(case, one.position)]
    assert lost == []


def _is_cut_off(case: str, position: int) -> bool:
    """Whether this is a damaged last line, which may still be being written."""
    last = units(text_of(case))[-1]
    return last.kind == "malformed" and last.position == position


@pytest.mark.parametrize("case", CASES)
def test_the_first_lines_give_the_first_records(case: str) -> None:
    text = text_of(case)
    whole = encoded(text)
    lines = text.splitlines(keepends=True)
    for count in range(len(lines)):
        for name, some in encoded(b"".join(lines[:count])).items():
            assert some == whole[name][: len(some)]


@pytest.mark.parametrize("case", CASES)
def test_records_are_valid(case: str) -> None:
    for name, records in streams(text_of(case)).items():
        ids: set[str] = set()
        for record in written(records).records:
            assert not list(schema("record").iter_errors(record)), (name, record)
            assert record.get("supersedes", record["id"]) in {*ids, record["id"]}
            assert record["id"] not in ids
            ids.add(record["id"])


def replaced(value: Any, choose: random.Random) -> Any:
    """A value in which something is something else."""
    odd = [
        None,
        0,
        -1,
        2.5,
        True,
        "",
        "REDACTED",
        "~1.0",
        [],
        {},
        ["x"],
        {"x": "y"},
        "tool_result",
        "x" * 500,
    ]
    if isinstance(value, dict) and value and choose.random() < 0.9:
        key = choose.choice(list(value))
        if choose.random() < 0.15:
            return {name: item for name, item in value.items() if name != key}
        return {**value, key: replaced(value[key], choose)}
    if isinstance(value, list) and value and choose.random() < 0.9:
        at = choose.randrange(len(value))
        if choose.random() < 0.2:
            return value + value
        return [*value[:at], replaced(value[at], choose), *value[at + 1 :]]
    return choose.choice(odd)


def _strict(text: bytes) -> Any:
    try:
        return orjson.loads(text)
    except ValueError:
        return None


LINES = [
    value
    for case in CASES
    for text in text_of(case).splitlines()
    if isinstance(value := _strict(text), dict) and len(text) < 20_000
]


@given(st.lists(st.tuples(st.integers(0, len(LINES) - 1), st.integers(0, 3)), max_size=12), st.randoms())
def test_mutated_lines_become_records(picked: list[tuple[int, int]], choose: random.Random) -> None:
    values = []
    for index, times in picked:
        value = LINES[index]
        for _ in range(times):
            value = replaced(value, choose)
        values.append(value)
    text = b"".join(codec.encode(value) + b"\n" for value in values)
    first = encoded(text)
    assert first == encoded(text)
    for made in first.values():
        for record in made:
            assert orjson.loads(record)["seq"] >= 0
    deep = {unit.position for unit in units(text) if unit.kind == "malformed"}
    assert [one for one in losses(text) if one.position not in deep] == []


@given(st.integers(0, len(LINES) - 1), st.binary(max_size=40).filter(lambda data: b"\n" not in data))
def test_a_damaged_line_costs_only_itself(index: int, damage: bytes) -> None:
    before, after = LINES[index], LINES[-1 - index]
    bad = b"{" + damage
    text = codec.encode(before) + b"\n" + bad + b"\n" + codec.encode(after) + b"\n"
    good = codec.encode(before) + b"\n\n" + codec.encode(after) + b"\n"
    kept = [one["seq"] for one in convert(text) if one["seq"] // 1_000_000 != 2]
    assert kept == [one["seq"] for one in convert(good)]


def test_values_that_are_no_lines() -> None:
    text = (
        b'[1]\n"text"\n7\nnull\n{}\n{"type":"user"}\n{"type":"user","x":NaN,"uuid":"u1","parentUuid":null}\n'
    )
    assert [one["type"].rsplit("/")[-1] for one in convert(text)] == ["line"] * 5 + ["user"] * 2
    assert convert(text)[-1]["native"] == {"value": '{"type":"user","x":NaN,"uuid":"u1","parentUuid":null}'}


def test_a_second_value_on_a_line() -> None:
    one = b'{"type":"user","uuid":"u%d","parentUuid":null,"message":{"role":"user","content":"hi"}}'
    records = convert(one % 1 + one % 2 + b"\n")
    assert [record["seq"] for record in records] == [1_000_000, 1_500_000]
    assert isinstance(units(one % 1)[0], Unit)
