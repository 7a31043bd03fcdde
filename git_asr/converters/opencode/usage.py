"""Token counters in the profile's normal form (reference section 5.5)."""

from __future__ import annotations

import re
from typing import Any

from git_asr.converters import fields
from git_asr.converters.building import holds, rest

_VERSION = re.compile(r"v?(\d{1,6})\.(\d{1,6})", re.ASCII)
_INCLUDES = (1, 2)
"""Up to these versions output was seen to include reasoning, …"""
_EXCLUDES = (1, 16)
"""… and from these on not to."""


def normal(tokens: Any, version: str | None) -> tuple[dict[str, Any], dict[str, Any]]:
    """Recorded tokens in the profile's normal form, and what has no place there.

    ``input`` excludes the cache. Whether ``output`` includes reasoning depends on the version of OpenCode: ``total``
    tells where it stands; where it does not the version does (``outputTokens`` says so), and for versions of which it
    is not known the output stays unknown.
    """
    if not isinstance(tokens, dict):
        return {}, {"tokens": tokens} if holds(tokens) else {}
    cache = tokens.get("cache")
    counters = fields.counters(tokens, ("input", "output", "reasoning"))
    cached = fields.counters(cache, ("read", "write"))
    found: dict[str, Any] = {}
    meta: dict[str, Any] = {}
    if "input" in counters:
        found["input"] = {"uncached": counters["input"], "includesCache": False}
    for key, field in (("read", "cacheRead"), ("write", "cacheWrite")):
        if key in cached:
            found[field] = cached[key]
    plain = None
    if "input" in counters and "output" in counters and len(cached) == 2:
        plain = counters["input"] + counters["output"] + cached["read"] + cached["write"]
    output, explained = _output(counters, plain, tokens.get("total"), version, meta)
    if output:
        found["output"] = output
    taken = {*counters, *(("total",) if explained else ())} - ({"output"} if "total" not in output else set())
    left = rest(tokens, {*taken, "cache"})
    over = rest(cache, cached) if isinstance(cache, dict) else cache
    if holds(over):
        left["cache"] = over
    return found, {**meta, "tokens": left} if left else meta


def _output(
    counters: dict[str, int], plain: int | None, total: Any, version: str | None, meta: dict[str, Any]
) -> tuple[dict[str, int], bool]:
    """The output in normal form, and whether the recorded total is the sum of what is counted.

    ``plain``: the sum of all counters but that of reasoning, None where one is missing.
    """
    found: dict[str, int] = {}
    reasoning = counters.get("reasoning")
    extra = -1 if plain is None or type(total) is not int else total - plain
    explained = extra in (0, reasoning)
    if "output" in counters:
        beside = extra if explained else _by_version(reasoning, version, meta)
        if beside is not None:
            found["total"] = counters["output"] + beside
    return found if reasoning is None else {**found, "reasoning": reasoning}, explained


def _by_version(reasoning: int | None, version: str | None, meta: dict[str, Any]) -> int | None:
    """The tokens of reasoning that the output does not include, where no total tells; None: that is not known."""
    if not reasoning:
        return 0
    known = _VERSION.match(version or "")
    numbers = (int(known[1]), int(known[2])) if known else (0, 0)
    if known is None or _INCLUDES < numbers < _EXCLUDES:
        meta["outputTokens"] = "not known whether they include reasoning"
        return None
    meta["outputTokens"] = "by version"
    return 0 if numbers <= _INCLUDES else reasoning


def is_placeholder(tokens: Any) -> bool:
    """Tell whether all counters are the zeros with which a message begins."""
    if not isinstance(tokens, dict):
        return False
    cache = tokens.get("cache")
    counters = [
        *rest(tokens, ("cache",)).values(),
        *(cache.values() if isinstance(cache, dict) else (cache,)),
    ]
    return bool(counters) and all(type(one) is int and one == 0 for one in counters)
