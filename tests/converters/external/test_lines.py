"""What single lines of the chat formats become; the fixtures show the usual ones, this the corners."""

from __future__ import annotations

from typing import Any

import pytest

from git_asr.converters.building import MAX_BLOCKS
from tests.converters.external.conversion import CHAT, ROGER
from tests.support.converted import figures, kinds

VENDOR = "com.openai.chat"


def call(identifier: Any, name: str, arguments: Any, **more: Any) -> dict[str, Any]:
    return {"id": identifier, "type": "function", "function": {"name": name, "arguments": arguments}, **more}


def test_a_line_that_is_no_message_is_kept_whole() -> None:
    for value in (
        {"type": "user"},
        {"type": "user", "message": {"content": 7}},
        {"type": "x", "message": "y"},
    ):
        (found,) = ROGER.convert(value)
        assert found["type"] == f"io.entire.roger-roger/{value['type']}"
        assert ROGER.losses(value) == []
    (said,) = ROGER.convert({"type": "user", "message": {"content": [{"type": "text", "text": "a"}], "x": 1}})
    assert said["author"] == "human"


def test_a_result_names_its_tool_only_if_the_call_does_not() -> None:
    asked = {"role": "assistant", "tool_calls": [call("t", "grep", "{}")]}
    for name, kept in (("grep", False), ("other", True)):
        value = {"role": "tool", "tool_call_id": "t", "name": name, "content": "x"}
        (found,) = kinds(CHAT.convert(asked, value), "tool_result")
        assert ("_meta" in found) is kept
        assert CHAT.losses(asked, value) == []


@pytest.mark.parametrize(
    ("stored", "read", "exact"),
    [
        ('{"a":1}', {"a": 1}, None),
        ('{ "a": 1 }', {"a": 1}, '{ "a": 1 }'),
        ("no json", "no json", None),
        ("", "", None),
        ({"a": 1}, {"a": 1}, None),
    ],
)
def test_arguments_are_a_text(stored: Any, read: Any, exact: str | None) -> None:
    value = {"role": "assistant", "tool_calls": [call("t", "x", stored)]}
    (found,) = kinds(CHAT.convert(value), "tool_call")
    assert found["arguments"] == read
    assert found.get("_meta", {}).get(VENDOR, {}).get("function", {}).get("arguments") == exact


def test_the_place_of_a_call_is_told_if_it_is_another() -> None:
    calls = [call("a", "x", "{}", index=0), call("b", "x", "{}", index=5), call("c", "x", "{}", index=True)]
    value = {"role": "assistant", "tool_calls": calls}
    found = kinds(CHAT.convert(value), "tool_call")
    assert [one.get("_meta", {}).get(VENDOR, {}).get("index") for one in found] == [None, 5, True]
    assert CHAT.losses(value) == []


def test_parts_keep_what_they_say_beside_text_and_picture() -> None:
    url = {"url": "data:image/png;base64,QUI="}
    content = [
        {"type": "text", "text": "a", "x": 1},
        {"type": "input_text", "text": "b"},
        {"type": "image_url", "image_url": {**url, "detail": "low"}, "x": 2},
        {"type": "picture", "image_url": url},
        {"type": "image_url", "image_url": {"url": "https://x"}},
        {"type": "audio"},
    ]
    value = {"role": "user", "content": content}
    (found,) = CHAT.convert(value)
    assert [one["type"] for one in found["content"]] == ["text", "text", "image", "image", "json", "json"]
    left = found["_meta"][VENDOR]["content"]
    assert left == {
        "0": {"x": 1},
        "1": {"type": "input_text"},
        "2": {"x": 2, "image_url": {"detail": "low"}},
        "3": {"type": "picture"},
    }
    assert CHAT.losses(value) == []


def test_a_message_with_an_id_is_one_model_call() -> None:
    said = {"role": "assistant", "content": "a", "message_id": "m"}
    assert figures(CHAT.convert(said, said))["counts"] == {"inferences": 1}
    (called,) = kinds(CHAT.convert({**said, "model": "x", "finish_reason": "stop"}), "inference")
    assert (called["model"], called["stopReason"]) == ("x", "stop")
    assert kinds(CHAT.convert({"role": "assistant", "content": "a", "model": "x"}), "inference") == []


def test_what_exceeds_the_range_stays_in_one_record() -> None:
    value = {"role": "assistant", "tool_calls": [call(str(n), "x", "{}", index=n) for n in range(MAX_BLOCKS)]}
    (more,) = kinds(CHAT.convert(value), f"{VENDOR}/tool_calls")
    assert len(more["value"]) == 2
    assert CHAT.losses(value) == []


@pytest.mark.no_cover  # it takes long, measured twice as long
@pytest.mark.parametrize(
    ("converting", "make"),
    [
        (ROGER, lambda n: [{"type": "user", "uuid": str(n), "message": {"content": "x"}}]),
        (CHAT, lambda n: [{"role": "assistant", "tool_calls": [call(str(n), "x", "{}")]}]),
        (CHAT, lambda n: [{"role": "tool", "tool_call_id": str(n), "content": "x"}]),
    ],
)
def test_records_do_not_grow_with_the_square_of_the_lines(converting: Any, make: Any) -> None:
    converting.check_growth(make)
