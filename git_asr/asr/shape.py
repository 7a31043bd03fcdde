"""Values that were read, taken only where they have the type on which readers count."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, TypeVar

from git_asr.asr import codec

_Kind = TypeVar("_Kind")
_WORDS = {str: "a text", int: "a number", list: "a list", dict: "an object"}
_SHA256 = re.compile(r"[0-9a-f]{64}")


def a(kind: type[_Kind], value: Any) -> _Kind:
    """The value, if it is a text, a number, a list or an object as wanted. Raises TypeError."""
    if not isinstance(value, kind):
        raise TypeError(f"{_shown(value)} where {_WORDS[kind]} should stand")
    return value


def _shown(value: Any) -> str:
    """The beginning of a value, as JSON has it."""
    return f"{codec.encode(value).decode('utf-8', 'replace'):.40}"


def digest(value: Any) -> str:
    """A SHA-256 in hex. Raises TypeError or ValueError."""
    if not _SHA256.fullmatch(a(str, value)):
        raise ValueError(f"{_shown(value)} where a SHA-256 should stand")
    return str(value)


def without(record: Mapping[str, Any], *known: str) -> dict[str, Any]:
    """The fields of a record that are not among those known."""
    return {name: value for name, value in record.items() if name not in known}


def summary_of(summary: dict[str, Any]) -> dict[str, Any]:
    """A stream's summary whose known fields, where there, are of their types. Raises TypeError."""
    for name in ("agent", "startedAt", "endedAt", "firstPrompt"):
        a(str, summary.get(name, ""))
    for name in ("models", "commits"):
        for item in a(list, summary.get(name, [])):
            a(str, item)
    for number in a(dict, summary.get("counts", {})).values():
        a(int, number)
    a(dict, summary.get("usage", {}))
    return summary
