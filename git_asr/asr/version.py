"""The version of the format that this package writes, and which it reads."""

from __future__ import annotations

FORMAT_VERSION = "0.1"
SUPPORTED_MAJOR = 0


def major(format_version: object) -> int | None:
    """The major number of a ``formatVersion``; None when it is none."""
    if not isinstance(format_version, str):
        return None
    head = format_version.split(".", 1)[0]
    return int(head) if head.isascii() and head.isdecimal() and len(head) < 10 else None
