"""What holds for every rollout: nothing is lost, the first lines give the first records, nothing raises."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from git_asr.converters.codex.converter import CodexRollout
from tests.converters import goldens
from tests.converters.codex.conversion import convert, losses, units
from tests.converters.codex.rules import check, encoded
from tests.support.beginnings import broken
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

CASES = [case for case in goldens.cases() if case.startswith("codex/")]
NON_FINITE = {"codex/damaged-lines"}


def text_of(case: str) -> bytes:
    return b"\n".join(goldens.chunks(case))


@pytest.mark.parametrize("case", sorted({*CASES} - NON_FINITE))
def test_the_rules_hold(case: str) -> None:
    check(text_of(case))


def test_of_damaged_lines_only_these_are_lost() -> None:
    lost = losses(text_of("codex/damaged-lines"))
    assert [one.position for one in lost] == [7, 7, 11]  # kept as text, as text, and cut off
    written(convert(text_of("codex/damaged-lines")))


@pytest.mark.parametrize("case", CASES)
def test_the_first_lines_give_the_first_records(case: str) -> None:
    assert broken(CodexRollout, units(text_of(case)), "stream") == []


LINES = strict_objects(text for case in CASES for text in text_of(case).splitlines())


@given(st.lists(mutated(LINES), max_size=12))
def test_mutated_lines_become_records(values: list[Any]) -> None:
    check(as_lines(values))


IDS = ["a", "b", "c", "REDACTED", "", "~1.0", "\ud800", "019e0000-0000-7000-8000-000000000001"]
TEXTS = ["go", "go on", "", " ", "REDACTED", "<turn_aborted>\nx", "<odd>x", "<image name=x>", "x\nOutput:\ny",
         "Exit code: 1", "aborted by user", '{"output":"x","metadata":{"exit_code":0}}', '{"answers":{"a":["x"]}}',
         '{"agent_id":"a"}', '<subagent_notification>{"agent_id":"a","status":"completed"}</subagent_notification>',
         "<user_shell_command><command>x</command>"]  # fmt: skip
ids, texts = st.sampled_from(IDS), st.sampled_from(TEXTS)
names = st.sampled_from(["exec_command", "update_plan", "request_user_input", "spawn_agent"])
counts = st.sampled_from([0, 1, 5, 10])
vectors = odd | some(
    input_tokens=counts, cached_input_tokens=counts, output_tokens=counts, total_tokens=counts, x=odd
)
contents = texts | odd | st.lists(
    some(type=st.sampled_from(["input_text", "output_text", "summary_text"]), text=texts, x=odd)
    | some(type="input_image", image_url=st.sampled_from(["data:image/png;base64,QUI=", "REDACTED"]), x=odd)
    | odd,
    max_size=3,
)  # fmt: skip
arguments = st.sampled_from(
    [
        '{"plan":[{"step":"x","status":"y"}]}',
        '{"questions":[{"id":"a","question":"?","isSecret":true}]}',
        "{",
        "[1]",
    ]
)
items = st.one_of(
    every(type="message", role=st.sampled_from(["user", "assistant", "developer", "x"]),
          content=contents, id=ids | odd, metadata=some(turn_id=ids)),
    every(type="reasoning", summary=contents, content=contents, encrypted_content=texts | odd),
    every(type=st.sampled_from(["function_call", "custom_tool_call", "local_shell_call"]),
          name=names | odd, arguments=arguments | odd, input=texts | odd, call_id=ids | odd),
    every(type=st.sampled_from(["function_call_output", "tool_search_output"]), call_id=ids,
          output=contents, x=odd),
    every(type="web_search_call", id=ids, action=some(query=texts), status=texts),
    every(type="agent_message", author=ids, content=contents),
    every(type="image_generation_call", id=ids, result=st.sampled_from(["QUI=", "REDACTED"])),
)  # fmt: skip
events = st.one_of(
    every(type="user_message", message=texts | odd, images=odd, x=odd),
    every(type=st.sampled_from(["agent_message", "agent_reasoning"]), message=texts, text=texts),
    every(type="token_count", rate_limits=odd,
          info=odd | some(total_token_usage=vectors, last_token_usage=vectors, x=odd)),
    every(type=st.sampled_from(["exec_command_end", "patch_apply_end", "web_search_end"]),
          call_id=ids, action=some(query=texts), stdout=texts, aggregated_output=texts,
          source=st.sampled_from(["user", "agent"]), exit_code=odd, command=odd, success=odd),
    every(type=st.sampled_from(["task_started", "task_complete", "turn_aborted"]), turn_id=ids,
          error=odd, last_agent_message=texts, model_context_window=odd),
    every(type=st.sampled_from(["context_compacted", "thread_rolled_back"]), num_turns=odd),
    every(type="sub_agent_activity", kind=st.sampled_from(["started", "interrupted", "x"]),
          agent_path=ids, event_id=ids),
    every(type="item_completed", turn_id=ids, thread_id=ids, item=some(
        type=st.sampled_from(["UserMessage", "AgentMessage", "Reasoning", "CommandExecution", "HookPrompt", "Plan"]),
        id=ids, content=contents, text=texts, summary_text=odd, command=odd, source=st.sampled_from(["user", "x"]),
        fragments=st.lists(some(text=texts, x=odd), max_size=2))),
)  # fmt: skip
others = st.one_of(
    every(type="session_meta", payload=some(
        id=ids, timestamp=st.just("2026-01-02T00:00:00Z"), cwd=ids, git=some(branch=texts, x=odd),
        forked_from_id=ids, subagent_history_start_ordinal=odd, source=some(subagent=odd | texts), cli_version=odd)),
    every(type="turn_context", payload=some(
        turn_id=ids, cwd=odd, model=texts | odd, sandbox_policy=odd | some(type=texts), x=odd)),
    every(type="compacted", payload=some(
        message=texts | odd, replacement_history=odd | st.lists(items | odd, max_size=3))),
    every(type="token_usage_record", payload=some(usage=vectors, response_id=ids, x=odd)),
)  # fmt: skip
bodies = st.one_of(
    items.map(lambda payload: {"type": "response_item", "payload": payload}),
    events.map(lambda payload: {"type": "event_msg", "payload": payload}),
    others,
)
envelopes = some(
    timestamp=st.sampled_from(["2026-01-01T00:00:00Z", "2026-01-03T00:00:00Z", 5, "x"]), ordinal=odd, x=odd
)


@given(worlds(envelopes, bodies))
def test_small_worlds_keep_the_rules(text: bytes) -> None:
    """Lines with few IDs and texts, so that they meet: repeated, out of order, of several threads."""
    check(text)


@given(st.tuples(st.sampled_from(LINES), st.sampled_from(LINES)), damage)
def test_a_damaged_line_costs_only_itself(around: tuple[Any, Any], bad: bytes) -> None:
    check_damage(convert, around, bad)


def test_values_that_are_no_lines() -> None:
    text = b'[1]\n"text"\n7\nnull\n{}\n{"payload":7}\n{"type":"session_meta","payload":{"id":"a","x":NaN}}\n'
    kinds = [one["type"].rsplit("/")[-1] for one in convert(text)]
    assert kinds == ["unit"] * 6 + ["session_meta"]
    assert convert(text)[-1]["native"] == {"value": '{"type":"session_meta","payload":{"id":"a","x":NaN}}'}


def test_a_second_value_on_a_line() -> None:
    one = b'{"type":"event_msg","payload":{"type":"agent_message","message":"%d"}}'
    assert [record["seq"] for record in convert(one % 1 + one % 2 + b"\n")] == [1_000_000, 1_500_000]
    assert encoded(one % 1) == encoded(one % 1)
