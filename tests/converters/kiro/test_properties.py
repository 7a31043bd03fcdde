"""What holds for every conversation: nothing is lost, the first units give the first records, nothing raises."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from git_asr.asr import codec
from git_asr.asr.large import describe, line
from git_asr.converters.base import Unit
from tests.converters import goldens
from tests.converters.kiro.conversion import lost_of, of, units
from tests.converters.rules import check_stream
from tests.support.losslessness import written
from tests.support.mutations import fixed, some, varied

CASES = [case for case in goldens.cases() if case.startswith("kiro/")]


def units_of(case: str) -> tuple[list[Unit], bool]:
    native, found = goldens.units(goldens.chunks(case))
    assert native is not None
    return [unit for unit in found if not unit.flags], native.array is not None  # NaN stands in a text


def check(found: list[Unit], *, snapshot: bool) -> None:
    """Convert units and see that every rule holds."""
    records = of(found, snapshot=snapshot)
    encoded = [line(one, describe) for one in records]
    assert encoded == [line(one, describe) for one in of(found, snapshot=snapshot)]
    out = written(records).records
    assert [codec.encode(one) + b"\n" for one in out] == encoded
    check_stream(out)
    held_back = found[-1].position if found and found[-1].kind == "malformed" and not snapshot else -1
    lost = [one for one in lost_of(found, records) if one.position != held_back]
    assert lost == [], lost
    for count in range(len(found)):
        first = [line(one, describe) for one in of(found[:count], snapshot=snapshot)]
        assert first == encoded[: len(first)]


@pytest.mark.parametrize("case", CASES)
def test_every_rule_holds(case: str) -> None:
    found, snapshot = units_of(case)
    check(found, snapshot=snapshot)


VALUES = [unit.value for case in CASES for unit in units_of(case)[0] if isinstance(unit.value, dict)]


def as_units(values: list[Any], *, snapshot: bool) -> list[Unit]:
    """Units as they are read: of lines the text is at hand, a document has a head."""
    if snapshot:
        return [Unit(at, 0, one, None) for at, one in enumerate([{"conversation_id": "c"}, *values])]
    return [Unit(at, 0, one, codec.encode(one)) for at, one in enumerate(values, 1)]


@given(
    st.lists(st.tuples(st.integers(0, len(VALUES) - 1), st.integers(0, 3)), max_size=8),
    st.booleans(),
    st.randoms(),
)
def test_mutated_units_become_records(
    picked: list[tuple[int, int]], snapshot: bool, choose: random.Random
) -> None:
    values = varied(VALUES, picked, choose)
    check(as_units(values, snapshot=snapshot), snapshot=snapshot)


IDS = ["a", "b", "REDACTED", "", "~1.0", "~2.100", "\ud800"]
ODD = [None, 0, 1, True, 1.0, -1, 2.5, 1 << 60, "", "x", [], {}, ["x"], {"x": 1}, {"x": True}]
ids = st.sampled_from(IDS)
odd = st.sampled_from(ODD)
texts = st.sampled_from(["go", "", "REDACTED", "Tool use was cancelled by the user"]) | odd
stamps = odd | st.sampled_from(["2026-01-01T00:00:00Z", 1777885200])
pieces = (
    odd
    | some(Text=texts)
    | some(Json=odd)
    | some(**fixed(kind=st.sampled_from(["text", "json"]), data=texts))
)
results = odd | some(
    tool_use_id=ids, toolUseId=ids, id=ids, result=odd, status=st.sampled_from(["success", "Error", "x"]) | odd,
    content=odd | st.lists(pieces, max_size=2), is_error=odd, x=odd,
)  # fmt: skip
calls = odd | some(
    id=ids, toolUseId=ids, name=texts, args=odd, input=odd, orig_args=odd, orig_name=texts, x=odd
)
thoughts = odd | some(text=texts, x=odd) | some(reasoningText=texts | some(text=texts, x=odd), x=odd)
prompts = some(prompt=texts, tool_use_results=odd | st.lists(results, max_size=3), x=odd)
asked = odd | st.tuples(
    st.sampled_from(["Prompt", "ToolUseResults", "CancelledToolUses", "x"]), prompts | odd
).map(lambda both: {both[0]: both[1]})
said = some(
    message_id=ids, content=texts, tool_uses=odd | st.lists(calls, max_size=3), thinking=thoughts, x=odd
)
answered = odd | st.tuples(st.sampled_from(["Response", "ToolUse", "x"]), said | odd).map(
    lambda both: {both[0]: both[1]}
)
envs = odd | some(env_state=odd | some(current_working_directory=ids))
users = odd | some(content=asked, timestamp=stamps, additional_context=texts, env_context=envs, images=odd)
requests = odd | some(message_id=ids, request_id=ids, model_id=texts, stream_end_timestamp_ms=odd, x=odd)
exchanges = some(
    user=users, assistant=answered, request_metadata=requests, entry=odd, conversation_id=ids, cli_version=odd,
    type=texts, timestamp=stamps, message=odd | some(role=texts, content=texts | odd), x=odd,
)  # fmt: skip
blocks = odd | st.tuples(
    st.sampled_from(["text", "toolUse", "toolResult", "thinking", "x"]),
    texts | calls | results | thoughts,
    odd,
).map(lambda three: {"kind": three[0], "data": three[1], **({"x": three[2]} if three[2] else {})})
datas = some(
    message_id=ids,
    content=odd | st.lists(blocks, max_size=4),
    meta=odd | some(timestamp=stamps, x=odd),
    x=odd,
)
typed = st.tuples(st.sampled_from(["Prompt", "AssistantMessage", "ToolResults", "x"]), datas, odd).map(
    lambda three: {"version": three[2], "kind": three[0], "data": three[1]}
)
roles = st.sampled_from(["user", "assistant", "tool"])
messages = st.tuples(
    roles, texts | st.lists(odd | some(type=st.just("text"), text=texts), max_size=2), odd
).map(lambda three: {"message": {"role": three[0], "content": three[1], "x": three[2]}, "x": three[2]})
worlds = st.lists(st.one_of(exchanges, exchanges, typed, messages, odd), max_size=8)


@given(worlds, st.booleans())
def test_small_worlds_keep_the_rules(values: list[Any], snapshot: bool) -> None:
    """Units with few IDs, so that they meet."""
    check(as_units(values, snapshot=snapshot), snapshot=snapshot)


@given(st.integers(0, len(VALUES) - 1), st.binary(max_size=40).filter(lambda data: b"\n" not in data))
def test_a_damaged_line_costs_only_itself(index: int, damage: bytes) -> None:
    before, after = codec.encode(VALUES[index]), codec.encode(VALUES[-1 - index])
    bad = units(before + b"\n{" + damage + b"\n" + after + b"\n", snapshot=False)
    good = units(before + b"\n\n" + after + b"\n", snapshot=False)
    kept = [one["seq"] for one in of(bad, snapshot=False) if one["seq"] // 1_000_000 != 2]
    assert kept == [one["seq"] for one in of(good, snapshot=False)]
