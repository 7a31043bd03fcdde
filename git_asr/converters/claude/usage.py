"""Token counters in the profile's normal form (reference section 2.9)."""

from __future__ import annotations

from typing import Any

from git_asr.converters.building import rest

_COUNTERS = (
    ("input_tokens", "input"),
    ("cache_read_input_tokens", "cacheRead"),
    ("cache_creation_input_tokens", "cacheWrite"),
    ("output_tokens", "output"),
)
_NAMES = frozenset(name for name, _ in _COUNTERS)
_BITS = 53
"""A counter with more is not what somebody counted; shifted by as many, a negative number is -1."""


def normal(usage: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """A recorded usage in the profile's normal form, and what has no place there (reference section 2.9).

    ``input_tokens`` excludes the cache; ``output_tokens`` includes thinking, which is never counted by itself.
    """
    found: dict[str, Any] = {}
    if not isinstance(usage, dict):
        return found, {} if usage is None else {"usage": usage}
    taken = _NAMES
    for name, field in _COUNTERS:
        number = usage.get(name)
        if type(number) is int and not number >> _BITS:  # no bool
            found[field] = number
        elif number is not None:
            taken -= {name}
    if "input" in found:
        found["input"] = {"uncached": found["input"], "includesCache": False}
    if "output" in found:
        found["output"] = {"total": found["output"]}
    return found, rest(usage, taken)
