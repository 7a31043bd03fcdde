"""git-asr works wherever Git does, and touches neither work tree nor index nor any ref but its own."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.e2e.sample_repos import OWN, add, checkpoint, own, refs, repository, session
from tests.support.companion import bundles, tip
from tests.support.entire_repo import EntireRepo
from tests.support.repo_builder import git
from tests.support.run import PROJECT, Result, run_cli

COMMANDS = ("sync", "sessions", "log")


@pytest.fixture
def repo(tmp_path: Path) -> EntireRepo:
    return repository(tmp_path / "r", 2, checkout=True)


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Our refs after a sync at the top of the work tree of such a repository."""
    path = repository(tmp_path_factory.mktemp("plain") / "r", 2).path
    assert run_cli(["sync"], path).status == 0
    return own(path)


def other(path: Path) -> dict[str, str]:
    return {name: oid for name, oid in refs(path).items() if name not in OWN}


def snapshot(path: Path) -> dict[str, bytes]:
    """Every file of work tree and Git directory, except objects, our refs and our own folder."""
    files = {file.relative_to(path): file for file in path.rglob("*") if file.is_file()}
    return {
        str(name): file.read_bytes()
        for name, file in files.items()
        if not str(name).startswith((".git/objects/", ".git/asr/", *(f".git/{ref}" for ref in OWN)))
    }


def works(cwd: Path, repository_path: Path, env: Mapping[str, str] = {}) -> None:
    """All commands, as from the top of the work tree."""
    assert run_cli(["sync"], cwd, env) == Result(0, "2 sessions (2 new), 2 links to commits\n", "")
    listed = run_cli(["sessions"], cwd, env)
    assert (listed.status, listed.err, listed.out.count("\n")) == (0, "", 3)
    logged = run_cli(["log", "--format=%s"], cwd, env)
    assert (logged.status, logged.err, logged.out.count("claude-code")) == (0, "", 2)
    assert len(bundles(repository_path)) == 2


def test_nothing_of_the_users_is_touched(repo: EntireRepo, plain: dict[str, str]) -> None:
    (repo.path / "work.txt").write_text("changed\n")
    (repo.path / "new.txt").write_text("new\n")
    git(repo.path, "add", "new.txt")
    status = git(repo.path, "status", "--porcelain")
    assert status.split() == ["A", "new.txt", "M", "work.txt"]
    before, foreign = snapshot(repo.path), other(repo.path)
    works(repo.path, repo.path)
    assert snapshot(repo.path) == before
    assert other(repo.path) == foreign
    assert git(repo.path, "status", "--porcelain") == status
    assert own(repo.path) == plain


def test_in_a_subfolder(repo: EntireRepo, plain: dict[str, str]) -> None:
    (repo.path / "a" / "b").mkdir(parents=True)
    works(repo.path / "a" / "b", repo.path)
    assert own(repo.path) == plain
    logged = run_cli(["log", "--format=%s", "--", "../../work.txt"], repo.path / "a" / "b")
    assert logged.out.count("claude-code") == 2


def test_inside_the_git_directory(repo: EntireRepo, plain: dict[str, str]) -> None:
    works(repo.path / ".git" / "refs", repo.path)
    assert own(repo.path) == plain


def test_in_a_linked_worktree(repo: EntireRepo, tmp_path: Path, plain: dict[str, str]) -> None:
    linked = tmp_path / "linked"
    git(repo.path, "worktree", "add", "-q", "--detach", str(linked), "main")
    works(linked, repo.path)
    assert own(repo.path) == plain
    assert (repo.path / ".git" / "asr" / "state.sqlite").is_file()
    assert not (repo.path / ".git" / "worktrees" / "linked" / "asr").exists()
    git(linked, "commit", "-q", "--allow-empty", "-m", f"x\n\nEntire-Checkpoint: {checkpoint(1)}\n")
    assert run_cli(["sync"], repo.path).out == "2 sessions (1 changed), 3 links to commits\n"


def test_a_worktree_whose_folder_is_gone(repo: EntireRepo, tmp_path: Path) -> None:
    linked = tmp_path / "linked"
    git(repo.path, "worktree", "add", "-q", "--detach", str(linked), "main")
    git(linked, "commit", "-q", "--allow-empty", "-m", f"x\n\nEntire-Checkpoint: {checkpoint(1)}\n")
    for file in sorted(linked.rglob("*"), reverse=True):
        file.unlink()
    linked.rmdir()
    assert run_cli(["sync"], repo.path).out == "2 sessions (2 new), 3 links to commits\n"


def test_in_a_bare_repository(tmp_path: Path, plain: dict[str, str]) -> None:
    path = repository(tmp_path / "r.git", 2, bare=True).path
    works(path, path)
    works_in = path / "refs"
    assert run_cli(["sync"], works_in).out == "up to date: 2 sessions, 2 links to commits\n"
    assert own(path) == plain


@pytest.mark.parametrize("tree", [None, "elsewhere"])
def test_git_dir_in_the_environment(
    repo: EntireRepo, tmp_path: Path, plain: dict[str, str], tree: str | None
) -> None:
    elsewhere = tmp_path / "elsewhere"
    git(tmp_path, "init", "-q", "elsewhere")  # another repository stands where the command runs
    env = {"GIT_DIR": "../r/.git"}
    if tree is not None:
        env["GIT_WORK_TREE"] = "."
    works(elsewhere, repo.path, env)
    assert own(repo.path) == plain
    assert refs(elsewhere) == {}
    assert not (elsewhere / ".git" / "asr").exists()


def test_a_submodule_and_a_separate_git_directory(repo: EntireRepo, tmp_path: Path) -> None:
    git(repo.path, "init", "-q", f"--separate-git-dir={tmp_path / 'apart'}")
    works(repo.path, repo.path)
    assert (tmp_path / "apart" / "asr" / "state.sqlite").is_file()


def test_borrowed_objects(repo: EntireRepo, tmp_path: Path, plain: dict[str, str]) -> None:
    git(tmp_path, "clone", "-q", "--shared", "--mirror", str(repo.path), "copy")
    works(tmp_path / "copy", tmp_path / "copy")
    assert own(tmp_path / "copy") == plain


def hook(repo: EntireRepo, name: str, *arguments: str, prelude: str = "") -> None:
    """Let a hook of Git's run git-asr and note its status and what it said."""
    command = shlex.join([sys.executable, "-m", "git_asr", *arguments])
    file = repo.path / ".git" / "hooks" / name
    file.parent.mkdir(exist_ok=True)
    log = shlex.quote(str(repo.path.parent / "hook.log"))
    file.write_text(
        f"#!/bin/sh\n{prelude}\nPYTHONPATH={shlex.quote(str(PROJECT))} {command} >>{log} 2>&1\n"
        f'echo "status $?" >>{log}\nenv | grep ^GIT_ >>{log}.env\n'
    )
    file.chmod(0o755)


def commit(repo: EntireRepo, *arguments: str) -> None:
    subprocess.run(
        ["git", "commit", "-q", *arguments],
        cwd=repo.path,
        env={**os.environ, "GIT_AUTHOR_DATE": "2001-01-01T00:00:00Z", "GIT_AUTHOR_NAME": "Somebody Else"},
        check=True,
        capture_output=True,
    )


@pytest.mark.parametrize("name", ["pre-commit", "commit-msg", "post-commit", "reference-transaction"])
def test_in_a_hook(repo: EntireRepo, tmp_path: Path, plain: dict[str, str], name: str) -> None:
    """Git exports GIT_INDEX_FILE and more to hooks; a commit of some files has an index of its own there."""
    once = f'[ "$1" = prepared ] || exit 0; [ -e {tmp_path}/once ] && exit 0; touch {tmp_path}/once'
    hook(repo, name, "sync", prelude=once if name == "reference-transaction" else "")
    (repo.path / "work.txt").write_text("by hand\n")
    (repo.path / "staged.txt").write_text("stays in the index\n")
    git(repo.path, "add", "staged.txt")
    commit(repo, "-m", "by hand", "work.txt")
    assert (tmp_path / "hook.log").read_text() == "2 sessions (2 new), 2 links to commits\nstatus 0\n"
    environment = (tmp_path / "hook.log.env").read_text()
    assert "GIT_INDEX_FILE=" in environment or name == "reference-transaction"
    assert "GIT_AUTHOR_DATE=" in environment
    assert git(repo.path, "status", "--porcelain") == "A  staged.txt"
    assert (
        git(repo.path, "log", "-1", "--format=%an %ad %s", "--date=short")
        == "Somebody Else 2001-01-01 by hand"
    )
    assert git(repo.path, "show", "--format=", "--name-only", "HEAD") == "work.txt"
    assert own(repo.path) == plain


def test_while_a_push_is_received(repo: EntireRepo, tmp_path: Path) -> None:
    git(repo.path, "config", "receive.denyCurrentBranch", "ignore")
    hook(repo, "pre-receive", "sync")
    hook(repo, "post-receive", "sync")
    git(tmp_path, "clone", "-q", str(repo.path), "copy")
    git(
        tmp_path / "copy", "commit", "-q", "--allow-empty", "-m", f"x\n\nEntire-Checkpoint: {checkpoint(1)}\n"
    )
    git(tmp_path / "copy", "push", "-q", "origin", "HEAD:main")
    refused, hint, first, after, second = (tmp_path / "hook.log").read_text().splitlines()
    assert refused.startswith("error: a push is being received here")
    assert hint.startswith("hint: ")
    assert (first, second) == ("status 1", "status 0")
    assert after == "2 sessions (2 new), 3 links to commits"


def test_as_a_subcommand_of_git(repo: EntireRepo, tmp_path: Path) -> None:
    """``git asr`` with an alias and ``git -c``: Git passes both on in the environment."""
    folder = tmp_path / "bin"
    folder.mkdir()
    script = folder / "git-asr"
    script.write_text(f'#!/bin/sh\nPYTHONPATH={PROJECT} exec {sys.executable} -m git_asr "$@"\n')
    script.chmod(0o755)
    env = {**os.environ, "PATH": f"{folder}{os.pathsep}{os.environ['PATH']}"}
    git(repo.path, "config", "alias.al", "asr log --format=%s")
    git(repo.path, "config", "alias.shellish", "!git asr sync")

    def run(*arguments: str) -> str:
        ended = subprocess.run(
            ["git", *arguments], cwd=repo.path, env=env, capture_output=True, check=True, text=True
        )
        assert ended.stderr == ""
        return ended.stdout

    only = f"asr.exclude=session:{session(1)}"
    assert run("-c", only, "asr", "sync") == "1 session (1 new, 1 excluded), 1 link to commits\n"
    assert run("shellish") == "2 sessions (1 new), 2 links to commits\n"
    assert run("al").count("claude-code") == 2
    assert tip(repo.path) is not None


def test_odd_paths(tmp_path: Path) -> None:
    for name in ("with space", "é ü", "-dash", "a'b\"c", "tab\there", "%41#?", "x" * 200):
        repo = repository(tmp_path / name)
        assert run_cli(["sync"], repo.path).out == "1 session (1 new), 1 link to commits\n", name
        assert run_cli(["log", "--format=%N"], repo.path).out.startswith("claude-code"), name


def test_a_path_with_a_line_break(tmp_path: Path) -> None:
    path = repository(tmp_path / "a\nb").path
    ended = run_cli(["sync"], path)
    assert ended == Result(1, "", "error: cannot work in a repository whose path holds a line break\n")


@pytest.mark.parametrize("command", COMMANDS)
def test_no_repository(tmp_path: Path, command: str) -> None:
    ended = run_cli([command], tmp_path, {"GIT_CEILING_DIRECTORIES": str(tmp_path.parent)})
    assert (ended.status, ended.out) == (2, "")
    first, hint = ended.err.splitlines()
    assert first.startswith("error: not a Git repository")
    assert hint.startswith("hint: ")


@pytest.mark.parametrize("command", COMMANDS)
def test_git_is_not_on_path(repo: EntireRepo, tmp_path: Path, command: str) -> None:
    ended = run_cli([command], repo.path, {"PATH": str(tmp_path)})
    assert ended.status == 1
    assert ended.err == "error: git is not on PATH\nhint: install Git 2.39 or newer, or put it on PATH\n"


@pytest.mark.parametrize("command", COMMANDS)
def test_a_configuration_that_git_cannot_read(repo: EntireRepo, command: str, unsound: set[Path]) -> None:
    unsound.add(repo.path)
    with (repo.path / ".git" / "config").open("a") as config:
        config.write("[broken\n")
    ended = run_cli([command], repo.path)
    assert (ended.status, ended.out) == (1, "")
    assert ended.err.startswith("error: ")
    assert "bad config line" in ended.err


def test_the_list_is_empty_after_both_refs_were_deleted(repo: EntireRepo, plain: dict[str, str]) -> None:
    """What stands in docs/companion-ref.md, *Deleting it*."""
    assert run_cli(["sync"], repo.path).status == 0
    for name in OWN:
        git(repo.path, "update-ref", "-d", name)
    assert run_cli(["sync"], repo.path).status == 0
    assert own(repo.path) == plain
    add(repo, 3)
    repo.build()
    assert run_cli(["sync"], repo.path).out == "3 sessions (1 new), 3 links to commits\n"
