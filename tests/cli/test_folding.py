from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from git_asr.cli.folding import Folding
from git_asr.views import text


def folded(said: str, most: int = 2, **options: bool) -> tuple[list[str], int]:
    folding = Folding(**options)
    return list(folding.lines(said, most)), folding.folded


@pytest.mark.parametrize(
    ("said", "lines", "count"),
    [
        ("a", ["a"], 0),
        ("\n\r\na  \r\n\tb\n", ["a", "    b"], 0),
        ("a\n\nb", ["a", "", "b"], 0),
        ("a\nb\nc\nd\n", ["a", "b", "… 2 more lines"], 1),
        ("a\r\nb\r\nc\r\nd", ["a", "b", "… 2 more lines"], 1),
        ("a\rb\x1b[m", ["a^Mb^[[m"], 0),
        ("x" * 401, ["x" * 399 + "…"], 1),
        ("x" + 1_000_000 * " " + "y", ["x…"], 1),
        ("x" + 1_000_000 * "\u0301", ["x" + 8 * "\u0301" + "<+6,392 marks>…"], 1),
        (10 * ("x" + 9 * "\u0301"), [10 * ("x" + 8 * "\u0301" + "<+1 mark>")], 0),
    ],
)
def test_a_text_is_folded(said: str, lines: list[str], count: int) -> None:
    assert folded(said) == (lines, count)


@given(st.text(st.characters(exclude_categories=())), st.booleans())
def test_every_line_is_neutral(said: str, full: bool) -> None:
    lines, count = folded(said, full=full)
    assert all(line == text.neutral(line) for line in lines)
    assert not (full and count)
