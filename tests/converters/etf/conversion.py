"""Entire's own transcripts, converted: what the tests of the converter share."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import orjson

from git_asr.asr.draft import Record
from git_asr.asr.numbering import number
from git_asr.converters.base import Unit
from git_asr.converters.etf.converter import EntireLines
from git_asr.converters.secret_answers import entire_secret_answers
from git_asr.converters.units import read_lines
from tests.support.losslessness import Lost, Path, lost, written

VENDOR = "io.entire.transcript"
STANDING = {"inference", "message", "tool_call"}
"""Types of records whose ``_meta`` may have the agent and the version of Entire, or whose usage may be repeated."""


def units(text: bytes) -> list[Unit]:
    return list(read_lines([text]))


def convert(text: bytes) -> list[Record]:
    return of(units(text))


def of(found: Sequence[Unit]) -> list[Record]:
    return list(number(EntireLines().convert(iter(found), None)))


def line(kind: str, content: Any, **more: Any) -> dict[str, Any]:
    known = {"v": 1, "agent": "claude-code", "cli_version": "0.10.3", "type": kind, "content": content}
    return {**known, **more}


def lines(*values: Any) -> bytes:
    return b"".join(orjson.dumps(value) + b"\n" for value in values)


def implied(unit: Unit, path: Path, value: Any) -> bool:
    """What the records say in other words: version, types, roles and the status of results."""
    if path == ("v",):
        return type(value) is int and value == 1
    if path and path[-1] == "type":
        return isinstance(value, str) and re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}", value) is not None
    return path[-2:] == ("result", "status") and value in ("success", "error")


def lost_of(found: Sequence[Unit], records: Sequence[Record]) -> list[Lost]:
    """What is lost between units and records; secret answers are to be."""
    kept = [
        unit if masked is None else Unit(unit.position, unit.index, masked, None)
        for unit in found
        for masked in [entire_secret_answers(unit.value)]
    ]
    return list(lost(kept, [written(records)], standing=STANDING, ids={"id"}, implied=implied))
