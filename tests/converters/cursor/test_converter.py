"""What single lines and sections become; the fixtures show the usual ones, this the corners."""

from __future__ import annotations

from typing import Any

import pytest

from git_asr.asr.large import describe, line
from git_asr.converters.base import Unit
from git_asr.converters.building import MAX_BLOCKS
from git_asr.converters.registry import by_name, converter_for
from tests.converters import goldens
from tests.converters.cursor.conversion import (
    VENDOR,
    call,
    lines,
    lost_of,
    message,
    of_lines,
    of_text,
    said,
    text,
    untold,
)
from tests.converters.rules import check_stream
from tests.support.converted import kinds
from tests.support.losslessness import written

CASES = [case for case in goldens.cases() if case.startswith("cursor/")]


@pytest.mark.parametrize("case", CASES)
def test_nothing_is_lost_and_every_rule_holds(case: str) -> None:
    native, found = goldens.units(goldens.chunks(case))
    assert native is not None
    is_text = native.name == "cursor-text"
    records = of_text(found) if is_text else of_lines(found)
    check_stream(written(records).records)
    last = {found[-1].position} if found[-1].kind == "malformed" else set()
    assert (untold if is_text else lost_of)(
        [unit for unit in found if unit.position not in last], records
    ) == []


@pytest.mark.parametrize("name", ["cursor-jsonl", "cursor-text"])
def test_what_the_source_does_not_tell_is_declared(name: str) -> None:
    features = {one["feature"] for one in converter_for(by_name(name)).lossy}
    assert {"inferences", "call_ids", "times"} <= features
    assert ("tool_results" in features) is (name == "cursor-jsonl")


@pytest.mark.parametrize(
    ("before", "inner", "behind"),
    [
        ("", "\nhi\n", ""),
        ("<a>\n", "\nhi\n", ""),
        ("", "\nhi\n", "\n<b/>"),
        ("<a>", "hi", "<b>"),
        ("", "\n\n", ""),
        ("", "\n", ""),
        ("", "", "x"),
        ("", " a <user_query> b </user_query> c ", ""),
    ],
)
def test_what_stands_around_a_query(before: str, inner: str, behind: str) -> None:
    sent = f"{before}<user_query>{inner}</user_query>{behind}"
    typed, *added = of_lines(lines(message("user", said(sent))))
    assert (typed["role"], typed["author"]) == ("user", "human")
    own = "".join(one["text"] for one in typed["content"])
    own = own if typed.get("_meta") else f"\n{own}\n"
    query = f"<user_query>{own}</user_query>"
    if not added:
        assert query == sent
        return
    (other,) = added
    assert other["author"] == "harness"
    parts = [one["text"] for one in other["content"]]
    where = other["_meta"][VENDOR]["user_query"]
    built = {"around": [parts[0], query, parts[-1]], "before": [parts[0], query], "behind": [query, parts[0]]}
    assert "".join(built[where]) == sent


def test_a_time_before_a_query_is_that_of_the_line() -> None:
    def stamp(found: str, **more: Any) -> Any:
        told = {
            **message("user", said(f"<timestamp>{found}</timestamp>\n<user_query>\nx\n</user_query>")),
            **more,
        }
        return of_lines(lines(told))[0].get("ts")

    assert stamp("2026-05-04T09:00:00Z") == "2026-05-04T09:00:00Z"
    assert stamp("Monday, May 4, 2026, 11:00 AM (UTC+2)") is None
    assert stamp("2026-05-04T09:00:00Z", timestamp="2026-01-01T00:00:00Z") == "2026-01-01T00:00:00Z"


def test_who_wrote_a_text_without_a_query() -> None:
    for found, author in (("hi", "human"), ("<rules>\nx", "unknown"), ("</user_query><user_query>", "human")):
        assert of_lines(lines(message("user", said(found))))[0]["author"] == author


def test_a_thought_of_which_only_the_mark_is_left() -> None:
    for found, kind in (
        ("[REDACTED]", "reasoning"),
        ("**A**\n\n**B**\n\n[REDACTED]\n", "reasoning"),
        ("So.\n\n[REDACTED]", "message"),
        ("**A**", "message"),
    ):
        assert of_lines(lines(message("assistant", said(found))))[0]["type"] == kind


def test_calls_have_the_id_that_stands_there_or_one_from_their_place() -> None:
    found = lines(message("assistant", call("a", {}), call("b", {}, id="t"), call("c", {}, id="x\ny")))
    first, second, third = kinds(of_lines(found), "tool_call")
    assert (first["callId"], second["callId"], third["callId"]) == ("~1.100", "t", "~1.300")
    assert [one.get("callIdSource") for one in (first, second, third)] == ["derived", None, "derived"]
    assert third["_meta"][VENDOR]["id"] == "x\ny"


def test_what_a_call_is_beside_a_call() -> None:
    def beside(name: str, arguments: Any) -> list[Any]:
        return of_lines(lines(message("assistant", call(name, arguments))))[1:]

    (agent,) = beside("Task", {"subagent_type": "explore"})
    assert (agent["type"], agent["agentType"], agent["state"]) == ("subagent", "explore", "started")
    (asked,) = beside("AskQuestion", {"questions": [{"prompt": "?", "id": "q"}]})
    assert asked["questions"] == [{"question": "?", "id": "q"}]
    (plan,) = beside("TodoWrite", {"todos": [{"content": "a", "status": "done"}, {"content": "b"}, 7]})
    assert plan["items"] == [{"text": "a", "status": "done"}, {"text": "b"}]
    assert beside("CreatePlan", {"plan": "p"})[0]["items"] == [{"text": "p"}]
    for name, odd in (
        ("TodoWrite", {"todos": [], "merge": True}),
        ("TodoWrite", None),
        ("CreatePlan", {"plan": 5}),
        ("AskQuestion", {"questions": "x"}),
        ("Shell", {"todos": []}),
    ):
        assert beside(name, odd) == []
    assert "agentType" not in beside("Subagent", {"subagent_type": "x" * 500})[0]


def test_how_a_turn_ended() -> None:
    def end(**told: Any) -> dict[str, Any]:
        (record,) = of_lines(lines({"type": "turn_ended", **told}))
        return dict(record)

    assert end(status="success")["state"] == "idle"
    assert end(status="error", error="User aborted request")["state"] == "interrupted"
    failed = end(status="error", error="no")
    assert (failed["type"], failed["text"], "_meta" in failed) == ("git-asr/notice", "no", False)
    assert end(status="odd", error="no")["_meta"][VENDOR] == {"status": "odd"}
    assert end(status="error")["type"] == f"{VENDOR}/turn_ended"
    (other,) = of_lines(lines({"type": "other", "x": 1}))
    assert other["type"] == f"{VENDOR}/other"
    (system,) = of_lines(lines(message("system", said("x"))))
    assert system["type"] == f"{VENDOR}/system"


def test_what_exceeds_the_range_stays_in_one_record() -> None:
    found = lines(message("assistant", *[said(str(n)) for n in range(MAX_BLOCKS + 3)]))
    records = of_lines(found)
    (more,) = kinds(records, f"{VENDOR}/content")
    assert len(more["value"]) == 3
    assert lost_of(found, records) == []


def test_a_malformed_line_is_held_back_at_the_end_only() -> None:
    broken = Unit(2, 0, '{"role"', None, "malformed")
    one, two = lines(message("user", said("a")), message("user", said("b")))
    assert len(of_lines([one, broken])) == 1
    three = Unit(3, 0, two.value, two.text)
    assert [record["type"] for record in of_lines([one, broken, three])] == [
        "message",
        "git-asr/notice",
        "message",
    ]


def test_numbers_that_are_none_keep_the_line_whole() -> None:
    unit = Unit(1, 0, {**message("user"), "n": float("nan")}, None, "value", ("non-finite",))
    (record,) = of_lines([unit])
    assert record["type"] == f"{VENDOR}/user"


def test_a_section_stands_at_its_last_line() -> None:
    records = of_text(text("user:\n\nhi\n\nthere\n\nassistant:\nhello\n"))
    assert [(one["seq"], one["content"][0]["text"]) for one in records] == [
        (5_000_000, "hi\n\nthere"),
        (8_000_000, "hello"),
    ]


def test_what_stands_before_the_first_section_is_kept() -> None:
    (first, second) = of_text(text("what\nis this\nuser:\nhi"))
    assert (first["type"], first["value"]) == (f"{VENDOR}/text", "what\nis this")
    assert second["author"] == "human"
    assert of_text([]) == []
    assert of_text(text("user:\nassistant:\n")) == []


def test_the_arguments_of_a_call() -> None:
    def arguments(*found: str) -> Any:
        (record,) = of_text(text("\n".join(["assistant:", "[Tool call] x", *found])))
        return record.get("arguments")

    assert arguments("  a: 1", "  b:", "more", "", "and more") == {"a": "1", "b": "\nmore\n\nand more"}
    assert arguments() is None
    assert arguments("no name", "  a: 1") == "no name\n  a: 1"
    assert arguments("  a: 1", "  a: 2") == "  a: 1\n  a: 2"


def test_results_are_never_given_to_a_call_by_their_order() -> None:
    found = text("assistant:\n[Tool call] x\n[Tool result] x\ndone\n[Tool result]\n")
    asked, first, second = of_text(found)
    assert len({asked["callId"], first["callId"], second["callId"]}) == 3
    assert (first["_meta"][VENDOR], first["content"][0]["text"], second["content"]) == (
        {"name": "x"},
        "done",
        [],
    )
    check_stream(written(of_text(found)).records)


def test_a_name_that_is_too_long_is_none() -> None:
    (record,) = of_text(text(f"assistant:\n[Tool call] {'x' * 1001}\n"))
    assert (record["name"], len(record["_meta"][VENDOR]["line"])) == ("unknown", 1001)


def test_bytes_that_are_no_text_are_told() -> None:
    (record,) = of_text(text("user:\nhi \udcff\n"))
    assert record["_meta"]["git-asr/encoding"] == ["invalid-utf-8"]


@pytest.mark.no_cover  # it takes long, measured twice as long
@pytest.mark.parametrize(
    "make",
    [
        lambda _: "user:\n<user_query>\nx\n</user_query>\n",
        lambda _: "assistant:\n[Thinking] x\n[Tool call] y\n  a: b\n[Tool result]\nz\n",
        lambda _: "x\n\n",
    ],
)
def test_records_of_a_text_do_not_grow_with_the_square_of_its_lines(make: Any) -> None:
    def size(count: int) -> int:
        found = text("user:\n" + "".join(make(n) for n in range(count)))
        return sum(len(line(record, describe)) for record in of_text(found))

    assert size(1_000) < 2.2 * max(size(500), 100)
