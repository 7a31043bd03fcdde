"""OpenCode's sessions, converted: what the tests of the converter share."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from git_asr.asr import codec
from git_asr.asr.draft import Record
from git_asr.asr.numbering import number
from git_asr.converters import fields
from git_asr.converters.base import Unit
from git_asr.converters.detect import detect
from git_asr.converters.opencode.converter import OpenCode
from git_asr.converters.registry import by_name
from git_asr.converters.units import read_units
from tests.support.losslessness import Lost, Path, lost, written

SESSION = "ses_27aaaaaaaffeAAAAAAAAAAAAAA"
VENDOR = "ai.opencode"

STANDING = {"git-asr/context", "git-asr/mode", "git-asr/title", "git-asr/file-snapshot"}
IDS = {"id", "sessionID", "messageID", "callID"}


def units(text: bytes) -> list[Unit]:
    """The units of a document, or of lines."""
    return list(read_units([text], by_name("opencode-json" if is_document(text) else "opencode-jsonl")))


def is_document(text: bytes) -> bool:
    native = detect(text)
    return native is not None and native.array is not None


def convert(text: bytes) -> list[Record]:
    return of(units(text), snapshot=is_document(text))


def of(found: Sequence[Unit], *, snapshot: bool) -> list[Record]:
    return list(number(OpenCode(snapshot=snapshot).convert(iter(found), None)))


def document(*messages: Any, **info: Any) -> bytes:
    """A document with these messages."""
    told = {"id": SESSION, "directory": "/home/ann/garden", "version": "1.16.2", **info}
    return codec.encode({"info": told, "messages": messages})


_SAID = {
    "auto": (True, False),
    "role": ("user", "assistant"),
    "status": ("completed", "error"),
    "summary": (True,),
}
"""Values that the type, the role, the trigger or the status of a record says in other words."""
_TIMES = ("created", "completed", "start", "end", "compacted")


def implied(_: Unit, path: Path, value: Any) -> bool:
    """What the records say in other words: times, sums, types, and the arguments that are stored as text."""
    key = path[-1]
    if key in _TIMES and "time" in path:
        return fields.time({"": value}, "") is not None
    if key in ("total", "output") and path[-2] == "tokens":
        return type(value) is int
    if key == "input" and isinstance(value, str):
        return codec.encode(codec.strict(value.encode())) == value.encode()
    if key == "type" and "attachments" in path:
        return value == "file"
    if key == "type":
        return isinstance(value, str) and re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}", value) is not None
    return any(type(one) is type(value) and one == value for one in _SAID.get(str(key), ()))


def losses(text: bytes) -> list[Lost]:
    """What a conversion loses."""
    return lost_of(units(text), convert(text))


def lost_of(found: Sequence[Unit], records: Sequence[Record]) -> list[Lost]:
    """What is lost between units and records; what a message said before need not be said again."""
    native = [fields.text(fields.part(unit.value, "info"), "id") for unit in found]
    known = [one for one in native if one is not None]
    repeated = len(known) != len(set(known))
    made = [written(records, repeated=repeated)]
    return list(lost(found, made, standing=STANDING, ids=IDS, implied=implied))
