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
from git_asr.converters.copilot.converter import CopilotEvents, CopilotSubagent
from tests.converters import goldens
from tests.converters.copilot.conversion import SESSION, event, lost_of, streams
from tests.converters.rules import check_stream
from tests.support.beginnings import broken, is_beginning
from tests.support.losslessness import written
from tests.support.mutations import some, varied

CASES = [case for case in goldens.cases() if case.startswith("copilot-cli/")]


def units_of(case: str) -> list[Unit]:
    return goldens.units(goldens.chunks(case))[1]


def encoded(found: list[Unit]) -> dict[str, list[bytes]]:
    return {name: [line(one, describe) for one in records] for name, records in streams(found).items()}


def check(found: list[Unit]) -> None:
    """Convert units and see that every rule holds."""
    made = streams(found)
    whole = encoded(found)
    assert whole == encoded(found)
    for name, records in made.items():
        out = written(records).records
        assert [codec.encode(one) + b"\n" for one in out] == whole[name]
        check_stream(out)
        known = {one["id"] for one in out}
        assert all(one["to"] is None or one["to"] in known for one in out if one["type"] == "rewind")
    unread = {unit.position for unit in found if unit.kind == "malformed" or "non-finite" in unit.flags}
    lost = [one for one in lost_of(found, made) if one.position not in unread]
    assert lost == [], lost
    for count in range(len(found)):
        for name, part in encoded(found[:count]).items():
            assert is_beginning(part, whole[name])


@pytest.mark.parametrize("case", CASES)
def test_every_rule_holds(case: str) -> None:
    check(units_of(case))


@pytest.mark.parametrize("case", CASES)
def test_the_first_lines_give_the_first_records(case: str) -> None:
    found = units_of(case)
    assert broken(CopilotEvents, found, SESSION) == []
    for name in [*streams(found)][1:]:
        agent = name.removeprefix(f"{SESSION}.").removesuffix(".embedded")
        assert broken(lambda agent=agent: CopilotSubagent(agent), found, name) == []


@pytest.mark.parametrize("case", sorted({*CASES} - {"copilot-cli/odd-lines"}))
def test_a_damaged_line_costs_only_itself(case: str) -> None:
    """What another line says stands as before, but for what only the damaged one tells of it."""
    found = units_of(case)
    whole = {record["seq"] for records in streams(found).values() for record in records}
    for at, unit in enumerate(found[:-1]):
        damaged = [*found[:at], Unit(unit.position, 0, "{", None, "malformed"), *found[at + 1 :]]
        made = streams(damaged)
        for records in made.values():
            check_stream(written(records).records)
        positions = {record["seq"] // 1_000_000 for records in made.values() for record in records}
        assert {seq // 1_000_000 for seq in whole} - positions == set()


VALUES = [
    unit.value for case in CASES for unit in units_of(case) if isinstance(unit.value, dict) and not unit.flags
]


def as_units(values: list[Any]) -> list[Unit]:
    return [Unit(at, 0, one, codec.encode(one)) for at, one in enumerate(values, 1)]


@given(st.lists(st.tuples(st.integers(0, len(VALUES) - 1), st.integers(0, 3)), max_size=8), st.randoms())
def test_mutated_events_become_records(picked: list[tuple[int, int]], choose: random.Random) -> None:
    values = varied(VALUES, picked, choose)
    check(as_units(values))


IDS = ["a", "b", "c", "REDACTED", "", "~1.0", "~2.100", "\ud800"]
ODD = [None, 0, 1, True, 1.0, -1, 2.5, 1 << 60, "", "x", [], {}, ["x"], {"x": 1}, {"x": True}]
ids = st.sampled_from(IDS)
odd = st.sampled_from(ODD)
texts = st.sampled_from(["go", "", "REDACTED", "<reminder>go</reminder>", "x" * 70_000])
data = odd | st.sampled_from(["QUI=", "REDACTED", "entire-asset:x"])
binaries = st.lists(odd | some(type=texts | st.just("text"), text=texts, data=data, mimeType=odd | st.just("image/png"),
                               path=texts), max_size=3)  # fmt: skip
usage = odd | some(
    inputTokens=odd, outputTokens=odd, cacheReadTokens=odd, cacheWriteTokens=odd, x=odd, input=odd
)
SOME: dict[str, Any] = {
    "toolCallId": ids, "requestId": ids, "apiCallId": ids, "messageId": ids, "parentToolCallId": st.just("a"),
    "interactionId": ids, "turnId": st.sampled_from(["0", "1"]), "content": texts | odd | some(x=odd, y=odd),
    "transformedContent": texts | odd, "attachments": odd | binaries, "source": odd | st.just("agent-x"),
    "agentMode": texts | odd, "isAutopilotContinuation": odd, "model": texts | odd, "outputTokens": odd,
    "chunkIndex": odd, "chunkCount": odd | st.just(2), "reasoningText": texts | odd, "reasoningOpaque": texts | odd,
    "encryptedContent": odd, "name": texts | odd, "toolName": texts | odd,
    "arguments": odd | some(command=texts, x=odd),
    "toolRequests": odd | st.lists(
        odd | some(toolCallId=ids, name=texts, arguments=odd, type=st.just("function"), x=odd), max_size=3
    ),
    "success": odd | st.booleans(), "error": odd | some(message=texts, code=st.sampled_from(["denied", "x"]), x=odd),
    "result": odd | some(content=texts | odd, detailedContent=texts | odd, contents=odd | binaries,
                         binaryResultsForLlm=odd | binaries, kind=st.sampled_from(["denied-x", "approved"])),
    "question": texts | odd, "choices": odd, "answer": odd | texts, "message": texts | odd, "planContent": texts | odd,
    "summary": texts | odd, "actions": odd, "feedback": odd, "approved": odd, "action": odd, "selectedAction": odd,
    "permissionRequest": odd | some(toolCallId=ids), "hookType": texts | odd, "input": odd, "agentName": texts | odd,
    "cancelled": odd, "command": texts | odd, "commandName": texts | odd, "args": texts | odd, "sessionId": ids,
    "context": odd | some(cwd=texts | odd, branch=texts, headCommit=texts, x=odd), "cwd": texts, "selectedModel": texts,
    "copilotVersion": texts | odd, "newModel": texts | odd, "newMode": texts | odd, "title": texts | odd, "x": odd,
    "shutdownType": texts | odd, "errorReason": texts | odd, "summaryContent": texts | odd, "trigger": texts | odd,
    "modelMetrics": odd | some(m=odd | some(usage=usage, requests=odd), n=some(usage=usage)), "role": texts,
    "compactionTokensUsed": usage, "upToEventId": ids, "data": data, "mimeType": odd, "assetId": texts | odd,
    "remoteSessionId": ids, "detachedFromSpawningParentSessionId": ids,
}  # fmt: skip
TYPES = sorted({value["type"] for value in VALUES if isinstance(value["type"], str)})


@st.composite
def events(draw: st.DrawFn) -> Any:
    """An event of a known type with some fields of any."""
    kind = draw(st.sampled_from(TYPES))
    keys = draw(st.lists(st.sampled_from(sorted(SOME)), max_size=8, unique=True))
    named = draw(
        some(
            id=ids,
            parentId=ids | st.none(),
            timestamp=odd | st.just("2026-01-01T00:00:00Z"),
            agentId=ids,
            x=odd,
        )
    )
    return {**named, "type": kind, "data": {key: draw(SOME[key]) for key in keys}}


@given(st.lists(events(), max_size=7))
def test_small_worlds_keep_the_rules(values: list[Any]) -> None:
    """Events with few IDs, so that they meet: repeated, out of order, before what they refer to."""
    check(as_units(values))


RELATED = {
    "assistant.message": [
        *("content", "toolRequests", "apiCallId", "turnId", "outputTokens", "reasoningText", "reasoningOpaque")
    ],
    "tool.execution_start": ["toolCallId", "toolName", "arguments", "model"],
    "tool.execution_complete": ["toolCallId", "success", "result", "error"],
    "tool.user_requested": ["toolCallId", "toolName", "arguments"],
    "user.message": ["content", "transformedContent", "attachments"],
    "session.shutdown": ["modelMetrics", "shutdownType"],
    "session.compaction_complete": ["success", "summaryContent", "compactionTokensUsed", "requestId"],
    "session.snapshot_rewind": ["upToEventId"],
    "subagent.completed": ["toolCallId", "agentName"],
}  # fmt: skip


@st.composite
def related(draw: st.DrawFn) -> Any:
    kind = draw(st.sampled_from(sorted(RELATED)))
    named = draw(some(id=ids, parentId=ids | st.none(), agentId=st.sampled_from(["a", "b"])))
    return {**named, "type": kind, "data": {key: draw(SOME[key]) for key in RELATED[kind]}}


@given(st.lists(related(), max_size=8))
def test_responses_calls_and_results_that_meet_keep_the_rules(values: list[Any]) -> None:
    check(as_units(values))


@st.composite
def chunked(draw: st.DrawFn) -> Any:
    """What stands among the chunks of a response, and they themselves, in any order."""
    kind = draw(
        st.sampled_from([*["assistant.message"] * 5, "tool.execution_start", "hook.start", "user.message",
                         "session.snapshot_rewind", "session.compaction_complete", "tool.execution_complete"])
    )  # fmt: skip
    data = draw(
        some(
            content=st.sampled_from(["a", "b", "", "REDACTED"]), messageId=ids, apiCallId=st.sampled_from(["a", "b"]),
            chunkIndex=st.integers(0, 3), chunkCount=st.just(4), reasoningText=st.just("why"), model=st.just("m"),
            toolRequests=st.just([{"toolCallId": "c", "name": "x"}]), toolCallId=st.just("c"), toolName=st.just("x"),
            hookType=st.just("h"), upToEventId=st.sampled_from(["e1", "e2", "e3", "e4"]), outputTokens=odd,
            summaryContent=st.just("s"), x=odd,
        )
    )  # fmt: skip
    if kind == "assistant.message":
        data = {"apiCallId": "a", "chunkIndex": 1, "chunkCount": 4, "content": "c", **data}
    return kind, data, draw(st.sampled_from([None, None, None, "g"])), draw(st.sampled_from([*[0] * 9, 1, 2]))


@given(st.lists(chunked(), max_size=9))
def test_chunks_among_other_events_keep_the_rules(told: list[tuple[str, Any, str | None, int]]) -> None:
    """Events with IDs in a chain, from which few stray."""
    found = []
    for at, (kind, data, agent, stray) in enumerate(told, 1):
        one = event(kind, at, data, **({"agentId": agent} if agent else {}))
        found.append({**one, "parentId": f"e{max(at - 1 - stray, 0)}"})
    check(as_units(found))
