"""The course of a conversation as it is drawn beside its timeline: branches that were left, and rewinds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from git_asr.values import dataclass
from git_asr.views.items import Event, Item, Turn


@dataclass(frozen=True, slots=True)
class Side:
    """What stands to the left of an item. ``first``: of its first line, ``bar``: of the others; ``below``: under it."""

    first: str = ""
    bar: str = ""
    below: str = ""

    @property
    def turns(self) -> bool:
        """Whether it draws the turn that the item is."""
        return self.first != self.bar


_PLAIN = Side()
_OPENS, _GOES_BACK, _CLOSES = Side("╭╌ ", "╎  "), Side("├╌ ", "╎  "), Side("╰╌ ", "   ")
_BESIDE, _LAST = Side("╎ ", "╎ "), Side("╎ ", "╎ ", "╰╌")


def beside(items: Sequence[Item]) -> Iterator[tuple[Item, Side]]:
    """The items, each with what is drawn beside it: a line from where a branch begins to its last entry.

    A rewind that follows on what it took back ends the line itself; one in the midst of it is a knot.
    """
    end = -1
    for number, item in enumerate(items):
        if isinstance(item, Turn) and item.what == "branch":
            end = _end(items, number + 1, item.count)
            yield item, _OPENS
        elif number > end:
            yield item, _PLAIN
        elif isinstance(item, Turn) and item.what == "rewind":
            yield item, _GOES_BACK if number < end else _CLOSES
        else:
            yield item, _BESIDE if number < end else _LAST


def _end(items: Sequence[Item], start: int, count: int) -> int:
    """The place of the last of so many entries aside, or of the rewind behind it."""
    last = start
    for last in range(start, len(items)):
        count -= items[last].aside
        if not count:
            break
    behind = next((n for n in range(last + 1, len(items)) if not isinstance(items[n], Event)), len(items))
    found = items[behind] if behind < len(items) else None
    return behind if isinstance(found, Turn) and found.what == "rewind" else last
