"""Copilot CLI's sessions, converted: what the tests of the converter share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import orjson

from git_asr.asr.draft import Record
from git_asr.asr.ids import PART_SPAN, SECOND_VALUE
from git_asr.asr.numbering import number
from git_asr.converters import fields
from git_asr.converters.base import Unit
from git_asr.converters.copilot.converter import CopilotEvents
from git_asr.converters.units import read_lines
from tests.support.losslessness import Lost, Path, leaves, lost, written

SESSION = "e5c0f8a0-0000-4000-8000-00000000c001"
VENDOR = "com.github.copilot-cli"


def units(text: bytes) -> list[Unit]:
    return list(read_lines([text]))


def streams(found: Sequence[Unit]) -> dict[str, list[Record]]:
    """The records of the session, and of each of its subagents."""
    converter = CopilotEvents()
    result = {SESSION: list(number(converter.convert(iter(found), None, SESSION)))}
    for one in converter.embedded:
        name = f"{SESSION}.{one.suffix}"
        result[name] = list(number(one.converter.convert(iter(found), None, name)))
    return result


def convert(text: bytes) -> list[Record]:
    """The records of the session itself."""
    return streams(units(text))[SESSION]


def event(kind: str, at: int, data: Any = None, **more: Any) -> dict[str, Any]:
    """An event with the ID ``e<at>``, which follows the one before."""
    return {
        "type": kind,
        "data": {} if data is None else data,
        "id": f"e{at}",
        "timestamp": f"2026-05-04T09:00:{at % 60:02}.000Z",
        "parentId": f"e{at - 1}" if at > 1 else None,
        **more,
    }


def lines(*events: tuple[str, Any]) -> bytes:
    """JSON Lines of a session with these events, each a type and data or a whole event, after its start."""
    begin = ("session.start", {"sessionId": SESSION, "copilotVersion": "1.0.64"})
    made = [event(kind, at, data) for at, (kind, data) in enumerate((begin, *events), 1)]
    return b"".join(orjson.dumps(one) + b"\n" for one in made)


_STANDING = {"git-asr/context", "git-asr/mode", "inference", "tool_call", "reasoning", "message"}


def implied(unit: Unit, path: Path, value: Any) -> bool:
    """What the records say in other words."""
    key = path[-1] if path else None
    if path == ("type",) or (key == "success" and isinstance(value, bool)):
        return True
    if path == ("timestamp",):
        return fields.time({"": value}, "") is not None
    if path == ("agentId",) or path == ("data", "parentToolCallId"):
        return isinstance(value, str)  # the stream is that of the subagent
    if path == ("data", "transformedContent"):
        said = unit.value["data"].get("content")
        return isinstance(said, str) and said in value
    return key == "type" and value == "function" and "toolRequests" in path


def lost_of(found: Sequence[Unit], made: dict[str, list[Record]]) -> list[Lost]:
    """What is lost; what a chunk says stands in the message that it is a part of, which is the next."""
    out = [written(records) for records in made.values()]
    joined = [[one for one in records if "assembly" in one] for records in made.values()]

    def said(unit: Unit, path: Path, value: Any) -> bool:
        if unit.value.get("type") == "assistant.message":
            place = unit.position * PART_SPAN + (SECOND_VALUE if unit.index else 0)
            behind = (next((one for one in records if one["seq"] >= place), None) for records in joined)
            return any(_holds(one, path, value) for one in behind if one) or implied(unit, path, value)
        return implied(unit, path, value)

    ids = {"id", "parentId", "interactionId", "turnId"}
    return list(lost(found, out, standing=_STANDING, ids=ids, implied=said))


def _holds(message: Record, path: Path, value: Any) -> bool:
    if path == ("data", "content"):
        return isinstance(value, str) and any(value in part["text"] for part in message["content"])
    return (type(value), value) in {(type(one), one) for _, one in leaves(message)}


def losses(text: bytes) -> list[Lost]:
    """What a conversion loses."""
    found = units(text)
    return lost_of(found, streams(found))
