from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from git_asr.views.edits import edits
from git_asr.views.patches import Edit, Hunk, changes, patch

PATCH = """*** Begin Patch
*** Update File: a.py
*** Move to: b.py
@@ def f():
 one
-two
+2

@@
+end
*** End of File
*** Add File: new.txt
+x
+y
*** Delete File: old.txt
*** End Patch
"""

APPLIED = (
    Edit("a.py → b.py", (Hunk(None, None, (" one", "-two", "+2")), Hunk(None, None, ("+end",)))),
    Edit("new.txt", (Hunk(None, 1, ("+x", "+y")),), whole=True),
    Edit("old.txt", ()),
)


@pytest.mark.parametrize(
    "arguments",
    [
        PATCH,
        {"input": PATCH},
        {"command": ["apply_patch", PATCH]},
        {"cmd": f"cd x && apply_patch <<'EOF'\n{PATCH}EOF\n"},
        {"n": 7, "deep": [PATCH]},
    ],
)
def test_a_patch_wherever_it_stands(arguments: Any) -> None:
    assert patch(arguments) == APPLIED
    assert edits(arguments, None) == APPLIED


def test_a_patch_that_is_cut_or_none() -> None:
    cut = "*** Begin Patch\n*** Update File: a\n without a mark of a hunk\n+x"
    assert patch(cut) == (Edit("a", (Hunk(None, None, (" without a mark of a hunk", "+x")),)),)
    for one in (
        "*** Begin Patch",
        "*** Begin Patch\n*** Move to: x\n",
        None,
        7,
        {},
        {"a": {"b": {"c": {"d": PATCH}}}},
    ):
        assert patch(one) == ()


def test_changes_that_were_applied_go_before_the_patch() -> None:
    diff = "--- a\n+++ b\n@@ -3,2 +3,3 @@ f\n one\n-two\n+2\n+3\n\\ No newline at end of file\n@@ -9 +10 @@\n-x\n"
    output = {
        "changes": {
            "a": {"type": "update", "unified_diff": diff, "move_path": "b"},
            "c": {"type": "add", "content": "x\ny\n"},
            "d": {"delete": {"content": "z"}},
            "e": {"type": "delete"},
            "f": {"type": "update", "content": "?"},
            "g": {"type": "other"},
            "h": 7,
            "i": {"add": 7},
        }
    }
    expected = (
        Edit("a → b", (Hunk(3, 3, (" one", "-two", "+2", "+3")), Hunk(9, 10, ("-x",)))),
        Edit("c", (Hunk(None, 1, ("+x", "+y")),), whole=True),
        Edit("d", (Hunk(1, None, ("-z",)),)),
        Edit("e", ()),
        Edit("f", ()),
    )
    assert changes(output) == expected
    assert edits(PATCH, output) == expected
    assert edits(PATCH, {"changes": {}}) == APPLIED
    assert changes({"changes": {"a": {"type": "update", "unified_diff": "no hunk"}}}) == (Edit("a", ()),)
    assert changes({"changes": 7}) == changes(7) == ()


@given(st.text(alphabet="*@+- \naBFile:", max_size=80))
def test_any_text_can_stand_in_a_patch(said: str) -> None:
    for edit in patch(f"*** Begin Patch\n{said}"):
        assert edit.added + edit.removed <= said.count("\n") + 1
    changes({"changes": {"a": {"type": "update", "unified_diff": said}}})
