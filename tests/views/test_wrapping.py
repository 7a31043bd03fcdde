"""Lines in a width and in ASCII."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from git_asr.views.text import neutral, width
from git_asr.views.wrapping import ascii_only, wrapped

LINES = st.text(st.characters(exclude_categories=()), max_size=80).map(neutral)
STYLED = st.lists(st.tuples(st.sampled_from(["", "\x1b[31m", "\x1b[1m"]), LINES), max_size=5).map(
    lambda spans: "".join(f"{style}{text}\x1b[m" if style else text for style, text in spans)
)


def plain(line: str) -> str:
    return re.sub("\x1b\\[[0-9]*m", "", line)


@pytest.mark.parametrize(
    ("line", "cells", "rows"),
    [
        ("", 10, [""]),
        ("one two", 10, ["one two"]),
        ("one two three", 10, ["one two", "  three"]),
        ("one two th", 10, ["one two th"]),
        ("0123456789abcdefghijk", 10, ["0123456789", "  abcdefgh", "  ijk"]),
        ("a 0123456789", 10, ["a 01234567", "  89"]),
        ("  if x: return y", 12, ["  if x:", "    return y"]),
        (" " * 12 + "x", 10, ["", "      x"]),
        ("日本語日本語", 9, ["日本語日", "  本語"]),
        ("e\u0301" * 12, 10, ["e\u0301" * 10, "  " + "e\u0301" * 2]),
        ("日" * 3, 1, ["日" * 3]),
        ("日" * 5, 1, ["日" * 4, "  日"]),
        ("\x1b[31mone two three\x1b[m", 10, ["\x1b[31mone two\x1b[m", "  \x1b[31mthree\x1b[m"]),
        (
            "a \x1b[1mb\x1b[m c \x1b[31md e f\x1b[m",
            8,
            ["a \x1b[1mb\x1b[m c \x1b[31md\x1b[m", "  \x1b[31me f\x1b[m"],
        ),
    ],
)
def test_rows(line: str, cells: int, rows: list[str]) -> None:
    assert list(wrapped(line, cells)) == rows


@given(STYLED, st.integers(8, 40))
def test_no_row_is_wider_and_nothing_is_lost(line: str, cells: int) -> None:
    rows = list(wrapped(line, cells))
    assert all(width(plain(row)) <= cells for row in rows)
    assert all(row.count("\x1b[m") == len(re.findall("\x1b\\[[0-9]+m", row)) for row in rows)
    assert "".join(map(plain, rows)).replace(" ", "") == plain(line).replace(" ", "")


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        ("plain", "plain"),
        ("── a · b ──", "-- a - b --"),
        ("╭╌ ╎ ├╌ ╰╌ │ … → −", "+- | +- +- | ... -> -"),
        ("日 é 👩\u200d💻", "<U+65E5> <U+00E9> <U+1F469><U+200D><U+1F4BB>"),
        ("\x1b[31m日\x1b[m", "\x1b[31m<U+65E5>\x1b[m"),
    ],
)
def test_ascii(line: str, shown: str) -> None:
    assert ascii_only(line) == shown


@given(STYLED)
def test_nothing_but_ascii(line: str) -> None:
    assert ascii_only(line).isascii()
