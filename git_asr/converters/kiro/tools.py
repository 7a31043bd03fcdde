"""Calls and results, in the forms of the documents and of the lines."""

from __future__ import annotations

from typing import Any

from git_asr.asr import codec
from git_asr.converters import fields
from git_asr.converters.building import call_identity, holds, rest, text_part, word
from git_asr.converters.kiro.state import Saying

_ENDED = {"success": "ok", "error": "error"}
_CANCELLED = "Tool use was cancelled by the user"
_ORIGINAL = (("orig_name", "name"), ("orig_args", "args"))
"""What the model wrote, where that is not what was run."""


def call(saying: Saying, found: Any, key: str, arguments: str) -> None:
    """A call; ``key``, ``arguments``: where its ID and its arguments stand."""
    name = word(found.get("name")) if isinstance(found, dict) else None
    if name is None:
        saying.keep("toolUse", found)
        return
    same = {one for one, other in _ORIGINAL if one in found and _equal(found[one], found.get(other))}
    meta = rest(found, {key, "name", arguments, *same})
    told: dict[str, Any] = {**call_identity(found.get(key), saying.here, key, meta), "name": name}
    if arguments in found:
        told["arguments"] = found[arguments]
    saying.add("tool_call", told, found, meta=meta)


def _equal(one: Any, other: Any) -> bool:
    return codec.identity(one) == codec.identity(other)


def result(saying: Saying, found: Any, *, cancelled: bool = False) -> None:
    """A result; ``cancelled``: the person stopped the call before it ended."""
    if not isinstance(found, dict):
        saying.keep("toolResult", found)
        return
    key = next((key for key in ("tool_use_id", "toolUseId") if key in found), "id")
    taken = {key, "content", "result"}
    listed = found.get("content")
    content = [part(one) for one in listed] if isinstance(listed, list) else _whole(listed)
    content += _whole(found.get("result"))
    status = _status(found, taken)
    if cancelled or any(one.get("text") == _CANCELLED for one in content):
        status = "cancelled"
    meta = rest(found, taken)
    identity = call_identity(found.get(key), saying.here, key, meta)
    saying.add("tool_result", {**identity, "status": status, "content": content}, found, meta=meta)


def _status(found: dict[str, Any], taken: set[str]) -> str:
    """How a call ended; the keys that say so are added to those that are ``taken``."""
    said = fields.text(found, "status")
    if said is not None and said.lower() in _ENDED:
        taken.add("status")
        return _ENDED[said.lower()]
    failed = found.get("is_error")
    if isinstance(failed, bool):
        taken.add("is_error")
        return "error" if failed else "ok"
    return "unknown"


def part(found: Any) -> dict[str, Any]:
    """The part for a piece of content: a tagged union, or a kind and its data."""
    if isinstance(found, dict):
        if found.keys() == {"kind", "data"} and found["kind"] in ("text", "json"):
            return _part(found["data"])
        if found.keys() in ({"Text"}, {"Json"}):
            return _part(next(iter(found.values())))
    return {"type": "json", "value": found}


def _part(found: Any) -> dict[str, Any]:
    return text_part(found) if isinstance(found, str) else {"type": "json", "value": found}


def _whole(found: Any) -> list[dict[str, Any]]:
    """The content that one value is, if it says something."""
    return [_part(found)] if holds(found) else []
