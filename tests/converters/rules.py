"""The rules of profile sections 3 to 5 that every conversion must keep, whatever the units are."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from git_asr.asr import codec
from git_asr.asr.context import view
from git_asr.asr.draft import Record
from git_asr.asr.entities import Revisions, pair
from git_asr.asr.ids import usable
from git_asr.asr.large import describe, line
from tests.support.companion import schema
from tests.support.losslessness import written


def encoded(records: Iterable[Record]) -> list[bytes]:
    """Records as they are written."""
    return [line(one, describe) for one in records]


def check_records(records: Sequence[Record], again: Iterable[Record]) -> list[bytes]:
    """See that records are the same the second time and when they are read again, and keep the rules; give them as they
    are written.
    """
    lines = encoded(records)
    assert lines == encoded(again)
    out = written(records).records
    assert [codec.encode(one) + b"\n" for one in out] == lines
    check_stream(out)
    return lines


def check_stream(records: list[Record]) -> None:
    """What holds between the records of one stream, and that readers get through them."""
    known: set[str] = set()
    calls: set[str] = set()
    last = -1
    for record in records:
        assert not list(schema("record").iter_errors(record)), record
        assert record["id"] not in known
        assert record["seq"] > last
        last = record["seq"]
        for one in record.get("predecessors", []):
            assert one in known or (usable(one) and one != record["id"]), record
        for one in _earlier(record):
            assert one in known, record
        for key in ("inferenceId", "requestId", "messageId"):
            assert usable(record.get(key, "x")) or record[key].startswith("~"), record
        assert record["type"] != "rewind" or record["to"] is None or record["to"] in known, record
        own = f"~{record['seq'] // 1_000_000}."
        call = record.get("callId", "x")
        placed = call.startswith(own) or call in calls
        assert usable(call) or placed or record["type"] in ("plan", "subagent"), record
        if record["type"] in ("tool_call", "tool_result"):
            calls.add(call)
        known.add(record["id"])
    standing = list(Revisions(records).standing())
    assert len({one["id"] for one in standing}) == len(standing)
    pair(standing)
    for record in records[-3:]:
        found = view(records, record["id"])
        assert found is not None
        assert len(found.records) <= len(records)


def _earlier(record: dict[str, Any]) -> list[str]:
    """The records that this one names, which must stand before it."""
    replaces = record.get("replaces", {})
    found = [record.get("supersedes"), record.get("target"), record.get("summary"), replaces.get("through")]
    return [one for one in (*found, *replaces.get("except", [])) if one is not None]
