"""Evidence in, suggestions out."""

from __future__ import annotations

import pytest

from git_asr.views.suggestions import MOST, Evidence, Finding, Suggested, in_words, suggested


def given(*findings: tuple[tuple[str, ...], Evidence]) -> Suggested:
    return suggested("c" * 40, "subject", (Finding(*one) for one in findings))


def listed(found: Suggested) -> list[tuple[str, str, list[str]]]:
    return [(one.checkpoint, one.sure, [each.method for each in one.evidence]) for one in found.suggestions]


PATCH = Evidence("patch-id", "exact", via="1" * 40)
SQUASH = Evidence("squash", "exact", via="2" * 40, ref="refs/heads/x")
PULL = Evidence("pull", "likely", via="3" * 40, ref="refs/pull/1/head")
CLAIM = Evidence("linked-commit", "exact")
WEAK = Evidence("files", "weak", files=(1, 2), seconds=3)


def test_nothing_gives_nothing() -> None:
    assert given() == Suggested("c" * 40, "subject", (), 0, False)


def test_where_something_is_exact_guesses_are_left_out() -> None:
    assert listed(given((("a",), PATCH), (("a", "b"), PULL), (("c",), WEAK))) == [
        ("a", "exact", ["patch-id"])
    ]
    assert listed(given((("a", "b"), PULL), (("a",), WEAK))) == [
        ("a", "likely", ["pull", "files"]),
        ("b", "likely", ["pull"]),
    ]


def test_evidence_adds_up_each_method_once_and_the_nearest_ref_first() -> None:
    unnamed = Evidence("squash", "exact", via="1" * 40)
    found = given((("a",), unnamed), (("a",), SQUASH), (("a",), CLAIM))
    assert listed(found) == [("a", "exact", ["squash", "linked-commit"])]
    assert found.suggestions[0].evidence[0] == SQUASH


def test_different_origins_of_one_change_are_ambiguous_and_claims_are_not() -> None:
    found = given((("a",), PATCH), (("b",), SQUASH))
    assert (found.ambiguous, found.acceptable) == (True, ())
    assert listed(found) == [("a", "likely", ["patch-id"]), ("b", "likely", ["squash"])]
    found = given((("a",), CLAIM), (("b",), CLAIM))
    assert (found.ambiguous, len(found.acceptable)) == (False, 2)
    found = given((("a",), PATCH), (("b",), SQUASH), (("c",), CLAIM))
    assert [one.checkpoint for one in found.acceptable] == ["c"]
    assert not given((("a", "b"), PATCH), (("b", "a"), SQUASH)).ambiguous


def test_too_many_are_counted_and_none_is_accepted_unseen() -> None:
    found = given(*(((f"{number:012x}",), CLAIM) for number in range(MOST + 7)))
    assert (len(found.suggestions), found.more, found.acceptable) == (MOST, 7, ())
    assert found.suggestions[0].checkpoint == "0" * 12


@pytest.mark.parametrize(
    ("evidence", "words"),
    [
        (Evidence("tree", "exact", via="1" * 40), "the same tree and the same change as commit 111111111111, which"),
        (PATCH, "the same change as commit 111111111111, which names it"),
        (SQUASH, "the changes of refs/heads/x in one commit"),
        (Evidence("squash", "exact", via="2" * 40), "the changes of the commits up to 222222222222 in one commit"),
        (Evidence("rewritten", "exact", via="4" * 40), "rewritten from commit 444444444444, which has it"),
        (Evidence("branch-tree", "likely", ref="refs/{x}"), "the same tree as refs/{x}"),
        (PULL, "the number in its subject is that of refs/pull/1/head"),
        (CLAIM, "the checkpoint's metadata list the commit"),
        (Evidence("commit-sha", "likely"), "the checkpoint's metadata name the commit (it is not said how it is"),
        (Evidence("commit-sha", "weak", told="fallback"), "the checkpoint's metadata name the commit (fallback)"),
        (WEAK, "1 of 2 files, 3s apart"),
    ],
)  # fmt: skip
def test_evidence_in_words(evidence: Evidence, words: str) -> None:
    assert in_words(evidence).startswith(words)
