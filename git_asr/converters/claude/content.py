"""Content blocks → parts of a record (profile section 4; reference native-transcripts, sections 1.5 and 2.17)."""

from __future__ import annotations

import base64
import re
from typing import Any

from git_asr.converters.claude.line import rest, word

_ASSET = "entire-asset:"
_MARKERS = re.compile(r"(?:\[?REDACTED(?:_[A-Z0-9]++)*+\]?+|[\s/+=:,.-]++)++")
_MEDIA = {"image": "image", "document": "file"}
_CANONICAL = re.compile(r"[A-Za-z0-9+/]*={0,2}")


def part(block: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """The part for a content block, and what of the block it does not hold.

    Text becomes text, pictures and documents become bytes (``data``, for a blob), anything else stays JSON.
    """
    if not isinstance(block, dict):
        return {"type": "json", "value": block}, {}
    kind = block.get("type")
    if kind == "text" and isinstance(block.get("text"), str):
        one = {"type": "text", "text": block["text"]}
        return one, rest(block, ("type", "text")) if len(block) > 2 else {}
    if isinstance(kind, str) and kind in _MEDIA:
        return _media(block, _MEDIA[kind])
    return {"type": "json", "value": block}, {}


def parts(content: Any) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """The parts of a content that may be text or a list of blocks, and the leftovers by index."""
    if isinstance(content, str):
        return [{"type": "text", "text": content}], {}
    if not isinstance(content, list):
        return [{"type": "json", "value": content}], {}
    found, left = [], {}
    for index, block in enumerate(content):
        one, over = part(block)
        found.append(one)
        if over:
            left[str(index)] = over
    return found, left


def decoded(text: Any) -> bytes | None:
    """The bytes of base64 that writing them anew gives back; None for anything else."""
    if not isinstance(text, str) or not text or len(text) % 4 or not _CANONICAL.fullmatch(text):
        return None
    data = base64.b64decode(text)
    return data if base64.b64encode(data) == text.encode() else None


def _media(block: dict[str, Any], kind: str) -> tuple[dict[str, Any], dict[str, Any]]:
    source = block.get("source")
    if not isinstance(source, dict):
        return {"type": "json", "value": block}, {}
    text = source.get("data")
    data = decoded(text) if source.get("type") == "base64" and not is_marker(text) else None
    if data is None:
        state = _capture(text)
        return {"type": "json", "value": block, **({"capture": state} if state else {})}, {}
    media = word(source.get("media_type"))
    left = rest(block, ("type", "source"))
    over = rest(source, ("type", "data", "media_type") if media else ("type", "data"))
    if over:
        left["source"] = over
    return {
        "type": kind,
        "data": data,
        "mediaType": media or "application/octet-stream",
    }, left


def is_marker(text: Any) -> bool:
    """Tell whether a text is nothing but redaction markers and what separates them."""
    return isinstance(text, str) and "REDACTED" in text and _MARKERS.fullmatch(text) is not None


def _capture(text: Any) -> dict[str, Any] | None:
    """What became of bytes that are not here."""
    if not isinstance(text, str):
        return None
    if text.startswith(_ASSET):
        return {"state": "omitted", "reason": "an asset of the checkpoint"}
    if is_marker(text):
        return {"state": "masked"}
    return {"state": "omitted", "reason": "not base64"}
