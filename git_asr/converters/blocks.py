"""Content blocks → parts of a record (profile section 4; reference native-transcripts, sections 1.5 and 2.17)."""

from __future__ import annotations

from typing import Any

from git_asr.converters.building import Part, absent, decoded, is_marker, listed, rest, text_part, word

_MEDIA = {"image": "image", "document": "file"}


def part(block: Any) -> Part:
    """The part for a content block, and what of the block it does not hold.

    Text becomes text, pictures and documents become bytes (``data``, for a blob), anything else stays JSON.
    """
    if not isinstance(block, dict):
        return {"type": "json", "value": block}, {}
    kind = block.get("type")
    if kind == "text" and isinstance(block.get("text"), str):
        return text_part(block["text"]), rest(block, ("type", "text")) if len(block) > 2 else {}
    if isinstance(kind, str) and kind in _MEDIA:
        return _media(block, _MEDIA[kind])
    return {"type": "json", "value": block}, {}


def parts(content: Any) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """The parts of a content that may be text or a list of blocks, and the leftovers by index."""
    if isinstance(content, str):
        return [text_part(content)], {}
    if not isinstance(content, list):
        return [{"type": "json", "value": content}], {}
    return listed(content, part)


def _media(block: dict[str, Any], kind: str) -> Part:
    source = block.get("source")
    if not isinstance(source, dict):
        return {"type": "json", "value": block}, {}
    text = source.get("data")
    data = decoded(text) if source.get("type") == "base64" and not is_marker(text) else None
    if data is None:
        state = {"capture": absent(text)} if isinstance(text, str) else {}
        return {"type": "json", "value": block, **state}, {}
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
