"""Lifecycle events and append-only records, converted: what the tests of the converter share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import orjson

from git_asr.asr.draft import Record
from git_asr.asr.numbering import number
from git_asr.converters.base import Unit
from git_asr.converters.events.converter import Events
from git_asr.converters.events.reading import Told, read
from git_asr.errors import Diagnostic

SESSION = "11111111-2222-3333-4444-555555555555"
VENDOR = "io.entire.events"


def lines(*values: Any) -> bytes:
    """JSON Lines; what is bytes stands as it is."""
    return b"".join((value if isinstance(value, bytes) else orjson.dumps(value)) + b"\n" for value in values)


def told(data: bytes, session: str | None = SESSION) -> tuple[list[Told], list[tuple[str, str, str]]]:
    """The sessions of a file, and what was found wrong: code, place and message."""
    found: list[Diagnostic] = []
    sessions = read(data, session, "file", found.append)
    return sessions, [(one.code, one.where, one.message) for one in found]


def converted(*values: Any) -> tuple[Events, list[Record]]:
    """The records of lines of one session."""
    ((one,), _) = told(lines(*values))
    return of(one.units, one.session)


def of(units: Sequence[Unit], session: str = SESSION) -> tuple[Events, list[Record]]:
    converter = Events(session)
    return converter, list(number(converter.convert(iter(units), None)))


def records(*values: Any) -> list[Record]:
    return converted(*values)[1]


def meta(record: Record) -> dict[str, Any]:
    found: dict[str, Any] = record.get("_meta", {}).get(VENDOR, {})
    return found


def text(record: Record) -> str:
    (part,) = record["content"]
    return str(part["text"])
