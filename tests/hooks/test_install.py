"""``git asr install`` and ``git asr uninstall`` in the repositories people have."""

from __future__ import annotations

import json
import os
import re
import shutil
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from git_asr.errors import AsrError
from git_asr.hooks import journal, script
from git_asr.hooks.launcher import launcher
from tests.support.effort import STRIDE
from tests.support.hooked import (
    HOOKS,
    commit,
    files,
    foreign,
    install,
    is_reached,
    killed,
    noted,
    repository,
    uninstall,
)
from tests.support.repo_builder import git
from tests.support.run import PROJECT, run_cli


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    return repository(tmp_path / "r")


def hooks_of(path: Path) -> Path:
    return path / ".git" / "hooks"


def told(path: Path, *options: str, status: int = 0) -> list[dict[str, Any]]:
    """The hooks of ``git asr install --json``."""
    ended = install(path, *options, "--json")
    assert ended.status == status, ended.err
    found: list[dict[str, Any]] = json.loads(ended.out)["hooks"]
    return found


def test_install_and_uninstall(repo: Path) -> None:
    """There is not even a folder for hooks: it is made, and goes again."""
    done = install(repo)
    assert done.status == 0
    assert done.out.splitlines() == [f"{hook}: written: .git/hooks/{hook}" for hook in HOOKS]
    assert done.err == (
        "hint: git asr sync   reads the checkpoints that are here already\n"
        "hint: git asr install --notes   lets plain git log show the sessions too\n"
    )
    assert (repo / ".git" / "asr" / "queue").is_dir()
    for hook in HOOKS:
        identity = script.identify((hooks_of(repo) / hook).read_bytes())
        assert identity == script.Identity(hook, script.VERSION, intact=True)
        assert os.access(hooks_of(repo) / hook, os.X_OK)
    assert is_reached(repo)
    done = uninstall(repo)
    assert done.status == 0
    assert done.out.splitlines() == [f"removed: .git/hooks/{hook}" for hook in HOOKS]
    assert done.err == (
        "hint: what was synced stays: refs/asr/sessions, and the local state of git asr sync\n"
    )
    assert not hooks_of(repo).exists()
    assert not (repo / ".git" / "asr").exists()
    assert uninstall(repo).out == "no hooks of git-asr are here\n"
    assert not (repo / ".git" / "asr").exists()


def test_installing_twice_changes_nothing(repo: Path) -> None:
    foreign(hooks_of(repo) / "post-commit", repo / "log")
    assert install(repo).status == 0

    def state() -> dict[str, tuple[int, int]]:
        found = [*hooks_of(repo).iterdir(), *(repo / ".git" / "asr").iterdir()]
        return {str(one): (one.stat().st_ino, one.stat().st_mtime_ns) for one in found}

    before = state()
    done = install(repo)
    assert (done.status, done.out) == (
        0,
        "".join(f"{hook}: .git/hooks/{hook} is current\n" for hook in HOOKS),
    )
    assert state() == before


def test_a_dry_run_writes_nothing(repo: Path) -> None:
    foreign(hooks_of(repo) / "post-commit", repo / "log")
    before = files(repo)
    done = install(repo, "--dry-run")
    assert done.status == 0
    assert done.out.splitlines()[0] == (
        "post-commit: would be written: .git/hooks/post-commit "
        "(the hook that was there runs first, as post-commit.pre-asr)"
    )
    assert files(repo) == before
    assert not (repo / ".git" / "asr").exists()
    assert install(repo).status == 0
    after = files(repo)
    done = uninstall(repo, "--dry-run")
    assert done.out.splitlines()[0] == "would be restored: .git/hooks/post-commit"
    assert files(repo) == after
    assert (repo / ".git" / "asr" / "queue").is_dir()


def test_only_some_hooks(repo: Path) -> None:
    done = install(repo, "--hook", "pre-push", "--hook", "post-commit")
    assert [line.partition(":")[0] for line in done.out.splitlines()] == ["post-commit", "pre-push"]
    assert {one.name for one in hooks_of(repo).iterdir()} == {"post-commit", "pre-push"}
    assert install(repo).status == 0
    assert {one.name for one in hooks_of(repo).iterdir()} == set(HOOKS)


def test_an_unknown_hook(repo: Path) -> None:
    done = install(repo, "--hook", "pre-commit")
    assert (done.status, done.out) == (2, "")
    assert done.err.startswith("error: git-asr has no hook 'pre-commit'\nhint: there are post-commit, ")


@pytest.mark.parametrize(
    "options",
    [
        ("--worktrees", "--config"),
        ("--worktrees", "--global"),
        ("--manager", "--config"),
        ("--manager", "--global"),
    ],
)
def test_options_that_exclude_each_other(repo: Path, options: tuple[str, ...]) -> None:
    assert install(repo, *options).status == 2


def test_outside_of_a_repository(tmp_path: Path) -> None:
    assert install(tmp_path).status == 2
    assert uninstall(tmp_path).status == 2


def test_a_hook_that_was_there(repo: Path, tmp_path: Path) -> None:
    """It runs first, with its arguments and input, and its status counts."""
    log = tmp_path / "log"
    mine = foreign(hooks_of(repo) / "post-rewrite", log)
    foreign(hooks_of(repo) / "pre-push", log, status=1)
    before = files(repo)
    assert install(repo).status == 0
    old = commit(repo)
    commit(repo, "changed", {}, "--amend")
    pair = f"{old} {git(repo, 'rev-parse', 'HEAD')}"
    assert log.read_text().splitlines() == ["post-rewrite.pre-asr: amend", pair]
    git(tmp_path, "init", "-q", "--bare", "there")
    git(repo, "remote", "add", "origin", "../there")
    log.write_text("")
    git(repo, "push", "-q", "origin", "main", check=False)
    assert git(tmp_path / "there", "for-each-ref") == ""
    assert log.read_text().splitlines()[0] == "pre-push.pre-asr: origin ../there"
    assert log.read_text().splitlines()[1].startswith("refs/heads/main ")
    assert uninstall(repo).status == 0
    after = {name: one for name, one in files(repo).items() if "objects" not in name}
    assert {name: one for name, one in after.items() if "/hooks/" in name} == {
        name: one for name, one in before.items() if "/hooks/" in name
    }
    assert (hooks_of(repo) / "post-rewrite").read_bytes() == mine


def test_permissions_and_times_are_restored(repo: Path, tmp_path: Path) -> None:
    path = hooks_of(repo) / "post-commit"
    foreign(path, tmp_path / "log")
    path.chmod(0o750)
    os.utime(path, ns=(1_700_000_000_123_456_789, 1_700_000_000_123_456_789))
    before = path.stat()
    assert install(repo).status == 0
    assert uninstall(repo).status == 0
    after = path.stat()
    assert (after.st_ino, after.st_mode, after.st_mtime_ns) == (
        before.st_ino,
        before.st_mode,
        before.st_mtime_ns,
    )


def test_a_hook_that_git_does_not_run(repo: Path, tmp_path: Path) -> None:
    """A file that is not executable stays unexecuted."""
    log = tmp_path / "log"
    foreign(hooks_of(repo) / "post-commit", log)
    (hooks_of(repo) / "post-commit").chmod(0o644)
    assert install(repo).status == 0
    assert is_reached(repo)
    assert not log.exists()


@pytest.mark.parametrize("change", ["older", "launcher", "not executable"])
def test_ours_is_brought_up_to_date(repo: Path, change: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert install(repo).status == 0
    path = hooks_of(repo) / "post-commit"
    now = path.read_bytes()
    if change == "older":
        with monkeypatch.context() as patch:
            patch.setattr(script, "VERSION", 0)
            path.write_bytes(script.render("post-commit"))
    elif change == "launcher":
        path.write_bytes(script.render("post-commit", ("/nowhere/git-asr",)))
    else:
        path.chmod(0o644)
    assert told(repo)[0]["outcome"] == "updated"
    assert path.read_bytes() == now
    assert os.access(path, os.X_OK)
    assert uninstall(repo).status == 0
    assert not hooks_of(repo).exists()


def test_ours_of_a_later_version_stays(repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert install(repo).status == 0
    monkeypatch.setattr(script, "VERSION", script.VERSION + 1)
    later = script.render("post-commit")
    (hooks_of(repo) / "post-commit").write_bytes(later)
    assert told(repo)[0]["outcome"] == "current"
    assert (hooks_of(repo) / "post-commit").read_bytes() == later


def test_ours_that_was_changed_is_left(repo: Path) -> None:
    assert install(repo).status == 0
    path = hooks_of(repo) / "post-commit"
    path.write_text(path.read_text() + "echo mine\n")
    changed = path.read_bytes()
    one = told(repo, status=1)[0]
    assert (one["outcome"], one["hint"]) == ("refused", "remove it, then install again")
    assert path.read_bytes() == changed
    done = uninstall(repo)
    assert done.status == 1
    assert "post-commit is left: it was changed since it was written" in done.err
    assert {one.name for one in hooks_of(repo).iterdir()} == {"post-commit"}
    assert path.read_bytes() == changed


def test_a_hook_that_came_in_our_place(repo: Path, tmp_path: Path) -> None:
    """There are two of the user's hooks then, and only the user knows which counts."""
    old = foreign(hooks_of(repo) / "post-commit", tmp_path / "old")
    assert install(repo).status == 0
    (hooks_of(repo) / "post-commit").unlink()
    new = foreign(hooks_of(repo) / "post-commit", tmp_path / "new")
    one = told(repo, status=1)[0]
    assert (one["found"], one["outcome"]) == ("foreign", "refused")
    assert "post-commit.pre-asr is kept from an earlier one" in one["reason"]
    done = uninstall(repo)
    assert done.status == 1
    assert "post-commit.pre-asr is left: another hook has taken its place" in done.err
    assert (hooks_of(repo) / "post-commit").read_bytes() == new
    assert (hooks_of(repo) / "post-commit.pre-asr").read_bytes() == old


def test_the_kept_hook_comes_back_where_ours_is_gone(repo: Path, tmp_path: Path) -> None:
    old = foreign(hooks_of(repo) / "post-commit", tmp_path / "old")
    assert install(repo).status == 0
    (hooks_of(repo) / "post-commit").unlink()
    done = uninstall(repo)
    assert done.status == 0
    assert (hooks_of(repo) / "post-commit").read_bytes() == old


@pytest.mark.parametrize(
    "what", ["lost", "damaged", "a list", "another version", "no text", "a pipe", "a folder", "huge"]
)
def test_without_a_journal(repo: Path, tmp_path: Path, what: str) -> None:
    """The files say themselves that they are ours."""
    before = foreign(hooks_of(repo) / "post-commit", tmp_path / "log")
    assert install(repo).status == 0
    path = repo / ".git" / "asr" / "hooks.json"
    path.unlink()
    if what == "a pipe":
        os.mkfifo(path)
    elif what == "a folder":
        path.mkdir()
    elif what != "lost":
        texts = {
            "damaged": b'{"version": 1, "did": [{"did": "wri',
            "a list": b"[" * 100_000,
            "another version": b'{"version": 99}',
            "no text": b'{"version": 1, "did": [{"did": "write", "path": 7, "aside": "\\u0000"}]}',
            "huge": b" " * (1 << 21),
        }
        path.write_bytes(texts[what])
    done = uninstall(repo)
    assert done.status == 0
    assert ("the journal of the hooks cannot be read" in done.err) is (what != "lost")
    assert {one.name: one.read_bytes() for one in hooks_of(repo).iterdir()} == {"post-commit": before}
    assert not (repo / ".git" / "asr").exists()


def test_a_journal_that_points_elsewhere(repo: Path, tmp_path: Path) -> None:
    """Whatever it says, no file is touched but ours, and none outside of the repository."""
    precious = {
        tmp_path / ".bashrc": b"precious",
        repo / "src" / "post-commit": b"#!/bin/sh\n# precious\n",
        repo / "src" / "post-commit.pre-asr": b"precious too",
        repo / "empty" / "file": b"",
    }
    ours = script.render("post-commit")
    elsewhere = tmp_path / "other" / "post-commit"
    for path, data in {**precious, elsewhere: ours}.items():
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(data)
    assert install(repo).status == 0
    outside = [str(tmp_path / ".bashrc"), f"{repo}/../.bashrc", "../.bashrc", str(elsewhere)]
    did = [{"did": "write", "path": path, "aside": ""} for path in (*outside, *map(str, precious))]
    did += [{"did": "keep", "path": str(tmp_path / ".bashrc"), "aside": str(tmp_path / "x")}]
    did += [
        {"did": "folder", "path": str(path), "aside": ""} for path in (repo, repo / "empty", tmp_path, "/")
    ]
    did += [{"did": "config", "path": "core", "aside": "--local"}, {"did": "?", "path": "", "aside": ""}]
    (repo / ".git" / "asr" / "hooks.json").write_text(json.dumps({"version": 1, "did": did}))
    done = uninstall(repo)
    assert done.status == 1
    assert f"{tmp_path}/.bashrc is left: it lies outside of this repository" in done.err
    assert "Traceback" not in done.err
    assert elsewhere.read_bytes() == ours
    assert {path: path.read_bytes() for path in precious} == precious
    assert not hooks_of(repo).exists() or not list(hooks_of(repo).iterdir())


def test_what_cannot_be_a_hook_is_refused(repo: Path, tmp_path: Path) -> None:
    """Nothing is waited for, followed or read whole; the rest is installed."""
    folder = hooks_of(repo)
    folder.mkdir()
    (folder / "post-rewrite").symlink_to(tmp_path / "nowhere")
    os.mkfifo(folder / "post-merge")
    (folder / "post-checkout").mkdir()
    with (folder / "post-applypatch").open("wb") as file:
        file.truncate(1 << 30)
    found = {one["hook"]: one for one in told(repo, status=1)}
    assert {name: one["outcome"] for name, one in found.items()} == {
        "post-commit": "written",
        "post-rewrite": "refused",
        "post-merge": "refused",
        "post-checkout": "refused",
        "post-applypatch": "written",
        "pre-push": "written",
    }
    assert found["post-rewrite"]["found"] == "symlink"
    assert found["post-merge"]["found"] == found["post-checkout"]["found"] == "special"
    assert "asr/hooks/post-rewrite" in found["post-rewrite"]["hint"]
    assert os.access(repo / ".git" / "asr" / "hooks" / "post-rewrite", os.X_OK)
    assert uninstall(repo).status == 0
    assert (folder / "post-applypatch").stat().st_size == 1 << 30
    assert stat.S_ISFIFO((folder / "post-merge").stat().st_mode)
    assert {one.name for one in folder.iterdir()} == {
        "post-rewrite", "post-merge", "post-checkout", "post-applypatch",
    }  # fmt: skip


def test_the_line_for_a_hook_that_is_a_link(repo: Path, tmp_path: Path) -> None:
    """What is suggested works, also where git-asr is not installed."""
    (tmp_path / "mine").write_text("#!/bin/sh\n")
    (tmp_path / "mine").chmod(0o755)
    hooks_of(repo).mkdir()
    (hooks_of(repo) / "post-commit").symlink_to(tmp_path / "mine")
    line = told(repo, status=1)[0]["hint"].splitlines()[0].partition(":  ")[2]
    with (tmp_path / "mine").open("a") as file:
        file.write(line + "\n")
    assert is_reached(repo)
    assert uninstall(repo).status == 0
    assert not is_reached(repo)
    assert (tmp_path / "mine").read_text() == f"#!/bin/sh\n{line}\n"


@pytest.mark.parametrize("when", ["install", "uninstall"])
def test_killed_at_any_write(tmp_path: Path, when: str) -> None:
    """The next commit works, the user's hook runs with it, once, and all can be installed or taken back after that."""
    log = tmp_path / "log"
    start = repository(tmp_path / "start")
    foreign(hooks_of(start) / "post-commit", log)
    before = files(hooks_of(start))
    chosen = ("--hook", "post-commit", "--hook", "pre-push")
    number, was_killed = 0, True
    while was_killed:
        shutil.copytree(start, path := tmp_path / str(number))
        if when == "uninstall":
            assert install(path, *chosen).status == 0
            was_killed = killed(path, number, "uninstall")
        else:
            was_killed = killed(path, number, "install", *chosen)
        log.write_bytes(b"")
        commit(path)
        ran = log.read_text().splitlines()
        assert ran in (["post-commit:"], ["post-commit.pre-asr:"])
        if number // STRIDE % 2:
            assert install(path, *chosen).status == 0
            assert is_reached(path)
        assert uninstall(path).status == 0
        assert files(hooks_of(path)) == before
        assert not (path / ".git" / "asr").exists()
        number += STRIDE
    assert number > 8


def test_local_state_behind_a_link(repo: Path, tmp_path: Path) -> None:
    """Whoever put the link there does not say what is removed elsewhere."""
    (tmp_path / "precious" / "queue").mkdir(parents=True)
    (tmp_path / "precious" / "hooks").mkdir()
    (tmp_path / "precious" / "queue" / "file").write_text("precious")
    (repo / ".git" / "asr").symlink_to(tmp_path / "precious")
    for ended in (install(repo), uninstall(repo)):
        assert (ended.status, ended.out) == (1, "")
        assert ended.err == f"error: {repo}/.git/asr is a symbolic link, and nothing is written through it\n"
    assert (tmp_path / "precious" / "queue" / "file").read_text() == "precious"
    assert not hooks_of(repo).exists()


def test_a_queue_that_is_a_link(repo: Path, tmp_path: Path) -> None:
    assert install(repo).status == 0
    (tmp_path / "precious").mkdir()
    (tmp_path / "precious" / "file").write_text("precious")
    queue = repo / ".git" / "asr" / "queue"
    queue.rmdir()
    queue.symlink_to(tmp_path / "precious")
    assert uninstall(repo).status == 0
    assert (tmp_path / "precious" / "file").read_text() == "precious"


def test_the_local_state_stays(repo: Path) -> None:
    """What a sync remembers is not the installer's; what the worker leaves is."""
    assert install(repo).status == 0
    own = repo / ".git" / "asr"
    kept = ("state.sqlite", "lock", "rewrites")
    for name in (*kept, "worker.lock", "worker.log", "worker.log.1", "errors.jsonl", "errors.jsonl.1"):
        (own / name).write_text("x")
    for name in ("failed", "taken"):
        (own / name).mkdir()
        (own / name / "x").write_text("")
    assert uninstall(repo).status == 0
    assert sorted(one.name for one in own.iterdir()) == sorted(kept)


def test_how_git_asr_is_started(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By the script that was started, links not followed; else the one beside Python; else Python."""
    monkeypatch.chdir(tmp_path)
    for name in ("bin/git-asr", "venv/git-asr", "other/python"):
        (tmp_path / name).parent.mkdir()
        (tmp_path / name).write_text("")
        (tmp_path / name).chmod(0o755)
    (tmp_path / "link").mkdir()
    (tmp_path / "link" / "git-asr").symlink_to("../bin/git-asr")

    def started(script: str, python: str) -> tuple[str, ...]:
        monkeypatch.setattr(sys, "argv", [script])
        monkeypatch.setattr(sys, "executable", python)
        return launcher()

    assert started(str(tmp_path / "link" / "git-asr"), "/x/python") == (str(tmp_path / "link" / "git-asr"),)
    assert started("bin/git-asr", "/x/python") == (str(tmp_path / "bin" / "git-asr"),)
    assert started("git_asr/__main__.py", str(tmp_path / "venv" / "python")) == (
        str(tmp_path / "venv" / "git-asr"),
    )
    python = str(tmp_path / "other" / "python")
    assert started("-c", python) == (python, "-m", "git_asr")
    assert started("-c", "") == ()


def test_another_installer_is_at_work(repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own = repo / ".git" / "asr"
    monkeypatch.setattr(journal, "_WAIT", 0.1)
    with (
        journal.locked(own),
        pytest.raises(AsrError, match="another git-asr is installing hooks"),
        journal.locked(own),
    ):
        pass


def test_what_cannot_be_taken_back_is_left(repo: Path, tmp_path: Path) -> None:
    """A folder stands where a file has to be written; the rest is taken back."""
    path = repo / ".git" / "info" / "exclude"
    path.parent.mkdir()
    path.write_text("mine\n")
    git(repo, "config", "core.hooksPath", ".githooks")
    assert install(repo).status == 0
    (path.parent / ".exclude.asr-new").mkdir()
    done = uninstall(repo)
    assert done.status == 1
    assert ".git/info/exclude is left: cannot write" in done.err
    assert not (repo / ".githooks").exists()
    (path.parent / ".exclude.asr-new").rmdir()
    assert uninstall(repo).status == 0
    assert path.read_text() == "mine\n"


def test_lines_of_ours_in_a_file_that_grew(repo: Path) -> None:
    path = repo / ".git" / "info" / "exclude"
    git(repo, "config", "core.hooksPath", ".githooks")
    assert install(repo).status == 0
    with path.open("a") as file:
        file.write("#" * (1 << 20))
    done = uninstall(repo)
    assert done.status == 1
    assert "exclude is left: it is too large to be changed" in done.err
    assert path.stat().st_size > 1 << 20


def test_two_installers_at_once(repo: Path) -> None:
    started = [
        subprocess.Popen(
            ["python3", "-c", "import sys; from git_asr.cli.main import main; sys.exit(main(['install']))"],
            executable=sys.executable,
            cwd=repo,
            env={**os.environ, "PYTHONPATH": str(PROJECT)},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        for _ in range(4)
    ]
    ended = [(one.communicate(timeout=60), one.returncode) for one in started]
    assert all(b"Traceback" not in err for (_, err), _ in ended)
    assert install(repo).status == 0
    assert is_reached(repo)
    assert uninstall(repo).status == 0
    assert not hooks_of(repo).exists()


def test_hooks_do_nothing_where_git_asr_is_gone(repo: Path, tmp_path: Path) -> None:
    """The hook files stay where somebody removes the program: silent, and without a trace."""
    assert install(repo).status == 0
    for hook in HOOKS:
        path = hooks_of(repo) / hook
        path.write_bytes(script.render(hook, ("/nowhere/git-asr",)))
    only_git = tmp_path / "bin"
    only_git.mkdir()
    for name in ("git", "sh", "cat", "date", "mkdir", "mv"):
        found = subprocess.run(["which", name], capture_output=True, text=True, check=True).stdout.strip()
        (only_git / name).symlink_to(found)
    noted(repo)
    commit(repo, env={"PATH": str(only_git)})
    assert noted(repo) == set()


def test_a_full_disk(repo: Path, tmp_path: Path) -> None:
    """Whatever cannot be written is named in one line; nothing is half done."""
    mine = foreign(hooks_of(repo) / "post-commit", tmp_path / "log")
    limited = f'ulimit -f 0; trap "" XFSZ; exec "{sys.executable}" -m git_asr install'
    environment = {name: value for name, value in os.environ.items() if not name.startswith("COVERAGE_")}
    ended = subprocess.run(
        ["sh", "-c", limited],
        cwd=repo,
        env={**environment, "PYTHONPATH": str(PROJECT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (ended.returncode, "Traceback" in ended.stderr) == (1, False)
    assert "cannot write" in ended.stderr
    assert (hooks_of(repo) / "post-commit").read_bytes() == mine
    assert install(repo).status == 0
    assert is_reached(repo)


def test_a_hook_that_cannot_be_written(repo: Path, tmp_path: Path) -> None:
    """The others are; what was begun for it is taken back."""
    mine = foreign(hooks_of(repo) / "post-commit", tmp_path / "log")
    (hooks_of(repo) / ".post-commit.asr-new").mkdir()
    (hooks_of(repo) / ".post-commit.asr-new" / "file").write_text("in the way")
    done = install(repo)
    assert (done.status, done.out.count("written")) == (1, 5)
    assert done.err.startswith(f"warning: post-commit: cannot write {hooks_of(repo)}/.post-commit.asr-new: ")
    assert (hooks_of(repo) / "post-commit").read_bytes() == mine
    assert not (hooks_of(repo) / "post-commit.pre-asr").exists()
    assert uninstall(repo).status == 0
    assert (hooks_of(repo) / "post-commit").read_bytes() == mine


def test_the_journal_cannot_be_written(repo: Path) -> None:
    """Then nothing is done: it could not be taken back."""
    (repo / ".git" / "asr" / ".hooks.json.asr-new").mkdir(parents=True)
    done = install(repo)
    assert (done.status, done.out) == (1, "")
    assert "cannot write" in done.err
    assert not hooks_of(repo).exists()


def test_the_queue_cannot_be_made(repo: Path) -> None:
    (repo / ".git" / "asr").mkdir()
    (repo / ".git" / "asr" / "queue").write_text("")
    done = install(repo)
    assert done.status == 0  # a hook that cannot note something does nothing
    assert uninstall(repo).status == 0


def test_json_as_documented(repo: Path) -> None:
    page = (PROJECT / "docs" / "json.md").read_text("utf-8")
    for command, items in (("install", "hooks"), ("uninstall", "undone")):
        section = page.partition(f"## git asr {command}\n")[2].partition("\n## ")[0]
        told = json.loads(run_cli([command, "--json"], repo).out)
        assert set(re.findall(r"^\| `(\w+)`", section, re.MULTILINE)) == set(told) - {"version"}
        named = set(
            re.findall(r"`(\w+)`", section.partition(f"An entry of `{items}` has")[2].partition("\n\n")[0])
        )
        assert set(told[items][0]) <= named
