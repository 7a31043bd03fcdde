"""What ``git asr status`` says of the hooks, ``--fix``, and the line that other commands print."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from git_asr.hooks import script
from tests.support.entire_hooks import EntireHooks
from tests.support.entire_repo import EntireRepo, Stored, claude
from tests.support.hooked import HOOKS, commit, foreign, install, is_reached, noted, repository
from tests.support.repo_builder import git
from tests.support.run import Result, run_cli

CHECKPOINT = "5f0af6f2363f"
WRONG = "is no longer as it was installed: git asr status   says more\n"


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    path = repository(tmp_path / "r")
    assert install(path).status == 0
    return path


def hook(repo: Path, name: str = "post-commit") -> Path:
    return repo / ".git" / "hooks" / name


def status(path: Path, *options: str) -> Result:
    ended = run_cli(["status", *options], path)
    assert ended.status == 0, ended.err
    return ended


def told(path: Path, *options: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(status(path, *options, "--json").out)
    return found


def faults(path: Path) -> dict[str, str]:
    return {one["hook"]: one["fault"] for one in told(path)["hooks"] if one["fault"] is not None}


def glance(path: Path) -> str:
    """What a command prints that has nothing to do with hooks."""
    ended = run_cli(["drift"], path)
    assert ended.status == 0, ended.err
    return ended.err.replace("hint: no sessions here yet: git asr sync\n", "")


def test_all_is_well(repo: Path) -> None:
    shown = status(repo)
    assert shown.out.splitlines()[-1] == "hooks: 6 in .git/hooks"
    assert "hook" not in shown.err
    found = told(repo)
    assert [one["hook"] for one in found["hooks"]] == list(HOOKS)
    assert (found["withoutHooks"], found["queue"], found["failed"], found["failures"]) == ([], [], [], [])
    assert glance(repo) == ""


def test_only_what_was_installed_is_looked_at(tmp_path: Path) -> None:
    path = repository(tmp_path / "r")
    install(path, "--hook", "post-commit")
    assert [one["hook"] for one in told(path)["hooks"]] == ["post-commit"]
    assert status(path, "--fix").out.splitlines()[-1] == "hooks: 1 in .git/hooks"
    assert not hook(path, "post-merge").exists()


def earlier(path: Path) -> None:
    """As an earlier version wrote it."""
    text = script.render(path.name).replace(b"# git-asr hook 1 ", b"# git-asr hook 0 ")
    first, _, rest = text.partition(b"# sha256 ")
    rest = rest[65:]
    path.write_bytes(first + b"# sha256 " + script._hash(first + rest) + b"\n" + rest)


def elsewhere(path: Path) -> None:
    """As another installation wrote it, which is gone."""
    path.write_bytes(script.render(path.name, ("/gone/for good/git-asr",)))


DAMAGE: dict[str, tuple[Callable[[Path], object], str, bool]] = {
    "removed": (Path.unlink, "is not there", True),
    "not executable": (lambda path: path.chmod(0o644), "is not executable", True),
    "another hook": (
        lambda path: foreign(path, path.parent / "log"),
        "is another hook, which does not call git-asr",
        True,
    ),
    "an earlier version": (earlier, "is of an earlier version", False),
    "the program is gone": (elsewhere, "starts /gone/for good/git-asr, which is gone", False),
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_what_is_wrong_is_said_and_mended(repo: Path, damage: str) -> None:
    harm, fault, is_seen = DAMAGE[damage]
    harm(hook(repo))
    assert faults(repo) == {"post-commit": fault}
    shown = status(repo)
    assert shown.out.splitlines()[-2:] == [
        "hooks: 5 of 6 in .git/hooks",
        f"  post-commit  .git/hooks/post-commit {fault}",
    ]
    assert "hint: git asr status --fix   mends what it can\n" in shown.err
    assert glance(repo) == (f"hint: the hook post-commit {WRONG}" if is_seen else "")
    mended = status(repo, "--fix")
    assert mended.out.splitlines()[-1] == "hooks: 6 in .git/hooks"
    assert f"{hook(repo)}\n" in mended.err
    assert is_reached(repo)
    assert glance(repo) == ""


def test_another_installation_of_git_asr_is_no_fault(repo: Path) -> None:
    hook(repo).write_bytes(script.render("post-commit", (sys.executable, "-m", "git_asr")))
    hook(repo, "post-merge").write_bytes(script.render("post-merge"))
    assert faults(repo) == {}
    assert status(repo, "--fix").err == status(repo).err


def test_what_cannot_be_mended(repo: Path) -> None:
    hook(repo).write_bytes(hook(repo).read_bytes() + b"echo more\n")
    hook(repo, "post-merge").unlink()
    hook(repo, "post-merge").mkdir()
    found = faults(repo)
    assert found.keys() == {"post-commit", "post-merge"}
    assert "was changed" in found["post-commit"]
    assert "is no file" in found["post-merge"]
    shown = status(repo, "--fix")
    assert "hooks: 4 of 6 in .git/hooks\n" in shown.out
    assert "hint: git asr install   says what can be done about the hooks\n" in shown.err


def test_hooks_that_are_switched_off(repo: Path) -> None:
    git(repo, "config", "core.hooksPath", "/dev/null")
    shown = status(repo)
    assert shown.out.splitlines()[-1] == (
        "hooks: none in /dev/null: hooks are switched off: core.hooksPath is /dev/null"
    )
    assert "hint: git asr install   says what can be done about the hooks\n" in shown.err


def test_entire_takes_the_place_and_gives_it_back(repo: Path, tmp_path: Path) -> None:
    entire = EntireHooks(hook(repo).parent, tmp_path / "log")
    entire.enable()
    assert faults(repo) == {}
    assert glance(repo) == ""
    hook(repo, "post-commit.pre-entire").unlink()
    assert faults(repo) == {"post-commit": "is Entire's, which does not call git-asr"}
    assert glance(repo) == f"hint: the hook post-commit {WRONG}"
    status(repo, "--fix")
    assert faults(repo) == {}
    assert is_reached(repo)


def test_entire_calls_nothing_until_it_is_told(tmp_path: Path) -> None:
    path = repository(tmp_path / "r")
    hook(path).parent.mkdir()
    entire = EntireHooks(hook(path).parent, tmp_path / "log")
    entire.enable()
    before = hook(path).read_bytes()
    install(path)
    assert faults(path) == {}
    hook(path).write_bytes(before)
    assert faults(path) == {"post-commit": "is not called by Entire's hook"}
    status(path, "--fix")
    assert faults(path) == {}
    assert is_reached(path)


def test_every_worktree_has_its_line(repo: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    git(repo, "worktree", "add", "-q", str(other))
    git(repo, "config", "extensions.worktreeConfig", "true")
    git(other, "config", "--worktree", "core.hooksPath", str(other / "own"))
    noted(repo)
    assert status(repo).out.splitlines()[-2:] == [
        "hooks: 6 in .git/hooks",
        f"hooks: none in {other}/own, where another worktree looks for them",
    ]
    assert "hint: git asr install --worktrees\n" in status(repo).err
    install(repo, "--worktrees")
    assert status(repo).out.splitlines()[-1] == f"hooks: 6 in {other}/own"
    shutil.rmtree(other)
    assert glance(repo) == ""


def test_a_journal_that_is_lost_or_damaged(repo: Path) -> None:
    (repo / ".git/asr/hooks.json").write_text("{")
    assert faults(repo) == {}
    assert glance(repo) == ""
    (repo / ".git/asr/hooks.json").unlink()
    assert len(told(repo)["hooks"]) == 6


def test_commits_that_never_came_through(tmp_path: Path) -> None:
    made = EntireRepo(tmp_path / "r")
    made.checkpoint(CHECKPOINT, Stored("ses-1", claude("ses-1", ["a"])))
    made.commit()
    path = made.build()
    git(path, "reset", "-q", "--hard")
    install(path)
    hook(path).unlink()
    date = {"GIT_COMMITTER_DATE": "", "GIT_AUTHOR_DATE": ""}
    one = commit(path, env=date).strip()
    found = told(path)
    assert [(missed["commit"], missed["checkpoints"]) for missed in found["missed"]] == [(one, [CHECKPOINT])]
    shown = status(path)
    assert "never came through: 1 commit of the last 14 days\n" in shown.out
    assert f"  {one[:12]}  " in shown.out
    for number in range(6):
        commit(path, f"{number}\n\nEntire-Checkpoint: {CHECKPOINT}", date)
    assert "  and 2 more: --json lists them\n" in status(path).out
    mended = status(path, "--fix")
    assert "never came through" not in mended.out
    assert "1 session, 7 links to commits (up to date)" in mended.out
    assert is_reached(path)


def test_what_waits_and_what_was_given_up(repo: Path) -> None:
    one = commit(repo).strip()
    assert "queue: 1 item waiting\n" in status(repo).out
    asr = repo / ".git" / "asr"
    (asr / "failed").mkdir()
    (asr / "queue" / one).rename(asr / "failed" / one)
    line = {"time": "2026-01-01T00:00:00Z", "item": one, "message": "no \x1b[31mroom", "commit": one}
    (asr / "errors.jsonl").write_text(json.dumps(line) + "\n")
    shown = status(repo)
    assert "queue: nothing waiting, 1 given up\n" in shown.out
    assert "last failure: 2026-01-01T00:00:00Z no " in shown.out
    assert "\x1b" not in shown.out
    found = told(repo)
    assert [(item["item"], item["kind"]) for item in found["failed"]] == [(one, "commit")]
    assert found["failures"][0]["item"] == one
    assert glance(repo) == "hint: 1 of the hooks' work failed in the background: git asr status   says more\n"
    assert "hint: git asr status --fix   mends what it can\n" in shown.err
    mended = status(repo, "--fix")
    assert "queue: 1 item waiting\n" in mended.out
    assert noted(repo) == {one}


def test_the_queue_cannot_be_written(repo: Path) -> None:
    asr = repo / ".git" / "asr"
    (asr / "failed").mkdir()
    (asr / "failed" / "scan").write_text("")
    shutil.rmtree(asr / "queue")
    (asr / "queue").write_text("")
    ended = run_cli(["status", "--fix"], repo)
    assert ended.status == 1
    assert ended.err.startswith("error: cannot mend the queue: ")
