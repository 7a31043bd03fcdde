"""What single messages become; the fixtures show the usual ones, this the corners."""

from __future__ import annotations

from typing import Any

import pytest

from git_asr.asr.context import view
from git_asr.converters.base import Facts, Sample, TellsLineage
from git_asr.converters.building import MAX_BLOCKS
from git_asr.converters.registry import by_name, converter_for
from git_asr.converters.units import read_lines
from tests.converters.goose.conversion import (
    AGENT,
    GOOSE,
    HEAD,
    NOBODY,
    PERSON,
    VENDOR,
    agent,
    call,
    message,
    result,
    returned,
    user,
)
from tests.converters.rules import check_stream
from tests.support.converted import figures, kinds
from tests.support.losslessness import written
from tests.support.sessions import as_units, damaged, size


@pytest.mark.parametrize("case", GOOSE.cases())
def test_every_rule_holds(case: str) -> None:
    found, snapshot = GOOSE.fixture(case)
    GOOSE.check(found, snapshot=snapshot)


@pytest.mark.parametrize("name", ["goose-json", "goose-jsonl"])
def test_every_format_has_its_losses(name: str) -> None:
    native = by_name(name)
    assert native is not None
    features = {one["feature"] for one in converter_for(native).lossy}
    assert {"inferences", "compaction_boundaries"} <= features


def test_lines_are_recognised_with_and_without_what_the_adapter_adds() -> None:
    lines = by_name("goose-jsonl")
    assert lines is not None
    bare = user("m1", "go")
    for value in (bare, {**bare, "session": HEAD}, {"type": "user", "message": bare}):
        assert lines.recognises(Sample((value,), False, ""))
        facts = lines.facts(value)
        assert (facts.id, facts.type, facts.ts) == ("m1", "user", "2026-05-04T09:00:00Z")
    assert lines.facts({**bare, "session": HEAD}).session == "20260504_1"
    for value in (
        {**bare, "created": "x"},
        {**bare, "role": "owl"},
        {**bare, "content": "x"},
        {"message": 7},
    ):
        assert not lines.recognises(Sample((bare, value), False, ""))
    assert not lines.recognises(Sample((), False, ""))
    document = by_name("goose-json")
    assert document is not None
    assert document.facts(HEAD) == Facts(session="20260504_1", ts="2026-05-04T09:00:00Z")
    assert document.facts(bare).id == "m1"


def test_a_session_and_the_one_that_started_it() -> None:
    made = GOOSE.make(snapshot=True)
    head = {**HEAD, "session_type": "sub_agent", "parent_session_id": "20260504_9", "name": "snails"}
    drafts = list(made.convert(iter(as_units(head, [user("a", "count")], snapshot=True)), None))
    assert made.workspace == {"cwd": "/home/ann/garden"}
    assert isinstance(made, TellsLineage)
    assert made.lineage == {
        "spawnedBy": {"session": {"harness": "goose", "id": "20260504_9"}, "evidence": "native_field"}
    }
    assert drafts[-1].fields["author"] == "agent"
    plain = GOOSE.make(snapshot=True)
    list(plain.convert(iter(as_units({"id": "x", "parent_session_id": "REDACTED"}, [], snapshot=True)), None))
    assert (plain.workspace, plain.lineage) == (None, None)


def test_totals_are_the_sessions() -> None:
    told = {"accumulated_input_tokens": 10, "accumulated_output_tokens": 5, "accumulated_cost": 0.5}
    (usage,) = kinds(GOOSE.document({**HEAD, **told, "accumulated_total_tokens": 15}), "usage_summary")
    assert usage["usage"] == {"input": {"total": 10, "includesCache": None}, "output": {"total": 5}}
    assert (usage["scope"], usage["cost"]) == ("session", 0.5)
    cached = {**HEAD, "accumulated_cache_read_tokens": 7, "accumulated_total_tokens": 3}
    (context, usage) = GOOSE.document(cached)
    assert usage["usage"] == {"cacheRead": 7}
    assert context["_meta"][VENDOR] == {"accumulated_total_tokens": 3}
    nothing = {**HEAD, "accumulated_input_tokens": 0, "accumulated_output_tokens": 0}
    assert kinds(GOOSE.document(nothing), "usage_summary") == []
    assert kinds(GOOSE.document({**HEAD, "accumulated_total_tokens": 9}), "usage_summary") == []


def test_lines_say_what_the_session_says_when_it_changes() -> None:
    session = {**HEAD, "name": "tap", "accumulated_input_tokens": 10}
    later = {**session, "accumulated_input_tokens": 20}
    renamed = {**later, "name": "the tap"}
    records = GOOSE.lines(
        user("a", "one", session=session),
        agent("b", "two", session=session),
        user("c", "three", session=later),
        agent("d", "four", session=renamed),
    )
    first, second = kinds(records, "usage_summary")
    assert second["supersedes"] == first["id"]
    assert len(kinds(records, "git-asr/context")) == 1
    assert [one["title"] for one in kinds(records, "git-asr/title")] == ["tap", "the tap"]
    assert GOOSE.lines(user("a", "one", session=7))[0]["_meta"][VENDOR] == {"session": 7}


def test_lines_with_the_message_in_an_object() -> None:
    (one,) = GOOSE.lines({"type": "user", "message": user("a", "one"), "x": 1})
    assert (one["id"], one["content"][0]["text"]) == ("a", "one")
    assert one["_meta"][VENDOR] == {"line": {"x": 1}}
    (odd,) = GOOSE.lines({"message": {"role": "owl"}})
    assert odd["type"] == f"{VENDOR}/unit"


@pytest.mark.parametrize(
    ("told", "status", "shown"),
    [
        (returned("a"), "ok", ["a"]),
        (returned("a", isError=True), "error", ["a"]),
        ({"status": "success", "value": [{"type": "text", "text": "a"}]}, "ok", ["a"]),
        ({"status": "error", "error": "e"}, "error", ["e"]),
        ({"status": "error", "error": "Interrupted by the user to make a correction"}, "cancelled", None),
        (returned("The user has declined to run this tool. DO NOT"), "rejected", None),
        (returned("Interrupted by the user to make a correction"), "ok", None),
        ({"status": "new"}, "unknown", []),
        ({"status": "success", "value": "text"}, "ok", []),
    ],
)
def test_results(told: dict[str, Any], status: str, shown: list[str] | None) -> None:
    (record,) = kinds(GOOSE.document(HEAD, user("a", result("t", **told))), "tool_result")
    assert record["status"] == status
    if shown is not None:
        assert [one["text"] for one in record["content"]] == shown
    assert GOOSE.losses(user("a", result("t", **told)), head=HEAD) == []


def test_what_is_for_people_alone_is_no_content() -> None:
    both = [
        {"type": "text", "text": "a", "annotations": {"audience": ["assistant"]}},
        {"type": "text", "text": "b", "annotations": {"audience": ["user"]}},
        {"type": "text", "text": "c", "annotations": {"audience": []}},
        {"type": "resource", "resource": {"uri": "u"}},
    ]
    told = returned(*both, structuredContent={"x": 1})
    (record,) = kinds(GOOSE.document(HEAD, user("a", result("t", **told))), "tool_result")
    assert [one.get("text") for one in record["content"]] == ["a", "c", None]
    assert record["output"] == {"structuredContent": {"x": 1}, "shown": [both[1]]}


def test_calls_without_a_name_and_without_an_id() -> None:
    failed = {"type": "toolRequest", "id": "t", "toolCall": {"status": "error", "error": "e", "code": 1}}
    records = GOOSE.document(
        HEAD, agent("a", failed, {**failed, "id": None}, {"type": "toolRequest"}, call(None))
    )
    assert [one["text"] for one in kinds(records, "git-asr/notice")] == ["e", "e"]
    assert kinds(records, "git-asr/notice")[0]["_meta"][VENDOR]["id"] == "t"
    assert len(kinds(records, f"{VENDOR}/toolRequest")) == 1
    (told,) = kinds(records, "tool_call")
    assert told["callIdSource"] == "derived"
    bare = {"type": "toolRequest", "id": "t", "toolCall": {"status": "success", "value": {"name": "x"}}}
    (told,) = kinds(GOOSE.document(HEAD, agent("a", bare)), "tool_call")
    assert "arguments" not in told


def test_plans_and_subagents() -> None:
    plan = call("p", "todo__write", content="Garden\n- [x] a\n  * [ ] b\n- c")
    records = GOOSE.document(
        HEAD,
        agent("a", plan, call("q", "todo__write"), call("s", "x__delegate")),
        user("b", result("s", **returned("done"))),
    )
    (told,) = kinds(records, "plan")
    assert told["items"] == [{"text": "a", "status": "completed"}, {"text": "b", "status": "pending"}]
    assert [(one["state"], one.get("status")) for one in kinds(records, "subagent")] == [
        ("started", None),
        ("ended", "ok"),
    ]


def ask(kind: str, identifier: Any, **data: Any) -> dict[str, Any]:
    return {"type": "actionRequired", "data": {"actionType": kind, "id": identifier, **data}}


def test_questions_and_answers() -> None:
    records = GOOSE.document(
        HEAD,
        agent(
            "a",
            ask("elicitation", "e", message="Which?"),
            {**ask("toolConfirmation", "t", prompt="May I?"), "x": 1},
        ),
        agent(
            "b",
            ask("toolConfirmation", "t", toolName="n"),
            ask("elicitation", "", message="?"),
            ask("dance", "d"),
        ),
        user("c", ask("elicitationResponse", "e", userData=[1]), ask("elicitationResponse", "f", userData=2)),
        user("d", ask("elicitationResponse", "REDACTED", userData=3)),
    )
    one, two = kinds(records, "input_request")
    assert (one["requestId"], one["questions"]) == ("e", [{"question": "Which?"}])
    assert two["callId"] == "t"
    assert two["_meta"][VENDOR]["block"] == {"x": 1}
    answered, other = kinds(records, "input_response")
    assert answered["answers"] == [{"question": "Which?", "answer": [1]}]
    assert other["answers"] == [{"answer": 2}]
    assert len(kinds(records, f"{VENDOR}/actionRequired")) == 4


def test_thoughts_and_notices() -> None:
    records = GOOSE.document(
        HEAD,
        agent(
            "a",
            {"type": "thinking", "thinking": "", "signature": "s"},
            {"type": "thinking", "thinking": "", "signature": ""},
            {"type": "redactedThinking", "data": "d"},
            {"type": "reasoning", "text": "r"},
            {"type": "systemNotification", "notificationType": "inlineMessage", "msg": "m"},
            {"type": "contextLengthExceeded", "msg": "n"},
        ),
    )
    assert [one.get("capture", {}).get("reason") for one in kinds(records, "reasoning")] == [
        "opaque",
        "empty",
        "opaque",
        None,
    ]
    assert [(one["kind"], one["level"]) for one in kinds(records, "git-asr/notice")] == [
        ("inlineMessage", "info"),
        ("contextLengthExceeded", "info"),
    ]


def said(records: list[dict[str, Any]]) -> list[str]:
    found = view(records)
    assert found is not None
    return [one["content"][0]["text"] for one in found.records if one["type"] == "message"]


def test_a_summary_replaces_what_the_agent_sees_no_more() -> None:
    old = [user("a", "one", metadata=PERSON), agent("b", "two", metadata=PERSON)]
    new = [user("s", "sum", metadata=AGENT), agent("t", "go on", metadata=AGENT), user("c", "three")]
    records = GOOSE.document(HEAD, *old, *new)
    (compaction,) = kinds(records, "compaction")
    assert (compaction["summary"], compaction["replaces"]) == ("s", {"through": "b"})
    assert said(records) == ["sum", "go on", "three"]
    assert [one["author"] for one in kinds(records, "message")] == [
        "human",
        "agent",
        "harness",
        "harness",
        "human",
    ]
    assert figures(records)["counts"]["prompts"] == 2
    nothing = GOOSE.document(HEAD, user("s", "sum", metadata=AGENT), user("c", "three"))
    assert kinds(nothing, "compaction") == []
    notice = {"type": "systemNotification", "notificationType": "inlineMessage", "msg": "m"}
    noticed = GOOSE.document(HEAD, agent("n", notice, metadata=PERSON), user("s", "hint", metadata=AGENT))
    assert kinds(noticed, "compaction") == []
    partly = GOOSE.document(HEAD, user("z", "zero"), *old, *new)
    assert kinds(partly, "compaction") == []


def test_a_summary_of_single_calls() -> None:
    pair = [agent("a", call("t"), metadata=PERSON), user("b", result("t", **returned("x")), metadata=PERSON)]
    records = GOOSE.document(
        HEAD, user("z", "zero"), *pair, user("s", "sum", metadata=AGENT), user("c", "one")
    )
    (compaction,) = kinds(records, "compaction")
    assert compaction["replaces"] == {"calls": ["t"]}
    found = view(records)
    assert found is not None
    assert all(one["type"] != "tool_result" for one in found.records)
    twice = GOOSE.document(
        HEAD, user("z", "zero"), *pair, user("s", "sum", metadata=AGENT), user("r", "more", metadata=AGENT)
    )
    assert len(kinds(twice, "compaction")) == 1


def test_a_text_that_is_given_again_counts_once() -> None:
    summary = [user("s", "sum", metadata=AGENT), agent("t", "go on", metadata=AGENT)]
    archived = GOOSE.document(HEAD, user("a", "go", metadata=NOBODY), *summary, user("b", "go"))
    assert [one["author"] for one in kinds(archived, "message")] == ["unknown", "harness", "harness", "human"]
    assert figures(archived)["counts"]["prompts"] == 1
    shown = GOOSE.document(HEAD, user("a", "go", metadata=PERSON), *summary, user("b", "go"), user("c", "go"))
    assert figures(shown)["counts"]["prompts"] == 2
    assert kinds(shown, "message")[3]["copiedFrom"] == {
        "session": {"harness": "goose", "id": "20260504_1"},
        "id": "a",
        "evidence": "native_structure",
    }
    nameless = GOOSE.document(
        {"working_dir": "/"}, user("a", "go", metadata=PERSON), *summary, user("b", "go")
    )
    assert not any("copiedFrom" in one for one in nameless)


def test_messages_with_one_id_are_others() -> None:
    records = GOOSE.document(HEAD, agent("a", "one"), agent("a", "two"), user(None, "x", {"type": "image"}))
    assert [one["id"] for one in kinds(records, "message")] == ["a", "~2.100", "~3.100"]
    assert said(records) == ["one", "two", "x"]
    (redacted,) = kinds(GOOSE.document(HEAD, agent("REDACTED", "one")), "message")
    assert redacted["_meta"] == {"git-asr/native-id": "REDACTED"}


def test_odd_messages() -> None:
    assert GOOSE.document(HEAD, message("a", "owl"))[-1]["type"] == f"{VENDOR}/owl"
    assert GOOSE.document(HEAD, {"role": "user", "content": "x"})[-1]["type"] == f"{VENDOR}/user"
    image = {"type": "image", "data": "QUI=", "mimeType": "image/png", "annotations": {"x": 1}}
    (one,) = kinds(GOOSE.document(HEAD, user("a", image, {**image, "mimeType": 7})), "message")
    assert [part["mediaType"] for part in one["content"]] == ["image/png", "application/octet-stream"]
    assert one["_meta"][VENDOR]["content"]["1"] == {"mimeType": 7, "annotations": {"x": 1}}
    (system,) = kinds(GOOSE.document(HEAD, message("a", "system", "You are")), "message")
    assert (system["role"], system["author"]) == ("system", "harness")
    assert GOOSE.document(HEAD, user("a"))[-1]["author"] == "unknown"


def test_what_exceeds_the_range_stays_in_one_record() -> None:
    many = user("a", *(str(n) for n in range(MAX_BLOCKS + 2)))
    records = GOOSE.document(HEAD, many)
    (more,) = kinds(records, f"{VENDOR}/more")
    assert len(more["value"]) == 2
    check_stream(written(records).records)
    assert GOOSE.losses(many, head=HEAD) == []


def test_one_damaged_line_costs_only_itself() -> None:
    values = [user(f"m{n}", f"{n}") for n in range(5)]
    for at in range(5):
        records = GOOSE.of(list(read_lines([damaged(values, at)])), snapshot=False)
        assert [one["content"][0]["text"] for one in kinds(records, "message")] == [
            str(n) for n in range(5) if n != at
        ]
        assert len(kinds(records, "git-asr/notice")) == (at < 4)


def test_twice_the_messages_give_twice_the_bytes() -> None:
    def many(count: int) -> int:
        pairs = []
        for n in range(count):
            pairs += [
                agent(f"a{n}", call(f"t{n}"), metadata=PERSON),
                user(f"b{n}", result(f"t{n}", **returned("x")), metadata=PERSON),
                user(f"s{n}", "sum", metadata=AGENT),
            ]
        return size(GOOSE.document(HEAD, *pairs))

    assert many(200) < 2.2 * many(100)


def test_a_notice_of_another_type_keeps_it() -> None:
    usual, other = (
        {"type": kind, "notificationType": "inlineMessage", "msg": "m"}
        for kind in ("systemNotification", "other")
    )
    first, second = kinds(GOOSE.document(HEAD, agent("a", usual), agent("b", other)), "git-asr/notice")
    assert (first["kind"], second["kind"]) == ("inlineMessage", "inlineMessage")
    assert "_meta" not in first
    assert second["_meta"][VENDOR]["type"] == "other"
