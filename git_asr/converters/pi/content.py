"""Content of messages and of results → parts of records (reference sections 6.2 and 1.5)."""

from __future__ import annotations

from typing import Any

from git_asr.converters.building import encoded_part, rest, text_part

_STORED = "blob:sha256:"
"""With this and a digest the fork refers to bytes in a store of its own."""


def part(block: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """The part for a content block, and what of the block it does not hold."""
    kind = block.get("type") if isinstance(block, dict) else None
    if kind == "text" and isinstance(block.get("text"), str):
        return text_part(block["text"]), rest(block, ("type", "text"))
    if kind != "image" or not isinstance(data := block.get("data"), str):
        return {"type": "json", "value": block}, {}
    if data.startswith(_STORED):
        capture = {"state": "omitted", "reason": "stored outside the session"}
        return {"type": "json", "value": block, "capture": capture}, {}
    made = encoded_part(data, block.get("mimeType"), block)
    taken = (
        ("type", "data", "mimeType") if made.get("mediaType") == block.get("mimeType") else ("type", "data")
    )
    return made, rest(block, taken) if "data" in made else {}


def parts(content: Any) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """The parts of a content that may be text or a list of blocks, and the leftovers by index."""
    if content in (None, "", []):
        return [], {}
    listed = content if isinstance(content, list) else [content]
    found = [(text_part(one), {}) if isinstance(one, str) else part(one) for one in listed]
    return [one for one, _ in found], {str(at): over for at, (_, over) in enumerate(found) if over}
