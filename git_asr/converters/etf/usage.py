"""Token counters in the profile's normal form, as the companion specification maps them.

``input_tokens`` excludes the cache on newer lines; what it meant before differed by agent. So it is ``uncached`` only
for the producers that were checked, line by line, against the native transcripts that lay beside theirs. All others,
builds without a version included (``dev``), give ``input.total``, and it is not known whether that includes the cache:
those of Gemini CLI were seen to do so. A counter of the cache on the same line changes nothing.
"""

from __future__ import annotations

import re
from typing import Any

from git_asr.converters.etf.format import slug

_LIMIT = 1 << 53
_COUNTERS = {
    "cache_read_tokens": ("cacheRead", None),
    "cache_write_tokens": ("cacheWrite", None),
    "output_tokens": ("output", "total"),
    "reasoning_tokens": ("output", "reasoning"),
}
_VERSION = re.compile(r"v?([0-9]{1,6})\.([0-9]{1,6})\.([0-9]{1,6})(-nightly(?:[.+].*)?)?", re.ASCII)

Version = tuple[int, int, int, bool]
"""A version of Entire; the last says whether it is released, so that what comes before a release is less."""

UNCACHED: tuple[tuple[str, Version, Version], ...] = (("claude-code", (0, 7, 6, False), (0, 7, 6, False)),)
"""Agent, first and last version of Entire whose lines were checked: ``input_tokens`` excludes the cache there."""


def normal(value: dict[str, Any]) -> tuple[dict[str, Any], set[str]]:
    """The usage that a line records, and the keys that it is made of."""
    known = {key: value[key] for key in ("input_tokens", *_COUNTERS) if _is_count(value.get(key))}
    found: dict[str, Any] = {}
    if "input_tokens" in known:
        count = known["input_tokens"]
        found["input"] = (
            {"uncached": count} if _excludes_cache(value) else {"total": count, "includesCache": None}
        )
    for key, (field, inner) in _COUNTERS.items():
        if key in known and inner is None:
            found[field] = known[key]
        elif key in known:
            found.setdefault(field, {})[inner] = known[key]
    return found, set(known)


def _is_count(value: Any) -> bool:
    return type(value) is int and 0 <= value < _LIMIT


def _excludes_cache(value: dict[str, Any]) -> bool:
    """Whether a line's producer is known to leave the cache out of ``input_tokens``."""
    agent, version = value.get("agent"), _version(value.get("cli_version"))
    return (
        isinstance(agent, str)
        and version is not None
        and any(slug(agent) == known and first <= version <= last for known, first, last in UNCACHED)
    )


def _version(said: Any) -> Version | None:
    """A version of Entire; None for what is none (``dev``, ``unknown``)."""
    found = _VERSION.fullmatch(said) if isinstance(said, str) else None
    return None if found is None else (int(found[1]), int(found[2]), int(found[3]), found[4] is None)
