"""Lines in a given width, and in ASCII: for text that is neutral, with the styles of our own that it may have."""

from __future__ import annotations

import re
from collections.abc import Iterator

from git_asr.views.text import cells_of

_STYLE = re.compile("(\x1b\\[[0-9;]*m)")
"""What gives a style or ends it. Neutral text holds no escape but those that git-asr gave it."""
_HANG = 2
"""Cells by which the rest of a line stands further in than the line."""
_LEAST = 8
"""Cells in which text is set however little room there is."""
_DRAWN = str.maketrans(
    {
        **dict.fromkeys("─╌−–·", "-"),
        **dict.fromkeys("│╎", "|"),
        **dict.fromkeys("╭╰├", "+"),
        **dict.fromkeys("“”", '"'),
        "…": "...",
        "→": "->",
    }
)


def ascii_only(line: str) -> str:
    """A line without any character beyond ASCII: what git-asr draws becomes like signs, the rest ``<U+4E2D>``."""
    if line.isascii():
        return line
    drawn = line.translate(_DRAWN)
    return "".join(one if one.isascii() else f"<U+{ord(one):04X}>" for one in drawn)


def wrapped(line: str, cells: int) -> Iterator[str]:
    """A line as rows of at most so many cells, broken at spaces where that does not leave half a row empty.

    The rest of a line stands further in than its beginning, so that no row of it looks like a line of its own. A style
    ends with each row, and begins again in the next.
    """
    spans = _STYLE.split(line)
    plain = "".join(spans[::2])
    least = max(cells, _LEAST)
    if plain.isascii() and len(plain) <= least:
        yield line
        return
    inner = len(plain) - len(plain.lstrip(" ")) + _HANG
    hang = " " * min(inner, least // 2)
    part = plain.__getitem__ if len(spans) == 1 else _Styled(spans).part
    lead = ""
    for row in _rows(plain, least, least - len(hang)):
        yield (lead + part(row)).rstrip()
        lead = hang


def _rows(plain: str, first: int, others: int) -> Iterator[slice]:
    """Where each row begins and ends; none is empty."""
    start, room = 0, first
    while start < len(plain):
        end = _fitting(plain, start, room)
        if end < len(plain):
            space = plain.rfind(" ", start + (end - start) // 2, end + 1)
            end = end if space <= start else space
        yield slice(start, end)
        start = end + (plain[end : end + 1] == " ")
        room = others


def _fitting(plain: str, start: int, room: int) -> int:
    """The end of what fits from there on, at least one character with what is drawn on it."""
    if plain[start : start + room + 1].isascii():
        return min(start + room, len(plain))
    at = start
    while at < len(plain):
        room -= cells_of(plain[at])
        if room < 0 and at > start:
            break
        at += 1
    return at


class _Styled:
    """The parts of a styled line, from left to right."""

    def __init__(self, spans: list[str]) -> None:
        """``spans``: texts at even places, and between them the styles that begin there."""
        self._spans = spans
        self._at = 0
        self._begins = 0

    def part(self, row: slice) -> str:
        """The text of a part of the plain line, with its styles; of one that begins before the last one never."""
        start, end = row.start, row.stop
        found: list[str] = []
        while True:
            text = self._spans[self._at]
            piece = text[max(start - self._begins, 0) : end - self._begins]
            style = self._spans[self._at - 1] if self._at else ""
            plain = style in ("", "\x1b[m")
            found.append(piece if plain or not piece else f"{style}{piece}\x1b[m")
            if self._begins + len(text) >= end or self._at + 2 >= len(self._spans):
                return "".join(found)
            self._begins += len(text)
            self._at += 2
