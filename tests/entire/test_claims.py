"""Commits that metadata name, whatever stands there."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from git_asr.entire.claims import MOST, Claim, claims
from git_asr.entire.contents import Checkpoint, SessionFolder

SHA = "0123456789abcdef0123456789abcdef01234567"


def checkpoint(root: dict[str, Any], *sessions: dict[str, Any]) -> Checkpoint:
    folders = tuple(
        SessionFolder("cp", "0", one, None, None, None, None, None, 0, (), None, 0, None, None, None, {})
        for one in sessions
    )
    return Checkpoint("cp", "store", "tree", root, folders, {}, ())


def found(root: dict[str, Any], *sessions: dict[str, Any]) -> list[Claim]:
    return list(claims(checkpoint(root, *sessions)))


def test_both_fields_in_both_places_each_claim_once() -> None:
    root = {"linked_commits": [{"sha": SHA, "repo": "a/b"}, {"sha": SHA}], "commit_sha": SHA}
    session = {"commit_sha": SHA, "commit_sha_method": "recorded"}
    assert found(root, session, session) == [
        Claim("cp", SHA, "linked-commit", repo="a/b"),
        Claim("cp", SHA, "linked-commit"),
        Claim("cp", SHA, "commit-sha"),
        Claim("cp", SHA, "commit-sha", "recorded"),
    ]


def test_a_claim_may_be_a_text_an_object_or_abbreviated() -> None:
    for value in (SHA, {"sha": SHA}, [SHA.upper()], f" {SHA}\n"):
        assert [one.commit for one in found({"linked_commits": value})] == [SHA]
    assert [one.commit for one in found({"commit_sha": SHA[:7]})] == [SHA[:7]]


def test_an_old_commit_of_the_store_is_no_claim() -> None:
    assert found({"migration_source_commit": SHA}) == []


def test_claims_are_limited() -> None:
    assert len(found({"linked_commits": [f"{number:040x}" for number in range(MOST + 5)]})) == MOST


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text() | st.just(SHA),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(["sha", "repo", "x"]), inner),
    max_leaves=8,
)


@given(JSON, JSON, JSON)
def test_anything_anywhere_is_read_or_passed_over(linked: Any, sha: Any, method: Any) -> None:
    fields = {"linked_commits": linked, "commit_sha": sha, "commit_sha_method": method}
    assert all(one.commit == SHA or one.commit.isalnum() for one in found(fields, fields))
