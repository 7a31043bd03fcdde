"""Puts blobs back where they came from, so that a record can be masked as a whole."""

from __future__ import annotations

from typing import Any

from git_asr.asr import codec
from git_asr.asr.draft import Record
from git_asr.asr.links import CHECKPOINT
from git_asr.asr.reading import GetBlob

ABSENT: dict[str, Any] = {"state": "omitted", "reason": "the blob is not there"}
LEFT_OUT: dict[str, Any] = {"state": "omitted", "reason": "left out by the redaction policy"}
_END = "Blob"
_NUL = b"\x00"
_JSON = "application/json"


def inlined(record: Record, blob: GetBlob) -> Record:
    """The record with its values in place of references to blobs; ``large.line`` takes them out again.

    A field whose blob is absent is left out, and the record says so. Parts of a content with bytes that are no text
    have them under ``data``; where the blob is absent the part says so.
    """
    if not any(field.endswith(_END) and _names_blob(value) for field, value in record.items()):
        content = record.get("content")
        if not isinstance(content, list) or not any(map(_names_blob, content)):
            return record
    out: Record = {}
    absent = False
    for field, value in record.items():
        if field.endswith(_END) and _names_blob(value):
            data = blob(value["blob"])
            if data is None:
                absent = True
            else:
                out[field.removesuffix(_END)] = _value(data, value.get("mediaType"))
        else:
            out[field] = value
    if isinstance(out.get("content"), list):
        listed = record.get("type") == CHECKPOINT
        out["content"] = [
            _part(part, blob, listed=listed) if _names_blob(part) else part for part in out["content"]
        ]
    if absent:
        out.setdefault("capture", ABSENT)
    return out


def without_content(part: dict[str, Any], capture: dict[str, Any], *, listed: bool) -> dict[str, Any]:
    """What stands for a part whose content is not there: what else was known of it, as JSON.

    ``listed``: it is one of the files that a checkpoint record lists, which has a word for that.
    """
    if listed:
        return {**part, "absent": True, "capture": dict(capture)}
    return {"type": "json", "value": part, "capture": dict(capture)}


def text(data: bytes) -> str | None:
    """Bytes as text; None where they are none: not UTF-8, or with NULs."""
    if _NUL in data:
        return None
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return None


def _names_blob(value: Any) -> bool:
    return isinstance(value, dict) and isinstance(value.get("blob"), str)


def _value(data: bytes, media: Any) -> Any:
    """The value of a field. What is neither text nor JSON, which no field is, is read as text."""
    if media == _JSON:
        try:
            found = codec.decode(data)
        except ValueError:
            pass
        else:
            if not found.flags:
                return found.value
    return data.decode("utf-8", "replace")


def _part(part: dict[str, Any], blob: GetBlob, *, listed: bool) -> dict[str, Any]:
    rest = {key: value for key, value in part.items() if key not in ("blob", "bytes", "mediaType")}
    data = blob(part["blob"])
    media = part.get("mediaType")
    media = media if isinstance(media, str) else "application/octet-stream"
    if data is None:
        return without_content({**rest, "mediaType": media}, ABSENT, listed=listed)
    if part.get("type") == "text":
        return {
            "type": "text",
            "text": _text_of(data, media),
            **{k: v for k, v in rest.items() if k != "type"},
        }
    return {**rest, "data": data, "mediaType": media}


def _text_of(data: bytes, media: str) -> str:
    found = _value(data, media)
    return found if isinstance(found, str) else data.decode("utf-8", "replace")
