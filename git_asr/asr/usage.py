"""Token usage in the profile's normal form (section 4): absent means unknown, never 0."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

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


def add(left: Mapping[str, Any], right: Mapping[str, Any]) -> dict[str, Any]:
    """The sum of two usages in normal form: a part that one side does not know is the other's.

    ``input.total`` is only meaningful with one reading of the cache: where the two differ, ``includesCache`` is None.
    """
    result: dict[str, Any] = {}
    for field in ("input", "cacheRead", "cacheWrite", "output"):
        if field not in left or field not in right:
            if field in left or field in right:
                result[field] = left.get(field, right.get(field))
        elif field in _GROUPS:
            result[field] = _add_group(left[field], right[field])
        else:
            result[field] = left[field] + right[field]
    return result


def _add_group(left: Mapping[str, Any], right: Mapping[str, Any]) -> dict[str, Any]:
    group: dict[str, Any] = {}
    for key in {**left, **right}:
        if key == "includesCache":
            both = left.get(key, right.get(key)), right.get(key, left.get(key))
            group[key] = both[0] if both[0] == both[1] else None
        else:
            group[key] = left.get(key, 0) + right.get(key, 0)
    return group
