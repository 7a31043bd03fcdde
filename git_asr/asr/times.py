"""Times as they are recorded, made comparable."""

from __future__ import annotations

import re
from datetime import UTC, datetime

_RFC_3339 = re.compile(
    r"([0-9]{4})-([0-9]{2})-([0-9]{2})[Tt ]([0-9]{2}):([0-9]{2}):([0-9]{2})"
    r"(?:\.([0-9]{0,9})[0-9]*)?"
    r"(?:[Zz]|([+-])([0-9]{2}):([0-9]{2}))"
)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def instant(time: str | None) -> int | None:
    """A time in RFC 3339 as nanoseconds since 1970; None where it is none, or does not tell its offset from UTC.

    Takes any number of digits after the point and counts nine of them; a leap second counts as the second before it.
    """
    found = _RFC_3339.fullmatch(time or "")
    if not found:
        return None
    year, month, day, hour, minute, second = (int(part) for part in found.groups()[:6])
    fraction, sign, hours, minutes = found.groups()[6:]
    offset = int(hours or 0) * 60 + int(minutes or 0)
    if second > 60 or offset >= 24 * 60 or int(minutes or 0) > 59:
        return None
    try:
        local = datetime(year, month, day, hour, minute, min(second, 59), tzinfo=UTC)
    except ValueError:
        return None
    elapsed = local - _EPOCH
    seconds = elapsed.days * 86_400 + elapsed.seconds - (-offset if sign == "-" else offset) * 60
    return seconds * 1_000_000_000 + int((fraction or "").ljust(9, "0"))
