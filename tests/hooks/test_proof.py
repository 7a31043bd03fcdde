"""Commits of the last 14 days with a trailer that never came through, by the reflogs of real worktrees."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from git_asr.companion.state_file import read_state
from git_asr.git.repository import open_repository
from git_asr.hooks.proof import DAYS, missed
from git_asr.sync.flow import Options, sync
from git_asr.sync.look import directory, look
from tests.support.repo_builder import git

NOW = int(datetime(2026, 1, 1, tzinfo=UTC).timestamp())
"""When the tests' commits are made."""
ONE, TWO = "5f0af6f2363f", "d60164698930"


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    path = tmp_path / "a repo"
    path.mkdir()
    git(path, "init", "-q", "-b", "main")
    return path


def commit(path: Path, *checkpoints: str, amend: bool = False) -> str:
    trailers = "".join(f"\nEntire-Checkpoint: {one}" for one in checkpoints)
    git(
        path,
        "commit",
        "-q",
        "--allow-empty",
        *(("--amend",) if amend else ()),
        "-m",
        f"work {checkpoints}\n{trailers}",
    )
    return git(path, "rev-parse", "HEAD").strip()


def found(path: Path, now: float = NOW) -> list[tuple[str, tuple[str, ...]]]:
    repo = open_repository(path)
    with read_state(directory(repo)) as state:
        return [(one.commit, one.checkpoints) for one in missed(repo, state, look(repo), now)]


def synced(path: Path) -> None:
    sync(open_repository(path), Options(), lambda _: None)


def test_nothing_is_missed_before_the_first_commit(repo: Path) -> None:
    assert found(repo) == []


def test_a_bare_repository_has_no_reflogs(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", "--bare", "b")
    assert found(tmp_path / "b") == []


def test_commits_that_no_sync_has_seen(repo: Path) -> None:
    commit(repo)
    one = commit(repo, ONE)
    two = commit(repo, ONE, TWO)
    assert found(repo) == [(two, (ONE, TWO)), (one, (ONE,))]
    synced(repo)
    assert found(repo) == []
    three = commit(repo, TWO)
    assert found(repo) == [(three, (TWO,))]


def test_every_worktree_has_a_reflog(repo: Path, tmp_path: Path) -> None:
    commit(repo)
    other = tmp_path / "with\na break"
    git(repo, "worktree", "add", "-q", "--detach", str(other))
    git(repo, "worktree", "add", "-q", "--detach", str(tmp_path / "more"))
    one, two = commit(other, ONE), commit(tmp_path / "more", TWO)
    assert found(repo) == found(tmp_path / "more") == [(two, (TWO,)), (one, (ONE,))]


def test_what_was_replaced_is_not_missed(repo: Path) -> None:
    commit(repo)
    commit(repo, ONE)
    last = commit(repo, ONE, amend=True)
    git(repo, "checkout", "-q", "--detach")
    gone = commit(repo, TWO)
    assert [one for one, _ in found(repo)] == [gone, last]
    git(repo, "checkout", "-q", "main")
    assert found(repo) == [(last, (ONE,))]


def test_what_is_older_is_not_looked_at(repo: Path) -> None:
    one = commit(repo, ONE)
    assert found(repo, NOW + DAYS * 86_400) == [(one, (ONE,))]
    assert found(repo, NOW + DAYS * 86_400 + 1) == []


def test_a_mention_in_a_sentence_is_no_trailer(repo: Path) -> None:
    git(repo, "commit", "-q", "--allow-empty", "-m", "the Entire-Checkpoint: trailer is new")
    assert found(repo) == []


@pytest.mark.parametrize("text", [b"", b"junk\n", b"\0" * 100, b"0 1 <> x\ty\n"])
def test_a_damaged_reflog_of_one_worktree_hides_no_other(repo: Path, tmp_path: Path, text: bytes) -> None:
    one = commit(repo, ONE)
    git(repo, "worktree", "add", "-q", "--detach", str(tmp_path / "w"))
    (repo / ".git" / "worktrees" / "w" / "logs" / "HEAD").write_bytes(text)
    assert found(repo) == [(one, (ONE,))]
