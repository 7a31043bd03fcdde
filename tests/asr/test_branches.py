from __future__ import annotations

from git_asr.asr.branches import branches
from tests.asr.records import record


def test_a_branch_that_was_left_goes_out_from_the_path() -> None:
    records = [
        record("a", predecessors=[]),
        record("b"),
        record("left", predecessors=["a"]),
        record("left2"),
        record("c", predecessors=["b"]),
    ]
    found = branches(records)
    assert found.left == {2: 0, 3: 0}
    assert (found.roots, found.breaks) == (frozenset(), {})


def test_what_leads_nowhere_and_comes_from_nowhere_is_no_branch() -> None:
    records = [record("a", predecessors=[]), record("b"), record("c", predecessors=[]), record("d")]
    found = branches(records)
    assert found.left == {}
    assert found.roots == {2}


def test_a_root_behind_loose_records_is_the_beginning() -> None:
    records = [record("t", "git-asr/title"), record("a", predecessors=[])]
    assert branches(records).roots == frozenset()


def test_a_predecessor_that_is_not_here_is_a_break() -> None:
    records = [record("a", predecessors=["gone"]), record("b", predecessors=["lost", "a"])]
    assert branches(records).breaks == {0: "gone"}


def test_what_a_rewind_took_back_is_left_with_the_place_to_which_it_went() -> None:
    records = [
        record("a"),
        record("b"),
        record("r", "rewind", to="a"),
        record("c"),
        record("again", "rewind", to="a"),
        record("lost", "rewind", to="b"),
        record("unknown", "rewind", to="x"),
        record("d"),
    ]
    assert branches(records).left == {1: 0, 3: 0}
    records.append(record("start", "rewind", to=None))
    assert branches(records).left == {0: -1, 1: 0, 3: 0, 7: -1}
    assert branches([*records, record("e"), record("before", "rewind", to="a")]).left == {
        0: -1,
        1: 0,
        3: 0,
        7: -1,
    }


def test_nothing_has_no_branches() -> None:
    found = branches([])
    assert (found.left, found.roots, found.breaks) == ({}, frozenset(), {})
    assert branches([record("v", "com.example/x")]).left == {}
