"""What single steps become; the fixtures show the usual ones, this the corners."""

from __future__ import annotations

from typing import Any

import pytest

from git_asr.asr.entities import pair
from git_asr.converters.base import Facts, Sample
from git_asr.converters.building import MAX_BLOCKS
from git_asr.converters.registry import by_name, converter_for
from tests.converters.devin.conversion import DEVIN, HEAD, VENDOR, call, observed, step, used
from tests.converters.rules import check_stream
from tests.support.converted import figures, kinds
from tests.support.losslessness import written
from tests.support.sessions import as_units, size


@pytest.mark.parametrize("case", DEVIN.cases())
def test_every_rule_holds(case: str) -> None:
    found, snapshot = DEVIN.fixture(case)
    DEVIN.check(found, snapshot=snapshot)


def test_the_format() -> None:
    native = by_name("devin-atif")
    assert native is not None
    assert native.recognises(Sample((HEAD,), True, ""))
    assert not native.recognises(Sample(({"schema_version": 7},), True, ""))
    assert native.facts(HEAD) == Facts(session="almond-cylinder")
    assert native.facts(step(3, "user")) == Facts(id="3", type="user")
    features = {one["feature"] for one in converter_for(native).lossy}
    assert {"steps_before_the_end", "result_status", "compactions", "number_precision"} <= features


def test_what_a_trajectory_says_of_itself() -> None:
    metrics = {
        "total_prompt_tokens": 10,
        "total_cached_tokens": 4,
        "total_completion_tokens": 2,
        "total_steps": 3,
    }
    made = DEVIN.make(snapshot=True)
    units = as_units({**HEAD, "final_metrics": {**metrics, "total_cost_usd": 0.5}}, [], snapshot=True)
    context, usage = made.convert(iter(units), None)
    assert made.format_version == "3"
    assert context.fields == {"session": "almond-cylinder", "agentVersion": "3"}
    assert usage.fields == {
        "scope": "session",
        "usage": {
            "input": {"total": 10, "includesCache": True, "uncached": 6},
            "cacheRead": 4,
            "output": {"total": 2},
        },
        "cost": 0.5,
    }
    assert context.meta is not None
    assert context.meta[VENDOR]["final_metrics"] == {"total_steps": 3}
    (stub,) = DEVIN.document({"schema_version": "ATIF-v1.7", "session_id": "almond-cylinder"})
    assert (stub["type"], stub["session"]) == ("git-asr/context", "almond-cylinder")
    (odd,) = DEVIN.document(
        {"session_id": "REDACTED", "agent": 7, "final_metrics": {"total_prompt_tokens": 0}}
    )
    assert odd["_meta"][VENDOR]["session_id"] == "REDACTED"
    assert odd["_meta"][VENDOR]["final_metrics"] == {"total_prompt_tokens": 0}


def test_who_says_what() -> None:
    records = DEVIN.document(
        HEAD,
        step(1, "system", "rules"),
        step(2, "user", "context", extra={"is_user_input": False}),
        step(3, "user", "go", extra={"is_user_input": True}),
        step(4, "user", "on"),
        step(5, "agent", "gone"),
        step(6, "user"),
        step(7, "owl", "hoo"),
    )
    assert [(one["role"], one["author"]) for one in kinds(records, "message")] == [
        ("system", "harness"),
        ("user", "harness"),
        ("user", "human"),
        ("user", "human"),
        ("assistant", "agent"),
        ("user", "unknown"),
    ]
    assert figures(records)["counts"]["prompts"] == 2
    assert records[-1]["value"]["source"] == "owl"


def test_one_model_call_for_each_step_with_metrics_or_a_model() -> None:
    records = DEVIN.document(
        HEAD,
        step(1, "agent", "a", reasoning_content="hm", tool_calls=[call("read_0")], metrics=used(10, 4, 2)),
        step(2, "agent", "b", model_name="other", llm_call_count=1),
        step(3, "agent", "c"),
        step(4, "agent", "d", metrics=used(5, 0, 1), llm_call_count=0),
        step(5, "user", "e", metrics={"prompt_tokens": 3}),
    )
    one, two = kinds(records, "inference")
    assert (one["model"], one["usage"]["input"]["uncached"]) == ("m", 6)
    assert two["model"] == "other"
    assert "usage" not in two
    assert [draft["inferenceId"] for draft in records[1:4]] == ["~1.83"] * 3
    modelless = DEVIN.document({}, step(1, "agent", "a", metrics=used(1, 0, 1)))
    assert "model" not in kinds(modelless, "inference")[0]


@pytest.mark.parametrize(
    ("metrics", "usage", "left"),
    [
        (used(0, 0, 0), None, used(0, 0, 0)),
        ({"completion_tokens": 7, "cached_tokens": 900}, {"output": {"total": 7}}, {"cached_tokens": 900}),
        (
            {"prompt_tokens": 5, "cached_tokens": 9},
            {"input": {"total": 5, "includesCache": True}},
            {"cached_tokens": 9},
        ),
        ({"prompt_tokens": 5, "x": 1}, {"input": {"total": 5, "includesCache": True}}, {"x": 1}),
        ({"prompt_tokens": True}, None, {"prompt_tokens": True}),
    ],
)
def test_counters_that_cannot_be(metrics: dict[str, Any], usage: Any, left: dict[str, Any]) -> None:
    (told,) = kinds(DEVIN.document(HEAD, step(1, "agent", "a", metrics=metrics)), "inference")
    assert told.get("usage") == usage
    assert told["_meta"][VENDOR]["metrics"] == left


def test_copied_steps_count_where_they_stood_first() -> None:
    old = [step(1, "user", "go"), step(2, "agent", "gone", metrics=used(10, 0, 2))]
    copied = [{**one, "is_copied_context": True} for one in old]
    new = [step(3, "user", "on"), step(4, "agent", "done", metrics=used(20, 10, 3))]
    records = DEVIN.document(HEAD, *copied, *new)
    source = {"session": {"harness": "devin", "id": "almond-cylinder"}, "evidence": "native_field"}
    assert [one.get("copiedFrom") for one in records[1:]] == [source, source, source, None, None, None]
    told = figures(records)
    assert told["counts"] == {"inferences": 1, "prompts": 1}
    assert told["usage"]["output"] == {"total": 3}
    nameless = DEVIN.document({}, *copied, *new)
    assert figures(nameless)["counts"]["inferences"] == 1
    assert kinds(nameless, "message")[1]["_meta"][VENDOR] == {
        "is_copied_context": True,
        "metrics": used(10, 0, 2),
    }


def test_calls_are_numbered_anew_when_a_session_is_resumed() -> None:
    records = DEVIN.document(
        HEAD,
        step(1, "agent", tool_calls=[call("read_0")], observation=observed(("read_0", "one"))),
        step(
            2, "agent", tool_calls=[call("read_0"), call("read_0")], observation=observed(("read_0", "two"))
        ),
        step(3, "agent", tool_calls=[call("read_0")]),
    )
    assert [one["callId"] for one in kinds(records, "tool_call")] == ["read_0", "~2.100", "read_0", "~3.100"]
    told = pair(kinds(records, "tool_call") + kinds(records, "tool_result"))
    assert [one.result and one.result["content"][0]["text"] for one in told.calls] == [
        None,
        "two",
        None,
        None,
    ]
    apart = DEVIN.document(
        HEAD,
        step(1, "agent", tool_calls=[call("read_0")]),
        step(2, "tool", "one", extra={"tool_call_id": "read_0", "x": 1}),
        step(3, "agent", tool_calls=[call("read_0")]),
        step(4, "tool", "two"),
    )
    assert [one["callId"] for one in kinds(apart, "tool_call")] == ["read_0", "read_0"]
    assert [one["callId"] for one in kinds(apart, "tool_result")] == ["read_0", "~4.100"]
    assert kinds(apart, "tool_result")[0]["_meta"][VENDOR] == {"extra": {"x": 1}}


def test_what_was_observed() -> None:
    results = [
        {"source_call_id": "a", "content": "x", "extra": {"is_error": True}},
        {"source_call_id": "b", "content": "y", "is_error": False},
        {"source_call_id": "c", "content": "z", "extra": {"is_error": "yes"}},
        {"source_call_id": "d", "subagent_trajectory_ref": [{"trajectory_id": "t"}]},
        {"content": "alone", "x": 1},
        {"content": None},
        7,
    ]
    records = DEVIN.document(HEAD, step(1, "system", "", observation={"results": results, "more": 1}))
    assert [one["status"] for one in kinds(records, "tool_result")] == ["error", "ok", "unknown", "unknown"]
    (alone,) = kinds(records, "message")
    assert (alone["role"], alone["author"], alone["content"][0]["text"]) == ("system", "harness", "alone")
    (ended,) = kinds(records, "subagent")
    assert (ended["callId"], ended["state"]) == ("d", "ended")
    assert [one["value"] for one in kinds(records, f"{VENDOR}/observation")] == [{"content": None}, 7]
    assert records[1]["_meta"][VENDOR]["observation"] == {"more": 1}


def test_texts_and_images() -> None:
    image = {"type": "image", "source": {"media_type": "image/png", "path": "data:image/png;base64,QUI="}}
    other = {"type": "image", "source": {"media_type": "image/gif", "path": "data:image/png;base64,QUI="}}
    content = [{"type": "text", "text": "a"}, image, other, {"type": "text", "text": "b", "x": 1}]
    (said,) = kinds(DEVIN.document(HEAD, step(1, "user", content)), "message")
    assert [one["type"] for one in said["content"]] == ["text", "image", "json", "json"]
    (one,) = kinds(DEVIN.document(HEAD, step(1, "user", {"x": 1})), "message")
    assert one["content"] == [{"type": "json", "value": {"x": 1}}]


def test_odd_calls_and_modes() -> None:
    calls = [
        7,
        {"tool_call_id": "a"},
        {"function_name": "n", "extra": 1},
        {**call("REDACTED"), "function_name": "n"},
    ]
    result = observed(("REDACTED", "x"))
    odd = step(
        1, "agent", tool_calls=calls, observation=result, reasoning_effort="high", reasoning_content=""
    )
    records = DEVIN.document(HEAD, odd, step(2, "agent", "b", reasoning_effort="high", tool_calls="none"))
    assert len(kinds(records, f"{VENDOR}/tool_call")) == 2
    assert all(one["callIdSource"] == "derived" for one in kinds(records, "tool_call"))
    assert kinds(records, "tool_result")[0]["callIdSource"] == "derived"
    assert [one["mode"] for one in kinds(records, "git-asr/mode")] == ["high"]
    assert records[-1]["_meta"][VENDOR]["tool_calls"] == "none"
    assert kinds(records, "reasoning") == []


def test_what_exceeds_the_range_stays_in_one_record() -> None:
    many = step(
        1, "agent", "a", tool_calls=[call(f"t{n}") for n in range(MAX_BLOCKS + 1)], metrics=used(1, 0, 1)
    )
    records = DEVIN.document(HEAD, many)
    (more,) = kinds(records, f"{VENDOR}/more")
    assert len(more["value"]) == 2
    check_stream(written(records).records)
    assert DEVIN.losses(many, head=HEAD) == []


def test_one_damaged_document_is_one_record() -> None:
    (notice,) = DEVIN.of(DEVIN.units(b'{"schema_version": "ATIF'), snapshot=True)
    assert notice["type"] == "git-asr/notice"


def test_twice_the_steps_give_twice_the_bytes() -> None:
    def many(count: int) -> int:
        steps = [
            step(
                n,
                "agent",
                tool_calls=[call("read_0")],
                observation=observed(("read_0", "x")),
                metrics=used(1, 0, 1),
            )
            for n in range(count)
        ]
        return size(DEVIN.document(HEAD, *steps))

    assert many(400) < 2.2 * many(200)
