"""Finding a repository, and what it is like."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from git_asr.errors import AsrError, UsageError
from git_asr.git.base import Worktree
from git_asr.git.repository import configuration, is_true, open_repository, worktrees
from tests.git.conftest import Sample
from tests.support.repo_builder import RepoBuilder, git


@pytest.fixture
def path(tmp_path: Path) -> Path:
    builder = RepoBuilder(tmp_path / "r")
    builder.commit("refs/heads/main", "one\n", {"a": "1\n", "folder/b": "2\n"})
    return builder.build(checkout=True)


def test_ordinary(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for start in (path, path / "folder", path / ".git", path / ".git" / "objects"):
        repo = open_repository(start)
        assert (repo.git_dir, repo.common_dir, repo.work_tree) == (path / ".git", path / ".git", path)
        monkeypatch.chdir(start)
        assert open_repository() == repo
    assert (repo.object_format, repo.ref_format, dict(repo.extensions)) == ("sha1", "files", {})
    assert (repo.shallow, repo.promisor, repo.hex_length, repo.zero) == (False, False, 40, "0" * 40)


def test_bare(sha1: Sample) -> None:
    repo = open_repository(sha1.path / "objects")
    assert (repo.git_dir, repo.common_dir, repo.work_tree) == (sha1.path, sha1.path, None)


def test_a_bare_one_that_is_named_is_not_stumbled_upon(
    sha1: Sample, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "config").write_text("[safe]\n\tbareRepository = explicit\n")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "config"))
    assert open_repository(sha1.path).common_dir == sha1.path
    monkeypatch.chdir(sha1.path)
    with pytest.raises(AsrError, match=r"safe\.bareRepository"):
        open_repository()


def test_sha256(sha256: Sample) -> None:
    repo = open_repository(sha256.path)
    assert (repo.object_format, repo.hex_length, repo.zero) == ("sha256", 64, "0" * 64)
    assert repo.extensions == {"objectformat": "sha256"}


def test_reftable(tmp_path: Path) -> None:
    made = subprocess.run(
        ["git", "init", "-q", "--ref-format=reftable", str(tmp_path / "r")], capture_output=True, check=False
    )
    if made.returncode:
        pytest.skip("this Git knows no reftable")
    repo = open_repository(tmp_path / "r")
    assert repo.ref_format == "reftable"


def test_newer_git_names_the_ref_format(path: Path, fake_git: Path) -> None:
    real = shutil.which("git", path=os.environ["PATH"].partition(os.pathsep)[2])
    fake_git.write_text(f"#!/bin/sh\n{real} \"$@\" | sed 's/^--show-ref-format$/reftable/'\n")
    assert open_repository(path).ref_format == "reftable"


def test_configuration_fails(path: Path, fake_git: Path) -> None:
    real = shutil.which("git", path=os.environ["PATH"].partition(os.pathsep)[2])
    fake_git.write_text(f'#!/bin/sh\n[ $1 != config ] || exit 3\nexec {real} "$@"\n')
    with pytest.raises(AsrError, match="git config: ended with status 3"):
        open_repository(path)


def test_linked_worktree(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    git(path, "worktree", "add", "-q", "--detach", str(tmp_path / "linked"))
    git(path, "worktree", "add", "-q", "-b", "side", str(tmp_path / "gone"))
    repo = open_repository(tmp_path / "linked")
    assert repo.git_dir == path / ".git" / "worktrees" / "linked"
    assert (repo.common_dir, repo.work_tree) == (path / ".git", tmp_path / "linked")
    head = git(path, "rev-parse", "HEAD")
    (tmp_path / "gone" / ".git").unlink()
    expected = [
        Worktree(path, head, "refs/heads/main"),
        Worktree(tmp_path / "gone", head, "refs/heads/side"),
        Worktree(tmp_path / "linked", head, None),
    ]
    for start in (path, tmp_path / "linked"):
        assert sorted(worktrees(open_repository(start)), key=lambda tree: str(tree.branch)) == sorted(
            expected, key=lambda tree: str(tree.branch)
        )
    monkeypatch.chdir(tmp_path / "linked")
    monkeypatch.setenv("GIT_DIR", str(repo.git_dir))  # as a hook there finds it
    assert open_repository() == repo


def test_worktrees_of_bare_and_unborn(sha1: Sample, tmp_path: Path) -> None:
    assert worktrees(sha1.repo) == []
    empty = RepoBuilder(tmp_path / "empty").build()
    assert worktrees(open_repository(empty)) == [Worktree(empty, None, "refs/heads/main")]


def test_shallow(path: Path, tmp_path: Path) -> None:
    git(path, "commit", "-q", "--allow-empty", "-m", "two")
    git(tmp_path, "clone", "-q", "--depth=1", f"file://{path}", "shallow")
    assert open_repository(tmp_path / "shallow").shallow


def test_partial_clone(path: Path, tmp_path: Path) -> None:
    git(path, "config", "uploadpack.allowFilter", "true")
    git(tmp_path, "clone", "-q", "--filter=blob:none", f"file://{path}", "partial")
    partial = tmp_path / "partial"
    assert open_repository(partial).promisor
    git(partial, "config", "remote.origin.promisor", "false")
    assert open_repository(partial).promisor  # its packs say so still
    for pack in (partial / ".git" / "objects" / "pack").glob("*.promisor"):
        pack.unlink()
    assert not open_repository(partial).promisor
    git(partial, "config", "extensions.partialClone", "origin")
    assert open_repository(partial).promisor


def test_callers_variables_count_only_without_a_start(
    path: Path, sha1: Sample, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GIT_DIR", str(sha1.path))
    monkeypatch.setenv("GIT_TRACE", "1")
    monkeypatch.setenv("GIT_CONFIG", str(tmp_path / "none"))
    monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
    monkeypatch.setenv("GIT_CONFIG_KEY_0", "asr.fromCaller")
    monkeypatch.setenv("GIT_CONFIG_VALUE_0", "1")
    assert open_repository().git_dir == sha1.path
    assert "asr.fromcaller" in open_repository().config
    assert open_repository(path).git_dir == path / ".git"
    assert "asr.fromcaller" not in open_repository(path).config
    monkeypatch.setenv("GIT_DIR", os.path.relpath(path / ".git"))
    monkeypatch.setenv("GIT_WORK_TREE", str(tmp_path))
    repo = open_repository()
    assert (repo.git_dir, repo.work_tree) == (path / ".git", tmp_path)


def test_configuration(path: Path) -> None:
    for key, value in [
        ("asr.autoSync", "false"),
        ("asr.list", "one"),
        ("asr.Sub.Name", "x"),
        ("remote.o.url", "u\nv"),
    ]:
        git(path, "config", "--add", key, value)
    git(path, "config", "--add", "asr.list", "two=2")
    with (path / ".git" / "config").open("a") as file:
        file.write("[asr]\n\tbare\n\tempty =\n[asrx]\n\ty = 1\n")
    repo = open_repository(path)
    assert configuration(repo) == {
        "asr.autosync": ("false",),
        "asr.list": ("one", "two=2"),
        "asr.Sub.name": ("x",),
        "asr.bare": ("true",),
        "asr.empty": ("",),
    }
    assert configuration(repo, "Remote") == {"remote.o.url": ("u\nv",)}
    assert "u\\nv" not in repr(repo)


def test_truth() -> None:
    assert all(map(is_true, ["true", "Yes", "on", "1", "-1", "+12", "010", "9" * 5000]))
    assert not any(
        map(is_true, ["false", "no", "off", "0", "", "00", "maybe", "-", "+-1", "\u00b2", "\u0661"])
    )


def test_no_repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UsageError, match="not a Git repository") as caught:
        open_repository(tmp_path)
    assert caught.value.hint
    with pytest.raises(UsageError, match="no such folder"):
        open_repository(tmp_path / "none")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GIT_DIR", "/nowhere/.git")
    with pytest.raises(UsageError, match=r"not a Git repository: '/nowhere/\.git'"):
        open_repository()


def test_folder_that_was_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    with pytest.raises(AsrError, match="Unable to read current working directory"):
        open_repository()


def test_receiving_a_push(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_QUARANTINE_PATH", str(path / ".git" / "objects" / "incoming"))
    with pytest.raises(AsrError, match="a push is being received") as caught:
        open_repository(path)
    assert caught.value.hint


@pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can give a folder away"
)
def test_owner(path: Path) -> None:
    for folder in (path, path / ".git"):
        os.chown(folder, 12345, 12345)
    with pytest.raises(AsrError, match="detected dubious ownership") as caught:
        open_repository(path)
    assert caught.value.hint == f"git config --global --add safe.directory {path}"


@pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can give a folder away"
)
@pytest.mark.parametrize("named", ["r", "r/.git"])
def test_an_owner_who_is_trusted(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, named: str
) -> None:
    """What ``safe.directory`` names is the work tree, also where a worker names the Git directory."""
    place = path.rename(tmp_path / "r")
    for folder in (place, place / ".git"):
        os.chown(folder, 12345, 12345)
    (tmp_path / "config").write_text(f"[safe]\n\tdirectory = {place}\n")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "config"))
    repo = open_repository(tmp_path / named)
    assert (repo.git_dir, repo.work_tree) == (place / ".git", place)


@pytest.mark.parametrize("name", ["GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES"])
def test_objects_elsewhere(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """Refs must not name what is only in a folder that the caller's environment names."""
    monkeypatch.chdir(path)
    monkeypatch.setenv(name, str(tmp_path))
    with pytest.raises(AsrError, match=f"^{name} is set") as caught:
        open_repository()
    assert str(caught.value.hint).startswith(f"unset {name} ")
    assert open_repository(path).git_dir == path / ".git", "it is the caller's, for the caller's own"
    monkeypatch.setenv(name, ".git/objects")
    assert open_repository().git_dir == path / ".git"


def test_unknown_format(path: Path) -> None:
    git(path, "config", "core.repositoryFormatVersion", "1")
    git(path, "config", "extensions.fromTheFuture", "true")
    with pytest.raises(AsrError, match=r"fromthefuture|unknown repository extension") as caught:
        open_repository(path)
    assert not isinstance(caught.value, UsageError)


def test_configuration_that_git_cannot_read(path: Path) -> None:
    (path / ".git" / "config").write_text("[core\n")
    with pytest.raises(AsrError, match="bad config line 1"):
        open_repository(path)


def test_names_that_are_not_utf8_or_hold_line_breaks(tmp_path: Path) -> None:
    odd = tmp_path / os.fsdecode(b"caf\xe9 \xff")
    RepoBuilder(odd).build()
    assert open_repository(odd).git_dir == odd / ".git"
    broken = tmp_path / "line\nbreak"
    RepoBuilder(broken).build()
    with pytest.raises(AsrError, match="path holds a line break"):
        open_repository(broken)
