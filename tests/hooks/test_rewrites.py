"""What Git tells of rewritten commits, as pairs."""

from __future__ import annotations

import pytest

from git_asr.hooks import rewrites
from git_asr.hooks.rewrites import parse

ONE, TWO, LONG, LONGER = "1" * 40, "2" * 40, "a" * 64, "b" * 64


def pairs(told: str) -> list[tuple[str, str, str, int]]:
    return [(one.old, one.new, one.kind, one.when) for one in parse(told.encode(), 7)]


def test_pairs_of_both_object_formats_and_what_git_may_add_to_them() -> None:
    told = f"rebase\n{ONE} {TWO}\n{LONG} {LONGER} extra words\n{TWO} {TWO}\n"
    assert pairs(told) == [(ONE, TWO, "rebase", 7), (LONG, LONGER, "rebase", 7), (TWO, TWO, "rebase", 7)]
    assert pairs(f"amend\n{ONE} {TWO}") == [(ONE, TWO, "amend", 7)]
    assert pairs("amend\n") == pairs("rebase") == []


@pytest.mark.parametrize(
    "line",
    [
        ONE,
        "\0",
        f"{ONE}  {TWO}",
        f" {ONE} {TWO}",
        f"{ONE} {LONG}",
        f"{ONE} {TWO[:-1]}",
        f"{ONE} {TWO}x",
        f"{LONG} {LONGER.upper()}",
    ],
)
def test_a_line_that_is_no_pair_is_passed_over(line: str) -> None:
    assert pairs(f"amend\n{line}\n{ONE} {TWO}\n") == [(ONE, TWO, "amend", 7)]


@pytest.mark.parametrize("told", [b"", b"\n", b"Amend\n", b"amend \n", b"amend\r\n", b"\xff", b"rebase\0\n"])
def test_another_kind_is_none(told: bytes) -> None:
    with pytest.raises(ValueError, match="not what Git tells"):
        parse(told, 7)


def test_the_pairs_that_are_kept_are_asked_for_here() -> None:
    from git_asr.companion.rewrites import pairs as kept

    assert rewrites.pairs is kept
