"""What single entries become; the fixtures show the usual ones, this the corners."""

from __future__ import annotations

from typing import Any

import pytest

from git_asr.asr.context import view
from git_asr.asr.large import describe, line
from git_asr.asr.numbering import number
from git_asr.converters.base import TellsLineage
from git_asr.converters.building import MAX_BLOCKS
from git_asr.converters.detect import detect
from git_asr.converters.pi.converter import PiSession
from git_asr.converters.pi.usage import normal
from git_asr.converters.registry import by_name, converter_for
from tests.converters import goldens
from tests.converters.pi.conversion import (
    HEADER,
    SESSION,
    VENDOR,
    convert,
    figures,
    kinds,
    lines,
    losses,
    lost_of,
    of,
    raw,
    units,
)
from tests.converters.rules import check_stream
from tests.support.losslessness import written


def entry(identifier: str | None, parent: str | None, kind: str, **more: Any) -> dict[str, Any]:
    return {
        "type": kind,
        "id": identifier,
        "parentId": parent,
        "timestamp": "2026-05-04T09:00:01.000Z",
        **more,
    }


def said(identifier: str, parent: str | None, role: str, content: Any = "x", **more: Any) -> dict[str, Any]:
    return entry(identifier, parent, "message", message={"role": role, "content": content, **more})


def user(identifier: str, parent: str | None, content: Any = "x", **more: Any) -> dict[str, Any]:
    return said(identifier, parent, "user", content, **more)


def model(identifier: str, parent: str | None, *blocks: Any, **more: Any) -> dict[str, Any]:
    return said(identifier, parent, "assistant", [*blocks], model="m", **more)


def text(said: str) -> dict[str, Any]:
    return {"type": "text", "text": said}


def call(identifier: Any, name: str = "x", **arguments: Any) -> dict[str, Any]:
    return {"type": "toolCall", "id": identifier, "name": name, "arguments": arguments}


def result(identifier: str, parent: str | None, called: Any, name: str = "x", **more: Any) -> dict[str, Any]:
    told = {"toolCallId": called, "toolName": name, "isError": False, **more}
    return said(identifier, parent, "toolResult", "done", **told)


def context(records: list[dict[str, Any]], head: str | None = None) -> list[str]:
    """What stands before the model."""
    found = view(records, head)
    assert found is not None
    return [one["content"][0]["text"] for one in found.records if one["type"] == "message"]


def converter_of(data: bytes) -> PiSession:
    found = units(data)
    native = detect([data])
    converter = converter_for(native)
    assert isinstance(converter, PiSession)
    list(number(converter.convert(iter(found), native)))
    return converter


def test_the_fork_is_told_by_its_types_its_title_and_its_models() -> None:
    title = {"type": "title", "v": 1, "title": "t"}
    for first, second, name in (
        (HEADER, entry("a", None, "mode_change", mode="plan"), "oh-my-pi-jsonl"),
        (HEADER, entry("a", None, "model_change", model="p/m"), "oh-my-pi-jsonl"),
        (HEADER, entry("a", None, "model_change", modelId="m"), "pi-jsonl"),
        (title, HEADER, "oh-my-pi-jsonl"),
        (title, entry("a", None, "message"), None),
        (title, None, None),
    ):
        values = [one for one in (first, second) if one is not None]
        native = detect([raw(*values)])
        assert (native and native.name) == name


def test_what_a_session_says_of_itself() -> None:
    header = {**HEADER, "cwd": "/w", "parentSession": "/s/--w--/2026-05-04T08-00-00-000Z_0f0e.jsonl"}
    converter = converter_of(lines({**HEADER, "id": "other", "cwd": "/v"}))
    assert (converter.format_version, converter.workspace, converter.lineage) == ("3", None, None)
    for parent, found in (
        (header["parentSession"], "0f0e"),
        ("C:\\s\\2026_0f0e.jsonl", "0f0e"),
        ("0f0e", "0f0e"),
        (SESSION, None),
        ("..", None),
        (7, None),
    ):
        data = raw({**header, "parentSession": parent})
        converter = converter_of(data)
        assert isinstance(converter, TellsLineage)
        assert converter.workspace == {"cwd": "/w"}
        told = {"forkedFrom": {"session": {"harness": "pi", "id": found}, "evidence": "native_field"}}
        assert converter.lineage == (told if found else None)
        assert losses(data) == []
    child = [{**header, "parentSession": "0f0e"}, entry("a", None, "session_init", task="go"), user("b", "a")]
    converter = converter_of(raw(*child))
    told = {"spawnedBy": {"session": {"harness": "oh-my-pi", "id": "0f0e"}, "evidence": "native_field"}}
    assert converter.lineage == told


def test_versions_of_the_format() -> None:
    for version, told in ((2, "2"), ("3.1", "3.1"), (True, None), (None, None)):
        data = raw({**HEADER, "version": version})
        assert converter_of(data).format_version == told
        assert losses(data) == []


@pytest.mark.parametrize("name", ["pi-jsonl", "oh-my-pi-jsonl"])
def test_every_format_has_its_losses(name: str) -> None:
    features = {one["feature"] for one in converter_for(by_name(name)).lossy}
    assert {"cut_last_line", "agent_version"} <= features


def test_branches_and_what_was_kept_of_them() -> None:
    data = [user("a", None, "one"), user("b", "a", "two"), user("c", "a", "three")]
    records = convert(lines(*data))
    assert context(records) == ["one", "three"]
    assert context(records, "b") == ["one", "two"]
    left = entry("d", "a", "branch_summary", summary="short", fromId="c", usage={"input": 3, "x": 1})
    records = convert(lines(*data, left, user("e", "d", "four")))
    assert context(records) == ["one", "short", "four"]
    (used,) = kinds(records, "inference")
    assert (used["inferenceId"], used["_meta"]) == ("d", {VENDOR: {"usage": {"x": 1}}})
    unseen = convert(lines(user("b", "a", "two"), user("c", "REDACTED", "three"), user("d", "d", "four")))
    assert [one.get("predecessors") for one in unseen[1:]] == [["a"], None, None]
    root = convert(lines(*data, user("d", None, "four")))
    assert (context(root), root[-1]["predecessors"]) == (["four"], [])


def test_a_tip_that_moves() -> None:
    data = [user("a", None, "one"), user("b", "a", "two"), user("c", "a", "three")]
    for target, stands in (("a", ["one"]), ("b", ["one", "two"]), ("c", ["one", "three"]), (None, [])):
        leaf = entry("l", "c", "leaf", targetId=target)
        records = convert(lines(*data, leaf))
        assert context(records) == stands
        assert losses(lines(*data, leaf)) == []
        assert context(convert(lines(*data, leaf, user("d", "l", "four")))) == [*stands, "four"]
    for target in ("x", 7):
        assert kinds(convert(lines(*data, entry("l", "c", "leaf", targetId=target))), "rewind") == []
    assert kinds(convert(lines({"type": "leaf", "id": "l", "targetId": None})), "rewind") == []


def test_compactions() -> None:
    data = [user("a", None, "one"), user("b", "a", "two"), user("c", "b", "three")]

    def compacted(**told: Any) -> list[dict[str, Any]]:
        more = entry("d", "c", "compaction", **{"summary": "sum", **told})
        assert losses(lines(*data, more, user("e", "d", "four"))) == []
        return convert(lines(*data, more, user("e", "d", "four")))

    assert context(compacted(firstKeptEntryId="c")) == ["three", "sum", "four"]
    assert context(compacted(firstKeptEntryId="a")) == ["one", "two", "three", "sum", "four"]
    for told, replaces in (
        ({"firstKeptEntryId": "a"}, {}),
        ({"firstKeptEntryId": "x"}, {"unknown": True}),
        ({}, {"unknown": True}),
        ({"retainedTail": [{"role": "user"}]}, {"through": "c", "unknown": True}),
        ({"firstKeptEntryIndex": True}, {"unknown": True}),
        ({"firstKeptEntryIndex": 99}, {"unknown": True}),
        ({"firstKeptEntryIndex": 0}, {}),
    ):
        (found,) = kinds(compacted(**told), "compaction")
        assert found["replaces"] == replaces
    (empty,) = kinds(compacted(summary="", firstKeptEntryId="c"), "compaction")
    assert (empty["id"], "summary" in empty) == ("d", False)
    assert kinds(compacted(summary=None), "compaction") == []
    again = entry("a", None, "compaction", summary="sum", usage={"input": 1})
    (found,) = kinds(convert(lines(user("a", None), again)), "compaction")
    assert found["summary"] == "~3.0"
    nameless = entry(None, None, "compaction", summary="sum", usage={"input": 1})
    assert kinds(convert(lines(nameless)), "inference")[0]["inferenceId"] == "~2.83"


def test_an_entry_that_is_written_again_stands_for_what_it_was() -> None:
    first = model("b", "a", text("two"), responseId="r", usage={"input": 1})
    records = convert(lines(user("a", None, "one"), first, user("c", "b"), {**first, "x": 1}))
    assert [one.get("supersedes") for one in records[-2:]] == ["b", "~3.183"]
    assert figures(records)["counts"]["inferences"] == 1
    check_stream(records)


def test_responses_of_a_proxy_that_names_all_alike() -> None:
    data = [
        model("a", None, responseId="r"),
        model("b", "a", responseId="r"),
        model("c", "b", responseId="REDACTED"),
    ]
    records = convert(lines(*data))
    assert [one["inferenceId"] for one in kinds(records, "inference")] == ["r", "b", "c"]
    assert losses(lines(*data)) == []


def test_what_older_entries_of_a_fork_are() -> None:
    header = {
        **HEADER,
        "id": "fork",
        "parentSession": "x_0f0e.jsonl",
        "timestamp": "2026-05-04T10:00:00.000Z",
    }
    old = model("a", None, text("one"), text("two"), usage={"input": 1})

    def copies(head: dict[str, Any], one: dict[str, Any]) -> list[Any]:
        text_ = raw(head, one)
        return [record["copiedFrom"].get("id") for record in convert(text_) if "copiedFrom" in record]

    assert copies(header, old) == ["a", None, None]
    for head, one in (
        (header, {**old, "timestamp": "2026-05-04T10:00:01.000Z"}),
        (header, {**old, "timestamp": "2026-05-04T09:00:01Z"}),
        (header, {**old, "timestamp": "2026-05-04T09:00:01+00:00"[:24]}),
        (header, {**old, "timestamp": None}),
        ({**header, "timestamp": None}, old),
        ({**header, "timestamp": "2026-05-04T10:00:00+00:0"}, old),
        ({**header, "parentSession": None}, old),
        (header, {key: value for key, value in old.items() if key != "parentId"}),
    ):
        assert copies(head, one) == []


def test_contents_that_are_not_lists() -> None:
    records = convert(
        lines(model("a", None), said("b", "a", "assistant", "two"), said("c", "b", "assistant", 7))
    )
    assert [one["content"] for one in kinds(records, "message")] == [[], [text("two")]]
    assert [one["type"] for one in records if one["id"] == "c"] == [f"{VENDOR}/message"]
    empty = kinds(convert(lines(user("a", None, ""), said("b", "a", "assistant", ""))), "message")
    assert [(one["author"], one["content"]) for one in empty] == [("unknown", []), ("agent", [])]
    odd = user("a", None, ["one", {**text("two"), "x": 1}, {"type": "image", "data": "QUI=", "mimeType": 7}])
    (found,) = kinds(convert(lines(odd)), "message")
    assert found["_meta"][VENDOR]["content"] == {"1": {"x": 1}, "2": {"mimeType": 7}}
    assert losses(lines(odd)) == []


def test_what_exceeds_the_range_stays_in_one_record() -> None:
    for data, kind in (
        (lines(model("a", None, *[text(str(n)) for n in range(MAX_BLOCKS + 2)])), "blocks"),
        (
            lines(
                entry(
                    "a",
                    None,
                    "message",
                    message={
                        "role": "fileMention",
                        "files": [{"path": str(n)} for n in range(MAX_BLOCKS + 2)],
                    },
                )
            ),
            "files",
        ),
    ):
        (more,) = kinds(convert(data), f"{VENDOR}/{kind}")
        assert len(more["value"]) == 2
        assert losses(data) == []


def test_how_responses_end() -> None:
    for told, found in (
        ({"stopReason": "aborted"}, ("state", None)),
        ({"stopReason": "error"}, ("git-asr/notice", None)),
        ({"stopReason": "stop", "errorMessage": "late"}, ("git-asr/notice", "late")),
    ):
        data = lines(model("a", None, **told))
        one = convert(data)[1]
        assert (one["type"], one.get("text")) == found
        assert (one["id"], losses(data)) == ("a", [])


def test_how_calls_end() -> None:
    for failed, content, status in (
        (False, "Command aborted", "ok"),
        (True, "x\n\nCommand aborted", "cancelled"),
        (True, "Skipped due to queued user message. Do not count this", "cancelled"),
        (True, "Tool execution was blocked by an extension", "rejected"),
        (True, "no such file", "error"),
        (True, None, "error"),
        (True, [{"type": "x"}], "error"),
        ("no", "x", "unknown"),
    ):
        data = lines(said("a", None, "toolResult", content, toolCallId="t", isError=failed))
        (found,) = kinds(convert(data), "tool_result")
        assert (found["status"], losses(data)) == (status, [])


def test_what_tools_used() -> None:
    used = {"input": 3, "output": 1, "cost": {"total": 1}}
    for told, count in ((used, 1), ({"input": 0}, 0), (7, 0), (None, 0)):
        data = lines(result("a", None, "t", usage=told))
        assert (len(kinds(convert(data), "usage_summary")), losses(data)) == (count, [])


def test_questions_and_answers() -> None:
    asked = {"questions": [{"id": "p", "prompt": "P?"}, {"id": "q", "question": "Q?"}, {"id": "r"}, 7]}
    for name, arguments, details, answers in (
        ("ask", asked, {"answers": [{"id": "q", "value": "v"}, {"id": "p", "label": "l"}, 7, {"id": "q"}]},
         [{"question": "Q?", "answer": "v"}, {"question": "P?", "answer": "l"}]),
        ("ask", asked, {"results": [{"id": "r", "selectedOptions": ["a"]}]}, [{"answer": ["a"], "choices": ["a"]}]),
        ("question", {"question": "S?"}, {"answer": "yes"}, [{"question": "S?", "answer": "yes"}]),
        ("question", {}, {"question": "S?", "answer": "yes"}, [{"question": "S?", "answer": "yes"}]),
        ("question", {}, {"answer": "yes"}, [{"answer": "yes"}]),
        ("question", {"question": "S?"}, 7, None),
    ):  # fmt: skip
        data = lines(
            model("a", None, call("t", name, **arguments)), result("b", "a", "t", name, details=details)
        )
        (request,) = kinds(convert(data), "input_request")
        assert ("questions" in request) is bool(arguments)
        (response,) = kinds(convert(data), "input_response")
        assert response.get("answers") == answers
        assert losses(data) == []
    (failed,) = kinds(convert(lines(result("a", None, "t", "ask", isError=True))), "input_response")
    assert failed["_meta"] == {VENDOR: {"outcome": "error"}}


def test_plans_and_subagents() -> None:
    for details, items in (
        ({"todos": [{"text": "a"}, {"text": "b", "done": True}, {"content": "c", "status": "s"}, 7]},
         [{"text": "a"}, {"text": "b", "status": "completed"}, {"text": "c", "status": "s"}]),
        ({"phases": [{"tasks": [{"content": "a"}]}, 7, {"tasks": 7}]}, [{"text": "a"}]),
        ({"todos": 7}, None),
        (None, None),
    ):  # fmt: skip
        found = kinds(convert(lines(result("a", None, "t", "todo", details=details))), "plan")
        assert [one["items"] for one in found] == ([items] if items else [])
    long = "x" * 500
    data = lines(
        model(
            "a",
            None,
            call("t", "subagent", agent=long),
            {"type": "toolCall", "id": "REDACTED", "name": "subagent"},
        ),
        result("b", "a", "t", "subagent", details={"asyncId": "z"}),
        result("c", "b", "t", "subagent", details={"asyncId": "z"}, isError=True),
        result("d", "c", "u", "task"),
        result("e", "d", "REDACTED", "task"),
    )
    found = kinds(convert(data), "subagent")
    assert [(one["state"], "agentType" in one) for one in found] == [
        ("started", False), ("started", False), ("started", False), ("ended", False), ("ended", False),
    ]  # fmt: skip
    assert found[2]["supersedes"] == found[0]["id"]
    assert losses(data) == []


def test_who_wrote_a_text() -> None:
    for told, author in (
        ({}, "human"),
        ({"attribution": "agent"}, "agent"),
        ({"attribution": "x"}, "human"),
        ({"synthetic": True, "attribution": "user"}, "harness"),
    ):
        assert kinds(convert(lines(user("a", None, **told))), "message")[0]["author"] == author
    begun = entry("a", None, "session_init", task="go")
    told = [user("b", "a"), user("c", "b", attribution="user")]
    assert [one["author"] for one in kinds(convert(lines(begun, *told)), "message")] == ["agent", "human"]


def test_entries_that_are_not_what_they_should_be() -> None:
    for kind, told in (
        ("message", {"message": {"role": 7}}),
        ("message", {"message": {"role": "bashExecution", "command": 7}}),
        ("message", {"message": {"role": "fileMention", "files": []}}),
        ("model_change", {"modelId": ""}),
        ("session", {"cwd": "/w", "id": None}),
        ("title", {}),
        ("session_info", {"name": ""}),
        ("branch_summary", {"summary": ""}),
    ):
        data = lines(entry("a", None, kind, **told))
        one = convert(data)[1]
        assert (one["type"], losses(data)) == (f"{VENDOR}/{kind}", [])


def test_commands_files_and_texts_of_extensions() -> None:
    image = {"type": "image", "data": "QUI=", "x": 1}
    files = [7, {"path": "p", "image": image}, {"path": "q", "image": 7}, {"path": "r", "image": {}}]
    data = lines(
        said("a", None, "bashExecution", None, command="ls", output=7),
        entry("b", "a", "message", message={"role": "fileMention", "x": 1, "files": files}),
        entry("c", "b", "custom_message", customType=7, content="x"),
        entry("d", "c", "custom_message", customType="k", content=[{**text("y"), "z": 1}], display=True),
    )  # fmt: skip
    records = convert(data)
    assert losses(data) == []
    assert [one.get("from") for one in kinds(records, "message")] == [None, "k"]
    assert kinds(records, f"{VENDOR}/file")[0]["value"] == 7


def test_counters_in_normal_form() -> None:
    full = {"input": 10, "output": 5, "cacheRead": 4, "cacheWrite": 2}
    usage = {
        "input": {"uncached": 10, "includesCache": False},
        "cacheRead": 4,
        "cacheWrite": 2,
        "output": {"total": 5},
    }
    assert normal({**full, "totalTokens": 21}) == (usage, {})
    assert normal({**full, "totalTokens": 22}) == (usage, {"usage": {"totalTokens": 22}})
    both = normal({"input": 1, "reasoning": 3, "reasoningTokens": 2})
    assert both[0]["output"] == {"reasoning": 3}
    assert both[1] == {"usage": {"reasoningTokens": 2}}
    assert normal({"input": 0, "output": 0, "totalTokens": 0}) == (
        {},
        {"usage": {"input": 0, "output": 0, "totalTokens": 0}},
    )
    assert normal({"input": True, "output": 1}) == ({"output": {"total": 1}}, {"usage": {"input": True}})
    assert normal({"cacheRead": 1})[0] == {"cacheRead": 1}
    assert normal({}) == ({}, {})
    assert normal(7) == ({}, {"usage": 7})


def test_a_malformed_line_is_held_back() -> None:
    one = lines(user("a", None))
    assert len(convert(one + b'{"id":')) == len(convert(one))
    (found,) = kinds(convert(one + b'{"id":\n{"x":1}\n'), "git-asr/notice")
    assert found["text"] == '{"id":'


def test_a_title_before_the_header() -> None:
    title = {"type": "title", "v": 1, "title": "t", "updatedAt": "2026-05-04T09:00:00.000Z", "pad": "  "}
    for told in (title, {**title, "pad": "x", "updatedAt": "soon"}, {**title, "title": ""}):
        data = raw(told, HEADER)
        assert losses(data) == []
        assert kinds(convert(data), "git-asr/title") == [] or convert(data)[0]["title"] == "t"


@pytest.mark.parametrize("case", [one for one in goldens.cases() if one.startswith(("pi/", "oh-my-pi/"))])
def test_what_the_cases_show(case: str) -> None:
    native, found = goldens.units(goldens.chunks(case))
    assert native is not None
    assert case.split("/", maxsplit=1)[0] == native.harness
    assert any(one.opens for one in [native.facts(unit.value) for unit in found])
    converted = [unit for unit in found if not unit.flags]  # NaN stands in a text
    records = of(converted)
    held_back = [one for one in found[-1:] if one.kind == "malformed"]
    assert [one.position for one in lost_of(converted, records)] == [one.position for one in held_back]
    check_stream(written(records).records)


@pytest.mark.no_cover  # it takes long, measured twice as long
@pytest.mark.parametrize(
    "make",
    [
        lambda n: [entry(f"c{n}", "a", "compaction", summary="s", firstKeptEntryId="a")],
        lambda n: [entry(f"l{n}", "a", "leaf", targetId="a")],
        lambda n: [user("a", "a")],
        lambda n: [user(f"u{n}", f"u{n - 1}")],
        lambda n: [model(f"m{n}", "a", call("t", "subagent", agent="x"))],
        lambda n: [result(f"r{n}", "a", "t", "subagent", details={"asyncId": "z"})],
    ],
)  # fmt: skip
def test_records_do_not_grow_with_the_square_of_the_lines(make: Any) -> None:
    def size(count: int) -> int:
        text_ = lines(user("a", None), *(one for n in range(count) for one in make(n)))
        return sum(len(line(record, describe)) for record in convert(text_))

    assert size(2_000) < 2.2 * size(1_000)
    assert written(convert(lines(*make(1)))).records
