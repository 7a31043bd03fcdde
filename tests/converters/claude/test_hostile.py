"""Lines that no agent would write: nothing hangs, raises or is lost, and nothing is joined that is not one."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from typing import Any

import pytest

from git_asr.asr.large import describe, line
from tests.converters.claude.conversion import SESSION, convert, lines, losses, streams
from tests.converters.claude.test_converter import assistant, call, chained, of, result, user


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
    found = [record["replaces"] for record in of(records, "compaction")]
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
    assert [record["state"] for record in of(records, "subagent")] == ["started"]


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
