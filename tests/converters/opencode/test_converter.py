"""What single messages become; the fixtures show the usual ones, this the corners."""

from __future__ import annotations

from typing import Any

import pytest

from git_asr.asr.large import describe, line
from git_asr.converters.base import Unit
from git_asr.converters.building import MAX_BLOCKS
from git_asr.converters.opencode.converter import OpenCode
from git_asr.converters.opencode.parts import MAX_PRESERVED
from git_asr.converters.opencode.slots import MAX_TOMBSTONES
from git_asr.converters.opencode.usage import normal
from git_asr.converters.registry import by_name
from tests.converters.opencode.conversion import SESSION, VENDOR, convert, document, losses, of
from tests.converters.rules import check_stream
from tests.support.converted import figures, kinds, lines
from tests.support.losslessness import written

ZEROS = {"input": 0, "output": 0, "reasoning": 0, "cache": {"read": 0, "write": 0}}


def message(role: str, *parts: Any, **info: Any) -> dict[str, Any]:
    return {"info": {"role": role, "sessionID": SESSION, **info}, "parts": list(parts)}


def text(said: str, **more: Any) -> dict[str, Any]:
    return {"type": "text", "text": said, **more}


def tool(name: str, call: str | None = None, **state: Any) -> dict[str, Any]:
    return {"type": "tool", "tool": name, **({} if call is None else {"callID": call}), "state": state}


def test_what_the_converter_says_of_the_stream() -> None:
    converter = OpenCode(snapshot=True)
    assert (converter.format_version, converter.workspace) == (None, None)
    head = {"info": {"id": SESSION, "version": "1.2.3", "directory": "/w"}}
    list(converter.convert(iter([Unit(0, 0, head, None)]), None))
    assert (converter.format_version, converter.workspace) == ("1.2.3", {"cwd": "/w"})
    assert list(converter.embedded) == []


@pytest.mark.parametrize(("parent", "known"), [("ses_1", True), ("REDACTED", False), ("", False), (7, False)])
def test_the_session_that_started_this_one(parent: Any, known: bool) -> None:
    native = by_name("kilo-code-json")
    for given, harness in ((None, "opencode"), (native, "kilo-code")):
        converter = OpenCode(snapshot=True)
        list(
            converter.convert(iter([Unit(0, 0, {"info": {"id": SESSION, "parentID": parent}}, None)]), given)
        )
        origin = {"session": {"harness": harness, "id": parent}, "evidence": "native_field"}
        assert converter.lineage == ({"spawnedBy": origin} if known else None)


def test_lines_say_where_the_agent_works() -> None:
    said = message("assistant", text("hi"), id="a", path={"cwd": "/w", "root": "/"})
    converter = OpenCode(snapshot=False)
    list(converter.convert(iter([Unit(1, 0, said, None)]), None))
    assert converter.workspace == {"cwd": "/w"}


def test_parts_that_exceed_the_range_stay_in_one_record() -> None:
    parts = [text(str(n)) for n in range(MAX_BLOCKS + 2)]
    for role in ("user", "assistant"):
        found = document(message(role, *parts, id="a", tokens={"input": 1}))
        (more,) = kinds(convert(found), f"{VENDOR}/parts")
        assert [one["text"] for one in more["value"]] == ["4900", "4901"]
        assert losses(found) == []


def test_a_message_that_says_less_when_it_comes_again() -> None:
    parts = [tool("bash", str(n), status="pending", input={}) for n in range(MAX_TOMBSTONES + 2)]
    records = convert(lines(message("assistant", *parts, id="a"), message("assistant", id="a")))
    assert len(kinds(records, "tombstone")) == MAX_TOMBSTONES
    (more,) = kinds(records, f"{VENDOR}/tombstones")
    assert len(more["value"]["targets"]) == 2
    check_stream(written(records).records)


def test_a_repeated_message_says_nothing_new() -> None:
    one = message("user", text("hi"), id="a", time={"created": 1777885200000})
    assert len(convert(lines(one, one))) == len(convert(lines(one)))
    image = {"type": "file", "mime": "image/png", "url": "data:image/png;base64,QUI="}
    two = message("user", text("hi"), image, id="a")
    assert len(convert(lines(two, two))) == len(convert(lines(two)))


def test_a_malformed_line_is_held_back() -> None:
    one = lines(message("user", text("hi"), id="a"))
    assert len(convert(one + b'{"info":')) == len(convert(one))
    records = convert(one + b'{"info":\n' + lines(message("user", text("you"), id="b")))
    assert [one["text"] for one in kinds(records, "git-asr/notice")] == ['{"info":']


def test_a_malformed_document_is_one_notice() -> None:
    (record,) = of([Unit(0, 0, '{"info"', None, "malformed")], snapshot=True)
    assert (record["type"], record["idScope"]) == ("git-asr/notice", "capture")


def test_a_summary_answers_the_compaction_that_asked_for_it() -> None:
    asked = message("user", {"type": "compaction", "auto": True}, id="c")
    for parent, supersedes in (("c", "c"), ("x", None), ("REDACTED", "c"), (7, "c")):
        said = message("assistant", text("sum"), id="s", summary=True, parentID=parent)
        first, *others = kinds(
            convert(document(message("user", text("hi"), id="a"), asked, said)), "compaction"
        )
        (second,) = others
        assert (first["id"], second.get("supersedes"), second["summary"]) == ("c", supersedes, "s")
        assert second["replaces"] == ({"through": "a"} if supersedes else {"unknown": True})
    alone = convert(lines(said, said, message("assistant", id="t", summary=True)))
    assert [one["replaces"] for one in kinds(alone, "compaction")] == [{"unknown": True}]


def test_a_compaction_of_nothing_and_one_that_keeps_too_much() -> None:
    alone = convert(lines(message("user", {"type": "compaction", "tail_start_id": "x"}, id="c")))
    assert kinds(alone, "compaction")[0]["replaces"] == {"unknown": True}
    many = [message("user", text("x"), id=f"m{n}") for n in range(MAX_PRESERVED + 1)]
    for first, known in (("m0", False), ("m9", True), ("nowhere", False)):
        asked = message("user", {"type": "compaction", "tail_start_id": first})
        (found,) = kinds(convert(lines(*many, asked)), "compaction")
        assert ("except" in found["replaces"]) is known


def test_cleared_results_are_told_once_and_in_time() -> None:
    first = tool("read", "t", status="completed", output="x", time={"compacted": 1777885205000})
    other = tool("read", "u", status="completed", output="x", time={"compacted": 1777885204000})
    records = convert(lines(
        message("assistant", first, other, id="a", time={"created": 1777885200000}),
        message("user", text("now"), id="b", time={"created": 1777885209000}),
    ))  # fmt: skip
    (found,) = kinds(records, "compaction")
    assert found["replaces"] == {"calls": ["u", "t"]}
    assert found["ts"] == "2026-05-04T09:00:05.000Z"
    assert convert(lines(message("assistant", first, id="a")))[-1]["type"] != "compaction"


@pytest.mark.parametrize(
    ("undone", "to"),
    [({"messageID": "a"}, "~0.0"), ({"messageID": "b"}, "a"), ({"messageID": "b", "partID": "q"}, "b"),
     ({"messageID": "b", "partID": "p"}, "a"), ({"messageID": "x"}, None), ({"messageID": "REDACTED"}, None)],
)  # fmt: skip
def test_what_was_undone(undone: dict[str, str], to: str | None) -> None:
    said = [text("one", id="p"), text("two", id="q")]
    records = convert(document(
        {"info": {"role": "user", "id": "a"}, "parts": [text("hi")]},
        {"info": {"role": "assistant", "id": "b"}, "parts": said},
        {"info": {"role": "user", "id": "a"}, "parts": [text("again")]},
        revert=undone,
    ))  # fmt: skip
    assert [one["to"] for one in kinds(records, "rewind")] == ([] if to is None else [to])


def test_answers_of_any_shape() -> None:
    asked = {"questions": [{"question": "q"}]}
    answers = [["a"], ["b", "c"], "d", []]
    part = tool("question", "t", status="completed", input=asked, output="", metadata={"answers": answers})
    (found,) = kinds(convert(lines(message("assistant", part))), "input_response")
    assert found["answers"] == [
        {"question": "q", "answer": "a"},
        {"answer": ["b", "c"], "choices": ["b", "c"]},
        {"answer": "d"},
        {"answer": [], "choices": []},
    ]
    waiting = tool("question", "t", status="running", input="none")
    records = convert(lines(message("assistant", waiting)))
    assert [one["type"] for one in records[:2]] == ["tool_call", "input_request"]
    assert kinds(records, "input_response") == []


@pytest.mark.parametrize(
    "found", [{"total": "x"}, {"output": True, "input": -1}, {"cache": 7}, {"cache": {"read": "x"}}]
)
def test_counters_that_are_none_stay_as_they_are(found: Any) -> None:
    assert normal(found, None) == ({}, {"tokens": found})


def test_a_number_of_tokens_that_nothing_explains() -> None:
    part = {"input": 1, "output": 5, "reasoning": 3, "total": 9}
    assert normal(part, "1.2.9")[0]["output"] == {"total": 5, "reasoning": 3}
    assert normal(part, "1.16.0")[0]["output"] == {"total": 8, "reasoning": 3}
    assert normal(part, None)[0]["output"] == {"reasoning": 3}
    assert normal({"reasoning": 3}, None) == ({"output": {"reasoning": 3}}, {})
    assert normal({"output": 3}, None) == ({"output": {"total": 3}}, {})
    assert normal("many", None) == ({}, {"tokens": "many"})
    assert normal(None, None) == ({}, {})


def test_steps_of_a_message_are_calls_of_their_own() -> None:
    def end(**more: Any) -> dict[str, Any]:
        return {"type": "step-finish", "tokens": {"input": 1, "output": 1}, **more}

    parts = [text("a"), end(id="p"), text("b"), end(id="REDACTED", reason=7), text("c")]
    records = convert(lines(message("assistant", *parts, id="m", modelID=7)))
    assert [one["inferenceId"] for one in kinds(records, "inference")] == ["p", "~1.407"]
    assert [one.get("inferenceId") for one in kinds(records, "message")] == ["p", "~1.407", None]
    assert figures(records)["usage"]["output"] == {"total": 2}
    bare = [{"type": "step-finish"}, {"type": "step-finish"}]
    assert all("usage" not in one for one in kinds(convert(lines(message("assistant", *bare))), "inference"))


def test_no_call_without_a_model_or_tokens() -> None:
    assert kinds(convert(lines(message("assistant", text("a"), id="m", finish="stop"))), "inference") == []
    (call,) = kinds(convert(lines(message("assistant", id="m", tokens=ZEROS))), "inference")
    assert "usage" not in call
    (call,) = kinds(convert(lines(message("assistant", {"type": "step-finish"}, tokens=ZEROS))), "inference")
    assert call["usage"]["output"] == {"total": 0, "reasoning": 0}
    (call,) = kinds(convert(lines(message("assistant", id="m", tokens={"cache": 0}))), "inference")
    assert call["_meta"][VENDOR]["tokens"] == {"cache": 0}


def test_a_command_that_a_person_ran() -> None:
    marker = text("The following tool was executed by the user", synthetic=True)
    ran = tool("bash", "t", status="completed", input={"command": "ls", "x": 1}, output=["no text"], time=7)
    odd = tool("bash", "u", status="running", input=[])
    found = lines(
        message("user", marker),
        message("assistant", ran, odd, {"type": "step-finish"}),
        tail := message("assistant", odd),
    )
    records = convert(found)
    assert [one["kind"] for one in kinds(records, "git-asr/command")] == ["shell", "shell-output"]
    assert [one["callId"] for one in kinds(records, "tool_call")] == ["u", "u"]
    assert losses(found) == []
    assert kinds(convert(lines(tail)), "tool_call")


def test_arguments_that_are_stored_as_text() -> None:
    for stored, arguments, exact in (
        ('{"a":1}', {"a": 1}, None),
        ('{"a": 1}', {"a": 1}, '{"a": 1}'),
        ("[1,", "[1,", None),
        ("[" * 300 + "]" * 300, "[" * 300 + "]" * 300, None),
        ("7", "7", None),
    ):
        (call,) = kinds(convert(lines(message("assistant", tool("x", "t", input=stored)))), "tool_call")
        assert call["arguments"] == arguments
        assert call.get("_meta", {}).get(VENDOR, {}).get("input") == exact


def test_a_part_whose_type_is_no_word() -> None:
    (record, *_) = convert(lines(message("user", {"type": "a b", "x": 1}, id="a", summary={"diffs": []})))
    assert (record["type"], record["value"]) == (f"{VENDOR}/unit", {"type": "a b", "x": 1})


def test_numbers_that_are_none_keep_the_message_whole() -> None:
    unit = Unit(1, 0, message("user", text("x"), n=float("nan"), id="a"), None, "value", ("non-finite",))
    (record,) = of([unit], snapshot=False)
    assert "NaN" in record["native"]["value"]


def cleared(n: int) -> dict[str, Any]:
    part = tool("x", "t", status="completed", output="", time={"compacted": 1777885200000})
    return message("assistant", part, id=f"m{n}")


@pytest.mark.no_cover  # it takes long, measured twice as long
@pytest.mark.parametrize(
    "make",
    [
        cleared,
        lambda n: message("user", {"type": "compaction", "tail_start_id": "m0"}, id=f"m{n}"),
        lambda _: message("user", text("x"), id="m"),
        lambda n: message(
            "assistant", *[tool("x", f"{n}.{m}", status="completed") for m in range(9)], id="m"
        ),
    ],
)
def test_records_do_not_grow_with_the_square_of_the_messages(make: Any) -> None:
    def size(count: int) -> int:
        found = lines(*map(make, range(count)))
        return sum(len(line(record, describe)) for record in convert(found))

    assert size(2_000) < 2.2 * size(1_000)


@pytest.mark.parametrize("kind", ["file", "image", "fi\udcbbe", "", 7, None])
def test_what_an_attachment_is_called_stays_unless_it_is_a_file(kind: Any) -> None:
    image = {"type": kind, "mime": "image/png", "url": "data:image/png;base64,QUI="}
    part = tool("shoot", "t", status="completed", input={}, output="x", attachments=[image])
    found = document(message("assistant", part))
    (result,) = kinds(convert(found), "tool_result")
    left = result.get("_meta", {}).get(VENDOR, {}).get("attachments")
    assert left == (None if kind == "file" else {"0": {"type": kind}})
    assert losses(found) == []
