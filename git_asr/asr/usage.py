"""Token usage in the profile's normal form (section 4): absent means unknown, never 0."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

_FIELDS = ("input", "cacheRead", "cacheWrite", "output")
_GROUPS = ("input", "output")


def normal(usage: Any) -> dict[str, Any]:
    """The known parts of a recorded usage; anything else is left out. A count is an int, and no bool."""
    if not isinstance(usage, dict):
        return {}
    result: dict[str, Any] = {}
    for field, value in usage.items():
        if field in _GROUPS and isinstance(value, dict):
            group = {key: number for key, number in value.items() if type(number) is int and number >= 0}
            if field == "input" and "includesCache" in value:
                group["includesCache"] = value["includesCache"]
            if group:
                result[field] = group
        elif type(value) is int and value >= 0 and field in ("cacheRead", "cacheWrite"):
            result[field] = value
    return result


def span(covers: Any) -> range | None:
    """The positions of the model calls that a ``usage_summary`` tells all of; None where it names none.

    It says so by ``start`` and ``through``, the first and the last of them. Then either it counts or they do.
    """
    ends = [covers.get("start"), covers.get("through")] if isinstance(covers, dict) else []
    known = [one for one in ends if type(one) is int]
    return range(known[0], known[1] + 1) if len(known) == 2 else None


def within(positions: Sequence[int], found: range) -> slice:
    """Which of positions in ascending order lie in a span."""
    return slice(bisect_left(positions, found.start), bisect_left(positions, found.stop))


def joined(found: Iterable[range]) -> Iterator[range]:
    """Spans as such that have no position in common, in order."""
    last: range | None = None
    for one in sorted(filter(None, found), key=lambda one: one.start):
        if last is None or one.start > last.stop:
            if last is not None:
                yield last
            last = one
        elif one.stop > last.stop:
            last = range(last.start, one.stop)
    if last is not None:
        yield last


def total(usages: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """The sum of usages in normal form: a part that one does not know is that of the others.

    ``input.total`` is only meaningful with one reading of the cache: where they differ, ``includesCache`` is None.
    """
    found: dict[str, Any] = {}
    for usage in usages:
        for field, value in usage.items():
            if field not in _GROUPS:
                found[field] = found.get(field, 0) + value
                continue
            group = found.setdefault(field, {})
            for key, number in value.items():
                if key != "includesCache":
                    group[key] = group.get(key, 0) + number
                elif group.setdefault(key, number) != number:
                    group[key] = None
    return {field: found[field] for field in _FIELDS if field in found}
