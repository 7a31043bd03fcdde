from __future__ import annotations

from typing import Any

import pytest

from git_asr.asr import codec, reading
from git_asr.asr.bundle import StreamEntry, file_entry
from git_asr.asr.stream import Gap, UnknownMajor
from git_asr.errors import AsrError

HEADER = {
    "type": "header",
    "formatVersion": "0.1",
    "stream": "s",
    "session": {"harness": "h", "id": "s"},
    "capture": {"state": "partial", "through": 9},
}


def said(identifier: str, seq: int, **other: Any) -> dict[str, Any]:
    return {"type": "message", "seq": seq, "id": identifier, "role": "user", "author": "human", **other}


def lines(*records: Any) -> bytes:
    return b"".join(codec.encode(one) + b"\n" for one in records)


def stream(files: dict[str, bytes]) -> reading.Stream:
    listed = tuple(file_entry(path, data) for path, data in files.items())
    return reading.load(StreamEntry("s", listed, 0, "redacted", "0.1", {}), files.get)


def test_the_files_are_joined_and_the_links_stand_apart() -> None:
    link = {"type": "vcs", "seq": 2**52, "id": "c@1", "commit": "1" * 40}
    read = stream(
        {
            "sessions/s.jsonl": lines(HEADER),
            "sessions/s~000001.jsonl": lines(said("a", 1_000_000)),
            "sessions/s~000002.jsonl": lines(said("b", 3_000_000)),
            "sessions/s~links.jsonl": lines(link, {"type": "vcs", "seq": 2**53, "id": "x"}),
        }
    )
    assert [one["id"] for one in read.records] == ["a", "b"]
    assert [reading.position(one) for one in read.records] == [1, 3]
    assert read.links == (link,)
    assert (read.through, read.faults) == (9, ())
    assert read.gaps == ((2, Gap(5, "a vcs record of another shape")),)


def test_one_file_may_hold_all() -> None:
    link = {"type": "vcs", "seq": 2**52, "id": "c@1", "commit": "1" * 40}
    read = stream({"sessions/s.jsonl": lines(HEADER, said("a", 12_000_000), link)})
    assert [one["id"] for one in read.records] == ["a"]
    assert read.links == (link,)
    assert read.through == 12


def test_an_empty_stream_ends_where_its_header_says() -> None:
    assert stream({"sessions/s.jsonl": lines(HEADER)}).through == 9
    odd = {**HEADER, "capture": {"state": "partial", "through": "x"}}
    assert stream({"sessions/s.jsonl": lines(odd)}).through == 0


def test_what_is_no_record_is_a_gap_in_its_place() -> None:
    broken = lines(HEADER, said("a", 1)) + b"{\n\n[]\n" + lines({"type": "message", "id": "b"}, said("c", 2))
    read = stream({"sessions/s.jsonl": broken + b'{"half'})
    assert [one["id"] for one in read.records] == ["a", "c"]
    assert read.gaps == (
        (1, Gap(3, "not JSON")),
        (1, Gap(4, "blank line")),
        (1, Gap(5, "not a record")),
        (1, Gap(6, "a record without an ID or a seq")),
    )


def test_not_a_number_is_no_json() -> None:
    read = stream({"sessions/s.jsonl": lines(HEADER) + b'{"type":"message","seq":1,"id":"a","x":NaN}\n'})
    assert [gap.reason for _, gap in read.gaps] == ["not JSON: NaN or an infinity"]


def test_a_second_id_and_a_falling_seq_are_told_and_kept() -> None:
    read = stream({"sessions/s.jsonl": lines(HEADER, said("a", 5), said("a", 6), said("b", 6))})
    assert len(read.records) == 3
    assert read.faults == (
        Gap(3, "a second record with the ID a"),
        Gap(4, "a record whose seq does not rise: b"),
    )


def test_a_file_that_is_missing_or_another_major_stops() -> None:
    listed = (file_entry("sessions/s.jsonl", b""),)
    with pytest.raises(AsrError, match=r"a bundle lacks sessions/s\.jsonl"):
        reading.load(StreamEntry("s", listed, 0, "redacted", "0.1", {}), {}.get)
    with pytest.raises(AsrError, match="without a header"):
        reading.load(StreamEntry("s", (), 0, "redacted", "0.1", {}), {}.get)
    with pytest.raises(UnknownMajor):
        stream({"sessions/s.jsonl": lines({**HEADER, "formatVersion": "1.0"})})
    with pytest.raises(AsrError, match="without a header"):
        stream({"sessions/s.jsonl": lines(said("a", 1))})


@pytest.mark.parametrize(
    "odd",
    [
        {"session": 5},
        {"session": {"harness": "h"}},
        {"session": {"harness": "h", "id": []}},
        {"capture": None},
        {"capture": "partial"},
    ],
)
def test_a_header_has_what_readers_count_on(odd: dict[str, Any]) -> None:
    with pytest.raises(AsrError, match="a header of another shape"):
        stream({"sessions/s.jsonl": lines({**HEADER, **odd})})


@pytest.mark.parametrize(
    ("record", "reason"),
    [
        ({"seq": True}, "a record without an ID or a seq"),
        ({"id": 5}, "a record without an ID or a seq"),
        ({"type": "tool_call"}, "a tool_call record without a callId"),
        ({"type": "tombstone", "target": 1}, "a tombstone record without a target"),
        ({"ts": 5}, "a message record with a ts of another kind"),
        ({"author": {}}, "a message record with a author of another kind"),
        ({"predecessors": [1]}, "a message record with predecessors of another kind"),
        ({"content": "text"}, "a message record with a content of another kind"),
        ({"content": ["text"]}, "a message record with a content of another kind"),
        ({"type": "rewind", "to": 1}, "a rewind record with a to of another kind"),
        ({"type": "rewind", "to": None}, None),
        ({"type": "usage_summary", "covers": {"callId": []}}, "a usage_summary record with a covers.callId"),
        ({"type": "usage_summary", "covers": {"callId": "t"}}, None),
        ({"type": "compaction", "replaces": {"through": {}}}, "a compaction record with a replaces.through"),
        ({"type": "compaction", "replaces": {"calls": "t"}}, "a compaction record with a replaces.calls"),
        (
            {"type": "compaction", "replaces": {"except": [["a"]]}},
            "a compaction record with a replaces.except",
        ),
        ({"type": "compaction", "replaces": {"calls": ["t"], "except": [], "through": "a"}}, None),
        ({"type": "com.example/x", "content": 5}, None),
        ({"contentBlob": {"blob": "x"}}, None),
    ],
)
def test_a_record_has_what_readers_count_on(record: dict[str, Any], reason: str | None) -> None:
    found = reading.fault({**said("a", 1), **record})
    assert found == reason if reason is None else str(found).startswith(reason)


BLOBS = {
    "text": "täxt".encode(),
    "json": b'{"a":1}',
    "string": b'"\\ud83c"',
    "broken": b"{",
    "nan": b'{"a":[NaN]}',
}


@pytest.mark.parametrize(
    ("field", "found"),
    [
        ({"output": 5}, 5),
        ({"outputBlob": {"blob": "text", "mediaType": "text/plain"}}, "täxt"),
        ({"outputBlob": {"blob": "json", "mediaType": "application/json"}}, {"a": 1}),
        ({"outputBlob": {"blob": "broken", "mediaType": "application/json"}}, None),
        ({"outputBlob": {"blob": "nan", "mediaType": "application/json"}}, None),
        ({"outputBlob": {"blob": "absent"}}, None),
        ({"outputBlob": {"blob": 5}}, None),
        ({"outputBlob": 5}, None),
        ({}, None),
    ],
)
def test_a_field_wherever_it_stands(field: dict[str, Any], found: Any) -> None:
    assert reading.value(field, "output", BLOBS.get) == found


@pytest.mark.parametrize(
    ("part", "found"),
    [
        ({"type": "text", "text": "x"}, "x"),
        ({"type": "text", "blob": "text", "mediaType": "text/plain"}, "täxt"),
        ({"type": "text", "blob": "string", "mediaType": "application/json"}, "\ud83c"),
        ({"type": "text", "blob": "json", "mediaType": "application/json"}, None),
        ({"type": "text", "blob": "broken", "mediaType": "application/json"}, None),
        ({"type": "text", "blob": "absent"}, None),
        ({"type": "image", "text": "x"}, None),
    ],
)
def test_a_text_wherever_it_stands(part: dict[str, Any], found: str | None) -> None:
    assert reading.text(part, BLOBS.get) == found
