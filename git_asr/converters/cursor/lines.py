"""Lines of Cursor: messages without IDs, and marks at the end of a turn."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from git_asr.asr.codec import NON_FINITE
from git_asr.asr.draft import Draft
from git_asr.converters import opaque
from git_asr.converters.base import Embedded, NativeFormat, Unit
from git_asr.converters.building import (
    CONTENT,
    MAX_BLOCKS,
    Building,
    join,
    rest,
    vendor_type,
    word,
)
from git_asr.converters.cursor import said
from git_asr.converters.cursor.said import VENDOR
from git_asr.converters.cursor.slots import REST
from git_asr.converters.fields import part, text, time
from git_asr.converters.versions import VERSIONS

_ABORTED = "User aborted"
"""How the error of a turn begins that the person stopped."""


class CursorMessages:
    """The converter of lines; one line says nothing of another."""

    name = "cursor"
    version = VERSIONS["cursor"]
    lossy: opaque.Losses = (
        *opaque.CONVERTED_LINE_LOSSES,
        *said.LOSSES,
        {"feature": "tool_results", "reason": "the source does not tell what a tool returned, nor if it did"},
    )
    format_version: str | None = None
    workspace: dict[str, Any] | None = None
    embedded: Sequence[Embedded] = ()

    def convert(self, units: Iterator[Unit], _: NativeFormat | None, __: str = "") -> Iterator[Draft]:
        """Yield the drafts of the units; a malformed last one is held back."""
        for unit in opaque.settled(units):
            if unit.kind == "malformed":
                yield opaque.notice(unit)
            else:
                yield from _drafts(unit)


def _drafts(unit: Unit) -> list[Draft]:
    """The drafts of one line, in order."""
    value = unit.value
    building = Building(unit, VENDOR, time(value, "timestamp"))
    if isinstance(value, dict) and NON_FINITE not in unit.flags:
        left = _message(building, value) if "role" in value else _mark(building, value)
        if left is not None:
            stamp = value.get("timestamp")
            if stamp == building.ts:
                left.pop("timestamp", None)
            return building.finish(unit, left)
    building.whole(unit, text(value, "type") or text(value, "role"))
    return building.finish(unit, {})


def _message(building: Building, value: dict[str, Any]) -> dict[str, Any] | None:
    """A message; what of it no record holds, None where it is none."""
    role, message = value["role"], value.get("message")
    content = message.get("content") if isinstance(message, dict) else None
    if role not in ("user", "assistant") or not isinstance(content, str | list):
        return None
    left: dict[str, Any] = {}
    if isinstance(content, str):
        building.blocks = 1
        _text(building, role, 0, content)
    else:
        for index, one in enumerate(content[:MAX_BLOCKS]):
            building.blocks = index + 1
            over = _block(building, role, index, one)
            if over:
                left[str(index)] = over
        if more := content[MAX_BLOCKS:]:
            building.after(REST, vendor_type(VENDOR, "content"), {"value": more})
    found = rest(value, ("role", "message"))
    if over := rest(part(value, "message"), ("content",)):
        found = join(found, {"message": over})
    if left:
        found = join(found, {"content": left})
    if not building.drafts:
        building.put(CONTENT, "message", {"role": role, "author": "unknown", "content": []})
    return found


def _text(building: Building, role: str, block: int, found: str) -> None:
    if not found:
        return
    if role == "user":
        said.typed(building, block, found)
    else:
        said.answered(building, block, found)


def _block(building: Building, role: str, block: int, one: Any) -> dict[str, Any]:
    """The records of a block; what they do not hold."""
    kind = text(one, "type")
    found = text(one, "text")
    if kind == "text" and found is not None:
        _text(building, role, block, found)
        return rest(one, ("type", "text"))
    if kind == "thinking":
        key = "thinking" if text(one, "thinking") is not None else "text"
        if text(one, key) is not None:
            said.thought(building, block, one[key])
            return rest(one, ("type", key))
    if kind == "tool_use" and (name := word(one.get("name"))) is not None:
        said.called(building, block, name, one.get("input"), id=one.get("id"))
        return rest(one, ("type", "id", "name", "input"))
    building.put(CONTENT, vendor_type(VENDOR, kind or "block"), {"value": one}, block=block)
    return {}


def _mark(building: Building, value: dict[str, Any]) -> dict[str, Any] | None:
    """The end of a turn; what of it no record holds, None where it is none that is known."""
    status, error = value.get("status"), text(value, "error")
    if value.get("type") != "turn_ended":
        return None
    if status == "success":
        building.put(CONTENT, "state", {"state": "idle"})
        return rest(value, ("type", "status"))
    if not error:
        return None
    if error.startswith(_ABORTED):
        building.put(CONTENT, "state", {"state": "interrupted", "reason": error})
    else:
        building.put(CONTENT, "git-asr/notice", {"level": "error", "kind": "turn_ended", "text": error})
    return rest(value, ("type", "error", *(("status",) if status == "error" else ())))
