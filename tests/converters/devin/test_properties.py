"""What holds for every trajectory: nothing is lost, the first steps give the first records, nothing raises."""

from __future__ import annotations

import random
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from tests.converters.devin.conversion import DEVIN, HEAD
from tests.support.mutations import odd, replaced, some, varied
from tests.support.sessions import as_units, ids, stamps

VALUES = DEVIN.values()


@given(st.lists(st.tuples(st.integers(0, len(VALUES) - 1), st.integers(0, 3)), max_size=8), st.randoms())
def test_mutated_steps_become_records(picked: list[tuple[int, int]], choose: random.Random) -> None:
    values = varied(VALUES, picked, choose)
    head = replaced(HEAD, choose) if choose.random() < 0.5 else HEAD
    DEVIN.check(as_units(head, values, snapshot=True), snapshot=True)


texts = st.sampled_from(["go", "", "REDACTED"])
contents = odd | texts | st.lists(
    odd | some(type=st.sampled_from(["text", "image"]), text=texts | odd, x=odd, source=odd | some(
        media_type=st.just("image/png") | odd,
        path=st.sampled_from(["data:image/png;base64,QUI=", "data:image/png;base64,REDACTED", "x.png"]) | odd, x=odd)),
    max_size=3,
)  # fmt: skip
counters = odd | some(
    prompt_tokens=odd, cached_tokens=odd, completion_tokens=odd, cost_usd=odd, total_prompt_tokens=odd,
    total_cached_tokens=odd, total_completion_tokens=odd, total_cost_usd=odd, x=odd,
)  # fmt: skip
calls = odd | some(tool_call_id=ids | odd, function_name=st.just("read") | odd, arguments=odd, extra=odd)
results = odd | some(
    source_call_id=ids | odd, content=contents, is_error=odd, extra=odd | some(is_error=odd),
    subagent_trajectory_ref=odd, x=odd,
)  # fmt: skip
steps = odd | some(
    step_id=ids | odd, timestamp=stamps, source=st.sampled_from(["agent", "agent", "user", "system", "tool", "owl"]),
    message=contents, reasoning_content=texts | odd, reasoning_effort=texts | odd, model_name=texts | odd,
    tool_calls=odd | st.lists(calls, max_size=3),
    observation=odd | some(results=odd | st.lists(results, max_size=4), x=odd),
    metrics=counters, is_copied_context=odd, llm_call_count=odd,
    extra=odd | some(tool_call_id=ids | odd, is_user_input=odd, x=odd), x=odd,
)  # fmt: skip
heads = odd | some(
    schema_version=texts | odd, session_id=ids, agent=odd | some(name=odd, version=texts | odd, model_name=texts | odd),
    final_metrics=counters, extra=odd, subagent_trajectories=odd,
)  # fmt: skip


@given(heads, st.lists(steps, max_size=6))
def test_small_worlds_keep_the_rules(head: Any, values: list[Any]) -> None:
    """Steps with few IDs, so that they meet: repeated, copied, before what they refer to."""
    DEVIN.check(as_units(head, values, snapshot=True), snapshot=True)
