"""Git at the other end of a pipe, when it is slow, silent, or gone."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path

import pytest

from git_asr.errors import AsrError
from git_asr.git import fetching
from git_asr.git.base import Repository
from git_asr.git.remotes import Refspec
from git_asr.git.repository import open_repository
from tests.support.repo_builder import RepoBuilder, git

ALL = [Refspec("refs/heads/", "refs/remotes/o/", True)]


@pytest.fixture
def repo(tmp_path: Path) -> Repository:
    builder = RepoBuilder(tmp_path / "far")
    builder.commit("refs/heads/main", "one\n", {"a": "1\n"})
    path = RepoBuilder(tmp_path / "r").build()
    git(path, "remote", "add", "o", str(builder.build()))
    return open_repository(path)


def other_side(repo: Repository, tmp_path: Path, script: str) -> None:
    program = tmp_path / "upload-pack"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    assert repo.work_tree is not None
    git(repo.work_tree, "config", "remote.o.uploadpack", str(program))


def heard(repo: Repository) -> list[tuple[str, bool]]:
    said: list[tuple[str, bool]] = []
    fetching.fetch(repo, "o", ALL, lambda piece, progress: said.append((piece, progress)))
    return said


def test_a_remote_that_keeps_silent_is_left(
    repo: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fetching, "SILENCE", 0.3)
    monkeypatch.setattr(fetching, "_GRACE", 0.1)
    other_side(repo, tmp_path, "exec sleep 20")
    start = time.monotonic()
    with pytest.raises(AsrError, match=r"git fetch gave no answer within 0\.3 seconds and was stopped"):
        heard(repo)
    with pytest.raises(AsrError, match=r"git ls-remote gave no answer"):
        fetching.list_remote(repo, "o", lambda *_: None)
    assert time.monotonic() - start < 15


def test_what_holds_the_pipe_when_git_has_ended_is_not_waited_for(repo: Repository, tmp_path: Path) -> None:
    other_side(repo, tmp_path, 'sleep 20 >/dev/null </dev/null &\necho hello >&2\ngit-upload-pack "$@"')
    start = time.monotonic()
    assert ("hello\n", False) in heard(repo)
    assert time.monotonic() - start < 15


def test_long_lines_and_a_last_line_without_an_end(repo: Repository, tmp_path: Path) -> None:
    other_side(repo, tmp_path, "head -c 200000 /dev/zero | tr '\\0' x >&2\nexit 1")
    said: list[str] = []
    with pytest.raises(AsrError, match="cannot fetch from o"):
        fetching.fetch(repo, "o", ALL, lambda piece, _: said.append(piece))
    assert "".join(said).replace("\n", "").count("x") == 200000


def test_git_that_cannot_be_started(repo: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    with pytest.raises(AsrError, match="git is not on PATH"):
        heard(repo)


def test_the_worktree_may_be_gone(repo: Repository) -> None:
    assert heard(repo) is not None
    gone = replace(repo, work_tree=Path("/none"))
    assert fetching.fetch(gone, "o", ALL, lambda *_: None).current == ("refs/remotes/o/main",)
