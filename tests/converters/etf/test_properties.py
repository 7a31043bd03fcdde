"""What holds for every transcript: nothing is lost, the first lines give the first records, nothing raises."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from git_asr.asr import codec
from git_asr.asr.large import describe, line
from git_asr.converters.base import Unit
from git_asr.converters.etf.converter import EntireLines
from tests.converters import goldens
from tests.converters.etf.conversion import lost_of, of
from tests.converters.rules import check_stream
from tests.support.beginnings import broken
from tests.support.losslessness import written
from tests.support.mutations import some, varied

CASES = [case for case in goldens.cases() if case.startswith("entire/")]


def units_of(case: str) -> list[Unit]:
    return goldens.units(goldens.chunks(case))[1]


def check(found: list[Unit]) -> None:
    """Convert units and see that every rule holds."""
    records = of(found)
    encoded = [line(one, describe) for one in records]
    assert encoded == [line(one, describe) for one in of(found)]
    out = written(records).records
    assert [codec.encode(one) + b"\n" for one in out] == encoded
    check_stream(out)
    lost = [
        one
        for one in lost_of(found, records)
        if found[-1].kind == "value" or one.position < found[-1].position
    ]
    assert lost == [], lost
    for count in range(len(found)):
        some = [line(one, describe) for one in of(found[:count])]
        assert some == encoded[: len(some)]


@pytest.mark.parametrize("case", CASES)
def test_every_rule_holds(case: str) -> None:
    found = [unit for unit in units_of(case) if "non-finite" not in unit.flags]
    check(found)
    assert broken(EntireLines, units_of(case), "") == []


VALUES = [
    unit.value
    for case in CASES
    for unit in units_of(case)
    if isinstance(unit.value, dict) and "non-finite" not in unit.flags
]


def as_units(values: list[Any]) -> list[Unit]:
    """Units as they are read: the text is at hand."""
    return [Unit(at, 0, one, codec.encode(one)) for at, one in enumerate(values, 1)]


@given(st.lists(st.tuples(st.integers(0, len(VALUES) - 1), st.integers(0, 3)), max_size=8), st.randoms())
def test_mutated_lines_become_records(picked: list[tuple[int, int]], choose: random.Random) -> None:
    values = varied(VALUES, picked, choose)
    check(as_units(values))


ids = st.sampled_from(["a", "b", "REDACTED", "", "~1.0", "~2.100", "\ud800"])
odd = st.sampled_from([None, 0, 1, True, 1.0, -1, 2.5, 1 << 60, "", "x", [], {}, ["x"], {"x": 1}])
texts = st.sampled_from(["go", "", "REDACTED"])
results = odd | some(
    output=texts | odd, status=st.sampled_from(["success", "error", "done"]) | odd, file=odd, x=odd
)
blocks = odd | texts | st.one_of(
    some(id=ids, text=texts, type=st.sampled_from(["text", "image"]) | odd, x=odd),
    some(
        id=ids | odd, type=st.just("tool_use"), name=st.sampled_from(["Read", "request_user_input"]) | odd,
        input=odd | st.just({"questions": [{"isSecret": True}]}), result=results, x=odd,
    ),
    some(type=st.just("image"), source=odd | some(type=st.just("base64"), data=st.sampled_from(["QUI=", "REDACTED", 1]),
         media_type=odd), x=odd),
)  # fmt: skip
tokens = odd | st.integers(0, 3)
values = odd | some(
    v=st.sampled_from([1, 1, 1, 1, 2, True, None]), agent=st.sampled_from(["codex", "claude-code"]) | odd,
    cli_version=st.sampled_from(["dev", "0.7.6-nightly"]) | odd, id=ids | odd,
    type=st.sampled_from(["user", "assistant", "assistant", "x"]) | odd,
    ts=odd | st.just("2026-01-01T00:00:00Z"), content=st.lists(blocks, max_size=4) | texts | odd,
    input_tokens=tokens, output_tokens=tokens, cache_read_tokens=tokens, x=odd,
)  # fmt: skip


@given(st.lists(values, max_size=6))
def test_small_worlds_keep_the_rules(found: list[Any]) -> None:
    """Lines with few IDs, so that they meet."""
    check(as_units(found))
