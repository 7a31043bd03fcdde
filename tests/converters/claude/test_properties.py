"""What holds for every transcript: nothing is lost, the first lines give the first records, nothing raises."""

from __future__ import annotations

import random
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from git_asr.asr import codec
from git_asr.converters.base import Unit
from tests.converters import goldens
from tests.converters.claude.conversion import convert, losses, streams, units
from tests.converters.claude.rules import check, check_stream, encoded
from tests.support.losslessness import written

CASES = [case for case in goldens.cases() if case.startswith("claude-code/")]
NON_FINITE = {"claude-code/non-finite"}


def text_of(case: str) -> bytes:
    return b"\n".join(goldens.chunks(case))


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


@pytest.mark.parametrize("case", sorted({*CASES} - NON_FINITE))
def test_records_keep_the_rules(case: str) -> None:
    for records in streams(text_of(case)).values():
        check_stream(written(records).records)


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
        "x" * 70_000,
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
    check(text)


IDS = ["a", "b", "c", "d", "REDACTED", "", "~1.0", "~2.100", "\ud800"]
TEXTS = ["go", "go on", "and go on\nwith it", "", " ", "REDACTED", "[Request interrupted by user]",
         "<task-notification><tool-use-id>a</tool-use-id></task-notification>",
         "<command-name>x</command-name>", "<system-reminder>x</system-reminder>go"]  # fmt: skip
ODD = [None, 0, 1, True, 1.0, -1, 2.5, 1 << 60, "", "x", [], {}, ["x"], {"x": 1}, {"x": True}]
TOOLS = [
    "Bash",
    "Task",
    "TodoWrite",
    "TaskCreate",
    "TaskUpdate",
    "TaskList",
    "ExitPlanMode",
    "AskUserQuestion",
]
ids = st.sampled_from(IDS)
texts = st.sampled_from(TEXTS)
odd = st.sampled_from(ODD)


def some(**fields: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    """Objects with some of these keys."""
    return st.fixed_dictionaries({}, optional=fields)


def fixed(**fields: Any) -> dict[str, st.SearchStrategy[Any]]:
    return {
        key: value if isinstance(value, st.SearchStrategy) else st.just(value)
        for key, value in fields.items()
    }


counters = odd | some(input_tokens=odd, output_tokens=odd, cache_read_input_tokens=odd, x=odd)
outputs = odd | some(
    **fixed(agentId=ids, status=st.sampled_from(["async_launched", "completed"]), usage=counters, plan=texts),
    **fixed(
        success=True,
        task=some(id=ids, subject=texts),
        tasks=st.lists(some(id=ids, subject=texts), max_size=3),
    ),
    **fixed(answers=some(go=texts), questions=odd, statusChange=some(to=texts)),
)
blocks = (
    some(**fixed(type="text", text=texts, x=odd))
    | some(**fixed(type="tool_use", id=ids, name=st.sampled_from(TOOLS), input=some(taskId=ids, plan=texts)))
    | some(**fixed(type="tool_result", tool_use_id=ids, content=texts | odd, is_error=odd))
    | some(**fixed(type="thinking", thinking=texts, signature=st.sampled_from(["bmFycmF0aW9u", "x"])))
    | some(
        **fixed(type="image", source=some(type=st.just("base64"), data=st.sampled_from(["QUI=", "REDACTED"])))
    )
    | odd
)
messages = some(
    **fixed(id=ids, model=st.sampled_from(["m", "<synthetic>"]), role=st.sampled_from(["user", "assistant"])),
    **fixed(
        content=texts | st.lists(blocks, max_size=4), usage=counters, stop_reason=odd, type="message", x=odd
    ),
)
envelopes = some(
    **fixed(
        uuid=ids, parentUuid=ids | st.none(), sessionId=ids, cwd=ids, isSidechain=odd, requestId=ids, x=odd
    ),
    **fixed(
        version=st.sampled_from(["2.1.1", "2.1.59", "9"]),
        timestamp=st.sampled_from(["2026-01-01T00:00:00Z", 5]),
    ),
    **fixed(
        isMeta=odd,
        isCompactSummary=odd,
        toolUseResult=outputs,
        todos=odd | st.lists(some(content=texts, x=odd)),
    ),
)
kept = some(headUuid=ids, tailUuid=ids)
bodies = st.one_of(
    st.fixed_dictionaries(fixed(type=st.sampled_from(["user", "assistant"]), message=messages)),
    st.fixed_dictionaries(fixed(type="user", message=messages, permissionMode=texts, planContent=texts)),
    st.fixed_dictionaries(
        fixed(type="system", subtype="compact_boundary", logicalParentUuid=ids,
              compactMetadata=some(preservedSegment=kept, preservedMessages=some(uuids=st.lists(ids)))),
    ),
    st.fixed_dictionaries(
        fixed(type="queue-operation", operation=st.sampled_from(["enqueue", "remove", "popAll", "dequeue"]),
              content=texts | odd, reason="absorbed_mid_turn"),
    ),
    st.fixed_dictionaries(
        fixed(type="attachment", attachment=some(**fixed(type="queued_command", prompt=texts | odd, x=odd)))
    ),
    st.fixed_dictionaries(
        fixed(type="progress", parentToolUseID=ids,
              data=some(**fixed(type="agent_progress", agentId=ids, prompt=texts | odd,
                                message=some(uuid=ids, type=st.sampled_from(["user", "assistant"]),
                                             message=messages, x=odd)))),
    ),
    st.fixed_dictionaries(
        fixed(type="file-history-snapshot", messageId=ids, isSnapshotUpdate=True,
              snapshot=some(messageId=ids, trackedFileBackups=some(x=odd),
                            timestamp=st.just("2026-01-01T00:00:00Z"))),
    ),
    st.fixed_dictionaries(fixed(type="last-prompt", lastPrompt=texts | odd, leafUuid=ids | odd)),
    st.fixed_dictionaries(fixed(type="summary", summary=texts, leafUuid=ids | odd)),
)  # fmt: skip
worlds = st.lists(
    st.tuples(envelopes, bodies, st.sampled_from([b"\n", b"\n", b"\n", b"", b"{\n"])), max_size=10
)


@given(worlds)
def test_small_worlds_keep_the_rules(world: list[tuple[dict[str, Any], dict[str, Any], bytes]]) -> None:
    """Lines with few IDs, so that they meet: repeated, in circles, before their parents, of several agents."""
    check(b"".join(codec.encode({**envelope, **body}) + end for envelope, body, end in world))


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
