"""Lines in the place of marks, however the output comes."""

from __future__ import annotations

import pytest

from git_asr.cli.weaving import Marks, Unweaver, Weaver

TITLE = b"asr-g" + b"0" * 40


def cut(data: bytes, size: int) -> list[bytes]:
    return [data[at : at + size] for at in range(0, len(data), size)]


@pytest.mark.parametrize("size", [1, 7, 64, 10_000])
def test_lines_come_for_marks(size: int) -> None:
    marks = Marks()
    data = b"a\n\nNotes (%s):\n    %s| %s%s end" % (TITLE, marks.mark(0), marks.mark(255), marks.mark(1)[:-1])
    weaver = Weaver(marks, TITLE, lambda number: b"line %d" % number)
    out = b"".join(map(weaver.feed, cut(data, size))) + weaver.end()
    assert out == b"a\n\nNotes (asr):\n    line 0\n| line 255\nline 1 end"


def test_marks_of_another_run_stay() -> None:
    mine, other = Marks(), Marks()
    weaver = Weaver(mine, TITLE, lambda _: b"line")
    assert weaver.feed(other.mark(3)) == other.mark(3)


def test_long_lines_are_not_held() -> None:
    marks = Marks()
    weaver = Weaver(marks, TITLE, lambda _: b"line")
    first = weaver.feed(b"x" * 100_000)
    assert len(first) > 90_000
    assert first + weaver.feed(marks.mark(1)) + weaver.end() == b"x" * 100_000 + b"line\n"


@pytest.mark.parametrize("size", [1, 7, 10_000])
def test_notes_go_again(size: int) -> None:
    marks = Marks()
    mark = marks.mark(0)
    data = (
        b"* one\n| \n| Notes (%s):\n|     %s| \n* two\n|/  Notes (%s):\n|       %s|   \n* three\n"
        b"\x1b[31m|\x1b[m \n\x1b[31m|\x1b[m Notes (%s):\n\x1b[31m|\x1b[m     %s\nraw %s end\n\nlast"
    ) % (TITLE, mark, TITLE, mark, TITLE, mark, mark)
    unweaver = Unweaver(marks, TITLE)
    out = b"".join(map(unweaver.feed, cut(data, size))) + unweaver.end()
    assert out == b"* one\n| \n* two\n|/\n* three\n\nraw  end\n\nlast"
