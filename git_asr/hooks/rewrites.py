"""From what Git tells its ``post-rewrite`` hook to pairs of commits (reference git-integration, section 7.2)."""

from __future__ import annotations

import re

from git_asr.companion.rewrites import Pair, pairs

__all__ = ["Pair", "pairs", "parse"]

_OID = rb"([0-9a-f]{40}|[0-9a-f]{64})"
_LINE = re.compile(_OID + b" " + _OID + b"(?: .*)?")
_KINDS = (b"amend", b"rebase")


def parse(told: bytes, when: int) -> list[Pair]:
    """The pairs that a saved input holds: a line with the kind, then one for each pair; more may follow in these.

    ``when``: epoch seconds. Many old commits may have become one; one that was dropped is absent. A line that is no
    pair, as one that was cut, is passed over.

    Raises:
        ValueError: there is no kind that Git has.
    """
    kind, *lines = told.split(b"\n")
    if kind not in _KINDS:
        raise ValueError("not what Git tells of rewritten commits")
    found = (_LINE.fullmatch(line) for line in lines)
    return [
        Pair(one[1].decode(), one[2].decode(), kind.decode(), when)
        for one in found
        if one is not None and len(one[1]) == len(one[2])
    ]
