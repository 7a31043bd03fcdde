"""Bytes and texts that people attach and tools return → parts of records (reference sections 7.2, 7.5 and 1.5)."""

from __future__ import annotations

from typing import Any

from git_asr.converters.building import encoded_part, rest, text_part, word
from git_asr.converters.fields import text


def holds_bytes(one: Any) -> bool:
    """Whether something is bytes as base64."""
    return text(one, "data") is not None


def binary(one: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """The part for bytes, and what it does not hold."""
    media = word(one.get("mimeType"))
    part = encoded_part(one["data"], media, one)
    if "data" not in part:
        return part, {}
    return part, rest(one, ("data",) if media is None else ("data", "mimeType"))


def listed(found: Any) -> list[Any]:
    """A list, empty where there is none."""
    return found if isinstance(found, list) else []


def returned(result: dict[str, Any]) -> tuple[list[dict[str, Any]], dict[str, Any], dict[str, Any]]:
    """What a tool's result gives the model, what else the tool returned, and what neither holds.

    The text for the model may be shorter than ``detailedContent``, which is for people; ``contents`` are the parts as
    an MCP server gave them, of which the text is made.
    """
    content: list[dict[str, Any]] = []
    output: dict[str, Any] = {}
    left: dict[str, Any] = {}
    said = text(result, "content")
    if said:
        content.append(text_part(said))
    detailed = result.get("detailedContent")
    if detailed != said and (detailed or detailed == 0):
        output["detailedContent"] = detailed
    others = []
    for key in ("binaryResultsForLlm", "contents"):
        for index, one in enumerate(listed(result.get(key))):
            if holds_bytes(one):
                part, over = binary(one)
                if part not in content:
                    content.append(part)
                if over:
                    left.setdefault(key, {})[str(index)] = over
            elif key == "contents":
                others.append(one)
            else:
                content.append({"type": "json", "value": one})
    if others and others != [{"type": "text", "text": said}]:
        output["contents"] = others
    taken = {key for key in ("binaryResultsForLlm", "contents") if isinstance(result.get(key), list)}
    over = rest(result, {*taken, "detailedContent", *(("content",) if said is not None else ())})
    return content, output, {**over, **left}
