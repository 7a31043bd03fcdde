"""Strings too random for a word or a name, for data that nothing looked at before, and for a strict policy.

Entire looks for them in the same way (reference entire-checkpoints, section 8).
"""

from __future__ import annotations

import re
from collections import Counter
from math import log2

from git_asr.redaction.base import RANDOM, Rule

_NATIVE_ID = re.compile(
    r"(?:toolu|srvtoolu|msg|call|req|resp|rs|fc|run|step|item|ses|prt|chatcmpl|gen|tool|ws)[_-]"
)
"""How IDs that agents and providers give begin: random, and no secret."""
_LEAST = 4.5
"""Bits a character; hexadecimal digits never have more than 4."""


def entropy(text: str) -> float:
    """Shannon's, in bits a character."""
    return -sum(count / len(text) * log2(count / len(text)) for count in Counter(text).values())


def _random(found: str) -> bool:
    return (
        not _NATIVE_ID.match(found)
        and any(one.isdigit() for one in found)
        and any(one.islower() for one in found)
        and any(one.isupper() for one in found)
        and found.count("/") < 2
        and entropy(found) >= _LEAST
    )


RULES = (
    Rule(
        "entropy",
        RANDOM,
        re.compile(r"(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{24,}={0,2}"),
        accepts=_random,
        in_ids=False,
    ),
)
