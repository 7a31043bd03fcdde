"""Token counters in the profile's normal form (reference section 4.3)."""

from __future__ import annotations

from typing import Any

from git_asr.converters import fields
from git_asr.converters.building import holds, rest

_COUNTERS = ("input", "output", "cached", "thoughts")


def normal(tokens: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """Recorded tokens in the profile's normal form, and what has no place there.

    ``input`` includes what was read from the cache; ``output`` excludes thoughts; ``tool`` is what tools added to the
    prompt, which is in none of them.
    """
    if not isinstance(tokens, dict):
        return {}, {"tokens": tokens} if holds(tokens) else {}
    known = fields.counters(tokens, _COUNTERS)
    found: dict[str, Any] = {}
    if "input" in known:
        found["input"] = {"total": known["input"], "includesCache": True}
        if known.get("cached", -1) in range(known["input"] + 1):
            found["input"]["uncached"] = known["input"] - known["cached"]
    if "cached" in known:
        found["cacheRead"] = known["cached"]
    output = {"total": known["output"] + known["thoughts"]} if {"output", "thoughts"} <= known.keys() else {}
    if "thoughts" in known:
        output["reasoning"] = known["thoughts"]
    if output:
        found["output"] = output
    taken = known.keys() - ({"output"} if "total" not in output else set())
    total = _sum(tokens)
    if total is not None and type(tokens.get("total")) is int and tokens["total"] == total:
        taken |= {"total"} if tokens["tool"] else {"total", "tool"}
    left = rest(tokens, taken)
    return found, {"tokens": left} if left else {}


def _sum(tokens: dict[str, Any]) -> int | None:
    """What the total should be."""
    parts = [tokens.get(key) for key in ("input", "output", "thoughts", "tool")]
    known = [part for part in parts if type(part) is int]
    return sum(known) if len(known) == len(parts) else None
