"""Timelines of real transcripts are goldens beside them (``tests.views.timelines``); here is what those do not have."""

from __future__ import annotations

from typing import Any

import pytest

from git_asr.asr.reading import Stream
from git_asr.asr.slices import slices
from git_asr.asr.stream import Gap as Unread
from git_asr.cli.folding import Folding
from git_asr.cli.timeline import item_lines
from git_asr.views.items import Call, Event, Exchange, Gap, Item, Mark, Message, Subagent, Turn
from git_asr.views.timeline import Timeline, timeline
from tests.asr.records import record
from tests.asr.streams import checkpoint, stream, vcs
from tests.converters import goldens
from tests.views import timelines


@pytest.mark.parametrize("case", timelines.cases())
def test_of_a_transcript(case: str) -> None:
    expected = (goldens.FIXTURES / case / "shown.txt").read_text("utf-8")
    assert timelines.shown(goldens.chunks(case)) == expected


def message(identifier: str, said: str = "", **other: Any) -> dict[str, Any]:
    content = [{"type": "text", "text": said or identifier}]
    return record(identifier, role="user", author="human", content=content, **other)


def call(identifier: str, **other: Any) -> dict[str, Any]:
    return record(identifier, "tool_call", callId=identifier, name="Tool", **other)


def result(identifier: str, **other: Any) -> dict[str, Any]:
    return record(f"{identifier}r", "tool_result", callId=identifier, status="ok", **other)


def of(one: Stream, **options: Any) -> Timeline:
    return timeline(one, {}.get, **options)


def kinds(items: tuple[Item, ...]) -> list[str]:
    return [f"{item.kind} {item.record}" for item in items]


def text(items: tuple[Item, ...]) -> str:
    return "\n".join(item_lines(items, Folding()))


def test_only_slices_and_what_belongs_to_calls_in_them() -> None:
    one = stream(
        message("a"), call("t"), result("t"), call("u"), message("b"), result("u"),
        links=[checkpoint("c", 1), checkpoint("d", 3), checkpoint("e", 5)],
    )  # fmt: skip
    first, second, third = slices(one)
    assert kinds(of(one, within=[first], marks=False).items) == ["message a", "call t"]
    assert kinds(of(one, within=[second], marks=False).items) == ["call tr", "call u"]
    (earlier, asked) = (
        item for item in of(one, within=[second], marks=False).items if isinstance(item, Call)
    )
    assert (earlier.earlier, earlier.name, earlier.status) == (True, "Tool", "ok")
    assert (asked.earlier, asked.status) == (False, "ok")
    assert kinds(of(one, within=[third, first], marks=False).items) == [
        "message a", "call t", "message b", "call ur",
    ]  # fmt: skip


def test_marks_stand_before_the_first_record_of_a_slice() -> None:
    one = stream(
        message("a"), message("b"), links=[checkpoint("c", 1), checkpoint("d", 2), vcs("d", "1" * 40)]
    )
    items = of(one).items
    assert kinds(items) == ["checkpoint c", "message a", "checkpoint d", "message b"]
    assert isinstance(items[2], Mark)
    assert items[2].commits == ("1" * 40,)
    assert "commit 111111111111 ──" in text(items)
    assert "checkpoint c, which no commit names" in text(items)


def test_a_gap_stands_where_the_line_is_missing() -> None:
    one = stream(message("a"), message("b"), gaps=[(0, Unread(2, "not JSON")), (1, Unread(4, "not JSON"))])
    items = of(one).items
    assert [item.kind for item in items] == ["gap", "message", "gap", "message"]
    assert isinstance(items[2], Gap)
    assert "line 4 of the stream cannot be read: not JSON" in text(items)
    within = slices(stream(links=[checkpoint("c", 2)], through=5))
    assert [item.kind for item in of(one, within=within).items] == ["message"]


def test_questions_without_a_call() -> None:
    one = stream(
        record("a", "input_request", requestId="q", questions=[{"question": "Why?"}]),
        record("b", "input_response", requestId="q", answers=[{"question": "Why?", "answer": "So."}]),
        record("c", "input_request", requestId="p", questions=["How?"]),
        record("d", "input_response", requestId="o", answers=["odd", {"answer": 5}]),
    )
    items = of(one).items
    assert all(isinstance(item, Exchange) for item in items)
    assert text(items).split("\n") == [
        "         question", "           ? Why?", "           → So.",
        "         question", "           ? How?", "           no answer recorded",
        "         question", "           ?", "           → 5",
    ]  # fmt: skip


def test_an_answer_in_another_slice_stands_with_its_question() -> None:
    one = stream(
        call("t"),
        record("a", "input_request", requestId="t", callId="t", questions=[{"question": "Why?"}]),
        record(
            "b", "input_response", requestId="t", callId="t", answers=[{"question": "Why?", "answer": "So."}]
        ),
        links=[checkpoint("c", 1), checkpoint("d", 3)],
    )
    first, second = slices(one)
    (asked,) = of(one, within=[first], marks=False).items
    assert isinstance(asked, Call)
    assert asked.answers == ({"question": "Why?", "answer": "So."},)
    assert kinds(of(one, within=[second], marks=False).items) == []


def test_a_subagent_without_a_call_and_one_of_an_unknown_end() -> None:
    one = stream(record("a", "subagent", state="ended", agentType="Explore", status="ok"), call("t"))
    event, _ = of(one).items
    assert isinstance(event, Event)
    assert event.text == "Explore ended ok"
    started = record("b", "subagent", callId="t", state="started")
    (item,) = of(stream(call("t"), started)).items
    assert isinstance(item, Call)
    assert item.subagent == Subagent(agent_type=None, state="started", status=None)
    assert "subagent: subagent, its end is not recorded, what it did is not recorded here" in text((item,))


def test_subagents_stand_below_the_calls_that_started_them_each_once() -> None:
    below = stream(call("u"), message("b"), identifier="s.x", calls=["t"])
    deeper = stream(message("c"), call("t"), identifier="s.y", calls=["u"])
    other = stream(message("d"), identifier="q.x", calls=["t"])
    usage = record("v", "usage_summary", covers={"callId": "t"}, scope="last", usage={"output": {"total": 4}})
    ended = record("e", "subagent", callId="t", state="ended", status="ok", agentType="Explore")
    items = of(stream(call("t"), ended, usage, call("t2")), subagents=[other, deeper, below]).items
    (first, second) = items
    assert isinstance(first, Call)
    assert first.subagent is not None
    assert (first.subagent.stream, first.subagent.usage) == ("s.x", {"output": {"total": 4}})
    assert kinds(first.subagent.items) == ["call u", "message b"]
    (inner, _) = first.subagent.items
    assert isinstance(inner, Call)
    assert inner.subagent is not None
    assert kinds(inner.subagent.items) == ["message c", "call t"]
    (_, again) = inner.subagent.items
    assert isinstance(again, Call)
    assert again.subagent is None, "a stream is shown once"
    assert isinstance(second, Call)
    assert second.subagent is None


def test_subagents_stop_at_some_level() -> None:
    streams = [stream(call(f"t{n}"), identifier=f"s{n}", calls=[f"t{n - 1}"]) for n in range(1, 20)]
    items = of(stream(call("t0")), subagents=streams).items
    levels = 0
    while items and isinstance(items[0], Call) and items[0].subagent and items[0].subagent.items:
        items, levels = items[0].subagent.items, levels + 1
    assert levels == 8


def test_a_status_of_a_step_may_be_anything() -> None:
    deep: Any = []
    for _ in range(2_000):
        deep = [deep]
    items = [{"text": "a", "status": deep}, {"text": "b", "status": "completed"}]
    assert text(of(stream(record("p", "plan", items=items))).items).split("\n")[1:] == [
        "           [?] a", "           [x] b",
    ]  # fmt: skip


def test_what_is_ambiguous_or_has_no_result_is_said() -> None:
    one = stream(call("t"), record("x", "tool_call", callId="t", name="Other"), result("t"), call("u"))
    said = text(of(one).items)
    assert said.count("outcome unknown: several calls or results have its ID") == 2
    assert said.count("no result recorded: outcome unknown") == 1
    assert "result whose call cannot be told  ok" in said
    assert "result of a call that is not recorded  ok" in text(of(stream(result("t"))).items)


def test_what_belongs_to_no_one_call_stands_for_itself() -> None:
    below = stream(message("m"), identifier="s.t", calls=["t"])
    asked = record("q", "input_request", requestId="r", callId="t", questions=[{"question": "Why?"}])
    reply = record(
        "p", "input_response", requestId="r", callId="t", answers=[{"question": "Why?", "answer": "So."}]
    )
    plan = record("l", "plan", callId="t", items=[{"text": "one"}])
    ended = record("e", "subagent", callId="t", state="ended")
    items = of(
        stream(call("t"), asked, reply, plan, ended, {**call("t"), "id": "t2"}), subagents=[below]
    ).items
    assert kinds(items) == ["call t", "exchange q", "plan l", "event e", "call t2"]
    (first, question, *_) = items
    assert isinstance(first, Call)
    assert isinstance(question, Exchange)
    assert (first.questions, first.plan) == (None, None)
    assert first.subagent is not None, "its stream is shown somewhere"
    assert question.answers == ({"question": "Why?", "answer": "So."},)


def test_of_several_questions_answers_and_plans_none_is_lost() -> None:
    said = [{"answer": str(n)} for n in range(5)]
    one = stream(
        call("t"),
        record("a", "input_request", requestId="a", callId="t", questions=["A?"]),
        record("b", "input_request", requestId="b", callId="t", questions=["B?"]),
        record("c", "input_response", requestId="b", callId="t", answers=said[:1]),
        record("d", "input_response", requestId="a", callId="t", answers=said[1:2]),
        record("e", "input_request", requestId="e", questions=["E?"]),
        record("f", "input_request", requestId="e", questions=["E?"]),
        record("g", "input_response", requestId="e", answers=said[2:3]),
        record("h", "input_response", requestId="e", answers=said[3:]),
        call("u"),
        record("i", "plan", callId="u", items=[{"text": "old"}]),
        record("j", "plan", callId="u", items=[{"text": "new"}]),
    )
    items = of(one).items
    assert kinds(items) == ["call t", "exchange e", "exchange f", "exchange g", "call u", "plan i"]
    asked, *exchanges = (item for item in items if isinstance(item, Call | Exchange))
    assert (asked.questions, asked.answers) == (("A?", "B?"), tuple(said[:2]))
    assert [item.answers for item in exchanges if isinstance(item, Exchange)] == [
        None, tuple(said[3:]), tuple(said[2:3]),
    ]  # fmt: skip


def test_an_answer_stands_with_the_first_question_of_its_text() -> None:
    questions = [{"question": "A?"}, {"question": "B?"}, {"question": "A?"}, {"question": 5}]
    answers = [
        {"question": "B?", "answer": "b"},
        {"question": "A?", "answer": "a"},
        {"question": 5, "answer": "c"},
    ]
    one = stream(
        record("a", "input_request", requestId="r", questions=questions),
        record("b", "input_response", requestId="r", answers=[*answers, {"question": "A?", "answer": "d"}]),
    )
    assert [line.strip() for line in text(of(one).items).split("\n")] == [
        "question", "? A?", "→ a", "→ d", "? B?", "→ b", "? A?", "no answer recorded",
        '? {"question":5}', "no answer recorded",
        "? 5", "→ c",
    ]  # fmt: skip


def test_a_rewind_and_an_empty_branch() -> None:
    one = stream(
        message("a", predecessors=[]),
        record("r", "rewind", to=None),
        record("q", "rewind", to="a"),
    )
    assert [item.what for item in of(one).items if isinstance(item, Turn)] == ["branch", "rewind", "rewind"]
    assert "went back to its start" in text(of(one).items)
    assert "went back to a" in text(of(one).items)


def test_a_branch_at_the_end_and_one_at_the_start() -> None:
    one = stream(
        message("a", predecessors=[]),
        message("b"),
        message("c", predecessors=["a"]),
        record("t", "git-asr/title", title="T", predecessors=["c"]),
        message("d", predecessors=["c"]),
    )
    items = of(one).items
    assert kinds(items) == ["message a", "turn None", "message b", "message c", "event t", "message d"]
    assert isinstance(items[1], Turn)
    assert (items[1].what, items[1].to, items[1].count) == ("branch", "a", 1)
    assert [item.aside for item in items] == [False, False, True, False, False, False]


def test_a_break_is_told_once() -> None:
    one = stream(message("a", predecessors=["x"]), message("b", predecessors=["x"]))
    assert [item.kind for item in of(one).items] == ["turn", "message", "message"]


def test_what_is_not_shown_is_counted_and_figures_are_not() -> None:
    one = stream(
        record("a", "com.example/x"),
        record("b", "git-asr/hook", outcome="succeeded"),
        record("c", "inference", inferenceId="i"),
        record("d", "state", state="idle"),
        message("e"),
        record("f", "tombstone", target="e", reason="withdrawn"),
    )
    told = of(one)
    assert told.items == ()
    assert told.hidden == {"com.example/x": 1, "git-asr/hook": 1, "state": 1, "tombstone": 1}


def test_large_values_are_read_from_their_blobs() -> None:
    blobs = {"a": b'{"command":"ls"}', "b": "lång".encode(), "c": b'[{"type":"text","text":"deep"}]'}
    one = stream(
        record(
            "t",
            "tool_call",
            callId="t",
            name="Tool",
            argumentsBlob={"blob": "a", "mediaType": "application/json"},
        ),
        record("r", "tool_result", callId="t", status="ok", content=[{"type": "text", "blob": "b"}]),
        record("m", role="user", author="human", contentBlob={"blob": "c", "mediaType": "application/json"}),
        record("n", role="user", author="human", content=[{"type": "text", "blob": "gone", "bytes": 70000}]),
    )
    told = timeline(one, blobs.get)
    said = text(told.items)
    assert "Tool  ls  ok" in said
    assert "lång" in said
    assert "deep" in said
    assert "[text, 70k bytes: not in the bundle]" in said
    gone = record("g", role="user", author="human", contentBlob={"blob": "gone", "bytes": 70_001})
    assert "[text, 70k bytes: not in the bundle]" in text(of(stream(gone)).items)
    (tool, *_) = told.items
    assert isinstance(tool, Call)
    assert tool.arguments == {"command": "ls"}


def test_queued_messages_and_copies_are_said_to_be() -> None:
    one = stream(
        message("a", _meta={"git-asr/queue": "pending"}),
        message("b", copiedFrom={"session": {}}, **{"from": {"name": "x"}}),
        message("c", capture={"state": "truncated"}),
    )
    first, second, third = of(one).items
    assert isinstance(first, Message)
    assert isinstance(second, Message)
    assert isinstance(third, Message)
    assert (first.pending, second.copied, second.sender, third.capture) == (
        True,
        True,
        '{"name":"x"}',
        "truncated",
    )
    assert "human (queued, not known to be delivered)" in text((first,))


def test_units_that_were_not_translated_are_shown_as_they_are() -> None:
    one = stream(
        record("a", "git-asr/unit", unitType="message", value={"type": "message", "x": float("nan")}),
        record("b", "git-asr/unit", value="plain"),
    )
    assert [f"{item.label} {item.text}" for item in of(one).items if isinstance(item, Event)] == [
        'message {"type":"message","x":NaN}',
        "unit plain",
    ]


def plan(identifier: str, *steps: str) -> dict[str, Any]:
    return record(
        identifier,
        "plan",
        items=[{"text": one[1:], "status": {"x": "completed"}.get(one[0])} for one in steps],
    )


def test_of_a_plan_that_goes_on_only_what_is_new_is_said() -> None:
    one = stream(
        plan("a", "-1", "-2", "-3", "-4"),
        plan("b", "x1", "-2", "-3", "-4"),
        plan("c", "x1", "-2", "-3", "-4"),
        plan("d", "x1", "x2"),
        plan("e", "x1", "x2", "x5"),
        plan("f"),
    )
    folding = Folding()
    assert [line.strip() for line in item_lines(of(one).items, folding)] == [
        "plan", "[?] 1", "[?] 2", "[?] 3", "[?] 4",
        "plan", "[x] 1", "… 3 steps as before",
        "plan", "… 4 steps as before",
        "plan", "[x] 1", "[x] 2",
        "plan", "[x] 1", "[x] 2", "[x] 5",
        "plan", "empty",
    ]  # fmt: skip
    assert folding.folded == 2
    assert "as before" not in "".join(item_lines(of(one).items, Folding(full=True)))


def test_a_plan_in_prose_that_was_just_said_is_not_said_again() -> None:
    prose = record("p", "plan", items=[{"text": "Dig\nand rake"}])
    one = stream(message("a", "Do this:\nDig\nand rake"), prose, {**prose, "id": "q"})
    assert [line.strip() for line in text(of(one).items).split("\n")][4:] == [
        "plan", "as just said", "plan", "Dig", "and rake",
    ]  # fmt: skip


def test_a_subagents_plan_is_none_of_the_callers() -> None:
    steps = ("-1", "-2", "-3")
    below = stream(plan("a", *steps), identifier="s.t", calls=["t"])
    items = of(stream(plan("b", *steps), call("t"), plan("c", *steps)), subagents=[below]).items
    assert text(items).count("[?] 1") == 2
    assert text(items).endswith("… 3 steps as before")


def test_thoughts_of_which_nothing_is_left_are_counted() -> None:
    one = stream(
        record("a", "reasoning", content=[], capture={"state": "omitted", "reason": "signature only"}),
        record("b", "reasoning", content=[]),
    )
    folding = Folding()
    assert [line.strip() for line in item_lines(of(one).items, folding)] == ["thinking"]
    assert folding.thoughts == 1


def test_what_is_no_time_is_unknown() -> None:
    odd = ("\x1b[31m2026-01-01", "2026-99-01T00:00:00Z", "yesterday", "", "2026-01-01T00:00:00")
    one = stream(
        *(message(str(n), ts=ts) for n, ts in enumerate(odd)), message("z", ts="2026-01-02T03:04:05+02:00")
    )
    lines = text(of(one).items).split("\n")
    assert lines[::2][:5] == ["         human"] * 5
    assert lines[-3:] == ["2026-01-02 (times as recorded)", "03:04:05 human", "           z"]


def test_a_stream_that_is_not_shown_is_named() -> None:
    streams = [stream(call(f"t{n}"), identifier=f"s{n}", calls=[f"t{n - 1}"]) for n in range(1, 12)]
    said = text(of(stream(call("t0")), subagents=streams).items)
    assert "its stream s9 is not shown" in said
    assert "not recorded here" not in said
