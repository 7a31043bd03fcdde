"""What single lines become; the fixtures show the usual ones, this the corners."""

from __future__ import annotations

from typing import Any

import pytest

from git_asr.asr.context import view
from git_asr.asr.draft import Record
from git_asr.converters.base import TellsLineage
from git_asr.converters.building import MAX_BLOCKS
from git_asr.converters.droid.converter import DroidSession
from git_asr.converters.droid.plans import is_plain, items
from git_asr.converters.droid.slots import MAX_TOMBSTONES
from tests.converters.droid.conversion import DROID, HEADER, SESSION, VENDOR, message, result, text, use
from tests.converters.rules import check_stream
from tests.support.converted import figures, kinds
from tests.support.converting import as_units, cases, units_of
from tests.support.losslessness import written

REMINDER = "<system-reminder>x</system-reminder>"


@pytest.mark.parametrize("case", cases("factory-droid"))
def test_every_rule_holds(case: str) -> None:
    DROID.check_case(case)


@pytest.mark.parametrize("case", cases("factory-droid"))
def test_a_damaged_line_costs_only_itself(case: str) -> None:
    DROID.check_damage(case)


def texts(records: list[Record], head: str | None = None) -> list[str]:
    """What stands in the context."""
    found = view(records, head)
    assert found is not None
    return [one["content"][0]["text"] for one in found.records if one["type"] == "message"]


def converted(case: str) -> DroidSession:
    converter = DroidSession()
    assert list(converter.convert(iter(units_of(case)), None))
    return converter


def test_what_a_header_says_of_the_session() -> None:
    child = converted("factory-droid/subagent-session")
    assert isinstance(child, TellsLineage)
    assert child.format_version == "2"
    assert child.workspace == {"cwd": "/home/ann/garden"}
    assert child.lineage == {
        "spawnedBy": {
            "session": {"harness": "factory-droid", "id": SESSION},
            "callId": "toolu_1",
            "evidence": "native_field",
        }
    }
    forked = converted("factory-droid/compactions").lineage
    assert forked is not None
    assert forked["forkedFrom"]["session"]["id"] == "c53f0000-0000-4000-8000-0000000000d3"
    odd = DroidSession()
    header = {**HEADER, "callingSessionId": "a", "callingToolUseId": "REDACTED", "parent": "a/b"}
    assert list(odd.convert(iter(as_units([header])), None))
    assert odd.lineage == {
        "spawnedBy": {"session": {"harness": "factory-droid", "id": "a"}, "evidence": "native_field"}
    }
    assert DroidSession().lineage is DroidSession().workspace is None


def test_a_header_that_comes_again_tells_what_changed() -> None:
    records = DROID.convert(
        {**HEADER, "title": "one"},
        {**HEADER, "title": "one", "cwd": "/b"},
        {**HEADER, "id": "REDACTED", "title": "two"},
    )
    assert [one["title"] for one in kinds(records, "git-asr/title")] == ["one", "two"]
    first, second, third = kinds(records, "git-asr/context")
    assert (first["session"], second["cwd"], third["_meta"][VENDOR]["id"]) == (SESSION, "/b", "REDACTED")
    assert "session" not in second
    (again,) = kinds(DROID.convert(HEADER, HEADER)[1:], "git-asr/context")
    assert again.keys().isdisjoint({"session", "cwd"})


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("hi", [("human", ["hi"])]),
        (f"{REMINDER}\n hi", [("human", ["hi"]), ("harness", [f"{REMINDER}\n "])]),
        (REMINDER, [("harness", [REMINDER])]),
        ([REMINDER, "hi"], [("human", ["hi"]), ("harness", [REMINDER])]),
        ([{**text(f"{REMINDER}hi"), "x": 1}], [("human", ["hi"]), ("harness", [REMINDER])]),
        ([{**text(REMINDER), "x": 1}], [("harness", [REMINDER])]),
        ("<system-reminder>hi", [("human", ["<system-reminder>hi"])]),
        (f"hi {REMINDER}", [("human", [f"hi {REMINDER}"])]),
        ([], [("human", [])]),
        (None, [("human", [])]),
    ],
)
def test_what_the_harness_put_in_stands_apart(content: Any, told: list[Any]) -> None:
    value = message("a", "user", content)
    found = kinds(DROID.convert(HEADER, value), "message")
    assert [(one["author"], [part["text"] for part in one["content"]]) for one in found] == told
    assert DROID.losses(HEADER, value) == []


def test_sentences_beside_results() -> None:
    value = message("a", "user", [result("t", [{**text("ok"), "x": 1}]), text(REMINDER), text("go on")])
    assert DROID.losses(value) == []
    records = DROID.convert(HEADER, value)
    assert [(one["type"], one["seq"] % 1_000_000) for one in records[1:]] == [
        ("tool_result", 100),
        ("message", 206),
        ("message", 300),
    ]
    assert figures(records)["counts"]["prompts"] == 1


@pytest.mark.parametrize(
    ("failed", "said", "status"),
    [
        (None, "x", "ok"),
        (False, "x", "ok"),
        ("no", "x", "unknown"),
        (True, "Error: user rejected the change", "rejected"),
        (True, "Denied by the user", "rejected"),
        (True, "The user has canceled this", "cancelled"),
        (True, "aborted by user", "cancelled"),
        (True, "x", "error"),
        (True, "x" * 2_000 + " rejected by user", "error"),
    ],
)
def test_how_a_call_ended(failed: Any, said: str, status: str) -> None:
    value = message("a", "user", [result("t", said, is_error=failed)])
    (found,) = kinds(DROID.convert(HEADER, value), "tool_result")
    assert found["status"] == status
    assert DROID.losses(HEADER, value) == []


def test_a_list_of_tasks_that_a_call_wrote_is_told_once() -> None:
    todos = [{"id": "1", "content": "a", "status": "pending"}]
    wrote = message("a", "assistant", [use("t", "TodoWrite", todos=todos)])
    state = {"type": "todo_state", "id": "s", "todos": {"todos": todos, "more": 1}}
    records = DROID.convert(HEADER, wrote, state, {**state, "todos": todos}, {**state, "todos": "x"})
    assert [one.get("callId") for one in kinds(records, "plan")] == ["t", None]
    assert len(kinds(records, f"{VENDOR}/todo_state")) == 2
    assert DROID.losses(HEADER, wrote, state) == []
    for found in (7, None, {"x": 1}):
        (odd,) = DROID.convert({"type": "todo_state", "todos": found})
        assert odd["type"] == f"{VENDOR}/todo_state"
    assert kinds(DROID.convert(message("a", "assistant", [use("t", "TodoWrite", todos=7)])), "plan") == []
    assert kinds(DROID.convert(message("a", "assistant", [use("t", "ExitSpecMode")])), "plan") == []


def test_tasks_in_a_text() -> None:
    assert items("1. [completed] a\n- [pending] b\n[x] c\n\nd") == [
        {"text": "a", "status": "completed"},
        {"text": "b", "status": "pending"},
        {"text": "c", "status": "x"},
        {"text": "d"},
    ]
    assert is_plain([{"content": "a", "status": "b"}, {"text": "c"}])
    assert not is_plain([{"content": "a", "description": "b"}])
    assert not is_plain("x")


def test_texts_are_read_in_bounded_time() -> None:
    blank = " " * 200_000
    said = f"{blank}x\n1. {blank}x\n1. [question]{blank}\n1. [question] q\n[answer]{blank}\n[pending]{blank}x"
    values = [
        message(
            "a", "assistant", [use("t", "AskUser", questionnaire=said), use("u", "TodoWrite", todos=said)]
        ),
        message("b", "user", [result("t", said), text(f"{blank}<system-reminder>{blank}"), text(blank)]),
        {"type": "todo_state", "todos": said},
    ]
    assert len(kinds(DROID.convert(*values), "plan")) == 1


def test_a_compaction_replaces_what_its_anchor_says() -> None:
    said = [message("a", "user", "one"), message("b", "assistant", [text("two")], "a")]
    summary = {"type": "compaction_state", "summaryText": "sum", "anchorMessage": {"id": "b", "index": 1}}
    after = message("c", "user", "three", "b")
    assert texts(DROID.convert(*said, {**summary, "removedCount": 2}, after)) == ["sum", "three"]
    assert texts(DROID.convert(*said, {**summary, "removedCount": 1}, after)) == [
        "one",
        "two",
        "sum",
        "three",
    ]
    (compaction,) = kinds(DROID.convert({**summary, "id": "k"}), "compaction")
    assert (compaction["summary"], compaction["replaces"]) == ("k", {"unknown": True})


def test_a_message_that_comes_again_revises_what_it_was() -> None:
    long = message("b", "assistant", [use(str(n), "x") for n in range(MAX_TOMBSTONES + 2)], "a")
    short = message("b", "assistant", [text("done")], "a")
    records = DROID.convert(message("a", "user", "go"), long, short, message("c", "user", "on", "b"))
    assert figures(records)["counts"] == {"inferences": 1, "prompts": 2, "toolCalls": 2}
    assert len(kinds(records, "tombstone")) == MAX_TOMBSTONES
    (more,) = kinds(records, f"{VENDOR}/tombstones")
    assert len(more["value"]["targets"]) == 2
    assert texts(records) == ["go", "done", "on"]
    same = DROID.convert(message("a", "user", "go"), message("a", "user", "go"))
    assert len(same) == 1
    check_stream(written(records).records)


def test_what_exceeds_the_range_stays_in_one_record() -> None:
    for role in ("user", "assistant"):
        value = message("a", role, [text(str(n)) for n in range(MAX_BLOCKS + 3)])
        (more,) = kinds(DROID.convert(value), f"{VENDOR}/blocks")
        assert len(more["value"]) == 3
        assert DROID.losses(value) == []


def test_a_model_call_without_a_usable_id() -> None:
    records = DROID.convert(message("REDACTED", "assistant", [text("a")], model="m"))
    said, called = records
    assert said["inferenceId"] == called["inferenceId"] == called["id"] == "~1.183"
    empty = DROID.convert(message("", "assistant", []))
    assert empty[1]["inferenceId"] == empty[1]["id"] == "~1.83"


def test_hooks_as_far_as_they_are_told() -> None:
    def hook(**told: Any) -> Record:
        value = message("a", "user", told.pop("content", []), hookEventName="Stop", **told)
        assert DROID.losses(value) == []
        (found,) = DROID.convert(value)
        return found

    assert hook()["outcome"] == "unknown"
    assert hook(hookStatus="completed", hookResults=7)["outcome"] == "succeeded"
    assert hook(hookStatus="completed", hookResults=[7, {"exitCode": 0}])["outcome"] == "succeeded"
    assert hook(hookCommands=[{"command": "a"}, {"command": "b"}]).get("command") is None
    assert hook(hookCommands=[{"x": 1}]).get("command") is None
    assert "exitCode" not in hook(hookResults=[{"exitCode": True}])
    assert hook(content="x", hookToolCallId="REDACTED")["_meta"][VENDOR]["content"] == "x"


def test_a_notice_of_several_texts() -> None:
    (found,) = DROID.convert(message("a", "user", [text("a"), text("b")], visibility="user_only"))
    assert (found["text"], found["level"]) == ("a\nb", "info")
    (bare,) = DROID.convert(message("a", "assistant", None, isError=True))
    assert ("text" in bare, bare["level"]) == (False, "error")


def test_a_malformed_line_is_held_back() -> None:
    units = units_of("factory-droid/odd-lines")
    assert units[-1].kind == "malformed"
    assert DROID.of(units) == DROID.of(units[:-1])


@pytest.mark.no_cover  # it takes long, measured twice as long
@pytest.mark.parametrize(
    "make",
    [
        lambda n: [message(f"m{n}", "user", "x", f"m{n - 1}")],
        lambda _: [message("m", "assistant", [use(str(m), "x") for m in range(20)])],
        lambda n: [{"type": "todo_state", "todos": [{"content": str(n)}]}],
        lambda n: [{"type": "compaction_state", "summary": "x", "anchorMessage": {"id": f"m{n}"}}],
        lambda n: [message("m", "user", [text(str(n)), text("y" * (n % 7))])],
    ],
)
def test_records_do_not_grow_with_the_square_of_the_lines(make: Any) -> None:
    DROID.check_growth(make)
