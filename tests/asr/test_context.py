from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from git_asr.asr import context
from git_asr.asr.context import Context
from tests.asr.records import record


def seen(records: list[dict[str, Any]], head: str | None = None) -> list[str]:
    found = context.view(records, head)
    assert isinstance(found, Context)
    return [one["id"] for one in found.records]


LINE = [record("a", predecessors=[]), record("b"), record("c"), record("d")]


def test_back_from_the_last_record_or_from_a_head() -> None:
    assert seen(LINE) == ["a", "b", "c", "d"]
    assert seen(LINE, "b") == ["a", "b"]


def test_without_a_head_there_is_no_view() -> None:
    assert context.view([]) is None
    assert context.view(LINE, "nobody") is None
    assert context.view([record("v", "vcs")]) is None


def test_vendor_and_link_records_carry_nothing_unless_they_are_named() -> None:
    records = [
        record("a"),
        record("x", "com.example/thing"),
        record("v", "vcs"),
        record("n", "git-asr/notice"),
        record("b"),
    ]
    assert seen(records) == ["a", "n", "b"]
    assert seen([*records, record("c", predecessors=["x"])]) == ["a", "x", "c"]
    assert [context.carries(one) for one in records] == [True, False, False, True, True]


def test_branches_are_predecessors_and_a_record_may_have_several() -> None:
    records = [*LINE, record("e", predecessors=["b"]), record("f"), record("g", predecessors=["f", "d"])]
    assert seen(records, "f") == ["a", "b", "e", "f"]
    assert seen(records) == ["a", "b", "c", "d", "e", "f", "g"]


def test_a_gap_is_named_and_never_bridged() -> None:
    found = context.view([*LINE, record("late", predecessors=["unseen"]), record("later")])
    assert found is not None
    assert [one["id"] for one in found.records] == ["late", "later"]
    assert found.gaps == ("unseen",)


def test_a_revision_stands_where_the_first_one_stood_and_only_up_to_the_head() -> None:
    records = [
        record("a"),
        record("b"),
        record("a2", supersedes="a"),
        record("c"),
        record("a3", supersedes="a2"),
    ]
    assert seen(records) == ["a3", "b", "c"]
    assert seen(records, "c") == ["a2", "b", "c"]
    assert seen(records, "b") == ["a", "b"]


def test_what_was_withdrawn_is_not_there() -> None:
    assert seen(
        [record("a"), record("b"), record("t", "tombstone", target="a", reason="x"), record("c")]
    ) == ["b", "c"]


@pytest.mark.parametrize("target", ["a", "a2", "a3"])
def test_what_was_withdrawn_in_any_revision_is_not_there(target: str) -> None:
    revised = [record("a"), record("a2", supersedes="a"), record("a3", supersedes="a2")]
    withdrawn = record("t", "tombstone", target=target, reason="x")
    assert seen([*revised, record("b"), withdrawn, record("c")]) == ["b", "c"]


def test_a_compaction_leaves_what_it_excepts_and_what_follows() -> None:
    compaction = record("k", "compaction", replaces={"through": "c", "except": ["b"]}, summary="s")
    records = [*LINE[:3], record("s"), compaction, record("e")]
    assert seen(records) == ["b", "s", "k", "e"]
    assert seen(records, "s") == ["a", "b", "c", "s"]


def test_a_compaction_of_the_unknown_says_so_and_keeps_all() -> None:
    found = context.view([*LINE, record("k", "compaction", replaces={"unknown": True}), record("e")])
    assert found is not None
    assert found.unknown == ("k",)
    assert [one["id"] for one in found.records] == ["a", "b", "c", "d", "k", "e"]


def test_a_compaction_of_calls_clears_their_results() -> None:
    records = [
        record("q", "tool_call", callId="1"),
        record("r", "tool_result", callId="1"),
        record("p", "tool_result", callId="2"),
        record("k", "compaction", replaces={"calls": ["1"]}),
    ]
    assert seen(records) == ["q", "p", "k"]


def test_a_compaction_through_something_unseen_replaces_nothing() -> None:
    assert seen([*LINE, record("k", "compaction", replaces={"through": "elsewhere"})]) == [
        "a",
        "b",
        "c",
        "d",
        "k",
    ]


@pytest.mark.parametrize(
    ("to", "left"), [("b", ["a", "b", "e"]), (None, ["e"]), ("unseen", ["a", "b", "c", "d", "e"])]
)
def test_a_rewind_goes_back(to: str | None, left: list[str]) -> None:
    assert seen([*LINE, record("r", "rewind", to=to), record("e")]) == left


@given(
    st.lists(
        st.fixed_dictionaries(
            {"type": st.sampled_from(["message", "compaction", "rewind", "tombstone", "x/y"])},
            optional={
                "predecessors": st.lists(st.sampled_from("abcdefgh"), max_size=3),
                "supersedes": st.sampled_from("abcdefgh"),
                "to": st.sampled_from("abcdefgh"),
                "replaces": st.fixed_dictionaries({}, optional={"through": st.sampled_from("abcdefgh")}),
            },
        ),
        max_size=8,
    )
)
def test_any_graph_has_a_view_or_none(shapes: list[dict[str, Any]]) -> None:
    """Cycles, forward references and unknown IDs end in some view of records that are there."""
    records = [{"id": name, "target": "a", **shape} for name, shape in zip("abcdefgh", shapes, strict=False)]
    found = context.view(records)
    if found is not None:
        assert {one["id"] for one in found.records} <= {one["id"] for one in records}


def test_each_result_is_looked_at_once_however_many_calls_are_cleared() -> None:
    class Counted(dict[str, Any]):
        looks = 0

        def __getitem__(self, key: str) -> Any:
            Counted.looks += 1
            return super().__getitem__(key)

    def looks(count: int) -> int:
        Counted.looks = 0
        results = [record(f"r{n}", "tool_result", callId=str(n)) for n in range(count)]
        cleared = [record(f"k{n}", "compaction", replaces={"calls": [str(n), [n]]}) for n in range(count)]
        found = context.view([Counted(one) for one in (*results, *cleared)])
        assert found is not None
        assert [one["type"] for one in found.records] == ["compaction"] * count
        return Counted.looks

    assert looks(400) < 2.2 * looks(200)
