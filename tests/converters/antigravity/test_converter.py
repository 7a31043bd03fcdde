"""What single steps become; the fixtures show the usual ones, this the corners."""

from __future__ import annotations

from typing import Any

import pytest

from git_asr.converters.antigravity.slots import CALLS, MAX_TOMBSTONES
from git_asr.converters.building import MAX_BLOCKS
from tests.converters.antigravity.conversion import STEPS, VENDOR, call, planner, step
from tests.support.converted import figures, kinds
from tests.support.converting import as_units, cases, units_of


@pytest.mark.parametrize("case", cases("antigravity"))
def test_every_rule_holds(case: str) -> None:
    STEPS.check_case(case)


@pytest.mark.parametrize("case", cases("antigravity"))
def test_a_damaged_line_costs_only_itself(case: str) -> None:
    STEPS.check_damage(case)


def pairs(*values: Any) -> list[str | None]:
    """The name of the call of each result, in order."""
    records = STEPS.convert(*values)
    names = {one["callId"]: one["name"] for one in kinds(records, "tool_call")}
    return [names.get(one["callId"]) for one in kinds(records, "tool_result")]


@pytest.mark.parametrize(
    ("called", "results", "paired"),
    [
        (["view_file", "run_command"], ["VIEW_FILE", "RUN_COMMAND"], ["view_file", "run_command"]),
        (["view_file", "run_command"], ["RUN_COMMAND", "VIEW_FILE"], ["run_command", "view_file"]),
        (["view_file", "run_command"], ["GENERIC", "GENERIC"], ["view_file", "run_command"]),
        (["x", "view_file", "y"], ["GENERIC", "VIEW_FILE", "CODE_ACTION"], ["x", "view_file", "y"]),
        (["view_file", "x"], ["CODE_ACTION", "VIEW_FILE"], ["x", "view_file"]),
        (["view_file"], ["CODE_ACTION", "VIEW_FILE", "VIEW_FILE"], [None, "view_file", None]),
        (["x", "y"], ["Y", "X"], []),
        (["new_tool"], ["NEW_TOOL"], ["new_tool"]),
        ([], ["GENERIC"], [None]),
    ],
)
def test_results_belong_to_calls_in_their_order(
    called: list[str], results: list[str], paired: list[Any]
) -> None:
    behind = [step(n, kind, "x") for n, kind in enumerate(results, 1)]
    found = pairs(planner(0, *(call(name) for name in called)), *behind)
    assert found == (paired or ["y", "x"])


def test_only_the_last_step_of_the_model_waits_for_results() -> None:
    assert pairs(planner(0, call("view_file")), planner(1), step(2, "VIEW_FILE", "x")) == [None]
    assert pairs(planner(0, call("view_file")), step(1, "USER_INPUT", "x"), step(2, "VIEW_FILE", "x")) == [
        None
    ]
    aside = step(1, "SYSTEM_MESSAGE", "x")
    assert pairs(planner(0, call("view_file")), aside, step(2, "VIEW_FILE", "x")) == ["view_file"]


@pytest.mark.parametrize(
    ("stored", "read", "exact"),
    [
        ({"a": '"ls"', "b": "true", "c": "5"}, {"a": "ls", "b": True, "c": 5}, None),
        ({"a": "ls", "b": "true"}, {"a": "ls", "b": "true"}, None),
        ({"a": '"ls"', "b": True}, {"a": '"ls"', "b": True}, None),
        ({"a": "[1, 2]"}, {"a": [1, 2]}, {"a": "[1, 2]"}),
        ({}, {}, None),
        (["x"], ["x"], None),
        ("x", "x", None),
    ],
)
def test_arguments_that_are_encoded_twice(stored: Any, read: Any, exact: Any) -> None:
    value = planner(0, {"name": "x", "args": stored})
    (found,) = kinds(STEPS.convert(value), "tool_call")
    assert found["arguments"] == read
    assert found.get("_meta", {}).get(VENDOR, {}).get("args") == exact
    assert STEPS.losses(value) == []


@pytest.mark.parametrize(
    ("status", "said", "found"),
    [
        ("DONE", "x", "ok"),
        ("DONE", "The command failed with exit code: 1", "error"),
        ("DONE", "The command exited with code 127.", "error"),
        ("DONE", "The command exited with code 0.", "ok"),
        ("ERROR", "x", "error"),
        ("ERROR", "The user declined to run this", "rejected"),
        ("RUNNING", "x", "unknown"),
        ("CANCELLED", "x", "cancelled"),
        (7, "x", "unknown"),
    ],
)
def test_how_a_call_ended(status: Any, said: str, found: str) -> None:
    value = step(0, "RUN_COMMAND", said, status=status)
    (result,) = kinds(STEPS.convert(value), "tool_result")
    assert result["status"] == found
    assert STEPS.losses(value) == []


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("<USER_REQUEST>\ngo\n</USER_REQUEST>", ["go"]),
        ("<USER_REQUEST>\ngo\n</USER_REQUEST>\n<ADDITIONAL_METADATA>", ["go", "<ADDITIONAL_METADATA>"]),
        ("<USER_REQUEST>go</USER_REQUEST>x", ["go", "x"]),
        ("<USER_REQUEST>\na </USER_REQUEST> b\n</USER_REQUEST>", ["a </USER_REQUEST> b"]),
        ("<USER_REQUEST>\n</USER_REQUEST>", ["\n"]),
        ("<USER_REQUEST>\n\n</USER_REQUEST>", []),
        ("<USER_REQUEST>go", ["<USER_REQUEST>go"]),
        ("go", ["go"]),
        ("", []),
    ],
)
def test_what_a_person_asked_for_stands_apart(said: str, told: list[str]) -> None:
    value = step(0, "USER_INPUT", said)
    records = STEPS.convert(value)
    assert [part["text"] for one in records for part in one["content"]] == told
    assert records[0]["author"] == "human"
    assert STEPS.losses(value) == []


def test_settings_that_change() -> None:
    def changed(index: int, *settings: str) -> dict[str, Any]:
        told = "".join(f"The user changed setting `{one}` from None to new.\n" for one in settings)
        said = f"<USER_REQUEST>\ngo\n</USER_REQUEST>\n<USER_SETTINGS_CHANGE>\n{told}"
        return step(index, "USER_INPUT", said)

    values = [changed(0, "Model Selection", "a", "a", "b", "c"), changed(1, "a", "d"), planner(2, call("x"))]
    records = STEPS.convert(*values)
    assert [one["kind"] for one in kinds(records, "git-asr/mode")] == ["model", "a", "b", "d"]
    assert kinds(records, "inference")[0]["model"] == "new"
    assert STEPS.losses(*values) == []
    aside = step(
        0, "USER_INPUT", "<USER_REQUEST>\ngo\n</USER_REQUEST>\nThe user changed setting `a` from b to c."
    )
    assert kinds(STEPS.convert(aside), "git-asr/mode") == []


def test_what_was_no_call_when_a_step_came_first_has_its_own_place() -> None:
    found = STEPS.convert(planner(1, {"name": 5}), planner(1, call("run_command")), planner(1, call("x")))
    calls = kinds(found, "tool_call")
    assert [one["callId"] for one in calls] == [calls[0]["id"]] * 2
    assert calls[0]["id"].startswith("~2.")


def test_a_step_that_comes_again_is_the_same_call() -> None:
    asked = planner(0, call("view_file"), call("run_command"))
    late = step(1, "VIEW_FILE", "x", status="RUNNING")
    records = STEPS.convert(asked, late, asked, {**late, "status": "DONE"}, {**asked, "content": "hi"})
    assert figures(records)["counts"] == {"inferences": 1, "toolCalls": 2, "toolResults": 1}
    first, second = kinds(records, "tool_result")
    assert (first["callId"], second["supersedes"]) == (second["callId"], first["id"])
    said = STEPS.convert(planner("REDACTED", content="hi"), planner("REDACTED", content="hi"))
    assert figures(said)["counts"] == {"inferences": 2}
    many = planner(0, *(call("x") for _ in range(MAX_TOMBSTONES + 2)))
    buried = STEPS.convert(many, planner(0))
    assert len(kinds(buried, "tombstone")) == MAX_TOMBSTONES
    assert len(kinds(buried, f"{VENDOR}/tombstones")) == 1


def test_a_step_that_was_something_else_between_is_another_call() -> None:
    steps = [planner(0, call("view_file")), step(0, "ODD", "x"), planner(0, call("view_file"))]
    STEPS.check(as_units(steps))
    records = STEPS.convert(*steps)
    first, second = kinds(records, "inference")
    assert first["inferenceId"] != second["inferenceId"]
    said = [one["inferenceId"] for one in kinds(records, "tool_call")]
    assert said == [first["inferenceId"], second["inferenceId"]]
    again = kinds(STEPS.convert(*steps, {**steps[0], "content": "hi"}), "message")
    assert again[-1]["inferenceId"] == second["inferenceId"]


def test_what_exceeds_the_range_stays_in_one_record() -> None:
    value = planner(0, *(call("x") for _ in range(MAX_BLOCKS)))
    (more,) = kinds(STEPS.convert(value), f"{VENDOR}/tool_calls")
    assert len(more["value"]) == CALLS
    assert STEPS.losses(value) == []


def test_questions_as_far_as_they_are_told() -> None:
    asked = planner(0, call("ask_question", questions=[{"Question": "Q?"}, 7]))
    answered = step(1, "ASK_QUESTION", "A1: a\nA2: b\nA0: c")
    (found,) = kinds(STEPS.convert(asked, answered), "input_response")
    assert [one["question"] for one in found["answers"]] == ["Q?", "Q2", "Q0"]


def test_a_subagents_kind_may_be_missing_or_too_long() -> None:
    created = step(1, "INVOKE_SUBAGENT", '"conversationId": "a" "conversationId":"b" "conversationId": "a"')
    for listed in (7, [7, {"TypeName": "x" * 500}]):
        found = kinds(
            STEPS.convert(planner(0, call("invoke_subagent", Subagents=listed)), created), "subagent"
        )
        assert [one["_meta"][VENDOR]["conversationId"] for one in found] == ["a", "b"]
        assert all("agentType" not in one for one in found)


def test_a_malformed_line_is_held_back() -> None:
    units = units_of("antigravity/odd-steps")
    assert units[-1].kind == "malformed"
    assert STEPS.of(units) == STEPS.of(units[:-1])


@pytest.mark.no_cover  # it takes long, measured twice as long
@pytest.mark.parametrize(
    "make",
    [
        lambda n: [planner(2 * n, call("x")), step(2 * n + 1, "GENERIC", "x")],
        lambda _: [planner(0, *(call("x") for _ in range(20)))],
        lambda n: [step(0, "USER_INPUT", f"<USER_REQUEST>\n{n}\n</USER_REQUEST>")],
        lambda n: [
            planner(n, *(call("x") for _ in range(20))),
            *(step(f"{n}.{m}", "GENERIC") for m in range(20)),
        ],
    ],
)
def test_records_do_not_grow_with_the_square_of_the_lines(make: Any) -> None:
    STEPS.check_growth(make)


def test_settings_are_looked_for_in_bounded_time() -> None:
    told = "The user changed setting `a` from " + " to " * 20
    said = f"<USER_REQUEST>\ngo\n</USER_REQUEST>\n<USER_SETTINGS_CHANGE>\n{told * 20_000}"
    assert len(STEPS.convert(step(0, "USER_INPUT", said))) == 2
