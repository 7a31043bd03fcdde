"""Reading fields of native values, which may be anything: what is not there, or not of its kind, is None."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

from git_asr.converters.base import Sample

_RFC3339 = re.compile(
    r"\d{4}-\d\d-\d\dT(?:[01]\d|2[0-3]):\d\d:\d\d(?:\.\d{1,30})?(?:Z|[+-]\d\d:\d\d)", re.ASCII | re.IGNORECASE
)
_USUAL = re.compile(
    r"[12]\d{3}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z", re.ASCII
)
"""What JavaScript writes, on a day that every month has: nearly all times, for which no calendar is needed."""
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_END = 253402300800
"""Seconds from the epoch to the year 10000, which RFC 3339 cannot write."""

_LIMIT = 1 << 53
"""Counters from here on are not what somebody counted."""
_MILLISECONDS = 100_000_000_000
"""From here on an epoch counts milliseconds: as seconds it would lie in the year 5138, below it in 1973."""


def text(value: Any, key: str) -> str | None:
    """The string under a key of an object."""
    found = value.get(key) if isinstance(value, dict) else None
    return found if isinstance(found, str) else None


def number_or_text(value: Any, key: str) -> str | None:
    """The string or whole number under a key of an object, as text: some formats number their messages."""
    found = value.get(key) if isinstance(value, dict) else None
    if isinstance(found, int) and not isinstance(found, bool):
        return str(found)
    return found if isinstance(found, str) else None


def count(value: Any, key: str) -> int | None:
    """The count under a key of an object: a whole number that is not negative and that a double holds exactly."""
    found = value.get(key) if isinstance(value, dict) else None
    return found if type(found) is int and 0 <= found < _LIMIT else None


def part(value: Any, key: str) -> dict[str, Any]:
    """The object under a key of an object; an empty one where there is none."""
    found = value.get(key) if isinstance(value, dict) else None
    return found if isinstance(found, dict) else {}


def counters(found: Any, keys: Iterable[str]) -> dict[str, int]:
    """The counters under some keys of an object: whole numbers from 0 on (no bool); others are not known."""
    known = ((key, count(found, key)) for key in keys)
    return {key: number for key, number in known if number is not None}


def chain(value: Any, own: str, parent: str) -> tuple[bool, str | None]:
    """Whether an object belongs to a graph of parents, and the ID of its parent (None for a root).

    It belongs if it has both keys and its parent is text or null.
    """
    if not isinstance(value, dict) or own not in value or parent not in value:
        return False, None
    found = value[parent]
    return found is None or isinstance(found, str), found if isinstance(found, str) else None


def time(value: Any, key: str) -> str | None:
    """The time under a key of an object as RFC 3339: text as recorded, epochs converted exactly.

    Numbers count seconds or milliseconds, which their size tells apart. What is no time gives None.
    """
    found = value.get(key) if isinstance(value, dict) else None
    if isinstance(found, str):
        return found if is_rfc3339(found) else None
    if isinstance(found, int | float) and not isinstance(found, bool):
        return epoch(found)
    return None


def is_rfc3339(found: str) -> bool:
    """Tell whether a text is a time of RFC 3339 that a calendar has (leap seconds excepted)."""
    if _USUAL.fullmatch(found):
        return True
    if not _RFC3339.fullmatch(found):
        return False
    try:
        datetime.fromisoformat(found if found.isupper() else found.upper())
    except ValueError:
        return False
    return True


def epoch(number: int | float) -> str | None:
    """Seconds or milliseconds since 1970 as RFC 3339 in UTC, with the digits that the number has.

    Milliseconds always show three digits, as the agents that count them do elsewhere.
    """
    if not 1 <= number < 1000 * _END:  # some agents write 0 for a time that they do not know
        return None
    milliseconds = number >= _MILLISECONDS
    seconds = Decimal(repr(number)).scaleb(-3 if milliseconds else 0)
    whole = int(seconds)
    fraction = format((seconds - whole).normalize(), "f").partition(".")[2]
    if milliseconds:
        fraction = fraction.ljust(3, "0")
    moment = (_EPOCH + timedelta(seconds=whole)).strftime("%Y-%m-%dT%H:%M:%S")
    return f"{moment}.{fraction}Z" if fraction else f"{moment}Z"


def objects(sample: Sample) -> tuple[dict[str, Any], ...]:
    """The objects among the values of a JSON Lines sample; none for a document."""
    return () if sample.document else tuple(value for value in sample.values if isinstance(value, dict))


def document(sample: Sample) -> dict[str, Any]:
    """The document of a sample; an empty object where it is none."""
    value = sample.values[0] if sample.document and sample.values else None
    return value if isinstance(value, dict) else {}


def has(value: Any, *keys: str) -> bool:
    """Tell whether this is an object with all of these keys."""
    return isinstance(value, dict) and all(key in value for key in keys)
