"""Texts, images and results of Goose's messages → parts of records (reference section 12.5)."""

from __future__ import annotations

from typing import Any

from git_asr.converters.building import holds, rest, text_part
from git_asr.converters.fields import part, text
from git_asr.converters.session import binary

_STATUS = {"success": "ok", "error": "error"}
_DECLINED = "The user has declined to run this tool"
_INTERRUPTED = "Interrupted by the user to make a correction"


def piece(one: Any) -> tuple[dict[str, Any] | None, dict[str, Any]]:
    """The part for a text or an image, and what it does not hold; None for anything else."""
    kind, said = text(one, "type"), text(one, "text")
    if kind == "text" and said is not None:
        return text_part(said), rest(one, ("type", "text"))
    if kind != "image":
        return None, {}
    made = binary(one.get("data"), one.get("mimeType"), one)
    if made["type"] == "json":
        return made, {}
    known = ("type", "data", "mimeType") if one.get("mimeType") == made["mediaType"] else ("type", "data")
    return made, rest(one, known)


def outcome(found: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Status, content and output of a result, and what they do not hold.

    The value is the result of an MCP tool, or, earlier, only its content. What is for people alone is no content: it
    stays in the output.
    """
    value, said = found.get("value"), text(found, "status")
    listed = value if isinstance(value, list) else part(found, "value").get("content")
    content: list[dict[str, Any]] = []
    over: dict[str, Any] = {}
    shown: list[Any] = []
    for at, one in enumerate(listed if isinstance(listed, list) else []):
        audience = part(one, "annotations").get("audience")
        if isinstance(audience, list) and audience and "assistant" not in audience:
            shown.append(one)
            continue
        made, more = piece(one)
        content.append({"type": "json", "value": one} if made is None else made)
        if more:
            over[str(at)] = more
    output = _beside(value, listed)
    if shown:
        output["shown"] = shown
    left = rest(found, ("value", "error", *(("status",) if said in _STATUS else ())))
    if over:
        left["content"] = over
    error = found.get("error")
    if holds(error):
        content.append(text_part(error) if isinstance(error, str) else {"type": "json", "value": error})
    status = _STATUS.get(said or "", "unknown")
    if status == "ok" and part(found, "value").get("isError") is True:
        status = "error"
    texts = [one["text"] for one in content if one["type"] == "text"]
    if any(one.startswith(_DECLINED) for one in texts):
        status = "rejected"
    elif status == "error" and any(one.startswith(_INTERRUPTED) for one in texts):
        status = "cancelled"
    return {"status": status, "content": content, **({"output": output} if output else {})}, left


def _beside(value: Any, listed: Any) -> dict[str, Any]:
    """What a result says beside its content."""
    if not isinstance(value, dict):
        return {"value": value} if holds(value) and value is not listed else {}
    known = {"content"} if isinstance(listed, list) else set()
    return rest(value, known | ({"isError"} if isinstance(value.get("isError"), bool) else set()))
