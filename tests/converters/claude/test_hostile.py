"""Lines that no agent would write: nothing hangs, raises or is lost, and nothing is joined that is not one."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from typing import Any

import pytest

from git_asr.asr.ids import is_name, name
from git_asr.asr.large import Blob, describe, line
from git_asr.asr.numbering import number
from git_asr.converters.building import MAX_BLOCKS
from git_asr.converters.claude.converter import Claude
from git_asr.converters.claude.exchange import MAX_LISTED
from git_asr.converters.claude.plans import MAX_TASK_LENGTH, MAX_TASKS
from tests.converters.claude.conversion import (
    SESSION,
    VENDOR,
    assistant,
    call,
    chained,
    convert,
    losses,
    result,
    streams,
    units,
    user,
)
from tests.converters.claude.rules import check
from tests.support.converted import figures, kinds, lines
from tests.support.losslessness import written


@pytest.fixture(autouse=True)
def _never_hangs() -> Iterator[None]:
    """A loop without an end becomes a failure."""

    def stop(*_: Any) -> None:
        raise TimeoutError

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(30)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


LEAF = [assistant("leaf call", None, call("t"), id="m"), user("leaf", "leaf call", [result("t")])]
"""A result beside the path: whoever comes next looks for its call among its ancestors."""


@pytest.mark.parametrize(
    "circle",
    [
        [user("a", "a", "one")] * 3,
        [user("a", "b", "one"), user("b", "a", "two"), user("a", "b", "one")],
        [user("a", "c", "one"), user("b", "a", "two"), user("c", "b", "three"), user("a", "c", "one")] * 2,
    ],
)
def test_parents_in_a_circle(circle: list[dict[str, Any]]) -> None:
    text = lines(*circle, *LEAF, user("end", "a", "more"))
    records = convert(text)
    assert losses(text) == []
    assert records[-1]["id"] == "end"
    assert all(record["id"] not in record.get("predecessors", []) for record in records)


def test_a_line_that_is_its_own_parent_follows_the_line_before() -> None:
    records = convert(lines(user("a", None, "one"), user("b", "b", "two")))
    two = next(record for record in records if record["id"] == "b")
    assert "predecessors" not in two
    assert two["_meta"]["com.anthropic.claude-code"]["parentUuid"] == "b"


MARKERS = ["REDACTED", "[REDACTED_TOKEN]", "", "~1.0"]


@pytest.mark.parametrize("marker", MARKERS)
def test_lines_without_an_id_of_their_own_are_not_one(marker: str) -> None:
    text = lines(
        user(marker, None, "one"),
        user(marker, marker, "two"),
        chained(marker, marker, "system", subtype="compact_boundary"),
        user(marker, marker, "three", isCompactSummary=True),
        chained("d", None, "system", subtype="compact_boundary", logicalParentUuid=marker,
                compactMetadata={"preservedMessages": {"uuids": [marker]}}),
    )  # fmt: skip
    records = convert(text)
    assert not any("supersedes" in record for record in records)
    found = [record["replaces"] for record in kinds(records, "compaction")]
    assert found == [{"unknown": True}] * 3
    assert losses(text) == []


@pytest.mark.parametrize("marker", MARKERS)
def test_snapshots_of_unknown_messages_are_not_one(marker: str) -> None:
    snapshot = {
        "type": "file-history-snapshot",
        "messageId": marker,
        "snapshot": {"trackedFileBackups": {"a": 1}},
    }
    records = convert(lines(snapshot, {**snapshot, "isSnapshotUpdate": True}))
    assert [record.get("supersedes") for record in records] == [None, None]


def test_a_notification_is_not_joined_on_a_derived_id() -> None:
    note = "<task-notification><tool-use-id>~1.100</tool-use-id></task-notification>"
    records = convert(lines(assistant("a", None, call("REDACTED", "Task"), id="m"), user("b", "a", note)))
    assert [record["state"] for record in kinds(records, "subagent")] == ["started"]


@pytest.mark.parametrize("end", ["", "!", "]", " /", "_", "_Y]"])
def test_markers_in_a_row_are_told_in_one_pass(end: str) -> None:
    data = "REDACTED" + "_XREDACTED" * 60 + end
    image = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": data}}
    text = lines(user("a", None, [image]))
    (part,) = convert(text)[0]["content"]
    masked = {"state": "masked"}
    assert part["capture"] == ({"state": "omitted", "reason": "not base64"} if end in ("!", "_") else masked)
    assert losses(text) == []


def progress(uuid: str, message: dict[str, Any], **fields: Any) -> dict[str, Any]:
    data = {"type": "agent_progress", "agentId": "a", "message": message, **fields}
    return chained(uuid, None, "progress", data=data, parentToolUseID="t")


def test_numbers_that_are_none_in_a_subagents_message() -> None:
    said = {"type": "assistant", "uuid": "i", "message": {"content": "hi", "x": 7}}
    ended = user(
        "r", "p", [result("t")], toolUseResult={"agentId": "a", "usage": {"input_tokens": 1, "x": 7}}
    )
    text = lines(progress("p", said)) + lines(progress("q", said), ended).replace(b":7}", b":NaN}")
    found = {name: [line(one, describe) for one in made] for name, made in streams(text).items()}
    assert [len(made) for made in found.values()] == [4, 2]
    assert [one.count(b"NaN") for one in found[SESSION]] == [0, 0, 1, 1]


def test_a_result_behind_the_blocks_that_have_a_part() -> None:
    content = [{"type": "text", "text": "x"}] * MAX_BLOCKS + [result("t")]
    assert losses(lines(user("a", None, content, toolUseResult={"stdout": "out"}))) == []


def test_a_time_of_the_line_beside_that_of_its_snapshot() -> None:
    snapshot = {"trackedFileBackups": {}, "timestamp": "2026-01-01T00:00:00Z"}
    text = lines({"type": "file-history-snapshot", "messageId": "m", "timestamp": 5, "snapshot": snapshot})
    assert losses(text) == []
    assert convert(text)[0]["ts"] == "2026-01-01T00:00:00Z"


def model_call(uuid: str, extra: Any) -> dict[str, Any]:
    return assistant(uuid, None, id="m", model="m", usage={"input_tokens": 1}, extra=extra)


@pytest.mark.parametrize(
    "make",
    [
        lambda uuid, extra: model_call(uuid, {"x": extra}),
        lambda uuid, extra: user(uuid, None, "x", todos=[{"content": "do", "x": extra}]),
        lambda uuid, extra: {"type": "last-prompt", "lastPrompt": extra},
        lambda uuid, extra: {"type": "summary", "summary": "s", "leafUuid": extra},
        lambda uuid, extra: progress(uuid, {"uuid": "i"}, prompt=[extra]),
        lambda uuid, extra: progress(uuid, {"uuid": "i", "x": extra}),
    ],
)
@pytest.mark.parametrize("values", [(1, True), (False, 0), (True, 1.0), (0, 0.0)])
def test_what_python_holds_for_equal_is_not_the_same(make: Any, values: tuple[Any, Any]) -> None:
    text = lines(*(make(f"u{at}", value) for at, value in enumerate(values)))
    assert losses(text) == []


def test_what_an_attachment_says_beside_a_text_that_waited() -> None:
    def queued(text: str) -> dict[str, Any]:
        return {"type": "queue-operation", "operation": "enqueue", "content": text}

    attached = {"type": "queued_command", "prompt": "a b c", "commandMode": "prompt"}
    records = convert(
        lines(queued("a b"), queued("b c"), chained("x", None, "attachment", attachment=attached))
    )
    said = next(record for record in records if record["id"] == "x")
    assert (said["type"], said["supersedes"]) == ("message", "~1.0")
    assert said["_meta"] == {VENDOR: {"attached": {"commandMode": "prompt"}}}
    assert [one["target"] for one in kinds(records, "tombstone")] == ["~2.0"]


def test_an_agent_that_goes_on_twice() -> None:
    text = lines(
        assistant("a", None, call("t", "Task"), id="m"),
        user("b", "a", [result("t")], toolUseResult={"status": "async_launched"}),
        user("c", "b", [result("t")], toolUseResult={"status": "async_launched", "agentId": "z"}),
        assistant("d", "c", call("p", "ExitPlanMode", plan="1"), id="m"),
        user("e", "d", [result("p")], toolUseResult={"plan": "2"}),
        user("f", "e", [result("p")], toolUseResult={"plan": "3"}),
    )
    for kind in ("subagent", "plan"):
        first, second, third = kinds(convert(text), kind)
        assert (second["supersedes"], third["supersedes"]) == (first["id"], second["id"])


def size(text: bytes) -> int:
    """Bytes of the records and blobs."""
    total = 0

    def put(data: bytes, media_type: str) -> Blob:
        nonlocal total
        total += len(data)
        return describe(data, media_type)

    return sum(len(line(record, put)) for record in convert(text)) + total


def boundaries(count: int) -> bytes:
    """Boundaries that keep all that stands before them."""
    kept = {"preservedSegment": {"headUuid": "u0", "tailUuid": f"u{count - 1}"}}
    more = {"subtype": "compact_boundary", "logicalParentUuid": f"u{count - 1}", "compactMetadata": kept}
    said = [user(f"u{n}", f"u{n - 1}" if n else None, "x") for n in range(count)]
    return lines(*said, *(chained(f"b{n}", None, "system", **more) for n in range(count)))


def tasks(count: int) -> bytes:
    """Tasks, each of which writes the list anew."""
    found = []
    for n in range(count):
        found.append(assistant(f"a{n}", None, call(f"t{n}", "TaskCreate"), id="m"))
        made = {"task": {"id": n, "subject": f"task {n}"}}
        found.append(user(f"b{n}", f"a{n}", [result(f"t{n}")], toolUseResult=made))
    return lines(*found)


@pytest.mark.no_cover  # it takes long, measured twice as long
@pytest.mark.parametrize("make", [boundaries, tasks])
def test_records_do_not_grow_with_the_square_of_the_lines(make: Any) -> None:
    assert size(make(2_400)) < 2.2 * size(make(1_200))


def test_queued_texts_that_are_equal() -> None:
    waiting = {"type": "queue-operation", "operation": "enqueue", "content": "x" * 100}
    records = convert(lines(*[waiting] * 3, user("a", None, "x" * 100), user("b", None, "x" * 100)))
    assert [record.get("supersedes") for record in kinds(records, "message")] == [None] * 3 + ["~1.0", None]
    assert [record["target"] for record in kinds(records, "tombstone")] == ["~2.0", "~3.0"]


def test_a_list_of_tasks_that_is_too_long_says_so() -> None:
    listed = [{"id": n, "subject": f"task {n}"} for n in range(MAX_TASKS + 1)]
    long = "x" * (MAX_TASK_LENGTH + 1)
    text = lines(
        assistant("a", None, call("l", "TaskList"), id="m"),
        user("b", "a", [result("l")], toolUseResult={"tasks": listed}),
        assistant("c", "b", call("m", "TaskList"), id="m"),
        user("d", "c", [result("m")], toolUseResult={"tasks": listed[:2]}),
        assistant("e", "d", call("u", "TaskUpdate", taskId="1", subject=long), id="m"),
        user("f", "e", [result("u")], toolUseResult={"success": True}),
        assistant("g", "f", call("c", "TaskCreate"), id="m"),
        user("h", "g", [result("c")], toolUseResult={"task": {"id": 7, "subject": long}}),
    )
    found = [(len(one["items"]), one.get("capture")) for one in kinds(convert(text), "plan")]
    cut = {"state": "truncated"}
    assert found == [(MAX_TASKS, cut), (2, None), (1, cut)]
    assert losses(text) == []


def test_calls_with_the_message_id_of_another() -> None:
    def said(uuid: str, request: str | None) -> dict[str, Any]:
        block = {"type": "text", "text": uuid}
        message = assistant(uuid, None, block, id="msg", model="m", role="assistant", type="message")
        return message if request is None else {**message, "requestId": request}

    order = [None, "r1", "REDACTED", "r2", "r1", "r2", None]
    text = lines(*(said(f"u{at}", request) for at, request in enumerate(order)))
    records = convert(text)
    keys = ["msg", "msg", "msg", "r2", "msg", "r2", "msg"]
    assert [one["inferenceId"] for one in kinds(records, "message")] == keys
    (second,) = [one for one in kinds(records, "inference") if one["inferenceId"] == "r2"]
    assert (second["requestId"], "supersedes" in second) == ("r2", False)
    assert second["_meta"][VENDOR]["id"] == "msg"
    assert losses(text) == []


def test_names_that_the_converter_uses_itself() -> None:
    block = {"type": "thinking", "thinking": "", "signature": "bmFycmF0aW9u", "narration": "native"}
    line = assistant("a", None, block, id="m", model="m", outputTokens="native", usage={"output_tokens": 1})
    assert losses(lines({**line, "version": "2.0.80"})) == []


def long_time(count: int) -> bytes:
    """A time with many digits, on a line with many blocks."""
    blocks = [{"type": "text", "text": "x"}] * count
    return lines(
        {**assistant("a", None, *blocks, id="m"), "timestamp": f"2026-01-01T00:00:00.{'1' * count}Z"}
    )


def long_kind(count: int) -> bytes:
    """A subagent with a long type, of which many notifications tell."""
    note = "<task-notification><tool-use-id>t</tool-use-id></task-notification>"
    started = assistant("a", None, call("t", "Task", subagent_type="x" * 10 * count), id="m")
    return lines(started, *(user(f"u{n}", None, note) for n in range(count)))


@pytest.mark.parametrize("make", [long_time, long_kind])
def test_a_long_value_is_not_written_many_times(make: Any) -> None:
    assert size(make(2_400)) < 2.2 * size(make(1_200))
    assert losses(make(1_200)) == []


def test_choices_among_very_many_are_not_looked_for() -> None:
    def asked(questions: int, options: int) -> list[dict[str, Any]]:
        listed = [{"label": f"l{n}"} for n in range(options)]
        return [{"question": f"q{n}", "multiSelect": True, "options": listed} for n in range(questions)]

    for questions, options, told in (
        (1, MAX_LISTED, True),
        (1, MAX_LISTED + 1, False),
        (MAX_LISTED + 1, 1, False),
    ):
        answers = {f"q{questions - 1}": f"l{options - 1}, l0"}
        text = lines(
            assistant("a", None, call("t", "AskUserQuestion", questions=asked(questions, options)), id="m"),
            user("b", "a", [result("t")], toolUseResult={"answers": answers}),
        )
        (answer,) = kinds(convert(text), "input_response")[0]["answers"]
        assert answer.get("choices") == ([f"l{options - 1}", "l0"] if told else None)
        assert losses(text) == []


def test_a_line_of_twenty_megabytes() -> None:
    text = lines(user("a", None, [result("t", "y" * 20_000_000)], toolUseResult={"stdout": "z" * 20_000_000}))
    record, _ = written(convert(text)).records
    assert record["content"][0]["bytes"] == 20_000_000
    assert record["outputBlob"]["bytes"] == 20_000_013
    assert losses(text) == []


@pytest.mark.parametrize("marker", MARKERS)
def test_results_of_unknown_calls_are_not_cleared(marker: str) -> None:
    metadata = {"compactedToolIds": [marker, "t", 7]}
    text = lines(chained("a", None, "system", subtype="microcompact_boundary", microcompactMetadata=metadata))
    assert kinds(convert(text), "compaction")[0]["replaces"] == {"calls": ["t"]}
    assert losses(text) == []


@pytest.mark.parametrize("number", [b"7", b"NaN"])
@pytest.mark.parametrize("said", ["[REDACTED_TOKEN]", "plain"])
def test_a_line_kept_as_it_is_says_that_it_was_masked(said: str, number: bytes) -> None:
    text = lines({"type": "unheard", "said": said, "number": "?"}).replace(b'"?"', number)
    (record,) = convert(text)
    assert record.get("capture") == (None if said == "plain" else {"state": "masked"})


@pytest.mark.parametrize("agent", ["../x", "/etc/passwd", "A", "a" * 400, "x.embedded"])
def test_a_subagent_of_any_name(agent: str) -> None:
    said = {"type": "user", "uuid": "i", "message": {"role": "user", "content": "go"}}
    text = lines(
        progress("p", said, agentId=agent), progress("q", {**said, "uuid": "j"}, agentId=agent.lower())
    )
    made = streams(text)
    assert list(made) == [
        SESSION,
        *dict.fromkeys(f"{SESSION}.{one}.embedded" for one in (agent, agent.lower())),
    ]
    assert is_name(name(list(made)[1]))
    assert losses(text) == []


LONG = "x" * 70_000
"""More than a field may have in its record."""


def test_what_readers_count_on_stands_in_the_record() -> None:
    image = {"type": "image", "source": {"type": "base64", "media_type": LONG, "data": "QUJD"}}
    text = lines(
        {**user("a", None, [image, {"type": "text", "text": LONG}], permissionMode=LONG), "version": LONG},
        assistant("b", "a", call("t", LONG), id="m", model=LONG, stop_reason=LONG),
        chained("c", "b", "attachment", attachment={"type": LONG, "content": "x"}),
        {"type": "mode", "mode": LONG},
        {**progress("d", {"uuid": "i", "type": "user", "message": {"content": "x"}}), "version": LONG},
        user(
            "e",
            "d",
            [result("t")],
            toolUseResult={"agentId": "a", "resolvedModel": LONG, "usage": {"input_tokens": 1}},
        ),
    )
    check(text)
    converter = Claude()
    found = units(text)
    records = list(number(converter.convert(iter(found), None, SESSION)))
    assert figures(records)["models"] == []
    assert converter.format_version is None
    (embedded,) = converter.embedded
    list(embedded.converter.convert(iter(found), None, SESSION))
    assert embedded.converter.format_version is None


def test_a_picture_in_a_content_that_is_long_in_many_parts() -> None:
    image = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "QUJD"}}
    check(lines(user("a", None, [image, *[{"type": "text", "text": "x" * 1000}] * 70])))
