"""What single lines become; the fixtures show the usual ones, this the corners."""

from __future__ import annotations

from typing import Any

import orjson
import pytest

from git_asr.converters.base import TellsLineage
from git_asr.converters.codex.converter import LOSSES, CodexRollout
from git_asr.converters.codex.slots import MAX_TOMBSTONES
from git_asr.converters.codex.state import MAX_RESULTS
from git_asr.converters.codex.usage import MAX_OPEN
from git_asr.converters.registry import by_name, converter_for
from tests.converters.codex.conversion import VENDOR, convert, losses, units
from tests.converters.codex.rules import check
from tests.support.converted import figures, kinds, lines

THREAD = "019e0000-0000-7000-8000-000000000001"
PARENT = "019d0000-0000-7000-8000-0000000000aa"


def line(kind: str, payload: dict[str, Any], **fields: Any) -> dict[str, Any]:
    return {"timestamp": "2026-05-04T09:00:00Z", "type": kind, "payload": payload, **fields}


def item(kind: str, **fields: Any) -> dict[str, Any]:
    return line("response_item", {"type": kind, **fields})


def event(kind: str, **fields: Any) -> dict[str, Any]:
    return line("event_msg", {"type": kind, **fields})


def done(**fields: Any) -> dict[str, Any]:
    return event("item_completed", item=fields)


def meta(**fields: Any) -> dict[str, Any]:
    return line("session_meta", {"id": THREAD, **fields})


def user(said: str) -> dict[str, Any]:
    return item("message", role="user", content=[{"type": "input_text", "text": said}])


def call(identifier: str, name: str, **arguments: Any) -> dict[str, Any]:
    text = orjson.dumps(arguments).decode()
    return item("function_call", name=name, call_id=identifier, arguments=text)


def output(identifier: str, said: Any) -> dict[str, Any]:
    return item("function_call_output", call_id=identifier, output=said)


def usage(numbers: int, **more: int) -> dict[str, int]:
    return {"input_tokens": numbers, "cached_input_tokens": 0, "output_tokens": 1, **more}


def count(total: Any, last: Any) -> dict[str, Any]:
    return event("token_count", info={"total_token_usage": total, "last_token_usage": last})


def converted(*values: Any) -> list[dict[str, Any]]:
    """The records, which keep the rules."""
    check(lines(*values))
    return convert(lines(*values))


def test_a_converter_says_what_it_has_seen() -> None:
    native = by_name("codex-jsonl")
    converter = converter_for(native)
    assert isinstance(converter, CodexRollout)
    assert isinstance(converter, TellsLineage)
    assert (converter.name, converter.version, converter.lossy) == ("codex", 1, LOSSES)
    assert (converter.format_version, converter.workspace, converter.embedded) == (None, None, ())
    assert converter.lineage is None
    git = {"branch": "main", "commit_hash": "1" * 40}
    text = lines(
        meta(cli_version="0.1", cwd="/w", git=git, forked_from_id=PARENT, parent_thread_id=PARENT),
        meta(cli_version="0.2", cwd="/x", git={"branch": "other"}),
    )
    list(converter.convert(iter(units(text)), native, "stream"))
    assert converter.format_version == "0.1"
    assert converter.workspace == {"cwd": "/w", "vcs": {"branch": "main", "head": "1" * 40}}
    facet = {"session": {"harness": "codex", "id": PARENT}, "evidence": "native_field"}
    assert converter.lineage == {"spawnedBy": facet, "forkedFrom": facet}
    assert all(set(loss) == {"feature", "reason"} for loss in LOSSES)


@pytest.mark.parametrize("parent", [THREAD, "REDACTED", "../x", "", 7])
def test_a_thread_that_comes_from_nowhere(parent: Any) -> None:
    converter = CodexRollout()
    text = lines(meta(forked_from_id=parent, timestamp="2026-05-05T00:00:00Z"), user("x"))
    records = list(converter.convert(iter(units(text)), None))
    assert converter.lineage is None
    assert [one.copied_from for one in records if one.type == "message" and parent != THREAD] in ([None], [])


@pytest.mark.parametrize(
    ("told", "authors"),
    [
        ({"source": {"subagent": "compact"}}, ["harness", "harness"]),
        ({"source": {"subagent": {"other": "guardian"}}}, ["harness", "harness"]),
        ({"source": {"subagent": {"thread_spawn": {}}}}, ["agent", "unknown"]),
        ({"source": {"subagent": {}}}, ["human", "human"]),
        ({"source": "exec"}, ["human", "human"]),
        ({"source": "cli", "thread_source": "subagent"}, ["agent", "unknown"]),
        ({"source": "cli", "thread_source": "user"}, ["human", "human"]),
    ],
)
def test_who_writes_to_a_thread(told: dict[str, Any], authors: list[str]) -> None:
    records = converted(meta(**told), user("a"), user("b"), event("user_message", message="b"))
    assert [one["author"] for one in kinds(records, "message")] == authors


def test_texts_of_events_in_one_later_item() -> None:
    said = [f"**{number}**" for number in range(MAX_TOMBSTONES + 4)]
    summary = [{"type": "summary_text", "text": one} for one in said]
    records = converted(
        *[event("agent_reasoning", text=one) for one in said], item("reasoning", summary=summary)
    )
    assert len(kinds(records, "tombstone")) == MAX_TOMBSTONES
    assert kinds(records, f"{VENDOR}/tombstones")[0]["value"]["targets"] == [
        f"~{MAX_TOMBSTONES + n}.0" for n in (2, 3, 4)
    ]


def test_a_prompt_that_looked_like_the_harness_is_a_turn_that_can_be_taken_back() -> None:
    records = converted(
        meta(),
        event("task_started"),
        user("<goal_context>typed"),
        event("user_message", message="<goal_context>typed"),
        event("thread_rolled_back", num_turns=5),
    )
    assert kinds(records, "rewind")[0]["to"] == "~3.0"
    assert figures(records)["counts"]["prompts"] == 1


def test_rollbacks_of_which_nothing_is_known() -> None:
    for before in ([], [user("x")], [meta(forked_from_id=PARENT), user("x")]):
        records = converted(*before, event("thread_rolled_back", num_turns=2))
        assert records[-1]["type"] == f"{VENDOR}/thread_rolled_back"


def test_a_result_that_may_be_told_anew_is_forgotten_at_last() -> None:
    calls = [call(f"c{number}", "x") for number in range(MAX_RESULTS + 1)]
    outputs = [output(f"c{number}", "x") for number in range(MAX_RESULTS + 1)]
    end = [event("patch_apply_end", call_id=name, success=True) for name in ("c0", "c1")]
    records = convert(lines(*calls, *outputs, *end))
    assert records[-2]["type"] == f"{VENDOR}/patch_apply_end"
    assert records[-1]["supersedes"] == f"~{MAX_RESULTS + 3}.0"
    assert losses(lines(*calls, *outputs, *end)) == []


def test_counter_steps_that_wait_are_forgotten_at_last() -> None:
    counts = [count(usage(n * (n + 1) // 2, output_tokens=n), usage(n)) for n in range(1, MAX_OPEN + 3)]
    record = line("token_usage_record", {"response_id": "r", "usage": usage(1)})
    records = convert(lines(*counts, record))
    assert "supersedes" not in records[-1]
    again = convert(lines(*counts[:5], record))
    assert again[-1]["supersedes"] == "~1.0"
    assert figures(again)["counts"]["inferences"] == 5


def test_usage_with_parts_that_are_missing() -> None:
    records = converted(
        count({"total_tokens": 7}, {"total_tokens": 7}),
        count({"output_tokens": 3, "x": 1}, {"output_tokens": 3, "x": 1}),
        count({"input_tokens": 9, "cached_input_tokens": 10, "output_tokens": 3}, None),
        count({"input_tokens": 12, "cached_input_tokens": 10, "output_tokens": 3, "total_tokens": 99}, None),
    )
    assert [one.get("usage") for one in kinds(records, "inference")] == [
        {"output": {"total": 3}},
        {"input": {"total": 9, "includesCache": True}, "cacheRead": 10, "output": {"total": 0}},
        {"input": {"total": 3, "includesCache": True, "uncached": 3}, "cacheRead": 0, "output": {"total": 0}},
    ]
    assert kinds(records, "inference")[-1]["_meta"][VENDOR]["total_tokens"] == 99


def test_a_record_of_a_response_that_cannot_be_used() -> None:
    kinds = [one["type"] for one in converted(
        line("token_usage_record", {"usage": usage(1)}),
        line("token_usage_record", {"response_id": "r", "usage": {"input_tokens": -1}}),
        line("compacted", {"latest_token_usage_record": {"usage": usage(1)}}),
    )]  # fmt: skip
    assert kinds == [f"{VENDOR}/token_usage_record", f"{VENDOR}/token_usage_record", "compaction"]


def test_items_of_the_paginated_history_that_are_not_as_they_should_be() -> None:
    odd = [
        {"type": "UserMessage", "content": 7},
        {"type": "AgentMessage", "content": 7},
        {"type": "AgentMessage", "content": []},
        {"type": "Plan", "text": 7},
        {"type": "ImageView", "path": 7},
        {"type": "WebSearch", "query": "x"},
        {"type": "CommandExecution", "command": "x"},
        {"type": "SubAgentActivity", "kind": "interacted"},
        {"type": "", "x": 1},
    ]
    records = converted(*[done(**one) for one in odd], event("item_completed", item=7))
    assert {one["type"] for one in records} == {f"{VENDOR}/item_completed"}


def test_items_of_the_paginated_history_in_their_corners() -> None:
    records = converted(
        done(type="reasoning", id="r", summary_text=["a", 7], raw_content=["raw"]),
        done(type="hookPrompt", id="h", fragments=[{"text": "mind"}, 7]),
        done(type="hookPrompt", id="h", fragments=7),
        user("mind twice"),
        done(type="hookPrompt", id="h", fragments=[{"text": "mind twice"}]),
        done(type="commandExecution", id="c", command="ls", source="userShell", aggregated_output="a"),
        done(type="exitedReviewMode", id="e", review="x"),
        done(type="exitedReviewMode", id="e", review="x"),
        done(type="userMessage", id="u", content=[{"type": "text", "text": "x", "odd": 1}]),
        done(type="agentMessage", id="a", content=[{"type": "Text", "text": "y", "odd": 1}]),
        done(type="agentMessage", id="b", content=[{"type": "Text", "text": "y", "odd": 2}]),
    )
    assert [one["type"] for one in records if not one["type"].startswith(VENDOR)] == [
        *("reasoning", "message", "message", "git-asr/command", "git-asr/mode", "message", "message")
    ]
    assert kinds(records, "git-asr/command")[0]["input"] == "ls"


def test_reasoning_that_is_told_in_full() -> None:
    raw = [{"type": "reasoning_text", "text": "raw"}]
    summary = [{"type": "summary_text", "text": "short"}]
    records = converted(item("reasoning", content=raw), item("reasoning", content=raw, summary=summary))
    alone, both = kinds(records, "reasoning")
    assert [one["text"] for one in alone["content"]] == ["raw"] == [one["text"] for one in both["content"]]
    assert "capture" not in alone
    assert "capture" not in both
    assert both["_meta"][VENDOR]["summary"] == summary


def test_an_item_says_its_thread_only_where_it_is_another() -> None:
    def told(thread: str) -> Any:
        one = {"type": "agentMessage", "id": "a", "content": [{"type": "Text", "text": "x"}]}
        (record,) = kinds(converted(meta(), event("item_completed", thread_id=thread, item=one)), "message")
        return record.get("_meta", {}).get(VENDOR, {}).get("thread_id")

    assert told(THREAD) is None
    assert told(PARENT) == PARENT


def test_counters_that_are_none() -> None:
    kinds = [one["type"] for one in converted(event("token_count", info="x"))]
    assert kinds == [f"{VENDOR}/token_count"]


def test_a_command_of_the_person() -> None:
    told = {"call_id": "c", "source": "user", "stdout": "x", "command": [7]}
    records = converted(event("exec_command_end", **told), user("<user_shell_command>nothing"))
    assert [one.get("input") for one in kinds(records, "git-asr/command")] == [None, None]


def test_messages_in_their_corners() -> None:
    records = converted(
        item("agent_message", content="x"),
        item("agent_message", content=[{"type": "input_text", "text": "x", "odd": 1}]),
        event("agent_reasoning", text=7),
        event("agent_reasoning", text="a"),
        event("agent_reasoning", text="a"),
        item(
            "reasoning",
            summary=[{"type": "summary_text", "text": "b", "odd": 1}],
            content=[{"type": "x", "y": 1}],
        ),
        event("user_message", message="only here", images=["data:image/png;base64,QUJD"]),
        event("user_message", message="only here", images=["data:image/png;base64,QUJDREVG"]),
        user("only here"),
    )
    assert [one["role"] for one in kinds(records, "message")] == ["user", "user", "user"]
    (attached,) = kinds(records, f"{VENDOR}/attached")
    assert attached["content"][0]["data"] == b"ABCDEF"
    assert kinds(records, "message")[-1]["supersedes"] == kinds(records, "message")[-2]["id"]


def test_calls_in_their_corners() -> None:
    records = converted(
        item("custom_tool_call", name=None, input="x"),
        item("custom_tool_call", name="x", call_id="c"),
        item(
            "function_call_output",
            call_id="c",
            output={"content": [{"type": "input_text", "text": "x", "n": 1}]},
        ),
        output("c", '{"output":"x","metadata":{"exit_code":2}}'),
        output("d", '{"output":"x'),
        item("tool_search_output", call_id="t"),
        event("patch_apply_end", call_id="REDACTED", success=True),
        event("dynamic_tool_call_request", tool=7),
        event("dynamic_tool_call_request", tool="x", callId="REDACTED", arguments=[1]),
        event("thread_settings_applied", thread_settings=7),
        event("thread_name_updated", thread_name=7),
        event("thread_name_updated", thread_name="x", thread_id="other"),
    )
    results = kinds(records, "tool_result")
    assert [one["status"] for one in results] == ["unknown", "error", "unknown", "unknown"]
    assert [one["callId"] for one in kinds(records, "tool_call")] == ["c", "~9.0"]


@pytest.mark.parametrize(
    ("told", "status"),
    [
        ({"exitCode": 3}, "error"),
        ({"exit_code": True}, "unknown"),
        ({"result": {"Ok": {"isError": True}}}, "error"),
        ({"error": {"message": "x"}}, "error"),
        ({"status": "interrupted"}, "cancelled"),
        ({"status": ["x"]}, "unknown"),
    ],
)
def test_how_an_event_says_that_a_call_ended(told: dict[str, Any], status: str) -> None:
    records = converted(call("c", "x"), event("mcp_tool_call_end", call_id="c", **told))
    assert kinds(records, "tool_result")[0]["status"] == status


def test_a_command_stands_once_wherever_a_result_came_without_its_call() -> None:
    values = (
        item("function_call_output", call_id="c", output="a"),
        event("exec_command_end", call_id="c", command=["/bin/sh", "-lc", "x"], stdout="a"),
    )
    records = converted(*values)
    assert [one["type"] for one in records] == ["tool_result", "tool_result"]
    assert records[1]["output"] == {"stdout": "a", "command": ["/bin/sh", "-lc", "x"]}
    assert losses(lines(*values)) == []


@pytest.mark.parametrize("call", [["x"], {"x": 1}, 7, None])
def test_an_end_of_no_call(call: Any) -> None:
    (found,) = converted(event("exec_command_end", call_id=call, command=["x"]))
    assert found["type"] == f"{VENDOR}/exec_command_end"


def test_answers_in_their_corners() -> None:
    failed = {"content": '{"answers":{"a":"x"}}', "success": False}
    records = converted(call("q", "request_user_input", questions=7), output("q", failed))
    assert kinds(records, "tool_result")[0]["status"] == "error"
    assert kinds(records, "input_response")[0]["answers"] == [{"question": "a", "answer": "x"}]
    assert "questions" not in kinds(records, "input_request")[0]


def test_subagents_in_their_corners() -> None:
    said = '{"agent_id":"REDACTED","nickname":"n"}'
    records = converted(
        call("s", "spawn_agent", agent_type="t" * 500, role="r"),
        output("s", {"content": said, "success": True}),
        user('<subagent_notification>{"nickname":"n","status":["x"]}'),
    )
    assert [one.get("agentType") for one in kinds(records, "subagent")] == ["r", "r"]


def test_messages_of_a_history_that_are_no_copies() -> None:
    history = [
        {"type": "message", "role": "user", "content": [{"type": "input_image", "image_url": "x"}]},
        {"type": "message", "role": "user", "content": "x"},
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "x"}], "id": "m"},
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "other"}]},
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": 7}]},
    ]
    records = converted(user("x"), line("compacted", {"message": "", "replacement_history": history}))
    assert "except" not in kinds(records, "compaction")[0]["replaces"]
    assert kinds(records, f"{VENDOR}/replacement_history")[0]["value"] == history


def test_a_search_that_an_event_tells_twice_is_one_call() -> None:
    told = event("web_search_end", call_id="ws-1", query="wind", action={"type": "search", "query": "wind"})
    records = converted(told, told)
    assert [one["name"] for one in kinds(records, "tool_call")] == ["web_search"]
