"""Token counters in the profile's normal form (reference section 6.3)."""

from __future__ import annotations

from typing import Any

from git_asr.converters.building import holds, rest

_LIMIT = 1 << 53
_COUNTERS = ("input", "output", "cacheRead", "cacheWrite")
_REASONING = ("reasoning", "reasoningTokens")
"""What Pi and its fork call the part of the output that is reasoning."""


def normal(usage: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """Recorded usage in the profile's normal form, and what has no place there.

    ``input`` excludes the cache, ``output`` includes reasoning. No model call takes nothing in and gives nothing out:
    where all counters are 0 they were never filled, and what was used is not known.
    """
    if not isinstance(usage, dict):
        return {}, {"usage": usage} if holds(usage) else {}
    known = _counts(usage, _COUNTERS)
    if not any(known.values()):
        left = rest(usage, ())
        return {}, {"usage": left} if left else {}
    found: dict[str, Any] = {}
    if "input" in known:
        found["input"] = {"uncached": known["input"], "includesCache": False}
    for key in ("cacheRead", "cacheWrite"):
        if key in known:
            found[key] = known[key]
    output = {"total": known["output"]} if "output" in known else {}
    taken = {*known}
    for key, number in _counts(usage, _REASONING).items():
        if "reasoning" not in output:
            output["reasoning"] = number
            taken.add(key)
    if output:
        found["output"] = output
    total = usage.get("totalTokens")
    if type(total) is int and total == sum(known.values()):
        taken.add("totalTokens")
    left = rest(usage, taken)
    return found, {"usage": left} if left else {}


def _counts(usage: dict[str, Any], keys: tuple[str, ...]) -> dict[str, int]:
    """The counters under some keys that are counts (no bool)."""
    return {key: usage[key] for key in keys if type(usage.get(key)) is int and 0 <= usage[key] < _LIMIT}
