"""Append-only records, by our reading (docs/events.md)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from git_asr.asr.entities import Revisions
from git_asr.asr.large import describe
from git_asr.asr.large import line as as_line
from git_asr.converters.building import MAX_BLOCKS
from git_asr.converters.events.slots import MAX_TOMBSTONES
from git_asr.converters.fragments import MAX_RESTATED, MAX_WEIGHT
from tests.converters.events.conversion import VENDOR, converted, meta, records, text
from tests.converters.rules import check_stream
from tests.support.converted import kinds
from tests.support.losslessness import written

AT = "2026-05-04T09:00:00Z"


def message(identifier: str | None = "m", content: Any = "one ", **more: Any) -> dict[str, Any]:
    named = {} if identifier is None else {"id": identifier}
    return {"type": "message", **named, "role": "assistant", "content": content, **more}


def chunk(identifier: str | None = "m", content: Any = "two", **more: Any) -> dict[str, Any]:
    named = {} if identifier is None else {"id": identifier}
    return {"type": "append", **named, "content": content, **more}


def call(identifier: str = "c", **more: Any) -> dict[str, Any]:
    return {"type": "tool_use", "id": identifier, "name": "Read", "input": {"path": "a"}, **more}


TURN_END = {"type": "TurnEnd"}


def test_chunks_are_one_record_where_the_last_stands() -> None:
    found = records(message(x=1), chunk(timestamp=AT, y=2), chunk(None, "!"), TURN_END)
    record = found[0]
    assert (record["seq"], record["id"], record["messageId"]) == (3_000_000, "m", "m")
    assert text(record) == "one two!"
    assert record["assembly"] == {"state": "final", "fragments": 3}
    assert meta(record) == {"x": 1, "y": 2}
    assert len(found) == 2


def test_what_chunks_say_otherwise_stands_beside_what_was_said() -> None:
    found = records(message(x=1), chunk(x=1, y=2), chunk(x=True), chunk(x=2, z=3), chunk(x=1, chunks=0))[0]
    assert meta(found) == {"x": 1, "y": 2, "chunks": [{"x": True}, {"x": 2, "z": 3}, {"x": 1, "chunks": 0}]}
    clash = records(message(x=1, chunks=0), chunk(x=2))[0]
    assert meta(clash) == {"x": 1, "chunks": 0, "chunks_": [{"x": 2}]}


def test_chunks_that_always_say_something_else_are_no_deeper_than_one() -> None:
    (found,) = records(message(), *(chunk(x=number) for number in range(3000)))
    assert meta(found)["chunks"][-1] == {"x": 2999}
    as_line(found, describe)


def test_what_is_dropped_again_and_again_is_withdrawn_once() -> None:
    calls = [call(f"c{number}") for number in range(50)]
    found = records(message(content=calls), *({"type": "drop", "target": "m"} for _ in range(50)))
    named = [one["target"] for one in kinds(found, "tombstone")]
    assert len(named) == len(set(named)) == MAX_TOMBSTONES
    assert len(kinds(found, f"{VENDOR}/tombstones")) == 1
    assert len(kinds(found, f"{VENDOR}/drop")) == 49


def test_a_large_message_is_not_recorded_anew_for_every_chunk() -> None:
    text = "x" * (MAX_WEIGHT // 2)
    found = records(message(content=text), *[TURN_END, chunk()] * 10)
    assert len(kinds(found, "message")) == 3
    assert len(kinds(found, f"{VENDOR}/append")) == 8


def test_a_call_that_is_told_twice_in_one_message_replaces_itself() -> None:
    found = records(message(content=[call(), call(), call(input={"path": "b"}), call(input={"path": "c"})]))
    check_stream(written(found).records)
    calls = kinds(found, "tool_call")
    assert [one.get("supersedes") for one in calls] == [None, *(one["id"] for one in calls[:-1])]
    assert [one["arguments"]["path"] for one in calls] == ["a", "b", "c"]


def test_what_is_told_after_it_was_dropped_stands() -> None:
    drop = {"type": "drop", "target": "m"}
    usage = {"type": "usage", "id": "u", "input_tokens": 1}
    result = {"type": "result", "id": "r", "content": "done"}
    lines = [message(), drop, message(), usage, {**drop, "target": "u"}, usage]
    found = records(*lines, result, {**drop, "target": "r"}, result)
    standing = [one["type"] for one in Revisions(found).standing()]
    assert standing == ["message", "inference", "tool_result"]


def test_what_is_open_at_the_end_is_partial_and_the_only_record_that_a_longer_file_replaces() -> None:
    short, longer = records(TURN_END, message()), records(TURN_END, message(), chunk())
    assert short[0] == longer[0]
    assert short[1]["assembly"] == {"state": "partial", "fragments": 1}
    assert (longer[1]["assembly"], longer[1]["seq"]) == ({"state": "partial", "fragments": 2}, 3_000_000)


def test_a_chunk_that_comes_later_replaces_the_message() -> None:
    first, _, second, _ = records(message(), TURN_END, chunk(z=1), TURN_END)
    assert (text(first), first["assembly"]["state"]) == ("one ", "final")
    assert (second["supersedes"], text(second), second["messageId"]) == ("m", "one two", "m")
    assert second["assembly"] == {"state": "final", "fragments": 2}
    assert meta(second) == {"z": 1}
    between = records(message("a", "A"), message("b", "B"), chunk("a", "a"), chunk("b", "b"))
    assert [text(one) for one in Revisions(between).standing()] == ["Aa", "Bb"]


def test_content_of_several_kinds() -> None:
    image = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "QUI="}}
    (first, *_) = records(
        message(content=[{"type": "text", "text": "a", "lang": "en"}, image]),
        chunk(content="b"),
        chunk(content=[{"type": "text", "text": "c"}, "d"]),
        chunk(content={"other": 1}),
        chunk(None, None, text="e"),
        chunk(None, None),
        TURN_END,
    )
    kinds_of = [(one["type"], one.get("text", one.get("value"))) for one in first["content"]]
    assert kinds_of == [
        ("text", "a"),
        ("image", None),
        ("text", "bc"),
        ("text", "d"),
        ("json", {"other": 1}),
        ("text", "e"),
    ]
    assert first["assembly"]["fragments"] == 6
    assert meta(first) == {"content": {"0": {"lang": "en"}}}


@pytest.mark.parametrize(
    ("more", "role", "author"),
    [
        ({}, "assistant", "agent"),
        ({"role": "user"}, "user", "unknown"),
        ({"role": "user", "author": "human"}, "user", "human"),
        ({"role": "system"}, "system", "harness"),
        ({"role": "tool", "author": "robot"}, "tool", "unknown"),
        ({"role": 7}, "unknown", "unknown"),
    ],
)
def test_roles_and_authors(more: dict[str, Any], role: str, author: str) -> None:
    (record,) = records(message(**more))
    assert (record["role"], record["author"]) == (role, author)
    left = {key: value for key, value in more.items() if value in ("robot", 7)}
    assert meta(record) == left


def test_messages_that_are_told_again() -> None:
    assert len(records(message(), message())) == 1
    assert len(records(message(timestamp=AT), message(timestamp="2026-05-04T09:00:01Z"))) == 1
    first, second = records(message(), message(content="other", model="m"))
    assert (second["supersedes"], text(second)) == (first["id"], "other")
    grown = records(message(), chunk(), message())
    assert [text(one) for one in Revisions(grown).standing()] == ["one "]
    nameless = records(message(None), message(None))
    assert [one.get("supersedes") for one in nameless] == [None, None]
    assert "messageId" not in nameless[0]
    odd = records(message("REDACTED"), message("REDACTED"))
    assert [meta(one) for one in odd] == [{"id": "REDACTED"}] * 2


def test_a_chunk_without_a_message() -> None:
    converter, (record,) = converted(chunk("x", "alone"))
    assert (record["role"], record["author"], text(record)) == ("unknown", "unknown", "alone")
    assert converter.state.problems == [(1, "a chunk of a message that did not begin")]
    assert records(chunk(None, "alone"))[0]["content"] == record["content"]


def test_calls_and_results() -> None:
    found = records(
        message(content=["Look", call(extra=1), call("REDACTED"), {"type": "tool_use", "name": 7}]),
        {
            "type": "result",
            "tool_use_id": "c",
            "status": "success",
            "content": "seen",
            "output": {"lines": 1},
            "x": 1,
        },
        {
            "type": "result",
            "call_id": "d",
            "is_error": True,
            "content": [{"type": "text", "text": "no", "y": 1}],
        },
        {"type": "result", "call_id": "e", "is_error": False},
        {"type": "result", "call_id": "f", "status": "lost"},
        {"type": "result", "call_id": "g", "status": "lost", "is_error": True},
        {"type": "result", "status": "rejected"},
    )
    assert len(kinds(found, "message")[0]["content"]) == 2
    first, second = kinds(found, "tool_call")
    assert (first["callId"], first["name"], first["arguments"], meta(first)) == (
        "c",
        "Read",
        {"path": "a"},
        {"extra": 1},
    )
    assert (second["callId"], second["callIdSource"], meta(second)) == (
        "~1.200",
        "derived",
        {"id": "REDACTED"},
    )
    results = kinds(found, "tool_result")
    assert [one["status"] for one in results] == ["ok", "error", "ok", "unknown", "unknown", "rejected"]
    assert (text(results[0]), results[0]["output"], meta(results[0])) == ("seen", {"lines": 1}, {"x": 1})
    assert meta(results[1]) == {"content": {"0": {"y": 1}}}
    assert "content" not in results[2]
    assert meta(results[3]) == {"status": "lost"}
    assert results[5]["callIdSource"] == "derived"
    assert "messageId" not in second
    check_stream(written(found).records)


def test_calls_that_are_told_again() -> None:
    found = records(
        message(content=[call()]), TURN_END, chunk(content="x"), TURN_END, message(content=[call(), call("d")]),
        message(content=[{k: v for k, v in call(name="Write").items() if k != "input"}]),
    )  # fmt: skip
    first, second, third = kinds(found, "tool_call")
    assert [one["callId"] for one in (first, second, third)] == ["c", "d", "c"]
    assert (third["supersedes"], third["name"], "arguments" in third) == (first["id"], "Write", False)
    twice = {"type": "result", "call_id": "c", "content": "x"}
    assert len(records(twice, twice)) == 1
    assert len(records(twice, {**twice, "content": "y"})) == 2


def test_usage_of_a_call() -> None:
    def used(**more: Any) -> dict[str, Any]:
        return {"type": "usage", "message_id": "m", **more}

    found = records(
        message(),
        used(input_tokens=3, cache_read_tokens=4, output_tokens=5, model="big", x=1),
        used(input_tokens=3, cache_read_tokens=4, output_tokens=5, model="big"),
        used(usage={"output_tokens": 9, "cost": 0.1}, request_id="r", provider="p", stop_reason="end"),
        {"type": "usage", "request_id": "q", "output_tokens": 1},
        {"type": "usage", "output_tokens": 1, "request_id": "REDACTED", "model": 7},
        used(),
        used(usage={"x": 1}),
    )
    first, second, third, fourth = kinds(found, "inference")
    assert first["inferenceId"] == "m"
    assert first["usage"] == {
        "input": {"total": 3, "includesCache": None},
        "cacheRead": 4,
        "output": {"total": 5},
    }
    assert (first["model"], meta(first)) == ("big", {"x": 1})
    assert second["supersedes"] == first["id"]
    assert (second["requestId"], second["provider"], second["stopReason"]) == ("r", "p", "end")
    assert meta(second) == {"usage": {"cost": 0.1}}
    assert third["inferenceId"] == "q"
    assert fourth["inferenceId"] == fourth["id"]
    assert meta(fourth) == {"request_id": "REDACTED", "model": 7}
    assert [one["type"] for one in found[-2:]] == [f"{VENDOR}/usage"] * 2


def test_a_model_call_that_is_told_after_it_was_dropped_is_another() -> None:
    drop = {"type": "drop", "id": "u"}
    told = [{"type": "usage", "id": "u", "output_tokens": count} for count in (1, 2, 3, 4)]
    found = records(told[0], drop, told[1], told[2], drop, told[3])
    first, second, third, fourth = kinds(found, "inference")
    assert [first["inferenceId"], third["inferenceId"]] == ["u", second["inferenceId"]]
    assert len({one["inferenceId"] for one in (first, second, fourth)}) == 3
    assert third["supersedes"] == second["id"]
    assert "supersedes" not in second
    assert meta(second) == {"id": "u"}
    check_stream(written(found).records)


def test_what_is_dropped_stays_and_is_withdrawn() -> None:
    found = records(
        message(content=["x", call()]),
        {"type": "result", "call_id": "c", "content": "y"},
        {"type": "usage", "request_id": "u", "output_tokens": 1},
        {"type": "drop", "id": "m", "timestamp": AT, "why": "undo"},
        {"type": "drop", "call_id": "c"},
        {"type": "drop", "target": "u"},
    )
    graves = kinds(found, "tombstone")
    assert [one["target"] for one in graves] == ["m", "~1.100", "~2.0", "~3.0"]
    assert {one["reason"] for one in graves} == {"withdrawn"}
    assert (graves[0]["ts"], meta(graves[0])) == (AT, {"why": "undo"})
    assert list(Revisions(found).standing()) == []
    assert kinds(found, "message")


def test_a_drop_of_nothing() -> None:
    converter, found = converted(
        {"type": "drop", "id": "x"}, {"type": "drop"}, message(), {"type": "drop", "id": "y"}
    )
    assert [one["type"] for one in found] == [*[f"{VENDOR}/drop"] * 2, "message", f"{VENDOR}/drop"]
    assert converter.state.problems == [(n, "it drops what is not there") for n in (1, 2, 4)]


def test_what_exceeds_the_range_stays_in_one_record() -> None:
    many = [call(f"c{n}") for n in range(MAX_BLOCKS + 2)]
    found = records(message(content=many), {"type": "drop", "id": "m"})
    assert kinds(found, f"{VENDOR}/blocks")[0]["value"] == many[-2:]
    assert len(kinds(found, "tombstone")) == MAX_TOMBSTONES
    (more,) = kinds(found, f"{VENDOR}/tombstones")
    assert len(more["value"]["targets"]) == MAX_BLOCKS + 1 - MAX_TOMBSTONES
    check_stream(written(found).records)


def test_secret_answers_are_nowhere() -> None:
    asked = {"questions": [{"id": "q", "isSecret": True}]}
    ask = {
        "type": "tool_use",
        "id": "c",
        "name": "request_user_input",
        "input": asked,
        "result": {"output": "hunter2"},
    }
    found = records(
        message(content=[ask]),
        {
            "type": "result",
            "call_id": "c",
            "status": "ok",
            "content": "hunter2",
            "output": "hunter2",
            "x": "hunter2",
        },
        {"type": "other", "content": [ask]},
    )
    (result,) = kinds(found, "tool_result")
    assert (result["status"], result["capture"]) == ("ok", {"state": "masked"})
    assert not any(b"hunter2" in as_line(one, describe) for one in found)


def test_a_line_that_cannot_be_read_closes_the_message_and_is_kept() -> None:
    first, notice, second = records(message(), b"\xff oops", chunk())
    assert (first["assembly"]["state"], second["supersedes"]) == ("final", "m")
    assert (notice["type"], notice["seq"], notice["text"]) == ("git-asr/notice", 2_000_000, "\udcff oops")


def test_how_lines_had_to_be_read_is_said() -> None:
    bad = b'{"type":"append","content":"\xff REDACTED"}'
    (record,) = records(message(), bad)
    assert record["_meta"]["git-asr/encoding"] == ["invalid-utf-8"]
    assert record["capture"] == {"state": "masked"}
    (early,) = records(message(content="[REDACTED_TOKEN]"), chunk())
    assert early["capture"] == {"state": "masked"}


def between(count: int) -> list[Any]:
    return [message(), *(one for _ in range(count) for one in (TURN_END, chunk(content="x" * 50)))]


def again(count: int) -> list[Any]:
    return [message(content="x" * 50, n=n) for n in range(count)]


def grown(count: int) -> list[Any]:
    return [message(), *[chunk()] * count, *[TURN_END, chunk()] * (2 * MAX_RESTATED)]


@pytest.mark.no_cover  # it takes long, measured twice as long
@pytest.mark.parametrize("make", [between, again, grown])
def test_records_do_not_grow_with_the_square_of_the_lines(make: Callable[[int], list[Any]]) -> None:
    def size(*values: Any) -> int:
        return sum(len(as_line(one, describe)) for one in records(*values))

    assert size(*make(2_000)) < 2.3 * size(*make(1_000))


def test_what_is_told_too_often_is_kept_as_it_is() -> None:
    assert kinds(records(*between(MAX_RESTATED + 2)), f"{VENDOR}/append")
    assert kinds(records(*again(MAX_RESTATED + 2)), f"{VENDOR}/message")
