"""Codex rollouts, converted: what the tests of the converter share."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from typing import Any

from git_asr.asr import codec
from git_asr.asr.draft import Record
from git_asr.asr.ids import SECOND_VALUE
from git_asr.asr.numbering import number
from git_asr.converters.base import Unit
from git_asr.converters.codex.converter import CodexRollout
from git_asr.converters.secret_answers import CodexSecretAnswers
from git_asr.converters.units import read_lines
from tests.support.losslessness import Lost, Path, leaves, lost, written

VENDOR = "com.openai.codex"
STANDING = {
    *("git-asr/context", "git-asr/mode", "git-asr/title", "state", "inference"),
    *(
        f"{VENDOR}/{name}"
        for name in ("session_meta", "turn_context", "thread_settings_applied", "token_count")
    ),
    f"{VENDOR}/configuration_update",
}
IDS = {"id", "turn_id", "call_id"}
_ECHOES = {
    *(
        "message",
        "text",
        "last_agent_message",
        "summary_text",
        "raw_content",
        "query",
        "action",
        "images",
        "content",
    ),
    *("stdout", "stderr", "formatted_output", "aggregated_output", "model_context_window", "rate_limits"),
}
"""Keys of events under which a text stands that an item has too."""


def units(text: bytes) -> list[Unit]:
    return list(read_lines([text]))


def convert(text: bytes) -> list[Record]:
    """The records."""
    return list(number(CodexRollout().convert(iter(units(text)), None, "stream")))


class Implied:
    """What records say in other words: types, texts told before, numbers that follow from others."""

    def __init__(self, found: Sequence[Unit], records: Sequence[Record]) -> None:
        self._texts = _texts(found, records)
        self._written = {
            (record["seq"] // 1_000_000, record["seq"] % 1_000_000 >= SECOND_VALUE)
            for record in records
            if "git-asr/malformed" not in record.get("_meta", {})
        }
        self._ordinals: dict[int, Any] = {}
        before: Any = None
        for unit in found:
            ordinal = unit.value.get("ordinal") if isinstance(unit.value, dict) else None
            if type(ordinal) is int and type(before) is int and ordinal == before + 1:
                self._ordinals[unit.position * 2 + unit.index] = ordinal
            before = before if ordinal is None else ordinal

    def __call__(self, unit: Unit, path: Path, value: Any) -> bool:
        if not path:
            return False
        last = path[-1]
        if last == "type" and "arguments" not in path:
            return isinstance(value, str)
        if path == ("timestamp",):
            return (unit.position, unit.index > 0) not in self._written
        if path == ("ordinal",):
            return self._ordinals.get(unit.position * 2 + unit.index) == value
        if path == ("payload", "role"):
            return value in ("user", "assistant", "system")
        if last == "total_tokens":
            return type(value) is int  # the sum of input and output
        if path == ("payload", "arguments") and isinstance(value, str):
            return (str, value) in self._texts.get(-unit.position, _NONE)
        if path[:2] == ("payload", "replacement_history"):
            return last == "role" or (type(value), value) in self._texts[unit.position]
        if path == ("payload", "kind") or path == ("payload", "item", "kind"):
            return value in ("started", "interrupted")
        if isinstance(value, str) and value.startswith("data:"):
            return (str, _digest(value)) in self._texts[unit.position]
        return self._is_echo(unit, path) and (type(value), value) in self._texts[unit.position]

    def _is_echo(self, unit: Unit, path: Path) -> bool:
        """Whether this is a text of an event, which an earlier record may have."""
        if unit.value.get("type") != "event_msg":
            return False
        return not _ECHOES.isdisjoint(path)


def _digest(uri: str) -> str:
    """The SHA-256 of what a data URI holds."""
    return hashlib.sha256(base64.b64decode(uri.partition(";base64,")[2])).hexdigest()


_NONE: frozenset[tuple[type, Any]] = frozenset()


def _texts(found: Sequence[Unit], records: Sequence[Record]) -> dict[int, set[tuple[type, Any]]]:
    """For each position the leaves of the records up to it; for its negative the arguments written as JSON text."""
    result: dict[int, set[tuple[type, Any]]] = {}
    known: set[tuple[type, Any]] = set()
    rest = list(records)
    for unit in found:
        while rest and rest[0]["seq"] // 1_000_000 <= unit.position:
            record = rest.pop(0)
            known |= {(type(item), item) for _, item in leaves(record)}
            if record["type"] == "tool_call" and "arguments" in record:
                text = codec.encode(record["arguments"]).decode("utf-8", "surrogatepass")
                result.setdefault(-unit.position, set()).add((str, text))
        result[unit.position] = set(known)
    return result


def losses(text: bytes) -> list[Lost]:
    """What a conversion loses, apart from secret answers."""
    return lost_of(units(text), convert(text))


def lost_of(found: Sequence[Unit], made: Sequence[Record]) -> list[Lost]:
    """What is lost between units and records, apart from secret answers."""
    records = written(made)
    return list(
        lost(_open(found), [records], standing=STANDING, ids=IDS, implied=Implied(found, records.records))
    )


def _open(found: Sequence[Unit]) -> list[Unit]:
    """The units without their secret answers."""
    watch = CodexSecretAnswers()
    result = []
    for unit in found:
        value = watch(unit.value) if unit.kind == "value" else None
        result.append(unit if value is None else Unit(unit.position, unit.index, value, None))
    return result
