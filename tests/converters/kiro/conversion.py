"""Conversations of Kiro, converted: what the tests of the converter share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import orjson

from git_asr.asr.draft import Record
from git_asr.asr.numbering import number
from git_asr.asr.summary import Summary
from git_asr.converters import fields
from git_asr.converters.base import Unit
from git_asr.converters.kiro.converter import Kiro
from git_asr.converters.registry import by_name
from git_asr.converters.units import read_units
from tests.support.losslessness import Lost, Path, lost, written

VENDOR = "dev.kiro"


def units(text: bytes, *, snapshot: bool) -> list[Unit]:
    return list(read_units([text], by_name("kiro-json" if snapshot else "kiro-jsonl")))


def of(found: Sequence[Unit], *, snapshot: bool) -> list[Record]:
    return list(number(Kiro(snapshot=snapshot).convert(iter(found), None)))


def document(*history: Any, **beside: Any) -> bytes:
    return orjson.dumps({"conversation_id": "c", **beside, "history": history})


def lines(*values: Any) -> bytes:
    """JSON Lines."""
    return b"".join(orjson.dumps(value) + b"\n" for value in values)


def convert(text: bytes) -> list[Record]:
    """The records of a document, or of lines."""
    return of(units(text, snapshot=_is_document(text)), snapshot=_is_document(text))


def _is_document(text: bytes) -> bool:
    return b'"history":' in text


def implied(_: Unit, path: Path, value: Any) -> bool:
    """What the records say in other words: kinds, roles and status, times, and what the model wrote as it was run."""
    key = str(path[-1]) if path else ""
    if key in ("kind", "role", "type", "status"):
        return isinstance(value, str)
    if key == "is_error":
        return isinstance(value, bool)
    return key == "timestamp" and fields.time({"": value}, "") is not None


def lost_of(found: Sequence[Unit], records: Sequence[Record]) -> list[Lost]:
    """What is lost between units and records; what was said before need not be said again."""
    return list(lost(found, [written(records, repeated=True)], ids={"message_id"}, implied=implied))


def losses(text: bytes) -> list[Lost]:
    """What a conversion loses."""
    return lost_of(units(text, snapshot=_is_document(text)), convert(text))


def figures(records: Sequence[Record]) -> dict[str, Any]:
    """Counts as the manifest's summary has them."""
    summary = Summary()
    for _ in summary.watch(records):
        pass
    return summary.record(agent="kiro", models=[], first_prompt=lambda: None, commits=[])


def kinds(records: Sequence[Record], kind: str) -> list[Record]:
    return [one for one in records if one["type"] == kind]
