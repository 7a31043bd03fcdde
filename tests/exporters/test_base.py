"""What every exporter counts on: sessions as they are read, losses with their reasons, values of blobs."""

from __future__ import annotations

import json
from typing import Any

import pytest

from git_asr.asr import read
from git_asr.asr.bundle import Bundle
from git_asr.errors import AsrError
from git_asr.exporters import registry
from git_asr.exporters.base import Exporter, Losses, exported
from git_asr.exporters.common import encoded, whole_text
from git_asr.exporters.jsonl import JSONL
from git_asr.exporters.steps import input_tokens
from tests.exporters import exporting, goldens
from tests.views.test_hostile import read as stream


def test_what_cannot_be_read_is_told_and_counted() -> None:
    whole = goldens.made("claude-code/embedded-subagent")

    def file(path: str) -> bytes | None:
        if path == "sessions/session~000001.jsonl":
            raise AsrError("the disk is gone")
        return whole.file(path)

    told: list[read.Problem] = []
    (found,) = exported(Bundle(whole.manifest, file), exporting.PRIVATE, told.append)
    assert [(one.kind, one.stream) for one in told] == [("unreadable-stream", "session")]
    assert ([one.id for one in found.own], len(found.subagents)) == ([], 1)
    for exporter in registry.EXPORTERS:
        files, losses = exporting.written(exporter, [found])
        exporting.check(exporter.name, files)
        assert losses.counts["unreadable-stream"] == 1


@pytest.mark.parametrize("exporter", exporting.EXPORTERS)
def test_blobs_stand_where_they_came_from_and_absent_ones_are_lost(exporter: Exporter) -> None:
    named = {"mediaType": "text/plain", "bytes": 5}
    found = [
        {
            "type": "message",
            "id": "a",
            "seq": 1,
            "role": "user",
            "content": [{"type": "text", "blob": "here", **named}],
        },
        {
            "type": "message",
            "id": "b",
            "seq": 2,
            "role": "user",
            "content": [{"type": "text", "blob": "gone", **named}],
        },
        {
            "type": "message",
            "id": "c",
            "seq": 3,
            "role": "user",
            "content": [{"type": "file", "blob": "image", **named}],
        },
    ]
    blobs = {"here": b"whole", "image": b"\x00\xff"}
    files, losses = exporting.written(exporter, [exporting.session(stream("s", found, []), blob=blobs.get)])
    exporting.check(exporter.name, files)
    said = b"".join(files.values()) if exporter.name != "parquet" else goldens.rows(files["records.parquet"])
    assert b"whole" in said
    assert (losses.counts["absent-blob"], losses.counts["binary"]) == (1, 1)


def test_only_what_has_a_reason_is_lost() -> None:
    losses = Losses({"a": "because"})
    losses.note("a", 0)
    assert losses.as_json() == []
    losses.note("a", 2)
    assert losses.as_json() == [{"feature": "a", "count": 2, "reason": "because"}]
    with pytest.raises(KeyError):
        losses.note("b")


def test_a_field_with_a_name_of_a_line_has_an_underscore() -> None:
    found = [{"type": "git-asr/context", "id": "a", "seq": 1, "session": "other", "tool": "x"}]
    files, _ = exporting.written(JSONL, [exporting.session(stream("s", found, []))])
    line = json.loads(files["records.jsonl"].split(b"\n")[2])
    assert (line["session"], line["_session"], line["_tool"], "tool" in line) == ("s", "other", "x", False)


@pytest.mark.parametrize(
    ("value", "wanted", "halves"),
    [
        ("plain \\ud800 text", "plain \\ud800 text", 0),
        ("\ud800", "\ufffd", 1),
        ("\\\ud800\\\\", "\\\ufffd\\\\", 1),
        ("a\udfffb\ud83d\ude00c", "a\ufffdb\U0001f600c", 1),
        (["\ud800", {"\udc00": "\ufffd"}], ["\ufffd", {"\ufffd": "\ufffd"}], 2),
    ],
)
def test_halves_of_characters(value: Any, wanted: Any, halves: int) -> None:
    losses = Losses({"half-characters": "no Unicode"})
    assert json.loads(encoded(value, losses)) == wanted
    assert losses.counts["half-characters"] == halves
    if isinstance(value, str):
        again = Losses({"half-characters": "no Unicode"})
        assert whole_text(value, again) == wanted
        assert again.counts == losses.counts


@pytest.mark.parametrize(
    ("usage", "wanted"),
    [
        ({}, None),
        ({"cacheRead": 5}, None),
        ({"input": {"uncached": 3}, "cacheRead": 5, "cacheWrite": 1}, 9),
        ({"input": {"total": 8, "includesCache": True}, "cacheRead": 5}, 8),
        ({"input": {"total": 3, "includesCache": False}, "cacheRead": 5}, 8),
        ({"input": {"total": 3, "includesCache": None}, "cacheRead": 5}, None),
        ({"input": {"total": 3}}, 3),
    ],
)
def test_input_is_known_with_the_cache_or_not_at_all(usage: dict[str, Any], wanted: int | None) -> None:
    assert input_tokens(usage) == wanted


@pytest.mark.parametrize("exporter", exporting.EXPORTERS)
def test_what_a_tool_returned_stands_in_where_it_is_not_known_what_the_model_got(exporter: Exporter) -> None:
    found = [
        {"type": "tool_call", "id": "c", "seq": 1, "callId": "c", "name": "x"},
        {
            "type": "tool_result",
            "id": "r",
            "seq": 2,
            "callId": "c",
            "status": "error",
            "output": "it said no",
        },
    ]
    files, losses = exporting.written(exporter, [exporting.session(stream("s", found, []))])
    exporting.check(exporter.name, files)
    said = b"".join(files.values()) if exporter.name != "parquet" else goldens.rows(files["records.parquet"])
    assert b"it said no" in said
    assert "output" not in losses.counts
