from __future__ import annotations

import hashlib
from typing import Any

import orjson
import pytest

from git_asr.asr import codec, large
from git_asr.asr.codec import Raw

LIMIT = 64 * 1024


class Blobs(dict[str, bytes]):
    def put(self, data: bytes, media_type: str) -> large.Blob:
        blob = large.describe(data, media_type)
        self[blob.sha256] = data
        return blob


def written(record: dict[str, Any]) -> tuple[dict[str, Any], Blobs]:
    blobs = Blobs()
    line = large.line(record, blobs.put)
    assert line.endswith(b"\n")
    assert line.count(b"\n") == 1
    return orjson.loads(line), blobs


@pytest.mark.parametrize("size", [0, 1, LIMIT - 2])
def test_a_field_up_to_64_kib_stays(size: int) -> None:
    record = {"type": "tool_call", "seq": 1, "id": "a", "arguments": "x" * size, "output": "y" * (LIMIT - 2)}
    assert written(record) == (record, {})


def test_a_longer_field_becomes_a_blob_as_a_whole() -> None:
    value = {"a": ["x" * LIMIT]}
    record, blobs = written({"type": "tool_call", "seq": 1, "id": "a", "arguments": value, "name": "n"})
    data = codec.encode(value)
    digest = hashlib.sha256(data).hexdigest()
    assert record == {
        "type": "tool_call",
        "seq": 1,
        "id": "a",
        "argumentsBlob": {"blob": digest, "mediaType": "application/json", "bytes": len(data)},
        "name": "n",
    }
    assert blobs == {digest: data}


def test_a_stored_value_goes_to_the_blob_as_it_is() -> None:
    stored = b'{"k":  1.0e2, "t": "' + b"z" * LIMIT + b'"}'
    record, blobs = written({"type": "git-asr/unit", "seq": 1, "id": "a", "value": Raw(stored)})
    assert list(blobs.values()) == [stored]
    assert "value" not in record


def test_meta_becomes_a_blob_too() -> None:
    record, _ = written({"type": "x/y", "seq": 1, "id": "a", "_meta": {"k": "v" * LIMIT}})
    assert set(record) == {"type", "seq", "id", "_metaBlob"}


def test_text_is_utf_8_and_with_a_lone_surrogate_its_json() -> None:
    plain, blobs = written({"type": "git-asr/notice", "seq": 1, "id": "a", "text": "ä" * LIMIT})
    assert plain["textBlob"]["mediaType"] == "text/plain"
    assert blobs[plain["textBlob"]["blob"]] == ("ä" * LIMIT).encode()
    lone, blobs = written({"type": "git-asr/notice", "seq": 1, "id": "a", "text": "\ud800" + "a" * LIMIT})
    assert lone["textBlob"]["mediaType"] == "application/json"
    assert blobs[lone["textBlob"]["blob"]] == b'"\\ud800' + b"a" * LIMIT + b'"'


def test_a_long_text_part_becomes_a_part_with_a_blob() -> None:
    short = {"type": "text", "text": "short"}
    long = {"type": "text", "text": "l" * (LIMIT + 1), "lang": "en"}
    other = {"type": "json", "value": 1}
    record, blobs = written(
        {"type": "message", "seq": 1, "id": "a", "role": "user", "content": [short, long, other]}
    )
    data = b"l" * (LIMIT + 1)
    part = {
        "type": "text",
        "blob": hashlib.sha256(data).hexdigest(),
        "mediaType": "text/plain",
        "bytes": len(data),
    }
    assert record["content"] == [short, {**part, "lang": "en"}, other]
    assert list(blobs.values()) == [data]


def test_many_short_parts_become_one_blob() -> None:
    content = [{"type": "text", "text": "x" * 1000} for _ in range(100)]
    record, blobs = written({"type": "message", "seq": 1, "id": "a", "content": content})
    assert orjson.loads(blobs[record["contentBlob"]["blob"]]) == content


def test_content_of_an_unknown_shape_is_a_field_like_any_other() -> None:
    record, _ = written({"type": "x/y", "seq": 1, "id": "a", "content": "c" * LIMIT})
    assert record["contentBlob"]["mediaType"] == "text/plain"
    record, _ = written(
        {"type": "x/y", "seq": 1, "id": "a", "content": ["c" * LIMIT, {"type": "text", "text": 1}]}
    )
    assert record["contentBlob"]["mediaType"] == "application/json"


def test_ids_stay_however_long() -> None:
    record, blobs = written({"type": "x/y", "seq": 1, "id": "i" * LIMIT, "predecessors": ["p" * LIMIT]})
    assert (record["id"], blobs) == ("i" * LIMIT, {})
