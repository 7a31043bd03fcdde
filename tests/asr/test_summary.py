from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from git_asr.asr.summary import Summary
from git_asr.asr.usage import accounts, normal, total


def summed(records: list[dict[str, Any]], **arguments: Any) -> dict[str, Any]:
    summary = Summary()
    assert list(summary.watch(records)) == records
    given = {"agent": "x", "models": ["label"], "first_prompt": lambda: None, "commits": ["c"], **arguments}
    return summary.record(**given)


def test_unknown_is_left_out() -> None:
    assert summed([]) == {"agent": "x", "models": ["label"], "commits": ["c"]}


def test_units_prompts_calls_and_times_are_counted() -> None:
    records = [
        {"type": "git-asr/unit", "ts": "2026-01-01T00:00:00Z"},
        {
            "type": "message",
            "id": "m1",
            "author": "human",
            "content": [{"type": "json"}, {"type": "text", "text": "p" * 300}],
        },
        {"type": "message", "author": "agent", "content": [{"type": "text", "text": "no"}]},
        {"type": "tool_call", "id": "c", "ts": "2026-01-01T00:01:00Z"},
        {"type": "tool_call", "copiedFrom": {}},
        {"type": "message", "id": "m2", "author": "human", "content": None},
    ]
    assert summed(records) == {
        "agent": "x",
        "models": ["label"],
        "startedAt": "2026-01-01T00:00:00Z",
        "endedAt": "2026-01-01T00:01:00Z",
        "firstPrompt": "p" * 200,
        "counts": {"prompts": 2, "toolCalls": 1, "units": 1},
        "commits": ["c"],
    }


def test_what_waits_or_is_superseded_or_buried_is_no_prompt_of_its_own() -> None:
    def prompt(identifier: str, **other: Any) -> dict[str, Any]:
        content = [{"type": "text", "text": identifier}]
        return {"type": "message", "id": identifier, "author": "human", "content": content, **other}

    waiting = {"_meta": {"git-asr/queue": "pending"}}
    records = [
        prompt("waits", **waiting),
        prompt("delivered", supersedes="waits"),
        prompt("again", supersedes="delivered"),
        prompt("buried"),
        {"type": "tombstone", "id": "t", "target": "buried"},
        {"type": "tombstone", "id": "u", "target": "unknown"},
        prompt("left", **waiting),
        {"type": "tool_call", "id": "c"},
        {"type": "tool_call", "id": "d", "supersedes": "c"},
    ]
    summary = summed(records)
    assert summary["counts"] == {"prompts": 1, "toolCalls": 1}
    assert summary["firstPrompt"] == "again"


def test_later_usage_of_a_call_replaces_the_earlier() -> None:
    def inference(identifier: str, out: int) -> dict[str, Any]:
        return {
            "type": "inference",
            "id": f"{identifier}{out}",
            "inferenceId": identifier,
            "model": "m",
            "usage": {"output": {"total": out}},
        }

    summary = summed(
        [
            inference("a", 1),
            inference("a", 5),
            inference("b", 2),
            {"type": "inference", "id": "c", "inferenceId": "c"},
        ]
    )
    assert summary["usage"] == {"output": {"total": 7}}
    assert summary["counts"] == {"inferences": 3}
    assert summary["models"] == ["m"]


def test_a_call_that_gets_its_own_id_later_is_one_call() -> None:
    usage = {"output": {"total": 3}}
    derived = {"type": "inference", "id": "~1.0", "inferenceId": "~1.0", "usage": usage}
    native = {"type": "inference", "id": "~2.0", "inferenceId": "r", "usage": usage, "supersedes": "~1.0"}
    for records in ([derived, native], [derived, native, {**native, "id": "~3.0", "supersedes": "~2.0"}]):
        summary = summed(records)
        assert (summary["counts"], summary["usage"]) == ({"inferences": 1}, usage)


def test_a_summary_stands_for_the_calls_that_it_covers() -> None:
    def inference(position: int, out: int) -> dict[str, Any]:
        identifier = f"i{position}"
        usage = {"output": {"total": out}}
        seq = position * 1_000_000
        return {"type": "inference", "seq": seq, "id": identifier, "inferenceId": identifier, "usage": usage}

    def process(covers: Any) -> dict[str, Any]:
        return {"type": "usage_summary", "id": "u", "covers": covers, "usage": {"output": {"total": 100}}}

    calls = [inference(1, 1), inference(2, 2), inference(3, 4)]
    found = summed([*calls, process({"start": 1, "through": 2})])
    assert (found["usage"], found["counts"]) == ({"output": {"total": 104}}, {"inferences": 3})
    longer = {**process({"start": 1, "through": 3}), "id": "v"}
    found = summed([*calls, process({"start": 1, "through": 2}), longer])
    assert found["usage"] == {"output": {"total": 100}}
    calls[1]["model"] = "m"
    found = summed([*calls, process({"start": 1, "through": 3, "except": ["m"]})])
    assert found["usage"] == {"output": {"total": 102}}
    for other in (None, {"callId": "t"}, {"start": 1}):
        assert summed([*calls, process(other)])["usage"] == {"output": {"total": 7}}


def test_what_is_buried_does_not_count() -> None:
    usage = {"output": {"total": 3}}
    records = [
        {"type": "inference", "id": "a", "inferenceId": "a", "usage": usage},
        {"type": "inference", "id": "b", "inferenceId": "b", "usage": usage},
        {"type": "inference", "id": "b2", "inferenceId": "b", "usage": usage},
        {"type": "tool_call", "id": "c"},
        {"type": "tool_call", "id": "d"},
        {"type": "tool_result", "id": "e"},
        *({"type": "tombstone", "id": f"t{one}", "target": one} for one in ("a", "b", "c", "e", "e", "x")),
    ]
    summary = summed(records)
    assert (summary["usage"], summary["counts"]) == (usage, {"inferences": 1, "toolCalls": 1})
    assert "counts" not in summed([records[0], {"type": "tombstone", "id": "t", "target": "a"}])


def test_a_prompt_from_outside_stands_in() -> None:
    assert summed([], first_prompt=lambda: "hello")["firstPrompt"] == "hello"


def test_normal_keeps_what_is_known() -> None:
    usage = {
        "input": {"total": 5, "includesCache": None, "junk": "x"},
        "cacheRead": 0,
        "cacheWrite": -1,
        "output": {"total": True},
        "other": 3,
    }
    assert normal(usage) == {"input": {"total": 5, "includesCache": None}, "cacheRead": 0}
    for odd in ("x", 1, [], {"a": 1}):
        assert normal({"input": {"total": 5, "includesCache": odd}}) == {"input": {"total": 5}}
    assert normal("x") == {}


def test_adding_two_readings_of_the_cache_leaves_it_open() -> None:
    left, right = (
        {"input": {"total": 1, "includesCache": True}},
        {"input": {"total": 2, "includesCache": False}},
    )
    assert total([left, right]) == {"input": {"total": 3, "includesCache": None}}
    assert total([left, left])["input"]["includesCache"] is True
    assert total([{"cacheRead": 1}, {"output": {"reasoning": 2}}]) == {
        "cacheRead": 1,
        "output": {"reasoning": 2},
    }


COUNTS = st.integers(0, 10**9)
USAGE = st.fixed_dictionaries(
    {},
    optional={
        "input": st.fixed_dictionaries({}, optional={"total": COUNTS, "uncached": COUNTS}),
        "cacheRead": COUNTS,
        "cacheWrite": COUNTS,
        "output": st.fixed_dictionaries({}, optional={"total": COUNTS, "reasoning": COUNTS}),
    },
)


@given(USAGE, USAGE, USAGE)
def test_adding_is_a_sum(a: dict[str, Any], b: dict[str, Any], c: dict[str, Any]) -> None:
    assert total([a, b]) == total([b, a])
    assert total([total([a, b]), c]) == total([a, total([b, c])]) == total([a, b, c])
    assert total([a]) == total([a, {}]) == a


SPANS = st.lists(st.builds(range, st.integers(-3, 20), st.integers(-3, 20)))


@given(SPANS)
def test_spans_that_count_have_no_position_in_common_and_none_is_longer(spans: list[range]) -> None:
    told = [(str(n), {"start": one.start, "through": one.stop - 1}) for n, one in enumerate(spans)]
    found = accounts(told)
    places = [place for one in found for place in one.span]
    assert len(places) == len(set(places))
    named = {one.told[None] for one in found}
    for number, left_out in enumerate(spans):
        if str(number) not in named:
            assert any(
                (len(one.span) >= len(left_out) and set(one.span) & set(left_out)) or one.span == left_out
                for one in found
            )


def test_spans_may_end_beyond_any_position() -> None:
    ends = [(3, 10**400), (-(10**30), 2), (2, 3)]
    found = accounts((str(at), {"start": start, "through": end}) for at, (start, end) in enumerate(ends))
    assert [one.told for one in found] == [{None: "1"}, {None: "0"}]
