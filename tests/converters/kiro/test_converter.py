"""What single units become; the fixtures show the usual ones, this the corners."""

from __future__ import annotations

from typing import Any

import pytest

from git_asr.asr.large import describe, line
from git_asr.converters.building import MAX_BLOCKS
from git_asr.converters.detect import detect
from git_asr.converters.kiro.converter import Kiro
from git_asr.converters.registry import by_name, converter_for
from tests.converters import goldens
from tests.converters.kiro.conversion import (
    VENDOR,
    convert,
    document,
    kinds,
    lines,
    losses,
    lost_of,
    of,
    units,
)
from tests.converters.rules import check_stream
from tests.support.losslessness import written


def prompt(said: Any, **more: Any) -> dict[str, Any]:
    return {"user": {"content": {"Prompt": {"prompt": said}}, **more}, "assistant": None}


def response(said: Any, identifier: str = "", **more: Any) -> dict[str, Any]:
    return {"user": None, "assistant": {"Response": {"message_id": identifier, "content": said, **more}}}


def results(*found: Any, kind: str = "ToolUseResults", **more: Any) -> dict[str, Any]:
    return {"user": {"content": {kind: {"tool_use_results": found, **more}}}, "assistant": None}


def uses(*found: Any, identifier: str = "m") -> dict[str, Any]:
    return {"user": None, "assistant": {"ToolUse": {"message_id": identifier, "tool_uses": found}}}


def typed(kind: str, *content: Any, identifier: str = "k") -> dict[str, Any]:
    return {"version": "v1", "kind": kind, "data": {"message_id": identifier, "content": content}}


@pytest.mark.parametrize("case", [one for one in goldens.cases() if one.startswith("kiro/")])
def test_what_the_cases_show(case: str) -> None:
    native, found = goldens.units(goldens.chunks(case))
    assert native is not None
    assert native.harness == "kiro"
    assert [native.facts(unit.value) for unit in found]
    kept = [unit for unit in found if not unit.flags]  # NaN stands in a text
    records = of(kept, snapshot=native.array is not None)
    held_back = [one for one in found[-1:] if one.kind == "malformed"]
    assert [one.position for one in lost_of(kept, records)] == [one.position for one in held_back]
    check_stream(written(records).records)


def test_which_transcripts_are_kiros() -> None:
    said = {"message": {"role": "user", "content": "x"}}
    for text, name in (
        (document(said), "kiro-json"),
        (b'{"history":[{"message":{"role":"user"}}]}', "kiro-json"),
        (b'{"history":[{"message":{"role":"user"}},7]}', None),
        (b'{"history":[]}', None),
        (b'{"history":7,"conversation_id":""}', None),
        (lines({"entry": 0, "user": {}}, {"entry": 0, "assistant": {}}), "kiro-jsonl"),
        (lines({"entry": 0, "user": 7}, said), None),
        (lines(typed("Prompt"), {}), "kiro-jsonl"),
        (lines(typed("Sing"), {}), None),
    ):
        native = detect([text])
        assert (native and native.name) == name


@pytest.mark.parametrize("name", ["kiro-json", "kiro-jsonl"])
def test_every_format_has_its_losses(name: str) -> None:
    native = by_name(name)
    assert native is not None
    features = {one["feature"] for one in converter_for(native).lossy}
    assert {"usage", "number_precision" if native.array else "cut_last_line"} <= features


def test_what_a_conversation_says_of_itself() -> None:
    env = {"env_state": {"current_working_directory": "/w"}}
    text = document(prompt("x", env_context=env), prompt("y", env_context=env), cli_version="1", title="t")
    converter = Kiro(snapshot=True)
    list(converter.convert(iter(units(text, snapshot=True)), None))
    assert converter.workspace == {"cwd": "/w"}
    assert [one.get("cwd") for one in kinds(convert(text), "git-asr/context")] == [None, "/w"]
    assert kinds(convert(text), "git-asr/title")[0]["title"] == "t"
    assert losses(text) == []
    sides = [
        {"conversation_id": "c", "cli_version": v, "entry": 0, "user": {"content": {}}}
        for v in (1, True, True)
    ]
    assert losses(lines(*sides)) == []
    assert [str(one).count("cli_version") for one in convert(lines(*sides))] == [1, 1, 0]
    assert convert(document(conversation_id="")) == []


def test_the_id_is_the_assistants() -> None:
    both = {**response("hi", "m"), "user": prompt("go")["user"]}
    first, second = convert(document(both))[1:]
    assert (first["id"], second["id"], second["messageId"]) == ("~1.100", "m", "m")
    (nothing,) = kinds(convert(document({**both, "assistant": {}})), "message")
    assert nothing["id"] == "~1.100"


def test_what_a_request_tells() -> None:
    for request, told in (
        ({"message_id": "m", "request_id": "r", "model_id": "x"}, ("m", "r", "x")),
        ({"message_id": "n", "request_id": "r"}, ("n", "r", None)),
        ({"message_id": "REDACTED", "request_id": "r"}, ("r", "r", None)),
        ({"model_id": "x"}, ("~1.183", None, "x")),
    ):
        text = document({**response("hi"), "request_metadata": request})
        (found,) = kinds(convert(text), "inference")
        assert (found["inferenceId"], found.get("requestId"), found.get("model")) == told
        assert losses(text) == []
    assert kinds(convert(document({**response("hi"), "request_metadata": 7})), "inference") == []
    (alone,) = kinds(convert(document({**prompt(""), "request_metadata": {"x": 1}})), "inference")
    assert alone["inferenceId"] == "~1.83"


def test_what_is_new_at_the_assistants_side_is_kept() -> None:
    both = response("hi")
    (kind,) = both["assistant"]
    both["assistant"][kind]["later"] = 7
    text = document(both)
    (said,) = kinds(convert(text), "message")
    assert said["_meta"][VENDOR]["assistant"] == {kind: {"later": 7}}
    assert losses(text) == []


def test_times() -> None:
    asked = {"stream_end_timestamp_ms": 1777885200000}
    both = {
        "user": prompt("go", timestamp="2026-05-04T08:00:00Z")["user"],
        "assistant": response("hi")["assistant"],
    }
    assert [one.get("ts") for one in convert(document(both))[1:]] == ["2026-05-04T08:00:00Z", None]
    silent = {**both, "user": {"content": None, "timestamp": "2026-05-04T08:00:00Z"}}
    assert convert(document(silent))[-1]["ts"] == "2026-05-04T08:00:00Z"
    (twice, _) = convert(lines({**both, "entry": 0, "timestamp": "2026-05-04T07:00:00Z"}))
    assert twice["_meta"][VENDOR]["timestamp"] == "2026-05-04T07:00:00Z"
    timed = convert(document({**both, "request_metadata": asked}))
    assert [one.get("ts") for one in timed[1:3]] == ["2026-05-04T08:00:00Z", "2026-05-04T09:00:00.000Z"]


def test_how_calls_end() -> None:
    for told, status in (
        ({"status": "Success"}, "ok"),
        ({"status": "error"}, "error"),
        ({"status": "odd"}, "unknown"),
        ({"status": 7}, "unknown"),
        ({"is_error": True}, "error"),
        ({"is_error": False}, "ok"),
        ({"status": "Error", "content": [{"Text": "Tool use was cancelled by the user"}]}, "cancelled"),
    ):
        text = document(results({"tool_use_id": "t", **told}))
        (found,) = kinds(convert(text), "tool_result")
        assert (found["status"], losses(text)) == (status, [])
    (stopped,) = kinds(convert(document(results({"id": "t"}, kind="CancelledToolUses"))), "tool_result")
    assert stopped["status"] == "cancelled"


def test_contents_of_results() -> None:
    for told, content in (
        ({"content": [{"Text": "a"}, {"Json": {"b": 1}}, {"Text": 7}, {"Json": "c"}, 7]},
         ["a", {"b": 1}, 7, "c", 7]),
        ({"content": "a", "result": {"b": 1}}, ["a", {"b": 1}]),
        ({"content": None, "result": 0}, [0]),
        ({"content": [{"kind": "text", "data": "a"}, {"kind": "x", "data": "b"}]}, ["a", {"kind": "x", "data": "b"}]),
    ):  # fmt: skip
        text = document(results({"id": "t", **told}))
        (found,) = kinds(convert(text), "tool_result")
        assert [one.get("text", one.get("value")) for one in found["content"]] == content
        assert losses(text) == []


def test_calls() -> None:
    one = {"id": "t", "name": "n", "orig_name": "n", "args": {"x": 1}, "orig_args": {"x": True}}
    text = document(uses(one, {"name": "n"}))
    first, second = kinds(convert(text), "tool_call")
    assert first["_meta"] == {VENDOR: {"orig_args": {"x": True}}}
    assert "arguments" not in second
    assert losses(text) == []
    assert kinds(convert(document(uses())), "message")[0]["content"] == []


def test_thoughts() -> None:
    for found, said in (
        ("hm", "hm"),
        ({"text": "hm", "x": 1}, "hm"),
        ({"reasoningText": {"text": "hm", "signature": "s"}, "x": 1}, "hm"),
        ({"reasoningText": "hm"}, "hm"),
        ({"redacted": "x"}, None),
        ([7], None),
    ):
        text = document(response("hi", thinking=found))
        (thought,) = kinds(convert(text), "reasoning")
        assert [one["text"] for one in thought["content"]] == ([said] if said else [])
        assert ("capture" in thought) is (said is None)
        assert losses(text) == []


def test_what_entire_repeats_in_its_own_form() -> None:
    side = {"entry": 0, "user": {"content": {"Prompt": {"prompt": "go"}}}, "type": "user"}
    for message, kept in (
        ({"role": "user", "content": [{"type": "text", "text": "go"}]}, False),
        ({"role": "user", "content": [{"type": "text", "text": "go away"}]}, True),
        (None, False),
    ):
        text = lines({**side, "message": message})
        (found,) = convert(text)
        assert ("message" in found["_meta"][VENDOR]) is kept
        assert losses(text) == []


def test_what_exceeds_the_range_stays_in_one_record() -> None:
    for text in (
        document(results(*[{"id": str(n), "result": "x"} for n in range(MAX_BLOCKS + 2)], prompt="go")),
        lines(typed("AssistantMessage", *[{"kind": "text", "data": str(n)} for n in range(MAX_BLOCKS + 3)])),
    ):
        (more,) = kinds(convert(text), f"{VENDOR}/more")
        assert len(more["value"]) == 3
        assert losses(text) == []
    full = results(*[{"id": str(n)} for n in range(MAX_BLOCKS)])
    (more,) = kinds(convert(document({**full, "assistant": {"Response": {}}})), f"{VENDOR}/more")
    assert more["value"] == [{}]


def test_a_malformed_line_is_held_back_and_a_malformed_document_is_a_notice() -> None:
    one = lines(typed("Prompt", {"kind": "text", "data": "hi"}))
    assert len(convert(one + b'{"id":')) == len(convert(one))
    (found,) = of(units(b'{"history"', snapshot=True), snapshot=True)
    assert (found["type"], found["idScope"]) == ("git-asr/notice", "capture")


def test_messages_of_the_ide() -> None:
    for content, said in (
        ("x", ["x"]),
        (["x", {"type": "text", "text": "y"}, {"type": "text", "text": 7}], ["x", "y", None]),
        (None, []),
    ):
        text = document({"message": {"role": "assistant", "content": content, "x": 1}})
        found = convert(text)[1]
        assert [one.get("text") for one in found["content"]] == said
        assert found["author"] == ("agent" if said else "unknown")
        assert losses(text) == []


def test_a_document_without_its_array() -> None:
    text = b'{"conversation_id":"c","history":7}'
    (found,) = convert(text)
    assert (found["session"], found["_meta"]) == ("c", {VENDOR: {"history": 7}})


@pytest.mark.no_cover  # it takes long, measured twice as long
@pytest.mark.parametrize("snapshot", [True, False])
def test_records_do_not_grow_with_the_square_of_the_units(snapshot: bool) -> None:
    def size(count: int) -> int:
        side = {
            "user": prompt("x", env_context={"x": 1})["user"],
            "assistant": response("y", "m")["assistant"],
        }
        text = document(*[side] * count) if snapshot else lines(*[{**side, "entry": 0}] * count)
        return sum(len(line(record, describe)) for record in convert(text))

    assert size(2_000) < 2.2 * size(1_000)
