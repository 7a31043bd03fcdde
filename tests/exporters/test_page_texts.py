"""Texts of a page are folded, and nothing of them is lost."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from git_asr.exporters.pages.texts import Block, block, diff, folded, prose
from git_asr.views.patches import Edit, Hunk


def whole(*blocks: Block) -> str:
    """All of a text again."""
    return "".join(line.text for one in blocks for piece in (one.head, *one.rest) for line in piece)


TEXTS = st.text(st.sampled_from("ab `\n"), max_size=60) | st.lists(
    st.sampled_from(["x" * 900, "```", "```py", "a", "", "  ```", "y" * 40_000])
).map("\n".join)


@given(TEXTS, st.integers(1, 5))
def test_nothing_is_lost_when_it_is_folded(said: str, most: int) -> None:
    found = block("code", said, most)
    assert whole(found) == said.rstrip("\n")
    assert whole(folded("code", said, "result")) == said.rstrip("\n")
    assert bool(found.rest) == bool(found.more)
    assert all(len(line.text) <= 1 << 14 for piece in found.rest for line in piece)


@given(TEXTS, st.integers(1, 5))
def test_what_was_said_is_there_with_its_fences(said: str, most: int) -> None:
    found = list(prose(said, most))
    lines = [line for one in found for line in whole(one).split("\n") if line]
    assert lines == [line for line in said.split("\n") if line]
    assert {one.look for one in found} <= {"prose", "code"}


@given(st.lists(st.lists(st.sampled_from(["+a", "-b", " c", "+" + "x" * 30_000]), max_size=9), max_size=3))
def test_an_edit_is_there_line_by_line(hunks: list[list[str]]) -> None:
    edit = Edit("p", tuple(Hunk(None, None, tuple(lines)) for lines in hunks))
    found = diff("p", edit, 4)
    assert whole(found).split() == [part for lines in hunks for line in lines for part in line.split()]


@pytest.mark.parametrize(
    ("said", "more"),
    [
        ("a\nb\nc", ""),  # one line more is no longer than what would say so
        ("a\nb\nc\nd", "2 more lines"),
        ("x" * 2_000, "1 more line, 1.2k characters"),
    ],
)
def test_what_is_folded_is_said(said: str, more: str) -> None:
    assert block("code", said, 2).more == more


def test_fences_are_code() -> None:
    found = list(prose("see\n```py\nx = 1\n```\nso\n```\nopen", 40))
    assert [(one.look, whole(one)) for one in found] == [
        ("prose", "see"),
        ("code", "```py\nx = 1\n```"),
        ("prose", "so"),
        ("code", "```\nopen"),
    ]
