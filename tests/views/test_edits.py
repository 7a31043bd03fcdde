from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from git_asr.views.edits import MOST_COMPARED, edits
from git_asr.views.patches import Edit, Hunk


def test_hunks_that_a_tool_says_it_applied_go_before_what_was_asked() -> None:
    patch = [{"oldStart": 3, "newStart": 4, "lines": [" a", "-b", "+c", 5]}, "x", {"lines": 5}]
    output = {"filePath": "a.py", "structuredPatch": patch}
    (edit,) = edits({"file_path": "b.py", "old_string": "x", "new_string": "y"}, output)
    assert edit == Edit("a.py", (Hunk(3, 4, (" a", "-b", "+c")),))
    assert (edit.added, edit.removed) == (1, 1)


def test_an_old_and_a_new_text_are_compared() -> None:
    (edit,) = edits(
        {"file_path": "a", "old_string": "one\n-- two\nthree", "new_string": "one\n2\nthree"}, None
    )
    assert edit.hunks == (Hunk(None, None, (" one", "--- two", "+2", " three")),)


def test_changes_far_apart_are_hunks_of_their_own() -> None:
    before = [str(number) for number in range(30)]
    after = ["x", *before[1:29], "y"]
    (edit,) = edits({"path": "a", "oldText": "\n".join(before), "newText": "\n".join(after)}, None)
    assert [hunk.lines[0] for hunk in edit.hunks] == ["-0", " 26"]


def test_several_changes_of_one_file() -> None:
    asked = [{"old_string": "a", "new_string": "b"}, 5, {"old_string": "c", "new_string": "c"}]
    (edit,) = edits({"file_path": "a", "edits": asked}, {"filePath": "a", "structuredPatch": []})
    assert edit.hunks == (Hunk(None, None, ("-a", "+b")),)


def test_the_names_that_antigravity_has_for_it() -> None:
    chunk = {"TargetContent": "a", "ReplacementContent": "b"}
    for asked in ({"TargetFile": "f", **chunk}, {"TargetFile": "f", "ReplacementChunks": [chunk]}):
        assert edits(asked, None) == (Edit("f", (Hunk(None, None, ("-a", "+b")),)),)
    (edit,) = edits({"TargetFile": "f", "CodeContent": "x"}, None)
    assert edit.whole


def test_a_whole_file() -> None:
    (edit,) = edits({"file_path": "a", "content": "x\ny\n"}, {"type": "create", "structuredPatch": []})
    assert edit == Edit("a", (Hunk(None, 1, ("+x", "+y")),), whole=True)
    for key in ("contents", "file_text"):
        assert edits({"path": "a", key: "x\ny\n"}, None) == (edit,)


def test_a_long_text_is_not_compared() -> None:
    old = [f"{number % 2}" for number in range(MOST_COMPARED)]
    new = ["x", "y"]
    same = [*"abcde"]
    (edit,) = edits(
        {
            "file_path": "a",
            "old_string": "\n".join([*same, *old, *same]),
            "new_string": "\n".join([*same, *new, *same]),
        },
        None,
    )
    assert (edit.removed, edit.added) == (MOST_COMPARED, 2)
    (hunk,) = edit.hunks
    assert (hunk.lines[:4], hunk.lines[-5:]) == ((" c", " d", " e", "-0"), ("+x", "+y", " a", " b", " c"))


def test_a_small_change_of_a_long_text_is_found() -> None:
    old = [str(number) for number in range(10 * MOST_COMPARED)]
    new = [*old[:9], "changed", *old[10:]]
    (edit,) = edits({"file_path": "a", "old_string": "\n".join(old), "new_string": "\n".join(new)}, None)
    assert [hunk.lines for hunk in edit.hunks] == [(" 6", " 7", " 8", "-9", "+changed", " 10", " 11", " 12")]


def test_only_a_line_feed_ends_a_line() -> None:
    (edit,) = edits({"file_path": "a", "content": "a\x0cb\u2028c\r\nd"}, None)
    assert edit.hunks[0].lines == ("+a\x0cb\u2028c\r", "+d")


@pytest.mark.parametrize(
    ("arguments", "output"),
    [
        (None, None),
        ([], "text"),
        ({"file_path": "a"}, None),
        ({"file_path": 5, "content": "x"}, None),
        ({"content": "x"}, {"structuredPatch": []}),
        ({"file_path": "a", "old_string": "x"}, {"filePath": "a", "structuredPatch": 5}),
    ],
)
def test_what_has_not_the_shape_of_an_edit_is_none(arguments: Any, output: Any) -> None:
    assert edits(arguments, output) == ()


TEXT = st.text("ab\n-+ ", max_size=20)


@given(TEXT, TEXT)
def test_a_diff_gives_both_sides_back(old: str, new: str) -> None:
    found = edits({"file_path": "a", "old_string": old, "new_string": new}, None)
    lines = [line for edit in found for hunk in edit.hunks for line in hunk.lines]
    if old.splitlines() == new.splitlines():
        assert found == ()
        return
    if len(found[0].hunks) == 1:
        before, after = ([line[1:] for line in lines if line[0] in f" {sign}"] for sign in "-+")
        assert "\n".join(before) in "\n".join(old.splitlines())
        assert "\n".join(after) in "\n".join(new.splitlines())
