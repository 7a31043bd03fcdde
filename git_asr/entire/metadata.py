"""Metadata files of checkpoints and sessions: read whatever stands there, keep what is not known.

Fields and their history: reference entire-checkpoints, sections 3.2 and 3.3; wrong types: section 9, row 34.
Everything here takes the JSON object as a mapping and answers with None, 0 or nothing where a field is of no use.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any

from git_asr.asr import codec
from git_asr.errors import Diagnostic, Report

Metadata = Mapping[str, Any]
"""A metadata file's JSON object, as stored: unknown fields and wrong types included."""

METADATA = "metadata.json"
"""The name of every metadata file."""

MAX_BYTES = 8 * 1024 * 1024
"""A larger metadata file is not read; ``prompt_attributions`` makes real ones of a few MiB (reference, row 27)."""

PRIVATE_FIELDS = frozenset({"transcript_path"})
"""Fields that tell of the author's machine; they are never recorded (reference, section 3.3)."""

_MAX_START = 2**53 - 1
_DIGITS = re.compile(r"[0-9]{1,16}")


def parse(content: bytes, where: str, report: Report) -> dict[str, Any]:
    """Read the bytes of a metadata file; damage is reported as ``damaged-metadata`` and gives an empty object.

    A byte order mark, bytes that are not UTF-8 and lone surrogates are no damage; of equal keys the last counts. NaN
    and infinities become their names as texts, since no record can hold them. ``where`` names the file.
    """
    try:
        decoded = codec.decode(content)
    except ValueError as error:
        report(Diagnostic("damaged-metadata", where, f"not JSON: {error}"))
        return {}
    if not isinstance(decoded.value, dict):
        report(Diagnostic("damaged-metadata", where, "no JSON object"))
        return {}
    if codec.NON_FINITE in decoded.flags:
        _name_non_finite(decoded.value)
    return decoded.value


def _name_non_finite(value: dict[str, Any]) -> None:
    todo: list[dict[str, Any] | list[Any]] = [value]
    while todo:
        holder = todo.pop()
        members: list[tuple[Any, Any]] = list(
            holder.items() if isinstance(holder, dict) else enumerate(holder)
        )
        for key, item in members:
            if isinstance(item, dict | list):
                todo.append(item)
            elif isinstance(item, float) and not math.isfinite(item):
                holder[key] = codec.lenient(item)


def text(metadata: Metadata, key: str) -> str | None:
    """A field's text; None where it is absent, empty or no text."""
    value = metadata.get(key)
    return value if isinstance(value, str) and value else None


def texts(metadata: Metadata, key: str) -> tuple[str, ...]:
    """A field's list of texts: one text counts as a list of it; empty texts and items of other types go."""
    value = metadata.get(key)
    items = value if isinstance(value, list) else [value]
    return tuple(item for item in items if isinstance(item, str) and item)


def count(metadata: Metadata, *keys: str) -> int:
    """The first of these fields that is above 0, as a number from 0 to 2^53 - 1; 0 where none is.

    A text of digits counts as its number and a double without fraction too; a truth value does not.
    """
    for key in keys:
        value = metadata.get(key)
        if isinstance(value, str) and _DIGITS.fullmatch(value):
            value = int(value)
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        if isinstance(value, int) and not isinstance(value, bool) and 0 < value <= _MAX_START:
            return value
    return 0


def start(metadata: Metadata, *, compact: bool = False) -> int | None:
    """Where the checkpoint's own slice of the session begins: lines or elements before it (reference, section 3.4).

    ``compact``: the field counts lines of Entire's own transcript, as in v2 (section 2.3). What begins there at 0 does
    so in the native one too; of another start it cannot be told.
    """
    if compact and count(metadata, "checkpoint_transcript_start"):
        return None
    return count(metadata, "checkpoint_transcript_start", "transcript_lines_at_start")


def compact_start(metadata: Metadata, *, v2: bool) -> int:
    """Where the checkpoint's own slice begins in Entire's own transcript (reference, section 4).

    In v2 another field counts its lines; without either the file holds the slice alone.
    """
    return count(metadata, "checkpoint_transcript_start" if v2 else "compact_transcript_start")


def steps(metadata: Metadata) -> int:
    """``checkpoints_count``, which the oldest data call ``steps_count``."""
    return count(metadata, "checkpoints_count", "steps_count")


def agent(metadata: Metadata) -> str | None:
    """The label of the agent: ``agent``, else the only one of ``agents``. A hint, never proof (reference, 5.1)."""
    label = text(metadata, "agent")
    if label is None:
        listed = texts(metadata, "agents")
        label = listed[0] if len(listed) == 1 else None
    return label


def pointers(metadata: Metadata) -> tuple[Mapping[str, Any], ...]:
    """The objects of a root's ``sessions``, in their order; items of other types go."""
    listed = metadata.get("sessions")
    return tuple(item for item in listed if isinstance(item, dict)) if isinstance(listed, list) else ()


def pointed(pointer: Mapping[str, Any], key: str) -> tuple[str, str] | None:
    """The folder and the file that one pointer of ``sessions`` names; None where it names none.

    Only the last two parts of the path count: what stands before them is stale after an ID migration and absent in
    per-checkpoint refs (reference, sections 0.2 and 2.4). The answer is a name to look for, never a path to follow.
    """
    parts = (text(pointer, key) or "").rsplit("/", 2)
    return (parts[-2], parts[-1]) if len(parts) > 1 and parts[-2] and parts[-1] else None


def recorded(metadata: Metadata) -> dict[str, Any]:
    """The metadata that may go into records: all of it, known or not, without :data:`PRIVATE_FIELDS`.

    Those are left out at the top and in the items of ``sessions``; deeper down, keys are file names of the user's.
    """
    kept = _public(metadata)
    listed = kept.get("sessions")
    if isinstance(listed, list):
        kept["sessions"] = [_public(item) if isinstance(item, dict) else item for item in listed]
    return kept


def _public(fields: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in fields.items() if key not in PRIVATE_FIELDS}
