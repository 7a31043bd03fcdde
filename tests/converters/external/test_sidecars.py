"""What single events of hooks become; the fixtures show the usual ones, this the corners."""

from __future__ import annotations

from typing import Any

import pytest

from git_asr.asr.draft import Record
from tests.converters.external.conversion import GEMINI, QWEN, WINDSURF
from tests.support.converted import figures, kinds
from tests.support.converting import as_units

VENDOR = "ai.qwen.qwen-code"


def event(name: str, **told: Any) -> dict[str, Any]:
    return {"v": 1, "agent": "qwen", "event": name, **told}


def tool(name: str, identifier: Any = None, **told: Any) -> dict[str, Any]:
    found = event(name, tool_name="x", **told)
    return found if identifier is None else {**found, "tool_use_id": identifier}


def pairs(*values: Any) -> list[tuple[int, int]]:
    """The lines of each call and of its result."""
    records = QWEN.convert(*values)
    calls = {one["callId"]: one["seq"] // 1_000_000 for one in kinds(records, "tool_call")}
    return [(calls[one["callId"]], one["seq"] // 1_000_000) for one in kinds(records, "tool_result")]


def test_a_result_belongs_to_the_call_that_an_earlier_event_told_of() -> None:
    assert pairs(tool("PreToolUse", "a"), tool("PostToolUse", "a")) == [(1, 2)]
    assert pairs(tool("PostToolUse", "a"), tool("PostToolUse", "b")) == [(1, 1), (2, 2)]
    assert pairs(tool("PreToolUse", "a"), tool("PostToolUse")) == [(2, 2)]
    one, two = {"tool_input": 1}, {"tool_input": 2}
    begun = [tool("PreToolUse", **one), tool("PreToolUse", **two), tool("PreToolUse", **one)]
    assert pairs(
        *begun, tool("PostToolUse", **two), tool("PostToolUse", **one), tool("PostToolUse", **one)
    ) == [
        (2, 4),
        (1, 5),
        (3, 6),
    ]
    assert pairs(*begun, tool("PostToolUse", tool_input=3)) == [(4, 4)]


def test_an_input_that_changed_before_the_call_is_kept() -> None:
    values = [tool("PreToolUse", "a", tool_input={"a": 1}), tool("PostToolUse", "a", tool_input={"a": 2})]
    (found,) = kinds(QWEN.convert(*values), "tool_result")
    assert found["_meta"][VENDOR]["tool_input"] == {"a": 2}
    assert QWEN.losses(*values) == []


@pytest.mark.parametrize(
    ("told", "status"),
    [
        ({}, "ok"),
        ({"tool_response": {"error": False}}, "ok"),
        ({"tool_response": {"error": None}}, "ok"),
        ({"tool_response": {"error": "x"}}, "error"),
        ({"error": "x"}, "error"),
        ({"error_details": "x"}, "error"),
        ({"is_timeout": True}, "error"),
        ({"is_interrupt": True, "error": "x"}, "cancelled"),
        ({"event": "PostToolUseFailure"}, "error"),
    ],
)
def test_how_a_call_ended(told: dict[str, Any], status: str) -> None:
    value = {**tool("PostToolUse", "a"), **told}
    (found,) = kinds(QWEN.convert(value), "tool_result")
    assert found["status"] == status
    assert QWEN.losses(value) == []


def test_what_stands_on_every_line_is_told_when_it_changes() -> None:
    facts = {
        "session_id": "s",
        "cwd": "/a",
        "model": "m",
        "permission_mode": "p",
        "native_transcript_path": "/x",
    }
    values = [
        event("Stop", **facts),
        event("Stop", **facts),
        event("Stop", **{**facts, "cwd": "/b", "model": "n"}),
    ]
    records = QWEN.convert(*values)
    first, second = kinds(records, "git-asr/context")
    assert first["_meta"][VENDOR] == {"v": 1, "agent": "qwen", "native_transcript_path": "/x"}
    assert ("session" in second, second["cwd"], "_meta" in second) == (False, "/b", False)
    assert [one["mode"] for one in kinds(records, "git-asr/mode")] == ["m", "p", "n"]
    assert QWEN.losses(*values) == []
    converter = QWEN.make()
    assert converter.workspace is None
    assert list(converter.convert(iter(as_units(values)), None))
    assert converter.workspace == {"cwd": "/a"}


def projected(value: dict[str, Any], role: str, *content: Any) -> dict[str, Any]:
    return {**value, "type": role, "message": {"role": role, "content": list(content)}}


@pytest.mark.parametrize(
    ("value", "kept"),
    [
        (projected(event("UserPromptSubmit", prompt="a"), "user", {"type": "text", "text": "a"}), False),
        (projected(event("UserPromptSubmit", prompt="a"), "user", {"type": "text", "text": "b"}), True),
        (
            projected(tool("PostToolUse", "t", tool_response={"a": [1]}), "user", {"content": '{"a":[1]}'}),
            False,
        ),
        (
            projected(tool("PostToolUse", "t", tool_response={"a": [1]}), "user", {"content": '{"a": [1]}'}),
            True,
        ),
        (projected(tool("PostToolUse", "t", error="a"), "user", {"content": "a", "is_error": True}), False),
        ({**projected(event("Stop"), "user"), "type": "assistant"}, True),
        (projected(event("UserPromptSubmit", prompt="a"), "user", {"text": "a", "x": None}), False),
        ({**event("Stop"), "message": "text"}, True),
    ],
)
def test_a_message_that_only_repeats_its_line_is_not_recorded(value: dict[str, Any], *, kept: bool) -> None:
    records = QWEN.convert(value)
    assert any("message" in one.get("_meta", {}).get(VENDOR, {}) for one in records) is kept
    assert QWEN.losses(value) == []


def first(*values: Any) -> Record:
    return QWEN.convert(*values)[0]


def test_the_ends_of_turns_and_sessions() -> None:
    assert first(event("SessionStart")) == {
        "type": "state", "seq": 1_000_000, "id": "~1.0", "idSource": "derived", "state": "running"
    }  # fmt: skip
    (failed,) = kinds(QWEN.convert(event("StopFailure", error="e")), "git-asr/notice")
    assert failed["text"] == "e"
    assert first(event("SessionEnd", reason="x"))["reason"] == "x"
    assert first(event("PermissionRequest")).get("text") is None
    assert first(event("SubagentStart", agent_type="x" * 500)).get("agentType") is None


def test_prompts_and_compactions() -> None:
    assert figures(
        QWEN.convert(
            event("UserPromptSubmit", prompt="a"), event("UserPromptSubmit", prompt="b", agent_id="c")
        )
    )["counts"] == {"prompts": 1}
    (compaction,) = kinds(GEMINI.convert(event("PreCompress", compact_summary="s")), "compaction")
    assert compaction["summary"] == "~1.0"


def test_windsurf_tells_its_version_when_it_changes() -> None:
    value = {"v": 1, "type": "file", "path": "a"}
    records = WINDSURF.convert(value, value, {**value, "v": 2})
    assert [one.get("_meta", {}).get("com.windsurf", {}).get("v") for one in records] == [1, None, 2]


@pytest.mark.no_cover  # it takes long, measured twice as long
@pytest.mark.parametrize(
    ("converting", "make"),
    [
        (QWEN, lambda n: [tool("PreToolUse", tool_input=n), tool("PostToolUse", tool_input=n)]),
        (QWEN, lambda n: [event("UserPromptSubmit", prompt="x", cwd=str(n))]),
        (WINDSURF, lambda n: [{"v": n, "type": "file", "path": "a"}]),
    ],
)
def test_records_do_not_grow_with_the_square_of_the_lines(converting: Any, make: Any) -> None:
    converting.check_growth(make)
