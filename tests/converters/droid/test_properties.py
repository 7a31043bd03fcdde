"""What holds for every session, whatever its lines are: nothing is lost, the first ones stay, nothing raises."""

from __future__ import annotations

import random
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from tests.converters.droid.conversion import DROID, HEADER
from tests.support.converting import as_units, cases, mutated, values_of
from tests.support.mutations import some

VALUES = values_of(cases("factory-droid"))


@given(st.lists(st.tuples(st.integers(0, len(VALUES) - 1), st.integers(0, 3)), max_size=8), st.randoms())
def test_mutated_lines_become_records(picked: list[tuple[int, int]], choose: random.Random) -> None:
    DROID.check(mutated(VALUES, picked, choose))


ids = st.sampled_from(["a", "b", "c", "REDACTED", "", "~1.0", "~2.100", "\ud800"])
odd = st.sampled_from([None, 0, 1, True, 1.0, -1, 1 << 60, "", "x", [], {}, ["x"], {"x": 1}, {"x": True}])
texts = st.sampled_from(
    [*("go", "", "REDACTED", "<system-reminder>x</system-reminder>", "<system-reminder>x</system-reminder>\ngo"),
     *("agentId: a1", "The user rejected it", "1. [question] q\n[answer] a", "1. [pending] x\ny")]
)  # fmt: skip
stamps = odd | st.sampled_from(["2026-01-01T00:00:00Z", "2026-01-01T00:00:01Z"])
arguments = odd | some(todos=odd | texts | st.lists(odd | some(content=texts, status=texts, x=odd), max_size=2),
                       plan=texts, questions=odd, questionnaire=texts, subagent_type=texts)  # fmt: skip
blocks = odd | texts | some(
    type=st.sampled_from(["text", "thinking", "reasoning", "redacted_thinking", "tool_use", "tool_result", "image", 7]),
    text=texts | odd, thinking=texts | odd, signature=odd, id=ids | odd, tool_use_id=ids | odd, x=odd,
    name=st.sampled_from(["TodoWrite", "AskUser", "Task", "ExitSpecMode", "x", 7]), input=arguments,
    content=texts | odd | st.lists(some(type=st.just("text"), text=texts), max_size=2), is_error=odd,
    source=odd | some(type=st.just("base64"), data=st.sampled_from(["QUI=", "REDACTED", 1]), media_type=texts),
)  # fmt: skip
bodies = odd | some(
    role=st.sampled_from(["user", "assistant", "user", "assistant", "tool", 7]),
    content=odd | texts | st.lists(blocks, max_size=3), visibility=odd | st.sampled_from(["user_only", "llm_only"]),
    isError=odd, model=odd | texts, modelId=odd | texts, apiProvider=odd | texts, x=odd,
    interactionMode=odd | texts, reasoningEffort=odd | texts, openaiReasoningSummary=odd | texts,
    userMessageSource=odd | st.sampled_from(["automation", "sdk", "web"]), hookEventName=st.just("") | texts,
    hookStatus=odd | st.just("completed"), hookCommands=odd | st.just([{"command": "c"}]), hookToolCallId=ids | odd,
    hookResults=odd | st.just([{"exitCode": 1, "stdout": "o", "stderr": ""}]), hookPreventedAction=odd,
)  # fmt: skip
lines = some(
    type=st.sampled_from([*["message"] * 6, "session_start", "todo_state", "compaction_state", "agent_turn_outcome"]),
    id=ids | odd, parentId=ids | odd, timestamp=stamps, message=bodies, visibility=odd, x=odd,
    title=texts | odd, sessionTitle=texts | odd, cwd=texts | odd, version=odd, callingSessionId=ids | odd,
    callingToolUseId=ids | odd, parent=ids | odd, reason=odd | st.sampled_from(["completed", "cancelled"]),
    todos=odd | texts | some(todos=texts | odd) | st.lists(odd | some(content=texts, status=texts, x=odd), max_size=2),
    summary=odd | texts | some(title=texts, body=texts, x=odd), summaryText=odd | texts,
    anchorMessage=odd | some(id=ids, index=odd), removedCount=odd,
)  # fmt: skip


@given(st.lists(lines | odd | st.just(HEADER), max_size=8))
def test_small_worlds_keep_the_rules(values: list[Any]) -> None:
    """Lines with few IDs, so that they meet: repeated, before what they refer to, of the wrong role."""
    DROID.check(as_units(values))
