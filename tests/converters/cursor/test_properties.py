"""What holds for every transcript: nothing is lost, the first units give the first records, nothing raises."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from git_asr.asr import codec
from git_asr.asr.large import describe, line
from git_asr.converters.base import Unit
from git_asr.converters.cursor.lines import CursorMessages
from tests.converters import goldens
from tests.converters.cursor.conversion import lost_of, of_lines, of_text, text, untold
from tests.converters.rules import check_stream
from tests.support.beginnings import broken
from tests.support.losslessness import written
from tests.support.mutations import some, varied

ALL = [case for case in goldens.cases() if case.startswith("cursor/")]
UNITS = {case: goldens.units(goldens.chunks(case)) for case in ALL}
LINES = [case for case, (native, _) in UNITS.items() if native is not None and native.name == "cursor-jsonl"]
TEXTS = [case for case in ALL if case not in LINES]


def check_lines(found: list[Unit]) -> None:
    records = of_lines(found)
    encoded = [line(one, describe) for one in records]
    assert encoded == [line(one, describe) for one in of_lines(found)]
    check_stream(written(records).records)
    unread = {unit.position for unit in found if unit.kind == "malformed"}
    lost = [one for one in lost_of(found, records) if one.position not in unread]
    assert lost == [], lost
    for count in range(len(found)):
        part = [line(one, describe) for one in of_lines(found[:count])]
        assert part == encoded[: len(part)]


def check_text(found: list[Unit]) -> None:
    """Of a text the records of the last section are those that a longer one may replace."""
    records = of_text(found)
    encoded = [line(one, describe) for one in records]
    assert encoded == [line(one, describe) for one in of_text(found)]
    check_stream(written(records).records)
    assert untold(found, records) == []
    for count in range(1, len(found)):
        part = of_text(found[:count])
        last = part[-1]["seq"] // 1_000_000 if part else 0
        settled = [line(one, describe) for one in part if one["seq"] // 1_000_000 < last]
        assert settled == encoded[: len(settled)]


def test_a_query_may_begin_beside_its_tag() -> None:
    """Found by the fuzzer."""
    check_text(text("user:\n<user_query>ery>\nMow\n</user_query>\n\nassistant:\nMown."))
    check_text(text("user:\n<user_query>Mow</user_query>\n"))


@pytest.mark.parametrize("case", LINES)
def test_every_rule_holds_for_lines(case: str) -> None:
    found = UNITS[case][1]
    check_lines(found)
    assert broken(CursorMessages, found, "") == []


@pytest.mark.parametrize("case", TEXTS)
def test_every_rule_holds_for_a_text(case: str) -> None:
    check_text(UNITS[case][1])


@pytest.mark.parametrize("case", LINES)
def test_a_damaged_line_costs_only_itself(case: str) -> None:
    found = [unit for unit in UNITS[case][1] if unit.kind == "value"]
    whole = of_lines(found)
    for at, unit in enumerate(found[:-1]):
        damaged = [*found[:at], Unit(unit.position, unit.index, "{", None, "malformed"), *found[at + 1 :]]
        span = range(unit.position * 2 + unit.index, unit.position * 2 + unit.index + 1)

        def others(records: list[dict[str, Any]], span: range = span) -> list[dict[str, Any]]:
            return [one for one in records if one["seq"] // 500_000 not in span]

        assert others(of_lines(damaged)) == others(whole)


VALUES = [unit.value for case in LINES for unit in UNITS[case][1] if isinstance(unit.value, dict)]


def as_units(values: list[Any]) -> list[Unit]:
    return [Unit(at, 0, one, codec.encode(one)) for at, one in enumerate(values, 1)]


@given(st.lists(st.tuples(st.integers(0, len(VALUES) - 1), st.integers(0, 3)), max_size=6), st.randoms())
def test_mutated_lines_become_records(picked: list[tuple[int, int]], choose: random.Random) -> None:
    values = varied(VALUES, picked, choose)
    check_lines(as_units(values))


odd = st.sampled_from([None, 0, 1, True, -1, 2.5, 1 << 60, "", "x", [], {}, ["x"], {"x": 1}])
said = st.sampled_from(
    ["go", "", "[REDACTED]", "**A**\n[REDACTED]", "<user_query>\ngo\n</user_query>", "<a><user_query>x</user_query>",
     "<timestamp>2026-05-04T09:00:00Z</timestamp><user_query></user_query>", "</user_query><user_query>", "x" * 70_000]
)  # fmt: skip
names = st.sampled_from(["Task", "AskQuestion", "TodoWrite", "CreatePlan", "Shell"])
inputs = odd | some(
    subagent_type=said | odd, plan=said | odd, merge=odd, x=odd,
    questions=odd | st.lists(odd | some(prompt=said, x=odd), max_size=2),
    todos=odd | st.lists(odd | some(content=said, status=said | odd), max_size=2),
)  # fmt: skip
ids = st.sampled_from(["a", "REDACTED", "", "~1.0", "x\ny", "\ud800"]) | odd
blocks = odd | some(
    type=st.sampled_from(["text", "thinking", "tool_use", "x"]) | odd, text=said | odd, thinking=said | odd,
    name=names | odd, input=inputs, id=ids, x=odd,
)  # fmt: skip
values = odd | some(
    role=st.sampled_from(["user", "assistant"]), type=st.just("turn_ended"), error=said | odd,
    status=st.sampled_from(["success", "error"]) | odd, timestamp=odd | st.just("2026-01-01T00:00:00Z"), x=odd,
    message=odd | some(content=said | odd | st.lists(blocks, max_size=4), x=odd),
)  # fmt: skip


@given(st.lists(values, max_size=4))
def test_any_lines_keep_the_rules(found: list[Any]) -> None:
    check_lines(as_units(found))


pieces = st.sampled_from(
    ["user:", "assistant:", "[Thinking] so", "[Thinking]", "[Tool call] Shell", "[Tool call] Task", "  command: ls",
     "  prompt: a: b", "  command:", "more", "", "  ", "[Tool result]", "[Tool result] Shell", "<user_query>",
     "</user_query>", "[REDACTED]", "\udcff", "user: x"]
)  # fmt: skip


begun = st.sampled_from([[], ["assistant:"], ["assistant:", "[Tool call] Shell"], ["user:", "<user_query>"]])


@given(begun, st.lists(pieces, max_size=14))
def test_any_sections_keep_the_rules(before: list[str], found: list[str]) -> None:
    check_text(text("\n".join([*before, *found])))
