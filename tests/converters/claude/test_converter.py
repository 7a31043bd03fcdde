"""What single lines become; the fixtures show the usual ones, this the corners."""

from __future__ import annotations

from typing import Any

import pytest

from git_asr.converters.building import MAX_BLOCKS
from git_asr.converters.claude.converter import LOSSES, Claude
from git_asr.converters.claude.delegation import EMBEDDED_LIMIT
from git_asr.converters.claude.graph import MAX_LEAVES, MAX_STEPS
from git_asr.converters.claude.slots import MAX_TOMBSTONES
from git_asr.converters.claude.state import counts_badly
from git_asr.converters.registry import by_name, converter_for
from tests.converters.claude.conversion import (
    SESSION,
    VENDOR,
    assistant,
    call,
    chained,
    convert,
    losses,
    result,
    streams,
    units,
    user,
)
from tests.support.converted import figures, kinds, lines


def test_a_converter_says_what_it_has_seen() -> None:
    native = by_name("claude-code-jsonl")
    converter = converter_for(native)
    assert isinstance(converter, Claude)
    assert (converter.name, converter.version, converter.lossy) == ("claude-code", 1, LOSSES)
    assert (converter.format_version, converter.workspace, converter.embedded) == (None, None, [])
    text = lines(
        {**user("a", None, "hi"), "version": "2.1.99", "cwd": "/w", "gitBranch": "main"},
        {**user("b", "a", "ho"), "version": "2.2.0", "cwd": "/x", "gitBranch": "other"},
    )
    list(converter.convert(iter(units(text)), native, SESSION))
    assert converter.format_version == "2.1.99"
    assert converter.workspace == {"cwd": "/w", "vcs": {"branch": "main"}}
    assert all(set(loss) == {"feature", "reason"} for loss in LOSSES)


@pytest.mark.parametrize(
    ("version", "badly"),
    [("2.1.58", True), ("2.1.59", False), ("2.0.74-beta", True), ("3", False), ("x.1", False), ("", False)],
)
def test_the_era_of_placeholders(version: str, badly: bool) -> None:
    assert counts_badly(version) is badly


def test_blocks_beyond_the_range_go_into_one_record() -> None:
    blocks = [{"type": "text", "text": str(number)} for number in range(MAX_BLOCKS + 3)]
    records = convert(lines(assistant("a", None, *blocks, id="msg_1", model="m")))
    (rest,) = kinds(records, f"{VENDOR}/blocks")
    assert rest["value"] == blocks[MAX_BLOCKS:]
    assert len(kinds(records, "message")) == MAX_BLOCKS
    assert records[0]["id"] == "a"
    assert [one["type"] for one in records[-2:]] == ["git-asr/context", "inference"]
    results = [result(f"t{number}") for number in range(MAX_BLOCKS + 2)]
    records = convert(lines(user("b", None, results)))
    assert kinds(records, f"{VENDOR}/blocks")[0]["value"] == results[MAX_BLOCKS:]


def test_tombstones_beyond_the_range_go_into_one_record() -> None:
    queued = [
        {"type": "queue-operation", "operation": "enqueue", "content": f"text {n}"}
        for n in range(MAX_TOMBSTONES + 5)
    ]
    records = convert(lines(*queued, {"type": "queue-operation", "operation": "popAll"}))
    assert len(kinds(records, "tombstone")) == MAX_TOMBSTONES
    (rest,) = kinds(records, f"{VENDOR}/tombstones")
    assert rest["value"]["targets"] == [f"~{n}.0" for n in range(MAX_TOMBSTONES + 1, MAX_TOMBSTONES + 6)]
    merged = lines(*queued, user("a", None, " ".join(one["content"] for one in queued)))
    records = convert(merged)
    assert len(kinds(records, f"{VENDOR}/tombstones")[0]["value"]["targets"]) == 4
    assert figures(records)["counts"] == {"prompts": 1}


def test_of_the_texts_that_wait_a_message_delivers_those_that_it_holds() -> None:
    queued = [{"type": "queue-operation", "operation": "enqueue", "content": one} for one in ("one", "two")]
    records = convert(lines(*queued, user("a", None, "two"), user("b", "a", "one")))
    assert [one.get("supersedes") for one in kinds(records, "message")] == [None, None, "~2.0", "~1.0"]
    assert figures(records)["counts"] == {"prompts": 2}


def test_what_the_harness_queues_is_no_prompt() -> None:
    text = lines(
        {"type": "queue-operation", "operation": "enqueue", "content": "typed", "isMeta": True},
        {"type": "queue-operation", "operation": "enqueue", "content": "one"},
        {"type": "queue-operation", "operation": "enqueue", "content": "two"},
        {"type": "queue-operation", "operation": "remove", "content": "two", "reason": "absorbed_mid_turn"},
    )
    records = convert(text)
    assert [one["author"] for one in kinds(records, "message")] == ["harness", "human", "human", "human"]
    assert records[-1]["supersedes"] == "~3.0"
    assert records[-1]["_meta"] == {"git-asr/queue": "absorbed_mid_turn"}
    assert figures(records)["counts"] == {"prompts": 1}


def test_without_any_id_there_is_no_inference() -> None:
    bare = {"type": "assistant", "message": {"content": "hi", "model": "m", "id": ""}}
    records = convert(lines(bare, {"type": "assistant", "message": {"content": "hi"}}))
    assert [record["type"] for record in records] == ["message", f"{VENDOR}/message", "message"]
    assert records[1]["value"] == {"model": "m"}


def test_a_message_id_that_is_no_text_is_kept() -> None:
    text = lines({**assistant("a", None, id=7, model="m"), "requestId": "req"})
    (inference,) = kinds(convert(text), "inference")
    assert (inference["inferenceId"], inference["_meta"][VENDOR]) == ("req", {"id": 7})
    assert losses(text) == []


def test_signatures_that_are_no_base64() -> None:
    blocks = [{"type": "thinking", "thinking": "x", "signature": signature} for signature in ("a", "é", 7)]
    records = convert(lines(assistant("a", None, *blocks, id="m", model="m")))
    assert [one["_meta"][VENDOR]["signature"] for one in kinds(records, "reasoning")] == ["a", "é", 7]


def test_keys_of_a_line_and_a_block_that_are_the_same() -> None:
    block = {**call("t"), "note": "of the block", "block": 1}
    text = lines({**assistant("a", None, block, id="m"), "note": "of the line", "block_": 2})
    meta = convert(text)[0]["_meta"][VENDOR]
    assert meta == {"note": "of the line", "block_": 2, "block": {"note": "of the block", "block": 1}}
    text = lines({**assistant("a", None, {**call("t"), "note": 1}, id="m"), "note": 2, "block": 3})
    assert convert(text)[0]["_meta"][VENDOR] == {"note": 2, "block": 3, "block_": {"note": 1}}


def test_leftovers_of_results_and_messages() -> None:
    text = lines(
        assistant("a", None, call("t"), id="m"),
        chained(
            "b",
            "a",
            "user",
            message={
                "role": "user",
                "extra": 1,
                "content": [result("t", [{"type": "text", "text": "x", "note": "y"}])],
            },
        ),
    )
    assert losses(text) == []
    records = convert(text)
    assert kinds(records, "tool_result")[0]["_meta"][VENDOR] == {"content": {"0": {"note": "y"}}}
    assert kinds(records, "tool_result")[0]["id"] == "b"
    assert kinds(records, f"{VENDOR}/message")[0]["value"] == {"extra": 1}


def test_odd_questions_and_plans() -> None:
    text = lines(
        assistant(
            "a",
            None,
            call("q", "AskUserQuestion"),
            call("t", "TodoWrite", todos=5),
            call("p", "ExitPlanMode"),
            call("c", "TaskCreate"),
            call("l", "TaskList"),
            id="m",
        ),
        user("b", "a", [result("q")], toolUseResult={"other": 1}),
        user("c", "b", [result("c")], toolUseResult={"task": {"id": 1}}),
        user("d", "c", [result("l")], toolUseResult={"tasks": 7}),
        user("e", "d", [result("t")], toolUseResult={"newTodos": []}),
        user("f", "e", "go", todos=[7, {"content": "do"}], planContent="# Plan"),
        user("g", "f", "go", todos=[7, {"content": "do"}]),
        user("h", "g", "go", todos=[7, {"content": "do"}]),
    )
    records = convert(text)
    (request,), (response,) = kinds(records, "input_request"), kinds(records, "input_response")
    assert "questions" not in request
    assert "answers" not in response
    assert "_meta" not in response
    assert [plan["items"] for plan in kinds(records, "plan")] == [[{"text": "# Plan"}], [{"text": "do"}]]
    assert losses(text) == []


def test_a_plan_that_is_approved_as_it_was_is_recorded_once() -> None:
    text = lines(
        assistant("a", None, call("p", "ExitPlanMode", plan="# Plan"), id="m"),
        user("b", "a", [result("p")], toolUseResult={"plan": "# Plan", "isAgent": False}),
    )
    assert [plan["items"] for plan in kinds(convert(text), "plan")] == [[{"text": "# Plan"}]]


def test_progress_of_a_subagent_whose_call_is_not_known() -> None:
    message = {"type": "user", "uuid": "i", "message": {"role": "user", "content": "go"}}
    data = {"type": "agent_progress", "agentId": "a", "message": message}
    text = lines(
        chained("p", None, "progress", data=data, parentToolUseID="REDACTED"),
        user("r", "p", [result("t")], toolUseResult={"agentId": "a", "usage": {"input_tokens": 1}}),
        user("s", "r", [result("t")], toolUseResult={"agentId": "a"}),
    )
    made = streams(text)
    assert list(made) == [SESSION, f"{SESSION}.a.embedded"]
    assert [one["type"] for one in made[f"{SESSION}.a.embedded"]] == ["message"]
    assert losses(text) == []


def test_context_that_comes_back_and_is_none() -> None:
    """What changes is recorded each time; what is no text is none, whatever it is and however often."""
    places: list[Any] = ["/a", "/b", None, "/a", ["/c"], "/a", *range(5), "/b"]
    sides: list[Any] = [False, False, 0, False, False, True, *(len(places) - 6) * [1]]
    said = zip(places, sides, strict=True)
    text = lines(
        *(chained(f"u{n}", None, "system", cwd=cwd, isSidechain=side) for n, (cwd, side) in enumerate(said))
    )
    found = kinds(convert(text), "git-asr/context")
    assert [one["cwd"] for one in found if "cwd" in one] == ["/a", "/b", "/a", "/b"]
    metas = [one.get("_meta", {}).get(VENDOR, {}) for one in found]
    assert [meta["isSidechain"] for meta in metas if "isSidechain" in meta] == [False, True]
    assert losses(text) == []


def test_no_number_in_a_message_of_a_subagent() -> None:
    """What holds NaN stays in the parent's stream as text."""

    def progress(index: int, extra: str) -> dict[str, Any]:
        said = {"role": "user", "content": f"go {index}", "x": extra}
        message = {"type": "user", "uuid": f"i{index}", "message": said}
        data = {"type": "agent_progress", "agentId": "a", "message": message}
        return chained(f"p{index}", None, "progress", data=data, parentToolUseID="t")

    made = streams(lines(*map(progress, (1, 2, 3), ("x", "NaN", "y"))).replace(b'"NaN"', b"NaN"))
    assert [one["messageId"] for one in kinds(made[f"{SESSION}.a.embedded"], "message")] == ["i1", "i3"]
    (kept,) = (one["native"]["value"] for one in made[SESSION] if "native" in one)
    assert '"x":NaN' in kept


def test_what_is_of_no_known_kind_is_kept_beside() -> None:
    call = assistant("a", None, {"type": "text", "text": "x"}, id="m", model=5, stop_reason=["y"])
    text = lines(
        call,
        user("u", "a", "x", permissionMode=7),
        chained("w", "u", "user", message={"role": "user", "content": "x", "more": None}),
        {"type": "permission-mode", "permissionMode": "", "sessionId": SESSION},
    )
    records = convert(text)
    (inference,) = kinds(records, "inference")
    assert inference["_meta"][VENDOR] == {"id": "m", "model": 5, "stop_reason": ["y"]}
    assert [one["_meta"][VENDOR] for one in kinds(records, "message") if "_meta" in one] == [
        {"permissionMode": 7}
    ]
    assert losses(text) == []


def test_context_of_lines_of_several_kinds() -> None:
    """The context is recorded when it changes, whatever other keys the lines have."""
    others = [{f"key{n}": n} for n in range(3)]
    turns = [(cwd, other) for cwd in ("/a", "/a", "/b") for other in others]
    text = lines(
        *(chained(f"u{n}", None, "system", cwd=cwd, **other) for n, (cwd, other) in enumerate(turns)),
    )
    assert [one["cwd"] for one in kinds(convert(text), "git-asr/context")] == ["/a", "/b"]
    assert losses(text) == []


def test_more_subagents_than_get_a_stream() -> None:
    def progress(agent: str, index: int) -> dict[str, Any]:
        message = {"type": "user", "uuid": f"i{index}", "message": {"role": "user", "content": f"go {index}"}}
        data = {"type": "agent_progress", "agentId": agent, "message": message}
        return chained(f"p{index}", None, "progress", data=data, parentToolUseID="t")

    count = EMBEDDED_LIMIT + 2
    said = [progress(f"a{n}", n) for n in range(count)]
    text = lines(*said, progress("a0", count))
    made = streams(text)
    assert len(made) == 1 + EMBEDDED_LIMIT
    assert len(made[f"{SESSION}.a0.embedded"]) == 2
    kept = [one["value"]["agentId"] for one in made[SESSION] if "value" in one and "stream" not in one]
    assert kept == [f"a{n}" for n in range(EMBEDDED_LIMIT, count)]
    assert losses(text) == []


def test_embedded_messages_without_an_id_or_a_type() -> None:
    def progress(uuid: str, message: dict[str, Any]) -> dict[str, Any]:
        data = {"type": "agent_progress", "agentId": "a", "message": message}
        return chained(uuid, None, "progress", data=data, parentToolUseID="t")

    said = {"type": "assistant", "message": {"content": "hi"}}
    text = lines(progress("p", said), progress("q", {}), progress("r", {"type": {"x": 1}}))
    made = streams(text)[f"{SESSION}.a.embedded"]
    assert [one["type"] for one in made] == ["message", f"{VENDOR}/line"]
    assert losses(text) == []


def test_a_chained_line_with_nothing_new_still_stands() -> None:
    first = user("a", None, "hi")
    text = lines(
        first, chained("b", "a", "mode", mode="x"), chained("c", "b", "mode", mode="x"), user("d", "c", "x")
    )
    records = convert(text)
    assert [record["id"] for record in records if record.get("idSource") is None] == ["a", "b", "c", "d"]
    assert records[-1]["predecessors"] == ["c"]


def test_notifications_without_a_status_or_a_task() -> None:
    note = "<task-notification><tool-use-id>t</tool-use-id></task-notification>"
    (*_, ended) = convert(lines(assistant("a", None, call("t", "Task"), id="m"), user("b", "a", note)))
    assert (ended["type"], ended["state"], ended["callId"]) == ("subagent", "ended", "t")
    assert "status" not in ended


def test_boundaries_say_only_what_they_know() -> None:
    text = lines(
        user("a", None, "x"),
        chained("b", "a", "system", subtype="compact_boundary"),
        chained("c", "b", "system", subtype="microcompact_boundary"),
        chained("d", None, "system", subtype="compact_boundary", logicalParentUuid="c",
                compactMetadata={"preservedSegment": {"headUuid": "nowhere", "tailUuid": "a"}}),
        {"type": "system", "subtype": "compact_boundary", "logicalParentUuid": "a"},
    )  # fmt: skip
    found = [record["replaces"] for record in kinds(convert(text), "compaction")]
    assert found == [{"through": "~1.80"}, {"calls": []}, {"through": "c"}, {"unknown": True}]
    assert losses(text) == []


def leaves(count: int, *, between: int) -> list[dict[str, Any]]:
    """Calls of one response, of which one result is on the path and the others hang beside it."""
    found = [user("start", None, "go")]
    parent = "start"
    for number in range(count):
        found.append(assistant(f"a{number}", parent, call(f"t{number}"), id="msg"))
        parent = f"a{number}"
    found += [user(f"r{number}", f"a{number}", [result(f"t{number}")]) for number in range(count)]
    parent = f"r{count - 1}"
    for number in range(between):
        found.append(chained(f"p{number}", parent, "progress", data={"type": "bash_progress"}))
        parent = f"p{number}"
    return [*found, assistant("end", parent, {"type": "text", "text": "done"}, id="last")]


def test_results_beside_the_path_are_taken_once() -> None:
    records = convert(lines(*leaves(5, between=0), user("next", "end", "more")))
    by_id = {record["id"]: record for record in records}
    assert by_id["end"]["predecessors"] == ["r4", "r0", "r1", "r2", "r3"]
    assert by_id["next"]["predecessors"] != by_id["end"]["predecessors"]
    assert len(by_id["next"]["predecessors"]) == 1


def test_only_so_many_leaves_are_kept_in_mind() -> None:
    records = convert(lines(*leaves(MAX_LEAVES + 10, between=0)))
    end = next(record for record in records if record["id"] == "end")
    assert len(end["predecessors"]) == MAX_LEAVES


def test_parents_in_a_circle_end() -> None:
    """Units that stand again with other parents, while results wait for their call."""
    records = convert(
        lines(
            *(user("root", None, "go"), user("a", "unseen", "x"), user("b", "a", "x"), user("a", "b", "x")),
            *(user(f"r{n}", "root", [{"type": "tool_result", "tool_use_id": f"t{n}"}]) for n in range(2)),
            user("b", "a", "x"),
            user("end", "a", "x"),
        )
    )
    assert records[-1]["predecessors"] == ["~4.0"]


def test_leaves_far_back_are_let_go() -> None:
    records = convert(lines(*leaves(3, between=MAX_STEPS + 10)))
    assert next(record for record in records if record["id"] == "end")["predecessors"] == [
        f"p{MAX_STEPS + 9}"
    ]


def test_a_result_on_another_branch_is_not_taken() -> None:
    records = convert(
        lines(
            user("q", None, "go"),
            assistant("a", "q", call("t"), id="m1"),
            user("r", "a", [result("t")]),
            user("other", "q", "go elsewhere"),
            assistant("b", "other", {"type": "text", "text": "there"}, id="m2"),
        )
    )
    assert all("r" not in record.get("predecessors", []) for record in records)


def test_a_parent_that_cannot_be_joined_on() -> None:
    records = convert(lines(user("a", "REDACTED", "x"), user("b", "REDACTED", "y"), user("c", "gone", "z")))
    first, second, third = kinds(records, "message")
    assert "predecessors" not in first
    assert "predecessors" not in second  # the record before
    assert third["predecessors"] == ["gone"]
    assert second["_meta"][VENDOR]["parentUuid"] == "REDACTED"
