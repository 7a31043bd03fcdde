"""The graph of a stream's records: which stand on a branch that was left, where it is broken (profile section 3)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from git_asr.asr.context import ancestors, default_head, implicit
from git_asr.asr.draft import Record

SPOKEN = frozenset({"message", "reasoning", "tool_call", "git-asr/command"})
"""Types of what is said and done; what lies loose between such records stands on no branch."""


@dataclass(frozen=True, slots=True)
class Branches:
    """What the predecessors of records say.

    ``left``: places of records that do not lead to the head but go out from something that does, each with the place of
    the nearest such one. ``roots``: places of records that are known to follow nothing, although something was said
    before them. ``breaks``: places of records of which no predecessor is recorded, each with the ID of one.
    """

    left: dict[int, int]
    roots: frozenset[int]
    breaks: dict[int, str]


def branches(records: Sequence[Record]) -> Branches:
    """Look at the graph as a whole, from the default head of the context view."""
    ids = {record["id"]: number for number, record in reversed(list(enumerate(records)))}
    head = default_head(records)
    path = set() if head is None else ancestors(records, ids, head)[0]
    before = implicit(records)
    left: dict[int, int] = {}
    roots: set[int] = set()
    breaks: dict[int, str] = {}
    begun = False
    for number, record in enumerate(records):
        named = record.get("predecessors")
        known = [ids[one] for one in named or () if one in ids]
        if named is None:
            known = [one for one in (before[number],) if one is not None]
        elif not named and begun:
            roots.add(number)
        elif named and not known:
            breaks[number] = named[0]
        begun = begun or record["type"] in SPOKEN
        if number in path:
            continue
        origin = next(
            (one if one in path else left[one] for one in known if one in path or one in left), None
        )
        if origin is not None:
            left[number] = origin
    return Branches(left, frozenset(roots), breaks)
