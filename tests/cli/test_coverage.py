"""``git asr coverage``: the states, the reasons, and the gate."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.sample_repos import add, checkpoint, repository, session
from tests.support.corpus import needs_corpus, sample
from tests.support.entire_repo import STORE, EntireRepo, Stored, claude, own_ref
from tests.support.repo_builder import git
from tests.support.run import Result, run_cli

ULID = "01KXDM08H2V0SZREV3NDG2R38M"


def coverage(path: Path, *args: str) -> Result:
    return run_cli(["coverage", *args], path)


def judged(path: Path, *args: str) -> dict[str, Any]:
    ended = coverage(path, "--json", *args)
    assert (ended.status, ended.err) == (0, "")
    assert ended.out.isascii()
    found: dict[str, Any] = json.loads(ended.out)
    return found


def states(found: dict[str, Any]) -> list[str]:
    return [one["state"] for one in found["commits"]]


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A commit of each kind, the oldest first: without a trailer, linked, two of one checkpoint, dangling, bare."""
    repo = EntireRepo(tmp_path_factory.mktemp("coverage") / "r")
    repo.commit(message="before \x1b[31m\u202e")
    add(repo, 1)
    add(repo, 2)
    repo.commit(checkpoint(2), message="again")
    repo.commit("bbbb00000001", message="dangling")
    repo.checkpoint("cccc00000001", Stored(session(9), None))
    repo.commit("cccc00000001", message="bare")
    repo.commit(message="none")
    path = repo.build()
    assert run_cli(["sync"], path).status == 0
    return path


def test_every_state(path: Path) -> None:
    found = judged(path, "main")
    assert states(found) == [
        "no-trailer", "content-missing", "dangling", "ambiguous", "ambiguous", "linked", "no-trailer",
    ]  # fmt: skip
    assert found["counts"] == {
        "linked": 1, "ambiguous": 2, "content-missing": 1, "dangling": 1, "no-trailer": 2,
    }  # fmt: skip
    assert found["percent"] == pytest.approx(300 / 7)
    assert found["byAgent"] == {"claude-code": 3, "Claude Code": 1}
    assert found["byAuthor"] == {"Ann Author": found["counts"]}
    assert list(found["byMonth"]) == ["2026-01"]
    dangling = found["commits"][2]
    assert (dangling["checkpoints"], dangling["unresolved"], dangling["agents"]) == (
        ["bbbb00000001"],
    ) * 2 + ([],)
    assert dangling["reason"] == "never written, or never pushed by its author"


def test_the_text_and_the_gate(path: Path) -> None:
    shown = coverage(path, "main")
    assert (shown.status, shown.err) == (0, "")
    assert shown.out.startswith(
        "7 commits: 1 linked, 2 ambiguous, 1 content missing, 1 dangling, 2 no trailer\ncoverage: 42.8 %\n"
    )
    assert "no trailer: older than the first commit that names a checkpoint\n" in shown.out
    assert "before ^[[31m<U+202E>\n" in shown.out
    assert "\x1b" not in shown.out
    assert coverage(path, "--min", "42", "main").status == 0
    assert coverage(path, "--min", "43", "main").status == 1
    assert coverage(path, "--strict", "main").status == 1
    linked = git(path, "rev-list", "main").split()[5]
    assert coverage(path, "--strict", "--min", "100", f"{linked}^!").status == 0
    assert coverage(path, "--min", "101").status == 2
    assert coverage(path, "nowhere").status == 2


def test_by_author_agent_and_month(path: Path) -> None:
    assert coverage(path, "--by", "author", "main").out == (
        "author      linked  ambiguous  content missing  dangling  no trailer\n"
        "Ann Author       1          2                1         1           2\n"
    )
    assert coverage(path, "--by", "agent", "main").out == (
        "agent        commits\nClaude Code        1\nclaude-code        3\n"
    )
    assert coverage(path, "--by", "month", "main").out.splitlines()[1].startswith("2026-01")


def test_many_commits_of_one_reason_are_not_all_named(tmp_path: Path) -> None:
    repo = repository(tmp_path / "r", 1)
    for number in range(12):
        repo.commit(message=f"n{number}")
    repo.build()
    shown = coverage(repo.path, "main").out
    assert "  and 2 more: --json lists them\n" in shown
    assert "coverage: 7.6 %" in shown


def test_many_reasons_of_one_state_are_not_all_named(tmp_path: Path) -> None:
    repo = EntireRepo(tmp_path / "r")
    for number in range(1, 13):
        one = checkpoint(number)
        repo.checkpoint(one, Stored(session(number), claude(session(number), ["a"])))
        repo.builder.commit(STORE, "gone\n", {f"{one[:2]}/{one[2:]}": None})
        repo.commit(one)
    shown = coverage(repo.build(), "main").out
    assert shown.count("dangling: it was removed from the store by its commit ") == 10
    assert shown.endswith("\ndangling: and 2 more reasons: --json lists them\n")


def test_a_repository_without_commits(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", "r")
    assert run_cli(["sync"], tmp_path / "r").status == 0
    for command in (["coverage"], ["link", "--suggest"]):
        ended = run_cli(command, tmp_path / "r")
        assert (ended.status, ended.out) == (2, "")
        assert (
            ended.err == "error: HEAD leads to no commit\nhint: name a branch that does: git branch --all\n"
        )


def test_a_range_without_commits_that_count(tmp_path: Path) -> None:
    path = repository(tmp_path / "r", 1).path
    shown = coverage(path, "main..main")
    assert (shown.status, shown.out) == (0, "0 commits\ncoverage: no commit counts\n")
    assert coverage(path, "--strict", "main..main").status == 0
    assert judged(path, "main..main")["percent"] is None


def only_reason(path: Path, *args: str) -> tuple[str, str | None]:
    (one,) = [one for one in judged(path, *args)["commits"] if one["state"] == "dangling"]
    return one["reason"], one["command"]


def test_why_a_checkpoint_is_not_here(tmp_path: Path) -> None:
    repo = EntireRepo(tmp_path / "r")
    repo.commit("bbbb00000001")
    path = repo.build()
    assert run_cli(["sync"], path).status == 0
    assert only_reason(path, "main") == ("no checkpoint store was fetched", None)
    git(path, "remote", "add", "other", str(path))
    git(path, "remote", "add", "origin", str(path))
    fetch = "git asr fetch --checkpoints origin"
    assert only_reason(path, "main") == ("no checkpoint store was fetched", fetch)
    repo.builder.commit(STORE, "Initialize metadata branch\n", {"vercel.json": "{}"})
    repo.build()
    assert only_reason(path, "main") == ("the checkpoint store here is empty", fetch)
    repo.checkpoint(checkpoint(7), Stored(session(7), claude(session(7), ["a"])))
    repo.build()
    reason, _ = only_reason(path, "main")
    assert reason == "no checkpoint of this history is here, as in a fork: ask where it comes from"
    add(repo, 1)
    policy = {"policy.json": '{"checkpoint_min_version": "9.1.0"}'}
    repo.builder.commit("refs/entire/policies/checkpoint", "policy\n", policy)
    repo.build()
    reason, _ = only_reason(path, "main")
    assert reason.endswith("the policy asks for Entire 9.1.0, and older ones write nothing")


@pytest.mark.parametrize("policy", ["{", "[]", '{"checkpoint_min_version": 5}', "x" * 70_000])
def test_a_policy_of_another_shape_says_nothing(tmp_path: Path, policy: str) -> None:
    repo = repository(tmp_path / "r", 1)
    repo.commit("bbbb00000001")
    repo.builder.commit("refs/entire/policies/checkpoint", "policy\n", {"policy.json": policy})
    repo.build()
    assert only_reason(repo.path, "main")[0] == "never written, or never pushed by its author"


def test_a_checkpoint_that_was_removed_from_its_store(tmp_path: Path) -> None:
    repo = repository(tmp_path / "r", 2)
    gone = {f"{checkpoint(2)[:2]}/{checkpoint(2)[2:]}": None}
    mark = repo.builder.commit(STORE, "Cleanup: removed 1 orphaned checkpoints\n", gone)
    repo.build()
    assert run_cli(["sync"], repo.path).status == 0
    commit = repo.oid(mark)[:12]
    assert only_reason(repo.path, "main") == (
        f"it was removed from the store by its commit {commit}",
        f"git show --stat {commit}",
    )


def test_a_ulid_where_refs_of_single_checkpoints_are_missing(tmp_path: Path) -> None:
    repo = repository(tmp_path / "r", 1)
    repo.commit(ULID)
    repo.build()
    assert only_reason(repo.path, "main")[0] == "a clone does not fetch the refs of single checkpoints"
    other = "01KXDM08H2V0SZREV3NDG2R38N"
    repo.checkpoint(other, Stored(session(3), claude(session(3), ["x"])), ref=own_ref(other))
    repo.build()
    assert only_reason(repo.path, "main")[0] == "never written, or never pushed by its author"


def test_merges_do_not_count(tmp_path: Path) -> None:
    repo = repository(tmp_path / "r", 1, checkout=True)
    path = repo.path
    git(path, "checkout", "-q", "-b", "side", "main~0")
    git(path, "commit", "-q", "--allow-empty", "-m", "side")
    git(path, "checkout", "-q", "main")
    git(path, "merge", "-q", "--no-ff", "-m", "m", "side")
    assert judged(path)["counts"] == {"linked": 1, "no-trailer": 1, "merge": 1}
    assert "2 commits: 1 linked, 1 no trailer (1 merge aside)\ncoverage: 50 %\n" in coverage(path).out


def test_before_any_sync(tmp_path: Path) -> None:
    path = repository(tmp_path / "r", 1).path
    git(path, "config", "asr.autosync", "false")
    ended = coverage(path, "main")
    assert (ended.status, ended.out) == (1, "")
    assert ended.err.splitlines()[-2:] == ["error: nothing is synced yet", "hint: git asr sync"]


@needs_corpus
def test_a_sample_whose_checkpoints_live_elsewhere(tmp_path: Path) -> None:
    repo = sample("remote-elsewhere", tmp_path)
    assert run_cli(["sync"], repo).status == 0
    (only,) = {
        (one["reason"], one["command"]) for one in judged(repo)["commits"] if one["state"] == "dangling"
    }
    assert only[0].startswith("checkpoints live in github:")
    assert only[1] == "git asr fetch --checkpoints"
