"""What holds for every session, whatever its steps are: nothing is lost, the first ones stay, nothing raises."""

from __future__ import annotations

import random
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from tests.converters.antigravity.conversion import STEPS
from tests.support.converting import as_units, cases, mutated, values_of
from tests.support.mutations import some

VALUES = values_of(cases("antigravity"))


@given(st.lists(st.tuples(st.integers(0, len(VALUES) - 1), st.integers(0, 3)), max_size=8), st.randoms())
def test_mutated_steps_become_records(picked: list[tuple[int, int]], choose: random.Random) -> None:
    STEPS.check(mutated(VALUES, picked, choose))


odd = st.sampled_from([None, 0, 1, True, 1.0, -1, 1 << 60, "", "x", [], {}, ["x"], {"x": 1}, {"x": True}])
texts = odd | st.sampled_from(
    [*("go", "REDACTED", "\ud800", "<USER_REQUEST>\ngo\n</USER_REQUEST>", "<USER_REQUEST>go</USER_REQUEST>\n"),
     "<USER_REQUEST>\ngo\n</USER_REQUEST>\n<USER_SETTINGS_CHANGE>The user changed setting `a` from b to c. x",
     *("A1: yes", '"conversationId": "c1"', "[Message] sender=c1 x", "The command failed")]
)  # fmt: skip
names = st.sampled_from(
    ["run_command", "view_file", "ask_question", "invoke_subagent", "x", "default_api:x", 7]
)
arguments = (
    odd
    | some(Questions=odd, Question=texts, Subagents=odd | st.just([{"TypeName": "t"}]), x=odd)
    | some(
        a=st.sampled_from(['"x"', "true", "1.0", "[1,2]", "[1, 2]", "x", '{"a":1,"a":2}', "NaN"]),
        b=st.just('"y"'),
    )
)
steps = some(
    step_index=st.sampled_from([0, 1, 2, "a", "REDACTED", "", "~1.0", True, 1.5]), source=odd | st.just("MODEL"),
    type=st.sampled_from(["USER_INPUT", "PLANNER_RESPONSE", "PLANNER_RESPONSE", "RUN_COMMAND", "VIEW_FILE", "GENERIC",
                          "ASK_QUESTION", "INVOKE_SUBAGENT", "SYSTEM_MESSAGE", "CHECKPOINT", "ERROR_MESSAGE", "X", 7]),
    status=odd | st.sampled_from(["DONE", "ERROR", "RUNNING"]), content=texts, thinking=texts, x=odd,
    created_at=odd | st.just("2026-01-01T00:00:00Z"), truncated_fields=odd | st.just(["content"]),
    tool_calls=odd | st.lists(odd | some(name=names, args=arguments, x=odd), max_size=3),
)  # fmt: skip


@given(st.lists(steps | odd, max_size=8))
def test_small_worlds_keep_the_rules(values: list[Any]) -> None:
    """Steps with few indexes, so that they meet: repeated, results before calls, of the wrong kind."""
    STEPS.check(as_units(values))
