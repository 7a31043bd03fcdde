"""What holds for every rollout: nothing is lost, the first lines give the first records, nothing raises."""

from __future__ import annotations

import random
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from git_asr.asr import codec
from git_asr.converters.codex.converter import CodexRollout
from tests.converters import goldens
from tests.converters.claude.test_properties import fixed, replaced, some
from tests.converters.codex.conversion import convert, losses, units
from tests.converters.codex.rules import check, encoded
from tests.support.beginnings import broken
from tests.support.losslessness import written

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
    check(b"".join(codec.encode(value) + b"\n" for value in values))


IDS = ["a", "b", "c", "REDACTED", "", "~1.0", "\ud800", "019e0000-0000-7000-8000-000000000001"]
TEXTS = ["go", "go on", "", " ", "REDACTED", "<turn_aborted>\nx", "<odd>x", "<image name=x>", "x\nOutput:\ny",
         "Exit code: 1", "aborted by user", '{"output":"x","metadata":{"exit_code":0}}', '{"answers":{"a":["x"]}}',
         '{"agent_id":"a"}', '<subagent_notification>{"agent_id":"a","status":"completed"}</subagent_notification>',
         "<user_shell_command><command>x</command>"]  # fmt: skip
ODD = [None, 0, 1, True, 1.0, -1, 2.5, 1 << 60, "", "x", [], {}, ["x"], {"x": 1}, {"x": True}]
ids, texts, odd = st.sampled_from(IDS), st.sampled_from(TEXTS), st.sampled_from(ODD)
names = st.sampled_from(["exec_command", "update_plan", "request_user_input", "spawn_agent"])
counts = st.sampled_from([0, 1, 5, 10])
vectors = odd | some(
    input_tokens=counts, cached_input_tokens=counts, output_tokens=counts, total_tokens=counts, x=odd
)
contents = texts | odd | st.lists(
    some(**fixed(type=st.sampled_from(["input_text", "output_text", "summary_text"]), text=texts, x=odd))
    | some(**fixed(type="input_image", image_url=st.sampled_from(["data:image/png;base64,QUI=", "REDACTED"]), x=odd))
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
    st.fixed_dictionaries(fixed(type="message", role=st.sampled_from(["user", "assistant", "developer", "x"]),
                                content=contents, id=ids | odd, metadata=some(turn_id=ids))),
    st.fixed_dictionaries(fixed(type="reasoning", summary=contents, content=contents, encrypted_content=texts | odd)),
    st.fixed_dictionaries(fixed(type=st.sampled_from(["function_call", "custom_tool_call", "local_shell_call"]),
                                name=names | odd, arguments=arguments | odd, input=texts | odd, call_id=ids | odd)),
    st.fixed_dictionaries(fixed(type=st.sampled_from(["function_call_output", "tool_search_output"]), call_id=ids,
                                output=contents, x=odd)),
    st.fixed_dictionaries(fixed(type="web_search_call", id=ids, action=some(query=texts), status=texts)),
    st.fixed_dictionaries(fixed(type="agent_message", author=ids, content=contents)),
    st.fixed_dictionaries(fixed(type="image_generation_call", id=ids, result=st.sampled_from(["QUI=", "REDACTED"]))),
)  # fmt: skip
events = st.one_of(
    st.fixed_dictionaries(fixed(type="user_message", message=texts | odd, images=odd, x=odd)),
    st.fixed_dictionaries(fixed(type=st.sampled_from(["agent_message", "agent_reasoning"]), message=texts, text=texts)),
    st.fixed_dictionaries(fixed(type="token_count", rate_limits=odd,
                                info=odd | some(total_token_usage=vectors, last_token_usage=vectors, x=odd))),
    st.fixed_dictionaries(fixed(type=st.sampled_from(["exec_command_end", "patch_apply_end", "web_search_end"]),
                                call_id=ids, action=some(query=texts), stdout=texts, aggregated_output=texts,
                                source=st.sampled_from(["user", "agent"]), exit_code=odd, command=odd, success=odd)),
    st.fixed_dictionaries(fixed(type=st.sampled_from(["task_started", "task_complete", "turn_aborted"]), turn_id=ids,
                                error=odd, last_agent_message=texts, model_context_window=odd)),
    st.fixed_dictionaries(fixed(type=st.sampled_from(["context_compacted", "thread_rolled_back"]), num_turns=odd)),
    st.fixed_dictionaries(fixed(type="sub_agent_activity", kind=st.sampled_from(["started", "interrupted", "x"]),
                                agent_path=ids, event_id=ids)),
    st.fixed_dictionaries(fixed(type="item_completed", turn_id=ids, thread_id=ids, item=some(**fixed(
        type=st.sampled_from(["UserMessage", "AgentMessage", "Reasoning", "CommandExecution", "HookPrompt", "Plan"]),
        id=ids, content=contents, text=texts, summary_text=odd, command=odd, source=st.sampled_from(["user", "x"]),
        fragments=st.lists(some(text=texts, x=odd), max_size=2))))),
)  # fmt: skip
others = st.one_of(
    st.fixed_dictionaries(fixed(type="session_meta", payload=some(
        id=ids, timestamp=st.just("2026-01-02T00:00:00Z"), cwd=ids, git=some(branch=texts, x=odd),
        forked_from_id=ids, subagent_history_start_ordinal=odd, source=some(subagent=odd | texts), cli_version=odd))),
    st.fixed_dictionaries(fixed(type="turn_context", payload=some(
        turn_id=ids, cwd=odd, model=texts | odd, sandbox_policy=odd | some(type=texts), x=odd))),
    st.fixed_dictionaries(fixed(type="compacted", payload=some(
        message=texts | odd, replacement_history=odd | st.lists(items | odd, max_size=3)))),
    st.fixed_dictionaries(fixed(type="token_usage_record", payload=some(usage=vectors, response_id=ids, x=odd))),
)  # fmt: skip
bodies = st.one_of(
    items.map(lambda payload: {"type": "response_item", "payload": payload}),
    events.map(lambda payload: {"type": "event_msg", "payload": payload}),
    others,
)
envelopes = some(
    **fixed(
        timestamp=st.sampled_from(["2026-01-01T00:00:00Z", "2026-01-03T00:00:00Z", 5, "x"]),
        ordinal=odd,
        x=odd,
    )
)
worlds = st.lists(
    st.tuples(envelopes, bodies, st.sampled_from([b"\n", b"\n", b"\n", b"", b"{\n"])), max_size=10
)


@given(worlds)
def test_small_worlds_keep_the_rules(world: list[tuple[dict[str, Any], dict[str, Any], bytes]]) -> None:
    """Lines with few IDs and texts, so that they meet: repeated, out of order, of several threads."""
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
    text = b'[1]\n"text"\n7\nnull\n{}\n{"payload":7}\n{"type":"session_meta","payload":{"id":"a","x":NaN}}\n'
    kinds = [one["type"].rsplit("/")[-1] for one in convert(text)]
    assert kinds == ["unit"] * 6 + ["session_meta"]
    assert convert(text)[-1]["native"] == {"value": '{"type":"session_meta","payload":{"id":"a","x":NaN}}'}


def test_a_second_value_on_a_line() -> None:
    one = b'{"type":"event_msg","payload":{"type":"agent_message","message":"%d"}}'
    assert [record["seq"] for record in convert(one % 1 + one % 2 + b"\n")] == [1_000_000, 1_500_000]
    assert encoded(one % 1) == encoded(one % 1)
