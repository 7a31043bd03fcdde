"""Content of messages and of results → parts of records (reference sections 4.2 and 1.5)."""

from __future__ import annotations

from typing import Any

from git_asr.converters import fields
from git_asr.converters.building import Part, absent, decoded, is_marker, listed, rest, text_part, word


def part(found: Any) -> Part:
    """The part for one of Gemini's, and what of that it does not hold.

    Text becomes text, inline data becomes bytes, anything else stays JSON.
    """
    if isinstance(found, str):
        return text_part(found), {}
    said = fields.text(found, "text")
    if said is not None:
        return text_part(said), rest(found, ("text",))
    inline = found.get("inlineData") if isinstance(found, dict) else None
    if not isinstance(inline, dict) or not isinstance(inline.get("data"), str):
        return {"type": "json", "value": found}, {}
    data = None if is_marker(inline["data"]) else decoded(inline["data"])
    if data is None:
        return {"type": "json", "value": found, "capture": absent(inline["data"])}, {}
    media = word(inline.get("mimeType"))
    left = rest(found, ("inlineData",))
    if over := rest(inline, ("data",) if media is None else ("data", "mimeType")):
        left["inlineData"] = over
    kind = "image" if (media or "").startswith("image/") else "file"
    return {"type": kind, "data": data, "mediaType": media or "application/octet-stream"}, left


def parts(found: Any) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """The parts of a content that may be text, one part or a list, and the leftovers by index."""
    if found in (None, "", []):
        return [], {}
    return listed(found if isinstance(found, list) else [found], part)


def texts(found: Any) -> str:
    """All texts of a content."""
    every = found if isinstance(found, list) else [found]
    said = [one if isinstance(one, str) else fields.text(one, "text") for one in every]
    return "\n".join(one for one in said if one is not None)
