"""Events, to the letter of the companion specification."""

from __future__ import annotations

from typing import Any

import pytest

from git_asr.asr.context import is_vendor
from git_asr.converters.base import Unit
from git_asr.converters.events import lifecycle
from git_asr.converters.events.converter import Events, kind_of
from git_asr.converters.events.state import PRIVATE
from tests.converters.events.conversion import SESSION, VENDOR, converted, meta, of, records, text
from tests.support.converted import kinds

AT = "2026-05-04T09:00:00Z"


@pytest.mark.parametrize(("number", "name"), list(enumerate(lifecycle.NAMES, 1)))
def test_types_by_number_and_by_name(number: int, name: str) -> None:
    snake = "".join(f"_{one.lower()}" if one.isupper() else one for one in name).strip("_")
    found = {
        repr(records({"type": kind, "timestamp": AT}))
        for kind in (number, name, snake, snake.replace("_", "-"))
    }
    assert len(found) == 1
    assert kind_of({"type": snake.upper()}) == name


@pytest.mark.parametrize("kind", [0, 8, -1, True, 1.0, "1", "Session", "x" * 50, None, [1], {"a": 1}])
def test_other_types_are_kept_as_they_are(kind: Any) -> None:
    (record,) = records({"type": kind, "prompt": "x"})
    assert record["type"].startswith(f"{VENDOR}/")
    assert b"prompt" in record["value"].data


def test_session_start_sets_the_start() -> None:
    converter, (record, _) = converted(
        {"type": 1, "timestamp": AT, "model": "m"}, {"type": 1, "timestamp": "2026-05-05T09:00:00Z"}
    )
    assert converter.state.started_at == AT
    assert (record["type"], record["session"], record["ts"]) == ("git-asr/context", SESSION, AT)
    assert meta(record) == {"model": "m"}
    assert list(converter.state.models) == ["m"]
    assert converted({"type": 2, "timestamp": AT})[0].state.started_at is None


def test_turns_are_states() -> None:
    found = records(
        {"type": 2, "prompt": "Do it", "timestamp": AT},
        {"type": 3, "response_message": "Done"},
        {"type": 2},
        {"type": 3},
        {"type": 5},
    )
    assert [one.get("state", one["type"]) for one in found] == [
        *("running", "message", "message", "idle", "running", "idle", "ended"),
    ]
    asked, said = kinds(found, "message")
    assert (asked["role"], asked["author"], text(asked), asked["ts"]) == ("user", "unknown", "Do it", AT)
    assert (said["role"], said["author"], text(said)) == ("assistant", "agent", "Done")
    assert not any(meta(one) for one in found)


def test_a_session_has_ended_if_nothing_goes_on() -> None:
    def ended(*kinds: int) -> str | None:
        return converted(*({"type": kind, "timestamp": AT} for kind in kinds))[0].state.ended_at

    assert [ended(1, 2, 3), ended(1, 5), ended(5, 1), ended(5, 2), ended(5, 7)] == [None, AT, None, None, AT]


def test_subagents() -> None:
    first, second, third = records(
        {
            "type": 6,
            "tool_use_id": "toolu_1",
            "subagent_type": "Explore",
            "task_description": "look",
            "tool_input": {"a": 1},
        },
        {"type": 7, "tool_use_id": "toolu_1", "subagent_id": "a1", "response_message": "seen"},
        {"type": 7, "tool_use_id": "REDACTED", "subagent_type": 7},
    )
    assert {key: first[key] for key in ("type", "callId", "agentType", "state")} == {
        "type": "subagent", "callId": "toolu_1", "agentType": "Explore", "state": "started",
    }  # fmt: skip
    assert meta(first) == {"task_description": "look", "tool_input": {"a": 1}}
    assert (second["state"], meta(second)) == ("ended", {"subagent_id": "a1", "response_message": "seen"})
    assert "callId" not in third
    assert meta(third) == {"tool_use_id": "REDACTED", "subagent_type": 7}


def test_the_session_before() -> None:
    converter, (record, again) = converted(
        {"type": 1, "previous_session_id": "before"}, {"type": 2, "previous_session_id": "before"}
    )
    assert converter.lineage == {
        "continues": {"session": {"id": "before"}, "reason": "other", "evidence": "native_field"}
    }
    assert meta(record) == {"previous_session_id": "before"}
    assert meta(again) == {}
    for odd in (SESSION, "", "../x", 7):
        assert converted({"type": 1, "previous_session_id": odd})[0].lineage is None


def test_a_compaction_is_for_an_audit_only() -> None:
    record, bare = records({"type": 4, "timestamp": AT, "metadata": {"tokens": 7}, "model": "m"}, {"type": 4})
    assert (record["type"], record["ts"], record["value"]) == (
        "io.entire/compaction",
        AT,
        {"metadata": {"tokens": 7}, "model": "m"},
    )
    assert is_vendor(record)
    assert "value" not in bare


def test_facts_of_every_event_are_told_when_they_change() -> None:
    found = records(*({"type": 2, "session_id": SESSION, "model": model} for model in ("a", "a", "b", None)))
    assert [meta(one) for one in found] == [{"model": "a"}, {}, {"model": "b"}, {}]


def test_paths_of_the_authors_machine_are_nowhere() -> None:
    path = dict.fromkeys(PRIVATE, "/home/ann/secret")
    found = records({"type": 1, **path}, {"type": 4, **path}, {"type": "other", **path})
    assert "ann" not in repr(found)
    assert "paths" in {one["feature"] for one in Events(SESSION).lossy}


def test_times_are_as_recorded() -> None:
    def stamp(**told: Any) -> tuple[str | None, dict[str, Any]]:
        (record,) = records({"type": 5, **told})
        return record.get("ts"), meta(record)

    assert stamp(timestamp=AT) == (AT, {})
    assert stamp(timestamp=1777885200000) == ("2026-05-04T09:00:00.000Z", {})
    assert stamp(ts=AT) == (AT, {})
    assert stamp(ts=AT, timestamp=AT) == (AT, {})
    assert stamp(ts="2026-05-04T10:00:00Z", timestamp=AT) == (AT, {"ts": "2026-05-04T10:00:00Z"})
    assert stamp(timestamp="soon") == (None, {"timestamp": "soon"})


def test_numbers_that_are_none_keep_the_line_whole() -> None:
    unit = Unit(1, 0, {"type": "append", "x": float("nan")}, None, "value", ("non-finite",))
    _, (record,) = of([unit])
    assert record["type"] == f"{VENDOR}/append"
    assert "NaN" in record["native"]["value"]
