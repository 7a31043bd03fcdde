"""Token counters in the profile's normal form (reference section 2.9)."""

from __future__ import annotations

from typing import Any

from git_asr.converters.claude.line import rest

_COUNTERS = {
    "input_tokens": ("input", "uncached"),
    "cache_read_input_tokens": ("cacheRead", None),
    "cache_creation_input_tokens": ("cacheWrite", None),
    "output_tokens": ("output", "total"),
}


def normal(usage: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """A recorded usage in the profile's normal form, and what has no place there (reference section 2.9).

    ``input_tokens`` excludes the cache; ``output_tokens`` includes thinking, which is never counted by itself.
    """
    found: dict[str, Any] = {}
    if not isinstance(usage, dict):
        return found, {} if usage is None else {"usage": usage}
    taken = []
    for name, (group, field) in _COUNTERS.items():
        number = usage.get(name)
        if isinstance(number, int) and not isinstance(number, bool) and 0 <= number < 1 << 53:
            taken.append(name)
            if field is None:
                found[group] = number
            else:
                found[group] = {field: number}
    if "input" in found:
        found["input"]["includesCache"] = False
    return found, rest(usage, taken)
