from __future__ import annotations

from itertools import permutations
from typing import Any

from git_asr.asr import codec, reading
from git_asr.asr.totals import Total, part, spawning_calls, total
from tests.asr.records import record
from tests.asr.streams import stream


def call(identifier: str, inference: str, output: int | None = None, **other: Any) -> dict[str, Any]:
    usage = {} if output is None else {"usage": {"output": {"total": output}}}
    return record(identifier, "inference", inferenceId=inference, **usage, **other)


def output(found: Total) -> Any:
    return found.usage.get("output", {}).get("total")


def test_each_call_counts_once_with_its_latest_usage() -> None:
    one = stream(call("a", "i", 1), call("b", "i", 5, supersedes="a"), call("c", "j", 2))
    assert total([one]) == Total({"output": {"total": 7}}, 2, 0, 0)


def test_a_call_of_two_sessions_counts_once_and_a_derived_id_in_each() -> None:
    first = stream(call("a", "i", 3, requestId="r"), call("b", "~2.0", 10))
    second = stream(call("a", "i", 3, requestId="r"), call("b", "~2.0", 20), session="t", identifier="t")
    assert output(total([first, second])) == 33
    other = stream(call("a", "i", 3, requestId="q"), identifier="u")
    assert output(total([first, other])) == 16


def test_copied_and_withdrawn_records_do_not_count() -> None:
    one = stream(
        call("a", "i", 3, copiedFrom={"session": {}}),
        call("b", "j", 5),
        record("t", "tombstone", target="b", reason="x"),
    )
    assert total([one]) == Total()


def test_what_is_unknown_is_not_nought() -> None:
    found = total([stream(call("a", "i"))])
    assert (found.usage, found.calls, found.unknown) == ({}, 1, 1)


def test_only_what_is_within_counts_by_the_place_of_the_first_revision() -> None:
    one = stream(call("a", "i", 1), call("b", "j", 10), call("c", "i", 3, supersedes="a"))
    assert output(total([one], lambda _, found: found["seq"] <= 1_000_000)) == 3
    assert output(total([one], lambda _, found: found["seq"] > 1_000_000)) == 10


def test_a_revision_of_another_type_is_none() -> None:
    one = stream(call("a", "i", 1), record("b", supersedes="a"))
    assert output(total([one])) == 1


def test_a_summary_counts_where_no_call_is_recorded() -> None:
    usage = {"output": {"total": 4}}
    told = record("u", "usage_summary", scope="s", covers={"callId": "t"}, usage=usage)
    other = record("v", "usage_summary", scope="s", usage=usage)
    assert total([stream(told, other)]) == Total({"output": {"total": 8}}, 0, 0, 2)
    parent = stream(call("a", "i", 1), told, other)
    assert total([parent]) == Total({"output": {"total": 1}}, 1, 0, 0)
    subagent = stream(call("a", "k", 100), identifier="s.x", calls=["t"])
    assert total([parent, subagent]) == Total({"output": {"total": 101}}, 2, 0, 0)


def process(identifier: str, start: Any, through: Any, output: int) -> dict[str, Any]:
    covers = {"start": start, "through": through}
    return record(
        identifier, "usage_summary", scope="process", covers=covers, usage={"output": {"total": output}}
    )


def test_a_summary_stands_for_the_calls_that_it_covers() -> None:
    told = stream(
        call("a", "i", 1), call("b", "j", 2), process("u", 1, 2, 100), call("c", "k"), call("d", "l", 8)
    )
    assert total([told]) == Total({"output": {"total": 108}}, 4, 1, 1)
    two = stream(call("a", "i", 1), process("u", 1, 1, 10), call("c", "k", 2), process("v", 2, 4, 20))
    assert output(total([two])) == 30
    for odd in (None, True, "1"):
        assert output(total([stream(call("a", "i", 1), process("u", odd, 2, 100))])) == 1


def test_a_summary_stands_for_nothing_where_some_of_its_calls_are_not_asked_for() -> None:
    told = stream(call("a", "i", 1), call("b", "j", 2), process("u", 1, 2, 100))
    assert output(total([told], lambda _, found: found["seq"] >= 1_000_000)) == 100
    assert output(total([told], lambda _, found: found["seq"] >= 2_000_000)) == 2
    assert output(total([told], lambda _, found: found["seq"] < 3_000_000)) == 3


def test_of_summaries_that_cover_the_same_calls_one_counts() -> None:
    calls = call("a", "i", 1), call("b", "j", 2), call("c", "k", 4)
    both = stream(*calls, process("u", 1, 2, 100), process("v", 2, 10**400, 1000))
    assert total([both]) == Total({"output": {"total": 1001}}, 3, 0, 1)
    for told in permutations([process("u", 1, 2, 100), process("v", 1, 3, 1000), process("w", 3, 3, 10)]):
        assert total([stream(*calls, *told)]) == Total({"output": {"total": 1000}}, 3, 0, 1)
        assert total([stream(*told)]) == Total({"output": {"total": 1000}}, 0, 0, 1)


def test_a_summary_may_cover_no_call() -> None:
    calls = call("a", "i", 1), call("b", "j", 2), call("c", "k", 4)
    assert output(total([stream(*calls, process("u", 9, 12, 100), process("v", 3, 1, 1000))])) == 1107
    some = stream(*calls, process("u", 3, 1, 100))
    assert output(total([some], lambda _, found: found["seq"] > 2_000_000)) == 104


def test_summaries_of_several_models_cover_a_span_together() -> None:
    def of(identifier: str, model: Any, output: int, **covers: Any) -> dict[str, Any]:
        told = process(identifier, 1, 3, output)
        return {**told, "covers": {**told["covers"], "model": model, **covers}}

    calls = call("a", "i", 1, model="m"), call("b", "j", 2, model="n"), call("c", "k", 4)
    assert output(total([stream(*calls, of("u", "m", 100), of("v", "n", 1000))])) == 1100
    assert output(total([stream(*calls, of("u", "m", 100), of("v", "m", 1000))])) == 1000
    assert output(total([stream(*calls, of("u", "m", 100), of("v", 5, 1000))])) == 1000
    both = [of("u", "m", 100), of("v", "o", 1000, **{"except": ["n", 5, "p"]})]
    assert output(total([stream(*calls, *both)])) == output(total([stream(*calls, *both[::-1])])) == 1102
    assert output(total([stream(*calls, of("u", "m", 100, **{"except": "n"}))])) == 100
    named_later = call("d", "j", 8, model="n", supersedes="b")
    named = stream(call("b", "j", 2), of("u", "m", 100, **{"except": ["n"]}), named_later)
    assert output(total([named])) == 108


def test_the_calls_that_started_a_stream() -> None:
    assert spawning_calls(stream(calls=["a", "b"])) == ["a", "b"]
    assert spawning_calls(stream()) == []
    one = stream()
    one.header["lineage"] = {"spawnedBy": {"callId": "a"}}
    assert spawning_calls(one) == ["a"]
    one.header["lineage"] = {"spawnedBy": [5, {"callId": 5}]}
    assert spawning_calls(one) == []


def test_the_parts_of_a_stream_give_the_same_totals() -> None:
    whole = stream(
        call("a", "i", 1),
        record("b", content=[{"type": "text", "text": "long"}]),
        record("m", supersedes="a", content=[{"type": "text", "text": "long"}]),
        call("c", "i", 5, supersedes="m"),
        record("t", "tool_call", callId="t", arguments={"x": "long"}),
        process("u", 9, 9, 100),
        call("d", "j", 7),
        record("x", "tombstone", target="d", reason="why"),
    )
    data = b"".join(codec.encode(one) + b"\n" for one in (whole.header, *whole.records))
    less = reading.joined("s", [data], part)
    assert total([less]) == total([whole]) == Total({"output": {"total": 105}}, 1, 0, 1)
    assert [one["id"] for one in less.records] == ["a", "m", "c", "t", "u", "d", "x"]
    assert b"long" not in codec.encode(list(less.records))
