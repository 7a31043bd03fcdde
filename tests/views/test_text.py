"""Text for people."""

from __future__ import annotations

import re
import unicodedata

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from git_asr.views.text import clip, columns, duration, human, neutral, one_line, plural, width

ANY_TEXT = st.text(st.characters(exclude_categories=()))  # lone surrogates too


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain é 日本 👩‍💻", "plain é 日本 👩‍💻"),
        ("\x1b[31mred\x1b[m", "^[[31mred^[[m"),
        ("\x1b]8;;https://example.com\x07link", "^[]8;;https://example.com^Glink"),
        ("\x9b31m", "<U+009B>31m"),
        ("a\r\nb\tc\x7f\x00", "a^M^Jb^Ic^?^@"),
        ("user\u202etxt.exe\u2066", "user<U+202E>txt.exe<U+2066>"),
        ("\u200b\ufeff\u2028", "<U+200B><U+FEFF><U+2028>"),
        ("\udc80\U000e0041", "<U+DC80><U+E0041>"),
        ("e" + 8 * "\u0301", "e" + 8 * "\u0301"),
        ("e" + 9 * "\u0301" + "!", "e" + 8 * "\u0301" + "<+1 mark>!"),
        ("ก" + 1_000_000 * "\u0e47" + "ก", "ก" + 8 * "\u0e47" + "<+999,992 marks>ก"),
        ("👩" + 20 * "\u200d" + "💻" + 12 * "─", "👩" + 8 * "\u200d" + "<+12 marks>💻" + 12 * "─"),
    ],
)
def test_neutral(text: str, shown: str) -> None:
    assert neutral(text) == shown


def test_neutral_lines() -> None:
    assert neutral("a\r\nb\tc\rd\x1b\n", lines=True) == "a\nb\tc^Md^[\n"


@given(ANY_TEXT, st.booleans())
def test_nothing_hostile_gets_through(text: str, lines: bool) -> None:
    shown = neutral(text, lines=lines)
    shown.encode("utf-8")
    kept = "\n\t" if lines else ""
    assert not [c for c in shown if unicodedata.category(c) in {"Cc", "Cs"} and c not in kept]
    assert not re.search("[\u202a-\u202e\u2066-\u2069]", shown)
    assert neutral(shown, lines=lines) == shown


@given(st.text(st.characters(min_codepoint=32, max_codepoint=126)))
def test_plain_text_stays(text: str) -> None:
    assert neutral(text) == text


@pytest.mark.parametrize(
    ("text", "cells", "line"),
    [
        ("  Fix\n\n the \t bug\r\n", None, "Fix the bug"),
        ("one two three", 7, "one tw…"),
        ("one two three", 5, "one…"),
        ("日本語", 6, "日本語"),
        ("日本語", 5, "日本…"),
        ("日本語", 4, "日…"),
        ("abc", 1, "…"),
        ("abc", 0, ""),
        ("", 0, ""),
        ("e\u0301e\u0301", 2, "e\u0301e\u0301"),
    ],
)
def test_one_line(text: str, cells: int | None, line: str) -> None:
    assert one_line(text, cells) == line


@given(ANY_TEXT, st.integers(0, 20))
def test_a_clipped_line_fits(text: str, cells: int) -> None:
    line = one_line(text, cells)
    assert width(line) <= cells
    assert "\n" not in line


@given(ANY_TEXT)
def test_what_fits_is_not_clipped(text: str) -> None:
    assume(len(text) <= 16 * max(width(text), 1))
    assert clip(text, width(text)) == text


def test_marks_that_fill_no_cell_are_not_endless() -> None:
    assert clip("a" + 1_000_000 * "\u0301", 4) == "a" + 63 * "\u0301" + "…"
    assert clip(1_000_000 * "\u0301", 0) == ""


@pytest.mark.parametrize(
    ("number", "shown"),
    [
        (0, "0"),
        (999, "999"),
        (1000, "1k"),
        (1234, "1.2k"),
        (9_960, "10k"),
        (31_040, "31k"),
        (99_949, "99.9k"),
        (99_960, "100k"),
        (999_499, "999k"),
        (999_500, "1M"),
        (12_600_000, "12.6M"),
        (10**18, "1000P"),
        (-1500, "-1.5k"),
    ],
)
def test_human(number: int, shown: str) -> None:
    assert human(number) == shown


@given(st.integers(0, 10**17))
def test_human_is_short_and_near(number: int) -> None:
    shown = human(number)
    assert len(shown) <= 5
    digits, unit = re.fullmatch(r"([0-9.]+)([kMGTP]?)", shown).groups()  # type: ignore[union-attr]
    value = float(digits) * 1000 ** " kMGTP".index(unit or " ")
    assert abs(value - number) <= max(number * 0.05, 0)


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [
        (0, "0s"),
        (-3, "0s"),
        (45.4, "45s"),
        (59.6, "1m00s"),
        (200, "3m20s"),
        (3900, "1h05m"),
        (183_600, "2d03h"),
    ],
)
def test_duration(seconds: float, shown: str) -> None:
    assert duration(seconds) == shown


def test_plural() -> None:
    assert [plural(n, "commit") for n in (0, 1, 2)] == ["0 commits", "1 commit", "2 commits"]
    assert plural(12_345, "copy", "copies") == "12,345 copies"


def test_columns() -> None:
    rows = [("agent", "tokens", "prompt"), ("Claude Code", "1.2k", "日本 text"), ("Codex", "31k", "")]
    assert columns(rows, right={1}) == [
        "agent        tokens  prompt",
        "Claude Code    1.2k  日本 text",
        "Codex           31k",
    ]
    assert columns(rows, right={1}, cells=25) == [
        "agent        tokens  pro…",
        "Claude Code    1.2k  日…",
        "Codex           31k",
    ]
    assert columns([]) == []


@given(st.lists(st.tuples(ANY_TEXT.map(one_line), ANY_TEXT.map(one_line), st.just("x")), min_size=1))
def test_columns_are_aligned(rows: list[tuple[str, str, str]]) -> None:
    assert len({width(line) for line in columns(rows, right={1})}) == 1
