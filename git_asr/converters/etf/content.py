"""Blocks of text and pictures → parts of a record (reference entire-checkpoints, section 4.2)."""

from __future__ import annotations

from typing import Any

from git_asr.converters.building import absent, decoded, is_marker, rest, text_part, word


def part(block: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """The part for a block that is no call, and what of the block it does not hold.

    Text under the user's role has no type. A picture becomes bytes (``data``, for a blob); of one that is not here,
    and of any other block, the JSON stays.
    """
    if isinstance(block, str):
        return text_part(block), {}
    if not isinstance(block, dict):
        return {"type": "json", "value": block}, {}
    kind = block.get("type", "text")
    if kind == "text" and isinstance(block.get("text"), str):
        return text_part(block["text"]), rest(block, ("type", "text"))
    if kind == "image" and isinstance(source := block.get("source"), dict):
        return _picture(block, source)
    return {"type": "json", "value": block}, {}


def _picture(block: dict[str, Any], source: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    encoded = source.get("data")
    data = decoded(encoded) if source.get("type") == "base64" and not is_marker(encoded) else None
    if data is None:
        capture = {"capture": absent(encoded)} if isinstance(encoded, str) else {}
        return {"type": "json", "value": block, **capture}, {}
    media = word(source.get("media_type"))
    left = rest(block, ("type", "source"))
    if over := rest(source, ("type", "data") if media is None else ("type", "data", "media_type")):
        left["source"] = over
    return {"type": "image", "data": data, "mediaType": media or "application/octet-stream"}, left
