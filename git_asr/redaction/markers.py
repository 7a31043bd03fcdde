"""What stands for something that was taken out: our placeholders, and what Entire writes.

Entire writes the bare word ``REDACTED`` for secrets, and ``[REDACTED_EMAIL]``, ``[REDACTED_PHONE]`` and the like for
personal data (reference entire-checkpoints, section 8). They are never taken out a second time.
"""

from __future__ import annotations

import re

MARKER = re.compile(r"\[REDACTED(?:_[A-Z0-9_]+)?\]|\bREDACTED\b")
ID_MARKER = re.compile(r"redacted-[0-9]+")
"""What an ID becomes: an ID again, unlike the markers, which count as no ID (profile section 3)."""

_REST = 4
"""Letters and digits at least that a secret has beside a marker in it."""
_NUMBERED = re.compile(rb"(?:REDACTED(?:_[A-Z]{1,20}){1,2}_|redacted-)([0-9]{1,7})(?![0-9])")


def holds_marker(text: str) -> bool:
    """Tell whether a marker stands in a text."""
    return "REDACTED" in text and MARKER.search(text) is not None


def is_marker(text: str) -> bool:
    """Tell whether a text is a marker, or holds some and hardly anything else."""
    return holds_marker(text) and sum(map(str.isalnum, MARKER.sub("", text))) < _REST


def highest_number(data: bytes) -> int:
    """The highest number of a placeholder in some bytes, 0 where there is none."""
    return max((int(found) for found in _NUMBERED.findall(data)), default=0)
