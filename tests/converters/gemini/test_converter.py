"""What single units become; the fixtures show the usual ones, this the corners."""

from __future__ import annotations

from typing import Any

import pytest

from git_asr.asr.context import view
from git_asr.asr.large import describe, line
from git_asr.converters.base import Unit
from git_asr.converters.building import MAX_BLOCKS
from git_asr.converters.gemini.slots import MAX_TOMBSTONES
from git_asr.converters.gemini.usage import normal
from tests.converters.gemini.conversion import (
    HEADER,
    SESSION,
    VENDOR,
    convert,
    document,
    lines,
    losses,
    of,
    units,
)
from tests.converters.rules import check_stream
from tests.support.converted import figures, kinds
from tests.support.losslessness import written


def user(identifier: str, content: Any, **more: Any) -> dict[str, Any]:
    return {"id": identifier, "type": "user", "content": content, **more}


def gemini(identifier: str, content: Any = "", **more: Any) -> dict[str, Any]:
    return {"id": identifier, "type": "gemini", "content": content, **more}


def call(identifier: str, **more: Any) -> dict[str, Any]:
    return {"id": identifier, "name": "x", "args": {}, "status": "success", **more}


def response(identifier: str, **said: Any) -> dict[str, Any]:
    return {"functionResponse": {"id": identifier, "name": "x", "response": said}}


def texts(records: list[dict[str, Any]], head: str | None = None) -> list[str]:
    """What stands in the context."""
    found = view(records, head)
    assert found is not None
    return [one["content"][0]["text"] for one in found.records if one["type"] == "message"]


def test_a_rewind_takes_back_a_message_and_all_behind_it() -> None:
    said = [user("a", "one"), gemini("b", "two"), user("c", "three"), gemini("d", "four")]
    assert texts(convert(lines(*said, {"$rewindTo": "c"}, user("e", "five")))) == ["one", "two", "five"]
    assert texts(convert(lines(*said, {"$rewindTo": "a"}, user("e", "five")))) == ["five"]
    assert texts(convert(lines(*said, {"$rewindTo": "x"}, user("e", "five")))) == ["five"]
    (gone,) = kinds(convert(lines({"$rewindTo": "a"})), "rewind")
    assert gone["to"] is None


def test_a_message_that_was_taken_back_and_comes_again_counts_once() -> None:
    one, two = user("a", "one"), gemini("b", "two", tokens={"input": 1})
    records = convert(lines(one, two, {"$rewindTo": "x"}, one, two, user("c", "three")))
    assert texts(records) == ["one", "two", "three"]
    assert figures(records)["counts"] == {"inferences": 1, "prompts": 2}
    changed = convert(lines(one, {"$rewindTo": "a"}, user("a", "another")))
    assert [one.get("copiedFrom") for one in kinds(changed, "message")] == [None, None]
    nameless = [one, {"$rewindTo": "a"}, one]
    headless = [Unit(at, 0, value, None) for at, value in enumerate(nameless, 1)]
    assert "copiedFrom" not in of(headless, snapshot=False)[-1]


class Read(bytes):
    """A line that counts how often something is looked for in it."""

    looked = 0

    def __contains__(self, one: object) -> bool:
        self.looked += 1
        return super().__contains__(one)  # type: ignore[operator]


def test_a_line_is_not_looked_through_for_each_of_its_messages() -> None:
    """A line of 4 MB with a history that is built anew would take half a minute."""
    said = [user(str(number), "REDACTED" if number == 7 else "go") for number in range(50)]
    unit = units(lines({"$set": {"messages": said}}))[1]
    text = Read(unit.text or b"")
    records = of([Unit(unit.position, 0, unit.value, text)], snapshot=False)
    assert [one["id"] for one in records if "capture" in one] == ["7"]
    assert text.looked < 5


def test_a_history_that_is_built_anew() -> None:
    said = [user("a", "one"), gemini("b", "two"), user("c", "three"), gemini("d", "four")]
    kept = [user("s", "sum"), gemini("t", "got it"), said[2], {**said[3], "content": "[masked]"}]
    records = convert(lines(*said, {"$set": {"messages": kept}}, user("e", "five")))
    assert texts(records) == ["three", "[masked]", "sum", "got it", "five"]
    (compaction,) = kinds(records, "compaction")
    assert compaction["summary"] == "s"
    assert [one["author"] for one in kinds(records, "message")[4:6]] == ["harness", "agent"]
    assert kinds(convert(lines(*said, {"$set": {"messages": said}})), "compaction") == []
    grown = convert(lines(*said, {"$set": {"messages": [*said, user("e", "five")]}}))
    assert (texts(grown)[-1], kinds(grown, "compaction")) == ("five", [])
    context = user("s", "<session_context>x</session_context>")
    (compaction,) = kinds(convert(lines(*said, {"$set": {"messages": [context]}})), "compaction")
    assert "summary" not in compaction
    assert "except" not in compaction["replaces"]
    (cleared,) = kinds(convert(lines(*said, {"$set": {"messages": []}})), "compaction")
    assert cleared["replaces"] == {"through": "d"}


def test_what_is_no_message_in_a_history_costs_only_itself() -> None:
    said = [user("a", "one"), gemini("b", "two"), user("c", "three")]
    text = lines(*said, {"$set": {"messages": [said[0], 7, {"id": "b"}, user("e", "five")]}})
    records = convert(text)
    assert texts(records) == ["one", "five"]
    assert [one["value"] for one in kinds(records, f"{VENDOR}/messages")] == [[7, {"id": "b"}]]
    assert losses(text) == []


def test_a_person_s_message_that_comes_back_into_a_history_is_a_person_s() -> None:
    said = [user("a", "one"), gemini("b", "two"), user("c", "three")]
    gone = {"$set": {"messages": [user("s", "sum"), said[2]]}}
    records = convert(lines(*said, gone, {"$set": {"messages": [said[0], said[2]]}}))
    again = kinds(records, "message")[-1]
    assert (again["author"], again["copiedFrom"]["id"]) == ("human", "a")
    assert [one.get("summary") for one in kinds(records, "compaction")] == ["s", None]


def test_what_exceeds_the_range_stays_in_one_record() -> None:
    thoughts = [{"subject": str(n)} for n in range(MAX_BLOCKS)]
    calls = [call(str(n)) for n in range(MAX_BLOCKS)]
    for text in (
        lines(gemini("a", "x", thoughts=thoughts, toolCalls=calls)),
        lines(gemini("a", "x", toolCalls=calls)),
    ):
        (more,) = kinds(convert(text), f"{VENDOR}/more")
        assert more["value"]
        assert losses(text) == []
    many = lines({"$set": {"messages": [user(f"m{n}", "x") for n in range(MAX_BLOCKS + 5)]}})
    (more,) = kinds(convert(many), f"{VENDOR}/messages")
    assert len(more["value"]) == 6
    assert losses(many) == []
    full = lines(
        {"$set": {"messages": [gemini("a", toolCalls=calls[:4897]), user("b", [response("y", output="z")])]}}
    )
    check_stream(written(convert(full)).records)
    assert losses(full) == []


def test_a_message_that_says_less_when_it_comes_again() -> None:
    calls = [call(str(n), status="executing") for n in range(MAX_TOMBSTONES + 2)]
    records = convert(lines(gemini("a", toolCalls=calls), gemini("a", "x")))
    assert len(kinds(records, "tombstone")) == MAX_TOMBSTONES
    (more,) = kinds(records, f"{VENDOR}/tombstones")
    assert len(more["value"]["targets"]) == 2
    check_stream(written(records).records)


@pytest.mark.parametrize("status", [["success"], {"success": 1}, 7, True, "x"])
def test_a_call_that_ended_in_no_way_that_is_known(status: Any) -> None:
    text = lines(gemini("a", toolCalls=[call("t", status=status, result=[response("t", output="done")])]))
    records = convert(text)
    assert [one["status"] for one in kinds(records, "tool_result")] == ["unknown"]
    (asked,) = kinds(records, "tool_call")
    assert asked["_meta"][VENDOR] == {"status": status}
    assert losses(text) == []


def test_results_that_a_message_repeats_are_told_once() -> None:
    done = call("t", result=[response("t", output="done")])
    records = convert(lines(gemini("a", toolCalls=[done]), user("b", [response("t", output="done")])))
    assert len(kinds(records, "tool_result")) == 1
    assert kinds(records, f"{VENDOR}/results")[0]["callIds"] == ["t"]
    early = lines(
        user("b", [response("t", error="x")]), gemini("a", toolCalls=[done]), gemini("a", toolCalls=[done])
    )
    first, second = kinds(convert(early), "tool_result")
    assert (first["status"], second["status"], second["supersedes"]) == ("error", "ok", first["id"])
    odd = lines(user("b", [{"functionResponse": {"id": "u"}}, {"functionResponse": {"response": {}}}]))
    assert [one["status"] for one in kinds(convert(odd), "tool_result")] == ["unknown"]
    assert losses(odd) == []


def test_results_that_exceed_the_range_are_kept_as_they_are() -> None:
    text = lines(user("a", [response(str(n), output="x") for n in range(MAX_BLOCKS + 3)]))
    records = convert(text)
    assert len(kinds(records, "tool_result")) == MAX_BLOCKS - 1
    assert losses(text) == []


def test_what_a_person_typed_stands_apart_from_what_was_added() -> None:
    for content, shown, said in (
        ([{"text": "hi"}], [{"text": "hi"}], ["human"]),
        ([{"text": "hi"}, {"text": "file"}], "hi", ["human", "harness"]),
        ("<hook_context>", "hi", ["harness"]),
    ):
        text = lines(user("a", content, displayContent=shown))
        assert [one["author"] for one in kinds(convert(text), "message")] == said
        assert losses(text) == []


def test_the_answers_of_questions_that_were_asked() -> None:
    asked = {"questions": [{"question": "q"}]}
    for said, answers in (
        ('{"answers":{"0":"a","7":"b","x":"c"}}', ["q", "7", "x"]),
        ("no json", None),
        ("[]", None),
        (None, None),
    ):
        result = [] if said is None else [response("t", output=said)]
        one = {**call("t", result=result), "name": "ask_user", "args": asked}
        (found,) = kinds(convert(lines(gemini("a", toolCalls=[one]))), "input_response")
        assert (
            [each["question"] for each in found["answers"]] == answers if answers else "answers" not in found
        )
    (open_,) = kinds(
        convert(lines(gemini("a", toolCalls=[{**one, "status": "executing", "args": 7}]))), "input_request"
    )
    assert "questions" not in open_


def test_counters_in_normal_form() -> None:
    assert normal({"input": 10, "cached": 4, "output": 2, "thoughts": 3, "tool": 1, "total": 16}) == (
        {"input": {"total": 10, "includesCache": True, "uncached": 6}, "cacheRead": 4,
         "output": {"total": 5, "reasoning": 3}},
        {"tokens": {"tool": 1}},
    )  # fmt: skip
    assert normal({"input": 1, "cached": 4})[0] == {
        "input": {"total": 1, "includesCache": True},
        "cacheRead": 4,
    }
    assert normal({"output": 4}) == ({}, {"tokens": {"output": 4}})
    assert normal({"input": True, "total": 5}) == ({}, {"tokens": {"input": True, "total": 5}})
    assert normal(None) == ({}, {})
    assert normal(7) == ({}, {"tokens": 7})


def test_a_session_that_goes_on_under_another_id() -> None:
    records = convert(lines({"$set": {"sessionId": "another", "summary": "s"}}, {"$set": {"summary": "s"}}))
    assert [one["session"] for one in kinds(records, "git-asr/context")] == [SESSION, "another"]
    assert len(kinds(records, "git-asr/title")) == 1


def test_the_session_is_told_once_and_a_start_only_if_it_is_a_time() -> None:
    records = convert(lines({"$set": {"sessionId": SESSION, "summary": "s"}}))
    assert [one["session"] for one in kinds(records, "git-asr/context")] == [SESSION]
    headless = [Unit(1, 0, {**HEADER, "startTime": "soon"}, None)]
    (context,) = of(headless, snapshot=False)
    assert context["_meta"][VENDOR]["startTime"] == "soon"
    assert "ts" not in context


def test_a_message_whose_id_cannot_be_one() -> None:
    records = convert(lines(gemini("", "x", tokens={"input": 1})))
    (said,) = kinds(records, "message")
    (called,) = kinds(records, "inference")
    assert "messageId" not in said
    assert said["inferenceId"] == called["inferenceId"]


def test_modes_are_told_when_they_change() -> None:
    def to(identifier: str, name: str) -> dict[str, Any]:
        return gemini(identifier, toolCalls=[{**call(identifier), "name": name}])

    text = lines(*(to(str(at), f"{way}_plan_mode") for at, way in enumerate(["enter", "enter", "exit"])))
    assert [one["mode"] for one in kinds(convert(text), "git-asr/mode")] == ["on", "off"]


def test_a_malformed_line_is_held_back_and_a_malformed_document_is_a_notice() -> None:
    one = lines(user("a", "hi"))
    assert len(convert(one + b'{"id":')) == len(convert(one))
    (found,) = kinds(convert(one + b'{"id":\n{"x":1}\n'), "git-asr/notice")
    assert found["text"] == '{"id":'
    (record,) = of([Unit(0, 0, '{"sessionId"', None, "malformed")], snapshot=True)
    assert (record["type"], record["idScope"]) == ("git-asr/notice", "capture")


def test_numbers_that_are_none_keep_the_message_whole() -> None:
    unit = Unit(1, 0, user("a", "x", n=float("nan")), None, "value", ("non-finite",))
    (record,) = of([unit], snapshot=False)
    assert (record["id"], record["type"]) == ("a", f"{VENDOR}/user")
    assert "NaN" in record["native"]["value"]


def test_a_second_value_on_a_line() -> None:
    one = lines(user("a", "hi")).rstrip() + lines(user("b", "ho")).split(b"\n")[1] + b"\n"
    records = convert(one)
    assert [record["seq"] % 1_000_000 for record in kinds(records, "message")] == [100, 500_100]
    again = lines(gemini("a", toolCalls=[call("t")])).rstrip() + lines(gemini("a")).split(b"\n")[1]
    check_stream(written(convert(again)).records)


def test_a_document_says_what_a_log_says() -> None:
    said = [user("a", "one"), gemini("b", "two", tokens={"input": 1}, model="m")]
    records = convert(document(*said), snapshot=True)
    assert [one["type"] for one in records] == ["git-asr/context", "message", "message", "inference"]
    assert "assembly" not in records[-1]
    assert records[-1]["idScope"] == "capture"


@pytest.mark.no_cover  # it takes long, measured twice as long
@pytest.mark.parametrize(
    "make",
    [
        lambda n: [{"$rewindTo": f"m{n}"}, user(f"m{n}", "x")],
        lambda n: [user(f"m{n}", "x")],
        lambda _: [gemini("a", "x", toolCalls=[call(str(m)) for m in range(20)])],
        lambda n: [{"$set": {"messages": [user(f"m{m}", "x") for m in range(n % 7)]}}],
    ],
)
def test_records_do_not_grow_with_the_square_of_the_lines(make: Any) -> None:
    def size(count: int) -> int:
        text = lines(*(one for n in range(count) for one in make(n)))
        return sum(len(line(record, describe)) for record in convert(text))

    assert size(2_000) < 2.2 * size(1_000)
