"""The graph of a stream's records: which stand on a branch that was left, where it is broken (profile section 3)."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence

from git_asr.asr.context import ancestors, default_head, implicit
from git_asr.asr.draft import Record
from git_asr.values import dataclass

SPOKEN = frozenset({"message", "reasoning", "tool_call", "git-asr/command"})
"""Types of what is said and done; what lies loose between such records stands on no branch."""


@dataclass(frozen=True, slots=True)
class Branches:
    """What the predecessors of records say.

    ``left``: places of records that do not lead to the head but go out from something that does, each with the place of
    the nearest such one; and of those that a rewind took back, each with the place to which it went, -1 for the start.
    ``roots``: places of records that are known to follow nothing, although something was said before them. ``breaks``:
    places of records of which no predecessor is recorded, each with the ID of one.
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
    left |= _taken_back(records, sorted(path), ids)
    return Branches(left, frozenset(roots), breaks)


def _taken_back(records: Sequence[Record], path: Sequence[int], ids: Mapping[str, int]) -> dict[int, int]:
    """The places on the path that rewinds took back, each with the place to which the last one went."""
    found: dict[int, int] = {}
    live: list[int] = []
    for number in path:
        record = records[number]
        if record["type"] != "rewind":
            live.append(number)
            continue
        to = record.get("to")
        cut = 0 if to is None else bisect_right(live, ids.get(to, len(records)))
        if to is not None and (not cut or live[cut - 1] != ids.get(to)):
            continue  # it goes to what is not there any more: nothing is known to be taken back
        found.update(dict.fromkeys(live[cut:], live[cut - 1] if cut else -1))
        del live[cut:]
    return found
