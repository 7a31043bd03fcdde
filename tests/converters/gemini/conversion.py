"""Gemini CLI's sessions, converted: what the tests of the converter share."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import orjson

from git_asr.asr.draft import Record
from git_asr.asr.numbering import number
from git_asr.converters import fields
from git_asr.converters.base import Unit
from git_asr.converters.gemini.converter import Gemini
from git_asr.converters.registry import by_name
from git_asr.converters.units import read_units
from tests.support import converted
from tests.support.losslessness import Lost, Path, lost, written

SESSION = "7a5c9f7e-1d54-4f5b-b0a4-24f1f5d7c001"
VENDOR = "com.google.gemini-cli"
HEADER = {
    "sessionId": SESSION,
    "projectHash": "c0ffee",
    "startTime": "2026-05-04T09:00:00.000Z",
    "kind": "main",
}


def convert(text: bytes, *, snapshot: bool = False) -> list[Record]:
    return of(units(text, snapshot=snapshot), snapshot=snapshot)


def units(text: bytes, *, snapshot: bool = False) -> list[Unit]:
    return list(read_units([text], by_name("gemini-cli-json" if snapshot else "gemini-cli-jsonl")))


def of(found: Sequence[Unit], *, snapshot: bool) -> list[Record]:
    return list(number(Gemini(snapshot=snapshot).convert(iter(found), None)))


def lines(*values: Any) -> bytes:
    """JSON Lines, with a header."""
    return converted.lines(HEADER, *values)


def document(*messages: Any) -> bytes:
    return orjson.dumps({**HEADER, "messages": messages})


_SAID = {"status": ("success", "error", "cancelled"), "type": ("user", "gemini", "info", "warning", "error")}


def implied(_: Unit, path: Path, value: Any) -> bool:
    """What the records say in other words: sums, types and status."""
    key = str(path[-1])
    if key in ("total", "output", "tool") and path[-2] == "tokens":
        return type(value) is int
    if key == "type" and isinstance(value, str) and re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}", value):
        return True
    if key in ("timestamp", "lastUpdated", "startTime"):
        return fields.time({"": value}, "") is not None
    return value in _SAID.get(key, ())


def lost_of(found: Sequence[Unit], records: Sequence[Record]) -> list[Lost]:
    """What is lost between units and records; what a message said before need not be said again."""
    made = [written(records, repeated=True)]
    return list(lost(found, made, ids={"id"}, implied=implied))


def losses(text: bytes, *, snapshot: bool = False) -> list[Lost]:
    """What a conversion loses."""
    return lost_of(units(text, snapshot=snapshot), convert(text, snapshot=snapshot))
