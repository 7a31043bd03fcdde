"""Large values leave the record for a blob (profile section 1, *large values*)."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from git_asr.asr import codec
from git_asr.asr.draft import Record

FIELD_LIMIT = 64 * 1024
"""Bytes of a field's JSON text; a longer one becomes a blob."""

ENVELOPE = frozenset(
    (
        *("type", "seq", "id", "idSource", "idScope", "ts", "predecessors", "supersedes", "copiedFrom"),
        *("inferenceId", "capture", "stream", "session", "sessionIds", "messageId", "callId", "callIdSource"),
        *("requestId", "formatVersion"),
    )
)
"""Fields that are never replaced: the IDs of section 3 and what a reader needs to know where a record stands."""


@dataclass(frozen=True, slots=True)
class Blob:
    """The manifest entry of a blob: SHA-256 in hex, size in bytes, media type; ``other``: fields beside these, kept."""

    sha256: str
    bytes: int
    media_type: str
    other: Mapping[str, Any] = field(default_factory=dict)


PutBlob = Callable[[bytes, str], Blob]
"""Stores bytes of a media type and names them."""


def describe(data: bytes, media_type: str) -> Blob:
    """The manifest entry for these bytes."""
    return Blob(hashlib.sha256(data).hexdigest(), len(data), media_type)


def line(record: Record, put: PutBlob) -> bytes:
    """Write one record as a line with its LF; fields whose JSON text exceeds 64 KiB go through ``put``.

    A part of ``content`` with ``data`` (bytes) and ``mediaType`` becomes one with a blob, however small it is. A text
    part that is too long becomes a part with a blob; any other field becomes ``<field>Blob``:
    ``{blob, mediaType, bytes}``, as UTF-8 for a string, as JSON text for everything else.
    """
    try:
        data = codec.strict_line(record)
    except TypeError:  # bytes, which few records have, or what orjson does not write
        content = record.get("content")
        parts = content if isinstance(content, list) else []
        if any(map(_is_binary, parts)):
            record = {**record, "content": [_binary(one, put) if _is_binary(one) else one for one in parts]}
        data = codec.encode_line(record)
    if len(data) <= FIELD_LIMIT + 1:
        return data
    small: Record = {}
    for name, value in record.items():
        kept = _content(value, put) if name == "content" else value
        if name in ENVELOPE or len(text := codec.encode(kept)) <= FIELD_LIMIT:
            small[name] = kept
        else:
            small[name + "Blob"] = _reference(*_payload(kept, text), put)
    return codec.encode_line(small)


def references(records: Iterable[Record]) -> dict[str, str]:
    """The blobs that records name in fields of their own, by SHA-256, with the smallest media type that they say."""
    found: dict[str, str] = {}
    for record in records:
        content = record.get("content")
        parts = content if isinstance(content, list) else []
        named = [value for name, value in record.items() if name.endswith("Blob")] + parts
        for one in named:
            sha256 = one.get("blob") if isinstance(one, dict) else None
            if isinstance(sha256, str):
                media = str(one.get("mediaType") or "application/octet-stream")
                found[sha256] = min(media, found.get(sha256, media))
    return found


def _is_binary(part: Any) -> bool:
    return isinstance(part, dict) and isinstance(part.get("data"), bytes)


def _binary(part: dict[str, Any], put: PutBlob) -> dict[str, Any]:
    """A part whose bytes lie in a blob."""
    rest = {key: value for key, value in part.items() if key not in ("type", "data", "mediaType")}
    return {"type": part["type"], **_reference(part["data"], part["mediaType"], put), **rest}


def _content(value: Any, put: PutBlob) -> Any:
    """The parts of a message with their long texts replaced."""
    if not isinstance(value, list):
        return value
    return [_part(part, put) for part in value]


def _part(part: Any, put: PutBlob) -> Any:
    if not isinstance(part, dict) or part.get("type") != "text" or not isinstance(part.get("text"), str):
        return part
    text = codec.encode(part["text"])
    if len(text) <= FIELD_LIMIT:
        return part
    rest = {key: value for key, value in part.items() if key not in ("type", "text")}
    return {"type": "text", **_reference(*_payload(part["text"], text), put), **rest}


def _payload(value: Any, text: bytes) -> tuple[bytes, str]:
    """The bytes of a blob and their media type: UTF-8 for text without lone surrogates, else the JSON text."""
    if isinstance(value, str):
        try:
            return value.encode("utf-8"), "text/plain"
        except UnicodeEncodeError:
            pass
    return text, "application/json"


def _reference(data: bytes, media_type: str, put: PutBlob) -> dict[str, Any]:
    blob = put(data, media_type)
    return {"blob": blob.sha256, "mediaType": blob.media_type, "bytes": blob.bytes}
