"""IDs: which native ones can be used, derived ones, and the names of files (profile sections 1, 3 and 5)."""

from __future__ import annotations

import hashlib
import re
from typing import Any

PART_SPAN = 1_000_000
SECOND_VALUE = 500_000
"""Added to the part for the second JSON value on one line."""

_ORDINARY = re.compile(r"[A-Za-z0-9_|-]{1,400}")
_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,99}")
_DERIVED = re.compile(r"~[0-9]+\.[0-9]+")
_MARKER = re.compile(r"\[REDACTED(?:_[A-Z0-9_]+)?\]|\bREDACTED\b")
_DATE_PREFIX = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}-(?=.)")
_UNSAFE = re.compile(r"[/\\]|\.\.")

MAX_ID = 400
"""Characters; a longer native ID counts as absent (none of the formats known writes one)."""


def usable(native: str | None) -> bool:
    """Tell whether a native ID may be used as an ID and joined on.

    Absent are: nothing, a redaction marker or text that contains one, what looks like a derived ID, and what no
    agent writes (control characters, lone surrogates, more than 400 characters). Profile section 3, ``id``.
    """
    if native is None:
        return False
    if _ORDINARY.fullmatch(native) and "REDACTED" not in native:
        return True  # nearly all of them
    return (
        0 < len(native) <= MAX_ID
        and not _MARKER.search(native)
        and not _DERIVED.fullmatch(native)
        and not re.search(r"[\x00-\x1f\x7f\ud800-\udfff]", native)
    )


def usable_session(native: str | None) -> bool:
    r"""Tell whether a session ID may be used: as ``usable``, printable, and free of ``/``, ``\`` and ``..``.

    Reference entire-checkpoints, section 3.4.
    """
    return usable(native) and native is not None and native.isprintable() and not _UNSAFE.search(native)


def holds_marker(value: Any) -> bool:
    """Tell whether a redaction marker stands in a text anywhere in a value."""
    todo = [value]
    while todo:
        item = todo.pop()
        if isinstance(item, str):
            if "REDACTED" in item and _MARKER.search(item):
                return True
        elif isinstance(item, dict):
            todo.extend(item.values())
        elif isinstance(item, list):
            todo.extend(item)
    return False


def is_derived(identifier: str) -> bool:
    """Tell whether an ID has the form of what ``derived`` gives."""
    return _DERIVED.fullmatch(identifier) is not None


def derived(position: int, part: int) -> str:
    """The ID of a record without a native one: ``~<position>.<part>``."""
    return f"~{position}.{part}"


def without_date(session_id: str) -> str:
    """A metadata session ID without the ``YYYY-MM-DD-`` that Entire put before it in January 2026."""
    return _DATE_PREFIX.sub("", session_id, count=1)


def name(identifier: str) -> str:
    """The file name of an ID: itself if it is plain, else ``~`` and its SHA-256 (profile section 1, *names*)."""
    if _NAME.fullmatch(identifier):
        return identifier
    return "~" + hashlib.sha256(identifier.encode("utf-8", "surrogatepass")).hexdigest()


def is_name(text: str) -> bool:
    """Tell whether a text can be what ``name`` gives."""
    return bool(_NAME.fullmatch(text) or re.fullmatch(r"~[0-9a-f]{64}", text))
