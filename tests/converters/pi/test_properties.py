"""What holds for every session: nothing is lost, the first lines give the first records, nothing raises."""

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
from tests.converters.pi.conversion import HEADER, convert, lost_of, of, units
from tests.converters.rules import check_stream
from tests.support.losslessness import written
from tests.support.mutations import fixed, some, varied

CASES = [case for case in goldens.cases() if case.startswith(("pi/", "oh-my-pi/"))]


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
    known = {one["id"] for one in out}
    assert all(one["to"] is None or one["to"] in known for one in out if one["type"] == "rewind")
    last = found[-1].position if found and found[-1].kind == "malformed" else 0
    lost = [one for one in lost_of(found, records) if one.position != last]
    assert lost == [], lost
    for count in range(len(found)):
        first = [line(one, describe) for one in of(found[:count])]
        assert first == encoded[: len(first)]


@pytest.mark.parametrize("case", sorted({*CASES} - {"pi/odd-lines"}))
def test_every_rule_holds(case: str) -> None:
    check(units_of(case))


def test_every_rule_holds_of_odd_lines() -> None:
    check([unit for unit in units_of("pi/odd-lines") if unit.flags == ()])  # NaN stands in a text


VALUES = [
    unit.value for case in CASES for unit in units_of(case) if isinstance(unit.value, dict) and not unit.flags
]


@given(st.lists(st.tuples(st.integers(0, len(VALUES) - 1), st.integers(0, 3)), max_size=10), st.randoms())
def test_mutated_lines_become_records(picked: list[tuple[int, int]], choose: random.Random) -> None:
    values = varied(VALUES, picked, choose)
    check(units(b"".join(codec.encode(value) + b"\n" for value in values)))


IDS = ["a", "b", "c", "d", "REDACTED", "", "~1.0", "~2.100", "\ud800"]
ODD = [None, 0, 1, True, 1.0, -1, 2.5, 1 << 60, "", "x", [], {}, ["x"], {"x": 1}, {"x": True}]
TOOLS = ["read", "ask", "question", "todo", "subagent", "task"]
ids = st.sampled_from(IDS)
odd = st.sampled_from(ODD)
texts = st.sampled_from(["go", "", "REDACTED", "Operation aborted", "Tool execution was blocked"])
images = some(
    **fixed(type="image", data=st.sampled_from(["QUI=", "REDACTED", "blob:sha256:a", 1]), mimeType=odd)
)
contents = (
    texts | odd | st.lists(some(**fixed(type="text", text=texts, x=odd)) | images | odd | texts, max_size=3)
)
questions = odd | st.lists(some(id=ids, question=texts, prompt=texts) | odd, max_size=2)
arguments = odd | some(question=texts, questions=questions, agent=texts)
steps = odd | st.lists(some(content=texts, text=texts, status=texts, done=odd) | odd, max_size=2)
answers = odd | st.lists(some(id=ids, answer=texts, value=odd, question=texts) | odd, max_size=2)
details = odd | some(
    answer=texts | odd, answers=answers, results=answers, selectedOptions=odd, todos=steps, asyncId=ids,
    phases=odd | st.lists(some(tasks=steps) | odd, max_size=2),
)  # fmt: skip
usages = odd | some(
    input=odd, output=odd, cacheRead=odd, cacheWrite=odd, reasoning=odd, totalTokens=odd, x=odd
)
blocks = (
    some(**fixed(type="text", text=texts, x=odd))
    | some(**fixed(type="thinking", thinking=texts | odd, thinkingSignature=texts, redacted=odd))
    | some(**fixed(type="toolCall", id=ids, name=st.sampled_from(TOOLS), arguments=arguments, x=odd))
    | some(**fixed(type="redactedThinking", data=texts))
    | images
    | odd
)
said = st.one_of(
    some(
        **fixed(
            role="user", content=contents, timestamp=odd, attribution=odd | st.just("agent"), synthetic=odd
        )
    ),
    some(
        **fixed(
            role="assistant",
            content=texts | odd | st.lists(blocks, max_size=4),
            usage=usages,
            model=odd,
            api=odd,
        ),
        **fixed(
            stopReason=odd | st.sampled_from(["aborted", "error"]),
            errorMessage=texts | odd,
            responseId=ids,
            x=odd,
        ),
    ),
    some(
        **fixed(
            role="toolResult", toolCallId=ids, toolName=st.sampled_from(TOOLS), content=contents, isError=odd
        ),
        **fixed(details=details, usage=usages, x=odd),
    ),
    some(**fixed(role="bashExecution", command=texts | odd, output=texts | odd, truncated=odd)),
    some(
        **fixed(
            role=st.sampled_from(["custom", "developer"]), customType=ids, content=contents, summary=texts
        )
    ),
    some(
        **fixed(role=st.sampled_from(["branchSummary", "duck"]), summary=texts | odd, content=contents, x=odd)
    ),
    some(
        **fixed(
            role="fileMention",
            files=odd | st.lists(some(path=ids, content=texts, image=images | odd), max_size=2),
        )
    ),
    odd,
)
envelopes = some(
    id=ids, parentId=ids | st.none(), x=odd,
    timestamp=odd | st.sampled_from(["2026-01-01T00:00:00.000Z", "2026-06-01T00:00:00.000Z"]),
)  # fmt: skip
places = some(firstKeptEntryId=ids, firstKeptEntryIndex=st.integers(-1, 9) | odd, retainedTail=odd)
bodies = st.one_of(
    st.fixed_dictionaries(fixed(type="message", message=said)),
    st.fixed_dictionaries(fixed(type="message", message=said)),
    st.fixed_dictionaries(fixed(type="compaction", summary=texts | odd, usage=usages)),
    st.fixed_dictionaries(fixed(type="branch_summary", summary=texts | odd, fromId=ids, usage=usages)),
    st.fixed_dictionaries(fixed(type="leaf", targetId=ids | st.none())),
    st.fixed_dictionaries(fixed(type="custom_message", customType=ids | odd, content=contents)),
    st.fixed_dictionaries(
        fixed(type=st.sampled_from(["session_info", "title"]), name=texts | odd, title=texts, v=1)
    ),
    st.fixed_dictionaries(
        fixed(type=st.sampled_from(["model_change", "mode_change"]), modelId=texts, mode=odd)
    ),
    st.fixed_dictionaries(
        fixed(type="session", cwd=texts | odd, version=odd, parentSession=ids, title=texts)
    ),
    st.fixed_dictionaries(fixed(type=st.sampled_from(["session_init", "label", "REDACTED"]), x=odd)),
)
worlds = st.lists(
    st.tuples(envelopes, places, bodies, st.sampled_from([b"\n", b"\n", b"\n", b"", b"{\n"])), max_size=10
)


@given(worlds, st.booleans())
def test_small_worlds_keep_the_rules(world: list[tuple[Any, Any, Any, bytes]], headed: bool) -> None:
    """Lines with few IDs, so that they meet: repeated, below themselves, before what they refer to."""
    head = codec.encode({**HEADER, "parentSession": "/s/t_a.jsonl"}) + b"\n" if headed else b""
    check(
        units(head + b"".join(codec.encode({**one, **more, **body}) + end for one, more, body, end in world))
    )


@given(st.integers(0, len(VALUES) - 1), st.binary(max_size=40).filter(lambda data: b"\n" not in data))
def test_a_damaged_line_costs_only_itself(index: int, damage: bytes) -> None:
    before, after = codec.encode(VALUES[index]), codec.encode(VALUES[-1 - index])
    bad = before + b"\n{" + damage + b"\n" + after + b"\n"
    kept = [one["seq"] for one in convert(bad) if one["seq"] // 1_000_000 != 2]
    assert kept == [one["seq"] for one in convert(before + b"\n\n" + after + b"\n")]
