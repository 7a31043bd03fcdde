"""Text for people: untrusted characters made visible, widths in terminal cells, human numbers, columns.

Everything here is pure; the command line and the notes share it.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Sequence
from functools import lru_cache
from itertools import groupby, islice

_KEPT_IN_LINES = "\n\t"
ELLIPSIS = "…"
_UNITS = ("", "k", "M", "G", "T", "P")
_MOST_MARKS = 16
"""Characters for each terminal cell."""
_MOST_ON_ONE = 8
"""Marks in a row that are shown; no script needs as many on one letter."""

# C0 and DEL, C1, the bidirectional controls, what is drawn as nothing at all, line and paragraph separators,
# lone surrogates, tag characters, noncharacters. Joiners (U+200C, U+200D) stay: Persian and emoji need them.
_HOSTILE = re.compile(
    "[\x00-\x1f\x7f-\x9f\xad\u061c\u115f\u1160\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff"
    "\uffa0\ufff0-\ufffb\ufffe\uffff\ud800-\udfff\U000e0000-\U000e007f]"
)
# What a run of marks may stand in: marks and joiners are neither ASCII nor letters nor white space.
_NO_LETTERS = re.compile(rf"[^\x00-\x7f\w\s]{{{_MOST_ON_ONE + 1},}}")
_SPACE = re.compile(r"\s+")


def neutral(text: str, *, lines: bool = False) -> str:
    """Make every character visible that could steer a terminal or deceive the eye.

    Control characters become caret notation (ESC is ``^[``), the others ``<U+202E>``. With ``lines`` line
    feeds and tabs stay, and a carriage return before a line feed goes; without, they are made visible too. Of a
    flood of combining marks, which would cover other lines, the first stay, and the rest is counted: ``<+300 marks>``.
    The result holds no escape sequence, so it may be printed as it is. Specification, readers: "Display safely".
    """
    kept = ""
    if lines:
        text, kept = text.replace("\r\n", "\n"), _KEPT_IN_LINES
    shown = _HOSTILE.sub(lambda hit: hit[0] if hit[0] in kept else _visible(hit[0]), text)
    return shown if shown.isascii() else _NO_LETTERS.sub(_without_flood, shown)


def one_line(text: str, cells: int | None = None) -> str:
    """Fold a text into one neutral line: white space runs become one space, the ends are stripped.

    With ``cells`` it is cut to that many terminal cells (see ``clip``).
    """
    folded = _SPACE.sub(" ", text).strip()
    if cells is None:
        return neutral(folded)
    looked_at = folded[: _most(cells) + 1]
    return clip(neutral(looked_at) + (ELLIPSIS if len(looked_at) < len(folded) else ""), cells)


def width(text: str) -> int:
    """The cells that a text fills in a terminal: 2 for wide characters, 0 for combining marks."""
    if text.isascii():
        return len(text)
    return sum(cells_of(character) for character in text)


def clip(text: str, cells: int) -> str:
    """Cut a text to at most ``cells`` terminal cells; what was cut ends in an ellipsis.

    Only as much of it is looked at as may be kept. Marks on a character fill no cell, but no more of them are kept than
    any script needs.
    """
    if len(text) <= cells and text.isascii():
        return text
    most = _most(cells)
    left, end = cells, 0
    for number, character in enumerate(islice(text, most), start=1):
        left -= cells_of(character)
        if left < 0:
            break
        end = number if left else end  # a cell is left for the ellipsis
    else:
        if len(text) <= most:
            return text
    return text[:end].rstrip() + ELLIPSIS if cells > 0 else ""


def _most(cells: int) -> int:
    """Characters that are kept in so many cells."""
    return _MOST_MARKS * max(cells, 1)


def human(number: int) -> str:
    """A count in at most four characters and a sign: 999, 1.2k, 31k, 12.6M."""
    if number < 0:
        return "-" + human(-number)
    scaled, unit = float(number), 0
    while _rounded(scaled) >= 1000 and unit < len(_UNITS) - 1:
        scaled, unit = scaled / 1000, unit + 1
    return f"{_rounded(scaled)}{_UNITS[unit]}" if unit else str(number)


def duration(seconds: float) -> str:
    """A span of time in its two greatest units: 45s, 3m20s, 1h05m, 2d03h."""
    whole = max(0, round(seconds))
    minutes, second = divmod(whole, 60)
    hours, minute = divmod(minutes, 60)
    days, hour = divmod(hours, 24)
    if days:
        return f"{days}d{hour:02}h"
    if hours:
        return f"{hours}h{minute:02}m"
    if minutes:
        return f"{minutes}m{second:02}s"
    return f"{second}s"


def plural(number: int, noun: str, many: str | None = None) -> str:
    """A number with its noun: ``1 commit``, ``3 commits``, ``2 copies``."""
    return f"{number:,} {noun if number == 1 else many or noun + 's'}"


def columns(
    rows: Sequence[Sequence[str]], *, right: Collection[int] = (), cells: int | None = None, gap: int = 2
) -> list[str]:
    """Set rows of equal length as lines with aligned columns.

    ``right`` names the columns (from 0) that are aligned to the right. With ``cells`` each line is cut to that
    width, so the column that may be long stands last. The texts must be neutral already.
    """
    if not rows:
        return []
    widths = [max(width(cell) for cell in column) for column in zip(*rows, strict=True)]
    lines = []
    for row in rows:
        padded = [
            " " * (space - width(cell)) + cell if at in right else cell + " " * (space - width(cell))
            for at, (cell, space) in enumerate(zip(row, widths, strict=True))
        ]
        line = (" " * gap).join(padded).rstrip()
        lines.append(line if cells is None else clip(line, cells))
    return lines


def _without_flood(hit: re.Match[str]) -> str:
    """What is no letter, with long runs of marks cut."""
    kept: list[str] = []
    for marks, run in groupby(hit[0], lambda one: not cells_of(one)):
        found = "".join(run)
        more = len(found) - _MOST_ON_ONE if marks else 0
        kept.append(f"{found[:_MOST_ON_ONE]}<+{plural(more, 'mark')}>" if more > 0 else found)
    return "".join(kept)


def _visible(character: str) -> str:
    code = ord(character)
    if code < 0x20 or code == 0x7F:
        return "^" + chr(code ^ 0x40)
    return f"<U+{code:04X}>"


@lru_cache(maxsize=4096)
def cells_of(character: str) -> int:
    """The cells that a character fills: 2 if it is wide, 0 if it is drawn on the one before."""
    if character.isascii():
        return 1
    if unicodedata.category(character) in {"Mn", "Me", "Cf"} or "\u1160" <= character <= "\u11ff":  # Hangul
        return 0
    return 2 if unicodedata.east_asian_width(character) in {"W", "F"} else 1


def _rounded(scaled: float) -> float:
    tenths = round(scaled, 1)
    return round(scaled) if scaled >= 100 or tenths == int(tenths) else tenths
