"""Content, files and counters of Amp's messages → parts of records (reference section 12.4)."""

from __future__ import annotations

from typing import Any

from git_asr.converters import fields
from git_asr.converters.building import CONTENT, holds, rest, text_part
from git_asr.converters.fields import part, text, time
from git_asr.converters.session import Entry, binary

RUN_ENDED = {"done": "ok", "error": "error", "cancelled": "cancelled", "rejected-by-user": "rejected"}
"""How a run that ended did."""
_NO_TIME = "0001-01-01"
"""What a time that is not there becomes where Entire's adapter writes a message anew."""
_COUNTERS = (
    "inputTokens",
    "cacheReadInputTokens",
    "cacheCreationInputTokens",
    "outputTokens",
    "totalInputTokens",
)
_SHOWN = ("output", "diff", "content")
"""Keys of a result under which its text stands: of a command, a change, a file that was read."""


def moment(found: Any) -> str | None:
    """A time that Entire's adapter may have made up of nothing."""
    found_time = time(found, "timestamp")
    return None if found_time is None or found_time.startswith(_NO_TIME) else found_time


def replace(left: dict[str, Any], key: str, more: dict[str, Any]) -> None:
    """Of what is under a key only ``more`` is left."""
    if more:
        left[key] = more
    else:
        left.pop(key, None)


def piece(one: Any) -> tuple[dict[str, Any] | None, dict[str, Any]]:
    """The part for a text or an image, and what it does not hold; None for anything else."""
    kind = text(one, "type")
    if kind == "text" and isinstance(one.get("text"), str):
        return text_part(one["text"]), rest(one, ("type", "text"))
    if kind != "image":
        return None, {}
    source = part(one, "source") or one
    media = "mediaType" if "mediaType" in source else "mimeType"
    made = binary(source.get("data"), source.get(media), one)
    if made["type"] == "json":
        return made, {}
    taken = {"type", "data", "source"} | ({media} if source.get(media) == made["mediaType"] else set())
    left = rest(one, taken)
    own = taken - {"source"} if isinstance(source.get("type"), str) else taken - {"source", "type"}
    if source is not one and (over := rest(source, own)):
        left["source"] = over
    return made, left


def mention(entry: Entry, block: int, one: Any) -> None:
    """A file that a person named, with what stood in it."""
    name = text(one, "path") or text(one, "uri")
    found = text(one, "content")
    if not name or found is None:
        entry.keep(block, "file", one)
        return
    made = text_part(found)
    if one.get("isImage") is True:
        made = binary(found, part(one, "imageInfo").get("mimeType"), found)
    told = {"kind": "file", "name": name, "content": [made]}
    key = "path" if text(one, "path") else "uri"
    entry.put(CONTENT, "git-asr/attachment", told, block=block, meta=rest(one, (key, "content")))


def returned(run: dict[str, Any]) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """The content of what a tool returned, and what else its run says."""
    taken = {"error", "result", *(("status",) if text(run, "status") in RUN_ENDED else ())}
    content, more = shown(run.get("result"))
    over = rest(run, taken)
    if holds(more):
        over["result"] = more
    error = run.get("error")
    if (said := error if isinstance(error, str) else text(error, "message")) is not None:
        content.append(text_part(said))
        error = rest(error, ("message",)) if isinstance(error, dict) else None
    if holds(error):
        over["error"] = error
    if reason := text(run, "reason"):
        content.append(text_part(reason))
        del over["reason"]
    return content, over


def shown(found: Any) -> tuple[list[dict[str, Any]], Any]:
    """The parts for a result: its text or its images, else all of it as JSON; and what else it says."""
    if isinstance(found, str):
        return ([text_part(found)] if found else []), None
    made = [piece(one) for one in found] if isinstance(found, list) else []
    parts = [one for one, left in made if one is not None and not left]
    if parts and len(parts) == len(made):
        return parts, None
    if isinstance(found, dict):
        if found.get("isImage") is True:
            image = binary(found.get("content"), part(found, "imageInfo").get("mimeType"), None)
            if image["type"] != "json":
                return [image], rest(found, ("content",))
        key = next((key for key in _SHOWN if text(found, key)), None)
        if key is not None:
            return [text_part(found[key])], rest(found, (key,))
    return ([{"type": "json", "value": found}] if holds(found) else []), None


def normal(found: Any, taken: set[str]) -> tuple[dict[str, Any], Any]:
    """Counters in the profile's normal form, and what has no place there.

    Input excludes what was read from and written to the cache; the total is the sum of the three. Where all are zero
    nothing was counted: so Entire's adapter writes what is not there.
    """
    known = fields.counters(found, _COUNTERS)
    if not any(known.values()):
        return {}, rest(found, taken) if isinstance(found, dict) else found
    made: dict[str, Any] = {}
    if "inputTokens" in known:
        made["input"] = {"uncached": known["inputTokens"], "includesCache": False}
    for key, field in (("cacheReadInputTokens", "cacheRead"), ("cacheCreationInputTokens", "cacheWrite")):
        if key in known:
            made[field] = known[key]
    if "outputTokens" in known:
        made["output"] = {"total": known["outputTokens"]}
    if known.get("totalInputTokens") != sum(known.get(key, 0) for key in _COUNTERS[:3]):
        known.pop("totalInputTokens", None)
    return made, rest(found, {*taken, *known, *(("timestamp",) if moment(found) else ())})
