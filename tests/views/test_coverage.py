from __future__ import annotations

from datetime import datetime
from typing import Any

import pytest

from git_asr.views.coverage import Behind, Commit, Coverage, Row, Surroundings, coverage

ULID = "01KXDM08H2V0SZREV3NDG2R38M"


def commit(oid: str, *checkpoints: str, **other: Any) -> Commit:
    known = {"author": "Ann", "date": "2026-02-01T00:00:00Z", "subject": "s", "merge": False, **other}
    when = int(datetime.fromisoformat(known["date"]).timestamp())
    return Commit(oid, checkpoints=checkpoints, when=when, **known)


def judged(*commits: Commit, behind: Any = None, unresolved: Any = (), **around: Any) -> Coverage:
    known = {one: [Behind("claude-code", True)] for one in behind or ()}
    return coverage(
        commits,
        known if not isinstance(behind, dict) else behind,
        frozenset(unresolved),
        Surroundings(**around),
    )


def only(found: Coverage) -> Row:
    (row,) = found.rows
    return row


def test_a_commit_with_its_session_is_linked() -> None:
    row = only(judged(commit("a", "c1"), behind=["a"]))
    assert (row.state, row.agents, row.reason, row.command) == ("linked", ("claude-code",), None, None)


def test_some_checkpoints_of_a_squash_may_be_missing() -> None:
    row = only(judged(commit("a", "c1", "c2", "c3"), behind=["a"], unresolved=["c2", "c3"]))
    assert (row.state, row.unresolved) == ("linked", ("c2", "c3"))
    assert row.reason == "2 of 3 checkpoints are in no store here"


def test_a_link_accepted_by_hand_is_a_link() -> None:
    assert only(judged(commit("a"), behind=["a"])).state == "linked"


def test_what_two_commits_name_or_a_text_quotes_is_ambiguous() -> None:
    found = judged(commit("a", "c1"), commit("b", "c1"), commit("c", "c1", "c2"), behind=["a", "b", "c"])
    assert [row.state for row in found.rows] == ["ambiguous", "ambiguous", "linked"]
    assert found.rows[0].reason == "commit b and 1 more names the same checkpoint"
    quoted = only(judged(commit("a", "c1", quoted=frozenset({"c1"})), behind=["a"]))
    assert (quoted.state, quoted.reason) == (
        "ambiguous",
        "the checkpoint is named in the middle of a text, as in a quotation",
    )


def test_a_session_without_content() -> None:
    row = only(judged(commit("a", "c1"), behind={"a": [Behind("Codex", False)]}))
    assert (row.state, row.agents, row.command) == ("content-missing", ("Codex",), "git asr sync --strict")
    left_out = only(judged(commit("a", "c1")))
    assert (left_out.state, left_out.command) == ("content-missing", "git asr sync")


def test_a_merge_without_a_checkpoint_counts_neither_way() -> None:
    found = judged(commit("a", merge=True), commit("b", "c1", merge=True), behind=["b"])
    assert [row.state for row in found.rows] == ["merge", "linked"]
    assert found.percent == 100
    assert judged(commit("a", merge=True)).percent is None


def test_older_is_by_the_clock_of_the_world() -> None:
    east = commit("a", date="2026-02-01T04:00:00+05:00")
    west = commit("b", date="2026-01-31T20:00:00-05:00")
    found = judged(east, west, commit("c", "c1"), behind=["c"])
    assert [row.command is None for row in found.rows[:2]] == [True, False]


def test_no_trailer() -> None:
    old = commit("a", date="2026-01-01T00:00:00Z")
    found = judged(old, commit("b"), commit("c", "c1"), behind=["c"])
    assert [(row.state, row.command) for row in found.rows[:2]] == [
        ("no-trailer", None),
        ("no-trailer", "git asr link --suggest b^!"),
    ]
    assert found.rows[0].reason == "older than the first commit that names a checkpoint"
    assert round(found.percent or 0) == 33


FETCH = "git asr fetch --checkpoints origin"


@pytest.mark.parametrize(
    ("around", "reason", "command"),
    [
        (
            {"removed": {"c1": "9" * 40}},
            "removed from the store by its commit 9999",
            "git show --stat 999999999999",
        ),
        ({"checkpoint_remote": "o/n"}, "live in o/n", "git asr fetch --checkpoints"),
        ({}, "no checkpoint store was fetched", FETCH),
        ({"stores": ("s",), "empty": True}, "is empty", FETCH),
        ({"stores": ("s",)}, "as in a fork", FETCH),
        (
            {"stores": ("s",), "unreadable": ("s", "t"), "empty": True},
            "s cannot be read",
            "git asr sync --strict",
        ),
        ({"stores": ("s",), "unreadable": ("s",), "removed": {"c1": "9"}}, "removed", "git show --stat 9"),
    ],
)
def test_why_nothing_is_here(around: dict[str, Any], reason: str, command: str) -> None:
    row = only(judged(commit("a", "c1"), unresolved=["c1"], remotes=("origin", "other"), **around))
    assert (row.state, row.command) == ("dangling", command)
    assert reason in (row.reason or "")
    alone = only(judged(commit("a", "c1"), unresolved=["c1"], **around))
    assert alone.command == (None if command == FETCH else command)


def test_a_fork_asks_upstream_and_names_are_quoted() -> None:
    def command(*remotes: str, **around: Any) -> str | None:
        found = judged(commit("a", "c1"), unresolved=["c1"], remotes=remotes, stores=("s",), **around)
        return only(found).command

    assert command("origin", "upstream") == "git asr fetch --checkpoints upstream"
    assert command("origin", "upstream", empty=True) == FETCH
    assert command("a b") == "git asr fetch --checkpoints 'a b'"
    assert command("origin", unreadable=("s",), promisor=True) == FETCH
    assert command(unreadable=("s",), promisor=True) == "git asr sync --strict"


@pytest.mark.parametrize(("promisor", "command"), [(True, FETCH), (False, "git asr sync --strict")])
@pytest.mark.parametrize("behind", [{}, {"a": [Behind("Codex", False)]}])
def test_a_checkpoint_of_which_something_is_absent(promisor: bool, command: str, behind: Any) -> None:
    around = {"remotes": ("origin",), "incomplete": frozenset({"c1"}), "promisor": promisor}
    row = only(judged(commit("a", "c1"), behind=behind, **around))
    assert (row.state, row.command) == ("content-missing", command)
    assert row.reason == "not all of its checkpoint is in this repository"


def test_one_checkpoint_of_very_many_commits() -> None:
    oids = [f"{number:040x}" for number in range(30_000)]
    found = judged(*(commit(oid, "c1") for oid in oids), behind=oids)
    assert found.counts == {"ambiguous": 30_000}
    assert found.rows[0].reason == f"commit {oids[1][:12]} and 29998 more names the same checkpoint"


@pytest.mark.parametrize(
    ("checkpoint", "around", "reason"),
    [
        (ULID, {}, "does not fetch the refs of single checkpoints"),
        (ULID, {"single_refs": True}, "never written, or never pushed"),
        ("c1", {}, "never written, or never pushed"),
        ("c1", {"least_version": "9.1"}, "the policy asks for Entire 9.1"),
    ],
)
def test_why_one_of_several_is_not_here(checkpoint: str, around: dict[str, Any], reason: str) -> None:
    commits = commit("a", checkpoint), commit("b", "c2")
    found = judged(
        *commits, behind=["b"], unresolved=[checkpoint], stores=("s",), remotes=("origin",), **around
    )
    assert reason in (found.rows[0].reason or "")
    assert found.rows[0].command == FETCH


def test_counts() -> None:
    found = judged(
        commit("a", "c1"),
        commit("b", author="Bob", date="2026-03-01T00:00:00Z"),
        commit("c", "c2"),
        behind={"a": [Behind("x", True), Behind("x", True), Behind("y", True)]},
        unresolved=["c2"],
    )
    assert found.counts == {"linked": 1, "no-trailer": 1, "dangling": 1}
    assert found.by_author == {"Ann": {"linked": 1, "dangling": 1}, "Bob": {"no-trailer": 1}}
    assert found.by_agent == {"x": 1, "y": 1}
    assert found.by_month == {"2026-02": {"linked": 1, "dangling": 1}, "2026-03": {"no-trailer": 1}}
