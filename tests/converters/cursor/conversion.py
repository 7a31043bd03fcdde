"""Cursor's transcripts, converted: what the tests of the converters share."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import orjson

from git_asr.asr import codec
from git_asr.asr.draft import Record
from git_asr.asr.numbering import number
from git_asr.converters import fields
from git_asr.converters.base import Unit
from git_asr.converters.cursor.lines import CursorMessages
from git_asr.converters.cursor.text import CursorSections
from git_asr.converters.units import read_lines, read_text
from tests.support.losslessness import Lost, Path, leaves, lost, written

VENDOR = "com.cursor"


def of_lines(found: Sequence[Unit]) -> list[Record]:
    return list(number(CursorMessages().convert(iter(found), None)))


def of_text(found: Sequence[Unit]) -> list[Record]:
    return list(number(CursorSections().convert(iter(found), None)))


def lines(*values: Any) -> list[Unit]:
    """The units of JSON Lines."""
    return list(read_lines([b"".join(orjson.dumps(value) + b"\n" for value in values)]))


def text(found: str) -> list[Unit]:
    """The units of a text."""
    return list(read_text([found.encode("utf-8", "surrogateescape")]))


def message(role: str, *blocks: Any) -> dict[str, Any]:
    return {"role": role, "message": {"content": list(blocks)}}


def said(found: str) -> dict[str, Any]:
    return {"type": "text", "text": found}


def call(name: str, arguments: Any, **more: Any) -> dict[str, Any]:
    return {"type": "tool_use", "name": name, "input": arguments, **more}


_MARKS = {
    "type": {"text", "thinking", "tool_use", "turn_ended"},
    "status": {"success", "error"},
    "role": {"user", "assistant"},
}


def implied(unit: Unit, path: Path, value: Any) -> bool:
    """What the records say in other words: types, and texts that are told in pieces."""
    key = str(path[-1]) if path else ""
    if path == ("timestamp",):
        return fields.time({"": value}, "") is not None
    if key in ("text", "content", "0") and isinstance(value, str) and "<user_query>" in value:
        return True  # test_what_stands_around_a_query puts it together again
    return isinstance(value, str) and value in _MARKS.get(key, ())


def lost_of(found: Sequence[Unit], records: Sequence[Record]) -> list[Lost]:
    return list(lost(found, [written(records)], implied=implied))


def untold(found: Sequence[Unit], records: Sequence[Record]) -> list[str]:
    """The lines of a text that stand in no record: neither as a part of a text, nor as the name of something."""
    out = written(records)
    said = [one for record in out.records for _, one in leaves(record) if isinstance(one, str)]
    said += [
        str(codec.decode(data).value) if data[:1] == b'"' else data.decode() for data in out.blobs.values()
    ]
    heads = ("user:", "assistant:")
    missing = []
    for unit in found:
        line = str(unit.value).strip()
        for head in ("[Thinking]", "[Tool call]", "[Tool result]"):
            line = line.removeprefix(head).strip()
        pieces = [piece.strip() for piece in re.split("</?user_query>", line)]  # who typed it says the rest
        _, colon, argument = map(str.strip, "".join(pieces).partition(":"))
        if line in ("", *heads) or all(any(piece in one for one in said) for piece in pieces):
            continue
        if not colon or not any(argument in one for one in (*said, "")):
            missing.append(line)
    return missing
