"""Hooks in Git's configuration: from Git 2.54 on, and refused before."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

from git_asr.hooks import configured
from tests.support.effort import STRIDE
from tests.support.hooked import HOOKS, QUIET, files, foreign, install, killed, noted, repository, uninstall
from tests.support.repo_builder import git

SECTION = "hook.git-asr-"


def _newer() -> str | None:
    """A folder with a Git that has such hooks: the one on the PATH, or the one that is named for the tests."""
    for folder in (os.environ.get("GIT_ASR_NEWER_GIT"), os.path.dirname(shutil.which("git") or "")):  # noqa: PTH120
        if not folder or not (Path(folder) / "git").exists():
            continue
        said = subprocess.run(
            [f"{folder}/git", "--version"], capture_output=True, text=True, check=False
        ).stdout
        found = re.search(r"(\d+)\.(\d+)", said)
        if found and (int(found[1]), int(found[2])) >= (2, 54):
            return folder
    return None


NEWER = _newer()
needs_newer = pytest.mark.skipif(
    NEWER is None, reason="needs Git 2.54: on the PATH, or in the folder that GIT_ASR_NEWER_GIT names"
)
OLD = {"PATH": os.environ["PATH"]}


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    return repository(tmp_path / "r")


@pytest.fixture
def newer() -> dict[str, str]:
    return {"PATH": f"{NEWER}{os.pathsep}{os.environ['PATH']}"}


@pytest.fixture
def claiming(tmp_path: Path) -> dict[str, str]:
    """A Git that only says that it has such hooks: enough to see what is written."""
    folder = tmp_path / "bin"
    folder.mkdir()
    real = shutil.which("git")
    (folder / "git").write_text(
        f'#!/bin/sh\ncase "$*" in *"hook -h"*) echo "or: git hook list"; exit 129 ;; esac\nexec "{real}" "$@"\n'
    )
    (folder / "git").chmod(0o755)
    return {"PATH": f"{folder}{os.pathsep}{os.environ['PATH']}"}


def sections(path: Path, *scope: str, env: Mapping[str, str] = {}) -> dict[str, list[str]]:
    """The keys of our sections, with their values, in the order of the file."""
    listing = subprocess.run(
        ["git", "config", *(scope or ("--local",)), "-z", "--get-regexp", "^hook\\."],
        cwd=path, env={**os.environ, **env}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    found: dict[str, list[str]] = {}
    for item in listing.stdout.split("\0")[:-1]:
        key, _, value = item.partition("\n")
        found.setdefault(key, []).append(value)
    return found


def has_no_event_alone(path: Path) -> bool:
    """Whether every event has a command: else Git refuses every commit."""
    keys = sections(path)
    return all(f"{key.rpartition('.')[0]}.command" in keys for key in keys if key.endswith(".event"))


@pytest.mark.skipif(configured.supported(), reason="this Git has hooks in the configuration")
@pytest.mark.parametrize("options", [(), ("--global",)])
def test_an_older_git(repo: Path, options: tuple[str, ...]) -> None:
    before = files(repo)
    done = install(repo, "--config", *options)
    assert (done.status, done.out) == (1, "")
    assert re.fullmatch(
        r"error: this is git version \S+, and hooks in the configuration need 2\.54\n"
        r"hint: git asr install   writes hook files\n",
        done.err,
    )
    assert files(repo) == before
    assert "--config" not in install(repo).err


def test_what_is_written(repo: Path, claiming: dict[str, str]) -> None:
    """The command comes before the event, and goes with it."""
    before = (repo / ".git" / "config").read_bytes()
    done = install(repo, "--config", env=claiming)
    assert done.status == 0
    assert done.out.splitlines()[0] == (
        "post-commit: written: .git/asr/hooks/post-commit (called by hook.git-asr-post-commit of Git's configuration)"
    )
    keys = sections(repo)
    wanted = [f"{SECTION}{hook}.{name}" for hook in HOOKS for name in ("command", "event")]
    assert list(keys) == wanted
    assert keys[f"{SECTION}pre-push.event"] == ["pre-push"]
    assert not (repo / ".git" / "hooks").exists()
    text = (repo / ".git" / "config").read_text()
    done = install(repo, "--config", env=claiming)
    assert (done.status, done.out.count("is current")) == (0, 6)
    assert (repo / ".git" / "config").read_text() == text
    assert uninstall(repo).status == 0
    assert (repo / ".git" / "config").read_bytes() == before
    assert not (repo / ".git" / "asr").exists()


def test_what_the_user_changed(repo: Path, claiming: dict[str, str]) -> None:
    """A command that is not ours is left; one event more is none of our business, and a lost one comes back."""
    assert install(repo, "--config", "--hook", "post-commit", env=claiming).status == 0
    git(repo, "config", "--add", f"{SECTION}post-commit.event", "post-merge")
    git(repo, "config", "--unset", f"{SECTION}post-commit.event", "post-commit")
    done = install(repo, "--config", "--hook", "post-commit", env=claiming)
    assert done.status == 0
    assert sections(repo)[f"{SECTION}post-commit.event"] == ["post-merge", "post-commit"]
    git(repo, "config", f"{SECTION}post-commit.command", "echo mine")
    done = uninstall(repo)
    assert done.status == 1
    assert "hook.git-asr-post-commit is left: its command was changed" in done.err
    assert sections(repo)[f"{SECTION}post-commit.command"] == ["echo mine"]
    assert install(repo, "--config", "--hook", "post-commit", env=claiming).out.startswith(
        "post-commit: updated: "
    )
    assert uninstall(repo).status == 0
    assert sections(repo) == {}


def test_hooks_that_are_switched_off(repo: Path, claiming: dict[str, str]) -> None:
    git(repo, "config", "core.hooksPath", "/dev/null")
    done = install(repo, "--config", env=claiming)
    assert (done.status, done.out) == (1, "")
    assert done.err.startswith("error: hooks are switched off: core.hooksPath is /dev/null\nhint: ")
    assert sections(repo) == {}


@pytest.mark.parametrize("when", ["install", "uninstall"])
def test_killed_at_any_write(tmp_path: Path, claiming: dict[str, str], when: str) -> None:
    """There is never an event without a command."""
    start = repository(tmp_path / "start")
    before = (start / ".git" / "config").read_bytes()
    chosen = ("--config", "--hook", "post-commit", "--hook", "pre-push")
    number, was_killed = 0, True
    while was_killed:
        shutil.copytree(start, path := tmp_path / str(number))
        if when == "uninstall":
            assert install(path, *chosen, env=claiming).status == 0
            was_killed = killed(path, number, "uninstall", env=claiming)
        else:
            was_killed = killed(path, number, "install", *chosen, env=claiming)
        assert has_no_event_alone(path)
        if NEWER is not None:
            subprocess.run(
                [f"{NEWER}/git", "commit", "-q", "--allow-empty", "-m", "x"],
                cwd=path, env={**os.environ, **QUIET}, check=True,
            )  # fmt: skip
        assert uninstall(path).status == 0
        assert (path / ".git" / "config").read_bytes() == before
        assert not (path / ".git" / "asr").exists()
        number += STRIDE
    assert number > 6


@needs_newer
class TestNewerGit:
    """With a Git that has them."""

    def commit(self, path: Path, env: Mapping[str, str], *options: str) -> bool:
        """Commit; whether that came into the queue. Nothing is printed."""
        noted(path)
        ended = subprocess.run(
            ["git", *options, "commit", "-q", "--allow-empty", "-m", "x\n\nEntire-Checkpoint: 5f0af6f2363f"],
            cwd=path, env={**os.environ, **QUIET, **env}, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert (ended.returncode, ended.stdout, ended.stderr) == (0, "", "")
        return git(path, "rev-parse", "HEAD") in noted(path)

    def test_it_is_called_beside_any_hook_file(
        self, repo: Path, newer: dict[str, str], tmp_path: Path
    ) -> None:
        mine = foreign(repo / ".git" / "hooks" / "post-commit", tmp_path / "log")
        assert install(repo, "--config", env=newer).status == 0
        assert self.commit(repo, newer)
        assert (tmp_path / "log").read_text() == "post-commit:\n"
        git(repo, "worktree", "add", "-q", "../other")
        assert self.commit(tmp_path / "other", newer)
        assert uninstall(repo, env=newer).status == 0
        assert not self.commit(repo, newer)
        assert (repo / ".git" / "hooks" / "post-commit").read_bytes() == mine

    def test_arguments_and_input(self, repo: Path, newer: dict[str, str]) -> None:
        assert install(repo, "--config", env=newer).status == 0
        assert self.commit(repo, newer)
        old = git(repo, "rev-parse", "HEAD")
        env = {**os.environ, **QUIET, **newer}
        subprocess.run(
            ["git", "commit", "-q", "--amend", "--allow-empty", "-m", "y"], cwd=repo, env=env, check=True
        )
        queue = repo / ".git" / "asr" / "queue"
        assert next(queue.glob("rw-*")).read_text().splitlines() == [
            "amend",
            f"{old} {git(repo, 'rev-parse', 'HEAD')}",
        ]
        noted(repo)
        subprocess.run(["git", "checkout", "-q", "-b", "other"], cwd=repo, env=env, check=True)
        assert noted(repo) == {"scan"}

    def test_it_stays_silent_where_hooks_are_switched_off(self, repo: Path, newer: dict[str, str]) -> None:
        assert install(repo, "--config", env=newer).status == 0
        assert not self.commit(repo, newer, "-c", "core.hooksPath=/dev/null")
        assert self.commit(repo, newer)

    def test_the_repository_moved(self, repo: Path, newer: dict[str, str], tmp_path: Path) -> None:
        assert install(repo, "--config", env=newer).status == 0
        repo.rename(tmp_path / "moved")
        assert self.commit(tmp_path / "moved", newer)
        shutil.rmtree(tmp_path / "moved" / ".git" / "asr")
        assert not self.commit(tmp_path / "moved", newer)

    def test_refused_files_name_it(self, repo: Path, newer: dict[str, str]) -> None:
        (repo / ".git" / "hooks").mkdir()
        (repo / ".git" / "hooks" / "post-commit").symlink_to("nowhere")
        assert "hint: git asr install --config   needs no file there\n" in install(repo, env=newer).err

    def test_for_all_repositories(self, repo: Path, newer: dict[str, str], tmp_path: Path) -> None:
        (tmp_path / "it's a home").mkdir()
        config = tmp_path / "gitconfig"
        config.write_text("[user]\n\tname = x\n")
        env = {
            **newer,
            "GIT_CONFIG_GLOBAL": str(config),
            "XDG_DATA_HOME": str(tmp_path / "it's a home"),
        }
        assert install(tmp_path, "--config", "--global", env=env).status == 0
        assert self.commit(repo, env)
        assert not self.commit(repo, env, "-c", "core.hooksPath=/dev/null")
        assert install(repo, "--config", "--global", env=env).out.count("is current") == 6
        assert uninstall(repo, "--global", env=env).status == 0
        assert config.read_text() == "[user]\n\tname = x\n"
        assert not list((tmp_path / "it's a home").iterdir())
        assert not self.commit(repo, env)
