from __future__ import annotations

from typing import Any

import orjson
import pytest

from git_asr.asr import large
from git_asr.asr.ids import holds_marker


def test_bytes_leave_the_record_however_few_they_are() -> None:
    blobs: dict[str, bytes] = {}

    def put(data: bytes, media_type: str) -> large.Blob:
        blob = large.describe(data, media_type)
        blobs[blob.sha256] = data
        return blob

    picture = {"type": "image", "data": b"\x00", "mediaType": "image/png", "capture": {"state": "masked"}}
    content: list[Any] = [{"type": "text", "text": "x"}, picture, 7, {"type": "json", "data": "text"}]
    record = {"type": "message", "seq": 1, "id": "a", "content": content}
    written = orjson.loads(large.line(record, put))
    (sha,) = blobs
    assert blobs[sha] == b"\x00"
    assert written["content"] == [
        content[0],
        {"type": "image", "blob": sha, "mediaType": "image/png", "bytes": 1, "capture": {"state": "masked"}},
        7,
        content[3],
    ]
    assert record["content"] is content
    assert content[1] is picture


@pytest.mark.parametrize("fields", [{"output": b"x"}, {"content": "x", "output": b"x"}, {"content": [b"x"]}])
def test_bytes_stand_in_parts_only(fields: dict[str, Any]) -> None:
    with pytest.raises(TypeError):
        large.line({"type": "message", "seq": 1, "id": "a", **fields}, large.describe)


def test_markers_anywhere_in_a_value() -> None:
    assert holds_marker({"a": [1, {"b": "say [REDACTED_TOKEN]"}]})
    assert holds_marker("REDACTED")
    assert not holds_marker({"a": [1, None, "UNREDACTEDLY", b"REDACTED"]})
