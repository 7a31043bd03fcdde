"""What holds for every session: nothing is lost, the first units give the first records, nothing raises."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from git_asr.asr import codec
from git_asr.converters.base import Unit
from tests.converters import goldens
from tests.converters.gemini.conversion import HEADER, SESSION, lost_of, of
from tests.converters.rules import check_records, encoded
from tests.support.mutations import mutated, odd, some

CASES = [case for case in goldens.cases() if case.startswith("gemini-cli/") and "/hooks" not in case]


def units_of(case: str) -> tuple[list[Unit], bool]:
    native, found = goldens.units(goldens.chunks(case))
    assert native is not None
    return found, native.array is not None


def check(found: list[Unit], *, snapshot: bool) -> None:
    """Convert units and see that every rule holds."""
    records = of(found, snapshot=snapshot)
    whole = check_records(records, of(found, snapshot=snapshot))
    lost = lost_of(found, records)
    assert lost == [], lost
    for count in range(len(found)):
        begun = encoded(of(found[:count], snapshot=snapshot))
        assert begun == whole[: len(begun)]


@pytest.mark.parametrize("case", CASES)
def test_every_rule_holds(case: str) -> None:
    found, snapshot = units_of(case)
    check(found, snapshot=snapshot)


VALUES = [unit.value for case in CASES for unit in units_of(case)[0] if isinstance(unit.value, dict)]


def as_units(values: list[Any], *, snapshot: bool) -> list[Unit]:
    """Units as they are read: of lines the text is at hand, a document has a head."""
    if snapshot:
        return [Unit(at, 0, one, None) for at, one in enumerate([HEADER, *values])]
    return [Unit(at, 0, one, codec.encode(one)) for at, one in enumerate(values, 1)]


@given(st.lists(mutated(VALUES), max_size=8), st.booleans())
def test_mutated_units_become_records(values: list[Any], snapshot: bool) -> None:
    check(as_units(values, snapshot=snapshot), snapshot=snapshot)


IDS = ["a", "b", "c", "REDACTED", "", "~1.0", "~2.100", "\ud800"]
ids = st.sampled_from(IDS)
texts = st.sampled_from(
    ["go", "", "REDACTED", "<session_context>", "Request cancelled.", '{"answers":{"0":"x","y":1}}']
)
stamps = odd | st.sampled_from(["2026-01-01T00:00:00Z", "2026-01-01T00:00:01Z"])
responses = some(
    id=ids, name=st.sampled_from(["ask_user", "x"]), response=odd | some(output=texts | odd, error=texts)
)
contents = texts | st.lists(
    some(text=texts, x=odd) | some(functionResponse=responses, x=odd)
    | some(inlineData=odd | some(mimeType=odd | st.just("image/png"), data=st.sampled_from(["QUI=", "REDACTED", 1])))
    | odd | texts,
    max_size=3,
)  # fmt: skip
calls = odd | some(
    id=ids, name=st.sampled_from(["ask_user", "write_todos", "enter_plan_mode", "exit_plan_mode", "invoke_agent", "x"]),
    args=odd | some(questions=odd | st.just([{"question": "q"}]), todos=odd | st.just([{"description": "d", "x": 1}]),
                    agent_name=texts),
    result=odd | texts | st.lists(some(functionResponse=responses, x=odd), max_size=2), resultDisplay=odd,
    status=odd | st.sampled_from(["success", "error", "cancelled", "executing"]), timestamp=stamps, agentId=ids, x=odd,
)  # fmt: skip
tokens = odd | some(input=odd, output=odd, cached=odd, thoughts=odd, tool=odd, total=odd)
bodies = some(
    id=ids, timestamp=stamps, content=contents | odd, displayContent=contents | odd, model=odd, tokens=tokens, x=odd,
    thoughts=odd | st.lists(odd | some(subject=texts, description=texts | odd, timestamp=stamps), max_size=2),
    toolCalls=odd | st.lists(calls, max_size=3),
)  # fmt: skip
types = st.sampled_from(["user", "gemini", "gemini", "info"])
messages = st.tuples(bodies, types).map(lambda both: {**both[0], "type": both[1]})
patches = some(
    sessionId=ids | st.just(SESSION), lastUpdated=stamps, summary=texts | odd, kind=st.just("subagent"),
    messages=odd | st.lists(messages | odd, max_size=4), x=odd,
)  # fmt: skip
units = st.one_of(
    messages,
    messages,
    messages,
    patches.map(lambda told: {"$set": told}),
    ids.map(lambda to: {"$rewindTo": to}),
    st.just(HEADER),
    odd,
    some(**{"$set": odd, "$rewindTo": odd, "type": texts, "id": ids, "projectHash": odd}),
)


@given(st.lists(units, max_size=8), st.booleans())
def test_small_worlds_keep_the_rules(values: list[Any], snapshot: bool) -> None:
    """Units with few IDs, so that they meet: repeated, taken back, before what they refer to."""
    check(as_units(values, snapshot=snapshot), snapshot=snapshot)
