"""Images in ATIF: files beside the trajectories, to which the contents refer."""

from __future__ import annotations

import hashlib
import json
from typing import Any

import pytest

from git_asr.asr.reading import Stream
from git_asr.exporters import registry
from git_asr.exporters.atif import ATIF
from git_asr.exporters.jsonl import JSONL
from tests.asr.streams import stream
from tests.exporters import exporting

PNG = b"\x89PNG\r\n\x1a\n" + b"pixels"
BYTES = {
    "png": PNG,
    "jpg": b"\xff\xd8\xff\xe0\x00",
    "gif": b"GIF89a\x00",
    "webp": b"RIFF\x00\x01\x02\x03WEBPVP8 \x00",
    "page": b"<script>alert(1)</script>\xff",
    "wave": b"RIFF\x00\x01\x02\x03WAVE\x00",
}


BLOBS = {hashlib.sha256(data).hexdigest(): data for data in BYTES.values()}


def digest(kind: str) -> str:
    return hashlib.sha256(BYTES[kind]).hexdigest()


def image(kind: str, media: str = "image/png") -> dict[str, Any]:
    return {"type": "image", "blob": digest(kind), "mediaType": media, "bytes": len(BYTES[kind])}


def said(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}


def told(identifier: str, seq: int, *parts: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "message",
        "id": identifier,
        "seq": seq,
        "role": "user",
        "author": "human",
        "content": [*parts],
    }


def exported(*streams: Stream, exporter: Any = ATIF) -> tuple[exporting.Files, Any]:
    files, losses = exporting.written(exporter, [exporting.session(*streams, blob=BLOBS.get)])
    exporting.check(exporter.name, files)
    return files, losses


def place(kind: str) -> str:
    return f"images/{digest(kind)}.{kind}"


def shown(kind: str, media: str) -> dict[str, Any]:
    return {"type": "image", "source": {"media_type": media, "path": place(kind)}}


@pytest.mark.parametrize("kind", ["png", "jpg", "gif", "webp"])
def test_an_image_is_a_file_of_what_it_is_whatever_it_is_called(kind: str) -> None:
    files, losses = exported(
        stream(told("a", 1, said("look"), said("here"), image(kind, "image/tiff"), said("so?")))
    )
    media = "image/jpeg" if kind == "jpg" else f"image/{kind}"
    content = json.loads(files["h/s.json"])["steps"][0]["message"]
    assert content == [said("look\nhere"), shown(kind, media), said("so?")]
    assert files[f"h/{place(kind)}"] == BYTES[kind]
    assert losses.counts["binary"] == 0


def test_results_of_tools_have_images_too_and_an_image_is_written_once() -> None:
    call = {"type": "tool_call", "id": "c", "seq": 2_000_000, "callId": "t", "name": "Shot", "arguments": {}}
    result = {"type": "tool_result", "id": "r", "seq": 3_000_000, "callId": "t", "status": "success"}
    one = stream(told("a", 1, image("png")), call, {**result, "content": [image("png"), image("jpg")]})
    files, _ = exported(one, stream(told("a", 1, image("png")), identifier="other"))
    steps = json.loads(files["h/s.json"])["steps"]
    assert steps[0]["message"] == [shown("png", "image/png")]
    (got,) = steps[1]["observation"]["results"]
    assert got["content"] == [shown("png", "image/png"), shown("jpg", "image/jpeg")]
    assert list(files) == ["h/s.json", f"h/{place('png')}", f"h/{place('jpg')}", "h/other.json"]


@pytest.mark.parametrize("kind", ["page", "wave"])
def test_what_is_no_image_is_only_named(kind: str) -> None:
    files, losses = exported(stream(told("a", 1, image(kind))))
    assert list(files) == ["h/s.json"]
    assert losses.counts["binary"] == 1
    message = json.loads(files["h/s.json"])["steps"][0]["message"]
    assert message == f"[image image/png, {len(BYTES[kind])} bytes, SHA-256 {digest(kind)}]"


def test_a_part_that_claims_a_file_gets_none() -> None:
    claim = {
        "type": "image",
        "path": "../../etc/passwd",
        "source": {"media_type": "image/png", "path": "/etc/passwd"},
    }
    files, _ = exported(stream(told("a", 1, claim)))
    assert list(files) == ["h/s.json"]
    assert isinstance(json.loads(files["h/s.json"])["steps"][0]["message"], str)


def test_an_export_that_is_one_file_only_names_images() -> None:
    files, losses = exported(stream(told("a", 1, image("png"))), exporter=registry.alone(ATIF))
    assert (list(files), losses.counts["binary"]) == (["h/s.json"], 1)
    assert registry.alone(JSONL) is JSONL
