from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from git_asr.asr.entities import Revisions, pair
from tests.asr.records import record


def test_the_latest_revision_stands_where_the_first_one_stood() -> None:
    records = [
        record("a"),
        record("b"),
        record("a2", supersedes="a"),
        record("c"),
        record("a3", supersedes="a2"),
        record("t", "tombstone", target="c", reason="withdrawn"),
    ]
    revisions = Revisions(records)
    assert [one["id"] for one in revisions.standing()] == ["a3", "b"]
    assert [revisions.latest(records[at]) for at in (0, 1, 2)] == [records[4], records[1], records[4]]
    assert revisions.record("a2") is records[2]
    assert revisions.record("missing") is None
    assert revisions.tombstone(records[3]) is records[5]
    assert revisions.tombstone(records[1]) is None


def test_a_revision_of_something_unseen_stands_for_itself() -> None:
    assert [one["id"] for one in Revisions([record("b", supersedes="gone")]).standing()] == ["b"]


@pytest.mark.parametrize("target", ["a", "a2", "a3"])
def test_what_was_withdrawn_in_any_revision_goes_as_a_whole(target: str) -> None:
    records = [
        record("a"),
        record("a2", supersedes="a"),
        record("a3", supersedes="a2"),
        record("t", "tombstone", target=target, reason="merged"),
    ]
    revisions = Revisions(records)
    assert list(revisions.standing()) == []
    assert [revisions.stands(one) for one in records[:3]] == [one > target for one in ("a", "a2", "a3")]


def test_what_supersedes_itself_or_a_later_record_is_not_lost() -> None:
    records = [record("a", supersedes="b"), record("b", supersedes="a"), record("c", supersedes="c")]
    revisions = Revisions(records)
    assert [one["id"] for one in revisions.standing()] == ["b", "c"]
    assert [revisions.is_first(one) for one in records] == [True, False, True]


def test_records_of_one_id_are_all_kept() -> None:
    records = [record("a"), record("a"), record("b", supersedes="a")]
    assert [one["id"] for one in Revisions(records).standing()] == ["b", "a"]


@given(st.lists(st.tuples(st.integers(0, 5), st.none() | st.integers(0, 5)), max_size=8))
def test_chains_that_bite_their_tail_end(links: list[tuple[int, int | None]]) -> None:
    records = [
        record(str(one), **({} if other is None else {"supersedes": str(other)})) for one, other in links
    ]
    revisions = Revisions(records)
    for one in records:
        revisions.latest(one)
    standing = list(revisions.standing())
    assert {id(one) for one in standing} == {
        id(revisions.latest(one)) for one in records if revisions.is_first(one)
    }
    assert bool(standing) == bool(records)


def test_calls_are_paired_by_their_id_and_by_nothing_else() -> None:
    records = [
        record("1", "tool_call", callId="a"),
        record("2", "tool_call", callId="b"),
        record("3", "tool_result", callId="b"),
        record("4", "tool_call", callId="twice"),
        record("5", "tool_call", callId="twice"),
        record("6", "tool_result", callId="twice"),
        record("7", "tool_result", callId="nobody"),
        record("8", "tool_call", callId="two-results"),
        record("9", "tool_result", callId="two-results"),
        record("10", "tool_result", callId="two-results"),
        record("11"),
    ]
    found = pair(records)
    assert [(one.call["id"], one.result and one.result["id"], one.ambiguous) for one in found.calls] == [
        ("1", None, False),
        ("2", "3", False),
        ("4", None, True),
        ("5", None, True),
        ("8", None, True),
    ]
    assert [one["id"] for one in found.orphans] == ["6", "7", "9", "10"]
