"""What holds for every transcript: nothing is lost, the first lines give the first records, nothing raises."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from git_asr.converters.base import Unit
from tests.converters import goldens
from tests.converters.claude.conversion import convert, losses, streams, units
from tests.converters.claude.rules import check, encoded
from tests.converters.rules import check_stream
from tests.support.losslessness import written
from tests.support.mutations import (
    as_lines,
    check_damage,
    damage,
    every,
    mutated,
    odd,
    some,
    strict_objects,
    worlds,
)

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
        for name, made in encoded(b"".join(lines[:count])).items():
            assert made == whole[name][: len(made)]


@pytest.mark.parametrize("case", sorted({*CASES} - NON_FINITE))
def test_records_keep_the_rules(case: str) -> None:
    for records in streams(text_of(case)).values():
        check_stream(written(records).records)


LINES = strict_objects(text for case in CASES for text in text_of(case).splitlines())


@given(st.lists(mutated(LINES), max_size=12))
def test_mutated_lines_become_records(values: list[Any]) -> None:
    check(as_lines(values))


IDS = ["a", "b", "c", "d", "REDACTED", "", "~1.0", "~2.100", "\ud800"]
TEXTS = ["go", "go on", "and go on\nwith it", "", " ", "REDACTED", "[Request interrupted by user]",
         "<task-notification><tool-use-id>a</tool-use-id></task-notification>",
         "<command-name>x</command-name>", "<system-reminder>x</system-reminder>go"]  # fmt: skip
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
counters = odd | some(input_tokens=odd, output_tokens=odd, cache_read_input_tokens=odd, x=odd)
outputs = odd | some(
    agentId=ids,
    status=st.sampled_from(["async_launched", "completed"]),
    usage=counters,
    plan=texts,
    success=True,
    task=some(id=ids, subject=texts),
    tasks=st.lists(some(id=ids, subject=texts), max_size=3),
    answers=some(go=texts),
    questions=odd,
    statusChange=some(to=texts),
)
blocks = (
    some(type="text", text=texts, x=odd)
    | some(type="tool_use", id=ids, name=st.sampled_from(TOOLS), input=some(taskId=ids, plan=texts))
    | some(type="tool_result", tool_use_id=ids, content=texts | odd, is_error=odd)
    | some(type="thinking", thinking=texts, signature=st.sampled_from(["bmFycmF0aW9u", "x"]))
    | some(type="image", source=some(type=st.just("base64"), data=st.sampled_from(["QUI=", "REDACTED"])))
    | odd
)
messages = some(
    id=ids,
    model=st.sampled_from(["m", "<synthetic>"]),
    role=st.sampled_from(["user", "assistant"]),
    content=texts | st.lists(blocks, max_size=4),
    usage=counters,
    stop_reason=odd,
    type="message",
    x=odd,
)
envelopes = some(
    uuid=ids,
    parentUuid=ids | st.none(),
    sessionId=ids,
    cwd=ids,
    isSidechain=odd,
    requestId=ids,
    x=odd,
    version=st.sampled_from(["2.1.1", "2.1.59", "9"]),
    timestamp=st.sampled_from(["2026-01-01T00:00:00Z", 5]),
    isMeta=odd,
    isCompactSummary=odd,
    toolUseResult=outputs,
    todos=odd | st.lists(some(content=texts, x=odd)),
)
kept = some(headUuid=ids, tailUuid=ids)
bodies = st.one_of(
    every(type=st.sampled_from(["user", "assistant"]), message=messages),
    every(type="user", message=messages, permissionMode=texts, planContent=texts),
    every(type="system", subtype="compact_boundary", logicalParentUuid=ids,
          compactMetadata=some(preservedSegment=kept, preservedMessages=some(uuids=st.lists(ids)))),
    every(type="queue-operation", operation=st.sampled_from(["enqueue", "remove", "popAll", "dequeue"]),
          content=texts | odd, reason="absorbed_mid_turn"),
    every(type="attachment", attachment=some(type="queued_command", prompt=texts | odd, x=odd)),
    every(type="progress", parentToolUseID=ids,
          data=some(type="agent_progress", agentId=ids, prompt=texts | odd,
                            message=some(uuid=ids, type=st.sampled_from(["user", "assistant"]),
                                         message=messages, x=odd))),
    every(type="file-history-snapshot", messageId=ids, isSnapshotUpdate=True,
          snapshot=some(messageId=ids, trackedFileBackups=some(x=odd),
                        timestamp=st.just("2026-01-01T00:00:00Z"))),
    every(type="last-prompt", lastPrompt=texts | odd, leafUuid=ids | odd),
    every(type="summary", summary=texts, leafUuid=ids | odd),
)  # fmt: skip


@given(worlds(envelopes, bodies))
def test_small_worlds_keep_the_rules(text: bytes) -> None:
    """Lines with few IDs, so that they meet: repeated, in circles, before their parents, of several agents."""
    check(text)


@given(st.tuples(st.sampled_from(LINES), st.sampled_from(LINES)), damage)
def test_a_damaged_line_costs_only_itself(around: tuple[Any, Any], bad: bytes) -> None:
    check_damage(convert, around, bad)


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
