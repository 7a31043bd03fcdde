"""Sessions of Pi, converted: what the tests of the converter share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import orjson

from git_asr.asr.draft import Record
from git_asr.asr.numbering import number
from git_asr.asr.summary import Summary
from git_asr.converters import fields
from git_asr.converters.base import Unit
from git_asr.converters.pi.converter import PiSession
from git_asr.converters.units import read_lines
from tests.support.losslessness import Lost, Path, lost, written

SESSION = "019f0000-0000-7000-8000-00000000aaaa"
VENDOR = "dev.pi"
HEADER = {"type": "session", "version": 3, "id": SESSION, "timestamp": "2026-05-04T09:00:00.000Z"}


def units(text: bytes) -> list[Unit]:
    return list(read_lines([text]))


def of(found: Sequence[Unit]) -> list[Record]:
    return list(number(PiSession().convert(iter(found), None)))


def convert(text: bytes) -> list[Record]:
    return of(units(text))


def raw(*values: Any) -> bytes:
    """JSON Lines."""
    return b"".join(orjson.dumps(value) + b"\n" for value in values)


def lines(*values: Any) -> bytes:
    """JSON Lines, with a header."""
    return raw(HEADER, *values)


_ROLES = (
    "user",
    "assistant",
    "toolResult",
    "bashExecution",
    "pythonExecution",
    "custom",
    "hookMessage",
    "fileMention",
)


def implied(_: Unit, path: Path, value: Any) -> bool:
    """What the records say in other words: types, roles and status, times, and a total that is a sum."""
    key = str(path[-1]) if path else ""
    if key == "type":
        return isinstance(value, str)
    if key == "role":
        return value in _ROLES
    if key in ("isError", "synthetic"):
        return isinstance(value, bool)
    if key == "attribution":
        return value in ("agent", "user")
    if key in ("timestamp", "updatedAt"):
        return fields.time({"": value}, "") is not None
    if key == "pad":
        return isinstance(value, str) and value.isspace()
    return key == "totalTokens" and type(value) is int


def lost_of(found: Sequence[Unit], records: Sequence[Record]) -> list[Lost]:
    """What is lost between units and records."""
    kept = {"git-asr/context", "inference", "tool_call"}
    ids = {"id", "parentId", "targetId", "toolCallId"}
    return list(lost(found, [written(records)], standing=kept, ids=ids, implied=implied))


def losses(text: bytes) -> list[Lost]:
    """What a conversion loses."""
    return lost_of(units(text), convert(text))


def figures(records: Sequence[Record]) -> dict[str, Any]:
    """Counts and usage as the manifest's summary has them."""
    summary = Summary()
    for _ in summary.watch(records):
        pass
    return summary.record(agent="pi", models=[], first_prompt=lambda: None, commits=[])


def kinds(records: Sequence[Record], kind: str) -> list[Record]:
    return [one for one in records if one["type"] == kind]
