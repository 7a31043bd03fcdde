"""Token usage in the profile's normal form (section 4): absent means unknown, never 0."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

_FIELDS = ("input", "cacheRead", "cacheWrite", "output")
_GROUPS = ("input", "output")
_CACHE = ("cacheRead", "cacheWrite")


def normal(usage: Any) -> dict[str, Any]:
    """The known parts of a recorded usage; anything else is left out. A count is an int, and no bool."""
    if not isinstance(usage, dict):
        return {}
    result: dict[str, Any] = {}
    for field, value in usage.items():
        if type(value) is int:
            if value >= 0 and field in _CACHE:
                result[field] = value
        elif field in _GROUPS and isinstance(value, dict) and (group := _group(field, value)):
            result[field] = group
    return result


def _group(field: str, counted: dict[str, Any]) -> dict[str, Any]:
    """The known parts of what went in or came out."""
    group: dict[str, Any] = {
        key: number
        for key, number in counted.items()
        if type(number) is int and number >= 0 and key != "includesCache"
    }
    if field == "input" and "includesCache" in counted:
        includes = counted["includesCache"]
        if includes is None or isinstance(includes, bool):
            group["includesCache"] = includes
    return group


def tokens(usage: Mapping[str, Any]) -> int | None:
    """All tokens of a usage in normal form that are known: input, cache and output; None where none are.

    Where it is open whether the input includes the cache, the cache is not added.
    """
    read, written = usage.get("input", {}), usage.get("output", {})
    known = [plain_input(usage), written.get("total")]
    if "uncached" in read or "total" not in read or read.get("includesCache") is False:
        known += usage.get("cacheRead"), usage.get("cacheWrite")
    counted = [one for one in known if one is not None]
    return sum(counted) if counted else None


def plain_input(usage: Mapping[str, Any]) -> int | None:
    """The input without the cache where that is known, else as it is recorded; None where it is not."""
    read = usage.get("input", {})
    found: int | None = read.get("uncached", read.get("total"))
    return found


def span(covers: Any) -> range | None:
    """The positions of the model calls that a ``usage_summary`` tells all of; None where it names none.

    It says so by ``start`` and ``through``, the first and the last of them. Then either it counts or they do.
    """
    ends = [covers.get("start"), covers.get("through")] if isinstance(covers, dict) else []
    known = [one for one in ends if type(one) is int]
    return range(known[0], known[1] + 1) if len(known) == 2 else None


def within(positions: Sequence[int], found: range) -> slice:
    """Which of positions in ascending order lie in a span."""
    return slice(bisect_left(positions, found.start), bisect_left(positions, found.stop))


@dataclass(slots=True)
class Account:
    """What summaries of one span tell together, of each model one.

    ``told``: which they are, by ``covers.model``; one that names no model is of all, and stands alone.
    ``missing``: models of whose calls they tell nothing (``covers.except``), so that these count themselves.
    """

    span: range
    told: dict[str | None, str]
    missing: set[str]


def accounts(summaries: Iterable[tuple[str, Any]]) -> list[Account]:
    """What counts of the summaries that name a span, each given by what it is called and its ``covers``.

    No call counts twice: of spans that overlap the longer is taken, because it tells of the other too. Of several
    summaries of one model in one span it is the last.
    """
    found: dict[tuple[int, int], Account] = {}
    for identifier, covers in summaries:
        if (named := span(covers)) is not None:
            account = found.setdefault((named.start, named.stop), Account(named, {}, set()))
            model, left_out = covers.get("model"), covers.get("except")
            account.told[model if isinstance(model, str) else None] = identifier
            account.missing.update(filter(_is_text, left_out if isinstance(left_out, list) else ()))
    taken: list[Account] = []
    for one in sorted(found.values(), key=lambda one: (one.span.start - one.span.stop, one.span.start)):
        place = bisect_left(taken, one.span.stop, key=lambda other: other.span.start)
        if not one.span or place == 0 or taken[place - 1].span.stop <= one.span.start:
            taken.insert(place, one)
        if None in one.told:
            one.told = {None: one.told[None]}
    return taken


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def total(usages: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """The sum of usages in normal form: a part that one does not know is that of the others.

    ``input.total`` is only meaningful with one reading of the cache: where they differ, ``includesCache`` is None.
    """
    found: dict[str, Any] = {}
    for usage in usages:
        for field, value in usage.items():
            if field not in _GROUPS:
                found[field] = found.get(field, 0) + value
                continue
            group = found.setdefault(field, {})
            for key, number in value.items():
                if key != "includesCache":
                    group[key] = group.get(key, 0) + number
                elif group.setdefault(key, number) != number:
                    group[key] = None
    return {field: found[field] for field in _FIELDS if field in found}
