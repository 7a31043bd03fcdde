"""Wherever a hook runs and whatever its environment holds: it works, or it does nothing, and is silent."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from git_asr.hooks.script import HOOKS
from tests.hooks.files.hooked import TIMEOUT, TRAILER, Ended, Hooked, write

ODD_NAMES = [
    "with space",
    "it's",
    'say "x"',
    "two\nlines",
    "ends\n",
    "\n--",
    "änderung-日本",
    "-n",
    "$HOME",
    "`x`",
    "a\\b",
    "*",
]


@pytest.mark.parametrize("name", ODD_NAMES)
def test_any_path_will_do(tmp_path: Path, name: str) -> None:
    for shell in ("dash", "bash"):
        folder = tmp_path / shell
        hooked = Hooked(folder, shell, at=f"{name}/{name}")
        commit = hooked.commit()
        assert hooked.queue == [commit]
        assert hooked.started() == 1
        other = folder / f"other {name}"
        hooked.git("worktree", "add", "-q", "-b", "other", str(other))
        hooked.forget()
        assert hooked.commit(cwd=other) in hooked.queue
        assert hooked.started() == 1


def test_a_path_that_is_not_text(tmp_path: Path) -> None:
    try:
        hooked = Hooked(tmp_path, at=os.fsdecode(b"caf\xe9/\xff"))
    except OSError:
        pytest.skip("this file system takes text only")
    assert [hooked.commit()] == hooked.queue
    assert hooked.started() == 1


def test_worktrees_share_one_queue(hooked: Hooked, tmp_path: Path) -> None:
    hooked.asr.mkdir()
    for name in ("one", "two"):
        hooked.git("worktree", "add", "-q", "-b", name, str(tmp_path / name))
    assert hooked.queue == ["scan"]
    hooked.forget()
    commits = [hooked.commit(f"{name}\n{TRAILER}", cwd=tmp_path / name) for name in ("one", "two")]
    assert hooked.queue == sorted(commits)
    assert hooked.started() == 2


def test_a_separate_git_dir_and_a_submodule(tmp_path: Path) -> None:
    hooked = Hooked(tmp_path, "dash", f"--separate-git-dir={tmp_path / 'elsewhere'}")
    commit = hooked.commit()
    assert [path.name for path in (tmp_path / "elsewhere/asr/queue").iterdir()] == [commit]
    outer = tmp_path / "outer"
    hooked.git("init", "-q", str(outer))
    hooked.git(
        "-c",
        "protocol.file.allow=always",
        "submodule",
        "--quiet",
        "add",
        str(hooked.repo),
        "inner",
        cwd=outer,
    )
    hooked.git("config", "core.hooksPath", str(hooked.hooks), cwd=outer / "inner")
    commit = hooked.commit(cwd=outer / "inner")
    assert [path.name for path in (outer / ".git/modules/inner/asr/queue").iterdir()] == [commit]


def test_git_dir_and_its_like_in_the_environment(hooked: Hooked, tmp_path: Path) -> None:
    env = {
        "GIT_DIR": str(hooked.repo / ".git"),
        "GIT_WORK_TREE": str(hooked.repo),
        "GIT_INDEX_FILE": str(tmp_path / "index"),
        "GIT_AUTHOR_DATE": "2001-01-01T00:00:00Z",
        "GIT_PREFIX": "sub/",
        "GIT_CEILING_DIRECTORIES": "/",
    }
    ended = hooked.run("git", "commit", "-q", "--allow-empty", "-m", TRAILER, cwd=tmp_path, env=env)
    assert ended == Ended(0, "", "")
    assert hooked.queue == [hooked.head()]
    assert hooked.started() == 1
    ended = hooked.run("git", "commit", "-q", "--allow-empty", "-m", TRAILER, env={**env, "GIT_DIR": ".git"})
    assert ended == Ended(0, "", "")
    assert hooked.head() in hooked.queue
    assert hooked.started() == 1


@pytest.mark.parametrize(
    "env",
    [
        {"CDPATH": "/:/tmp"},
        {"IFS": "/-a"},
        {"SHELLOPTS": "errexit:nounset:noglob:noclobber"},
        {"ENV": "/no/such/file", "BASH_ENV": "/no/such/file"},
        {"LC_ALL": "C.UTF-8", "LANGUAGE": "de"},
        {"asr_status": "1", "asr_kind": "x", "asr_at": "/x", "asr_input": "x"},
        {"POSIXLY_CORRECT": "1", "GREP_OPTIONS": "-x", "TMPDIR": "/no/such/folder"},
        {"HOME": None, "LANG": None, "PWD": "/", "OLDPWD": "/"},
        {"GIT_OPTIONAL_LOCKS": "0", "GIT_TRACE_SETUP": "0", "GIT_LITERAL_PATHSPECS": "1"},
    ],
    ids=lambda env: next(iter(env)),
)
def test_what_is_in_the_environment_changes_nothing(hooked: Hooked, env: dict[str, str | None]) -> None:
    commit = hooked.commit(env=env)
    assert hooked.queue == [commit]
    assert hooked.started() == 1


def test_a_sub_folder(hooked: Hooked) -> None:
    (hooked.repo / "a/b").mkdir(parents=True)
    commit = hooked.commit(cwd=hooked.repo / "a/b")
    assert hooked.queue == [commit]
    assert hooked.started() == 1


@pytest.mark.parametrize("value", ["true", "1", "yes", "gitlab"])
def test_ci_starts_no_worker_but_notes(hooked: Hooked, value: str) -> None:
    commit = hooked.commit(env={"CI": value})
    assert hooked.queue == [commit]
    assert hooked.started() == 0


@pytest.mark.parametrize("value", ["", "0", "false", "False"])
def test_no_ci_starts_a_worker(hooked: Hooked, value: str) -> None:
    hooked.commit(env={"CI": value})
    assert hooked.started() == 1


@pytest.mark.parametrize("hook", HOOKS)
def test_nothing_is_done_in_quarantine(hooked: Hooked, hook: str) -> None:
    hooked.commit()
    hooked.forget()
    ended = hooked.run(hooked.hooks / hook, "a", "b", "1", env={"GIT_QUARANTINE_PATH": "/x"}, stdin=b"a b\n")
    assert ended == Ended(0, "", "")
    assert (hooked.queue if (hooked.asr / "queue").exists() else []) == hooked.calls == []


def test_a_bare_repository(hooked: Hooked, tmp_path: Path) -> None:
    bare, remote = tmp_path / "bare", tmp_path / "remote"
    hooked.git("clone", "-q", "--bare", str(hooked.repo), str(bare))
    hooked.git("init", "-q", "--bare", str(remote))
    hooked.git("config", "core.hooksPath", str(hooked.hooks), cwd=bare)
    push = ("git", "push", "-q", str(remote), "main")
    assert hooked.run(*push, cwd=bare) == Ended(0, "", "")
    assert not (bare / "asr").exists()
    (bare / "asr").mkdir()
    assert hooked.run(*push, cwd=bare) == Ended(0, "", "")
    assert [path.name for path in (bare / "asr/queue").iterdir()] == ["scan"]
    (call,) = hooked.calls
    assert call.args == ("worker", str(bare.resolve() / "asr"))


def test_outside_of_a_repository_nothing_is_done(hooked: Hooked, tmp_path: Path) -> None:
    for hook in HOOKS:
        ended = hooked.run(
            hooked.hooks / hook, "a", "b", "1", cwd=tmp_path, env={"GIT_CEILING_DIRECTORIES": "/"}
        )
        assert ended == Ended(0, "", "")
    assert hooked.calls == []


def tools(folder: Path, *names: str) -> str:
    """A ``PATH`` with these programs only."""
    folder.mkdir()
    for name in names:
        path = shutil.which(name)
        if path is None:
            pytest.skip(f"there is no {name} here")
        (folder / name).symlink_to(path)
    return str(folder)


def test_without_setsid_and_nice(hooked: Hooked, tmp_path: Path) -> None:
    path = tools(tmp_path / "few", "git", "sh", "cat", "mkdir", "date", "mv", "ls")
    write(tmp_path / "few" / "git-asr", hooked.launcher.read_text().replace("nice >", "echo 0 >"))
    hooked.commit(env={"PATH": path})
    assert len(hooked.queue) == 1
    assert hooked.started() == 1


@pytest.mark.parametrize("has", ["setsid", "none"])
def test_the_worker_outlives_the_terminal(hooked: Hooked, tmp_path: Path, has: str) -> None:
    given = ["setsid"] if has == "setsid" else []
    path = tools(tmp_path / "few", "git", "sh", "cat", "mkdir", "date", "mv", "ls", "nice", *given)
    (tmp_path / "few" / "git-asr").symlink_to(hooked.launcher)
    with hooked.busy(tmp_path) as env:
        words = ["git", "commit", "-q", "--allow-empty", "-m", TRAILER]
        subprocess.run(
            words, cwd=hooked.repo, env={**hooked.env, **env, "PATH": path}, timeout=TIMEOUT, check=True
        )
        (worker,) = hooked.processes()
        if has == "setsid":
            assert os.getsid(worker) == worker
        else:
            os.kill(worker, signal.SIGHUP)
            os.kill(worker, signal.SIGINT)
        # it still runs, or the end of this block fails


def test_with_no_program_but_git(hooked: Hooked, tmp_path: Path) -> None:
    path = tools(tmp_path / "few", "git")
    hooked.commit(env={"PATH": path})
    assert not hooked.asr.exists()
    assert hooked.run(hooked.hooks / "post-rewrite", "amend", env={"PATH": path}, stdin=b"a b\n") == Ended(
        0, "", ""
    )


def test_git_that_does_not_know_how_to_give_absolute_paths(hooked: Hooked, tmp_path: Path) -> None:
    path = tools(tmp_path / "old", "sh", "cat", "mkdir", "date", "mv", "nice", "ls")
    (tmp_path / "old/git-asr").symlink_to(hooked.launcher)
    old = f"""#!/bin/sh
if [ "$2" != --path-format=absolute ]; then exec '{shutil.which("git")}' "$@"; fi
shift 2
echo --path-format=absolute
exec '{shutil.which("git")}' rev-parse "$@"
"""
    write(tmp_path / "old/git", old)
    hooked.asr.mkdir()
    hooked.commit()
    before = listing(hooked.repo)
    for hook in HOOKS:
        ended = hooked.run(hooked.hooks / hook, "amend", "b", "1", env={"PATH": path}, stdin=b"a b\n")
        assert ended == Ended(0, "", "")
    assert listing(hooked.repo) == before


@pytest.mark.parametrize("umask", ["077", "000", "027", "777"])
def test_the_umask_is_the_user_s(hooked: Hooked, umask: str) -> None:
    words = ("git", "commit", "-q", "--allow-empty", "-m", TRAILER)
    ended = hooked.run("sh", "-c", f'umask {umask}; exec "$@"', "sh", *words)
    assert (ended.out, ended.err) == ("", "") or umask == "777"
    if umask != "777":
        assert hooked.queue == [hooked.head()]
        assert (hooked.asr / "queue").stat().st_mode & 0o777 == 0o777 & ~int(umask, 8)


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that every user reaches, unlike pytest's."""
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o755)
        if subprocess.run([*as_another(), "test", "-x", name], check=False).returncode:
            pytest.skip("no other user reaches the folder for temporary files")
        yield Path(name)


def as_another() -> list[str]:
    """The beginning of a command that must not be the superuser's, who may write everywhere."""
    if os.geteuid():
        return []
    if not shutil.which("setpriv"):
        pytest.skip("the superuser may write everywhere, and there is no setpriv here")
    return ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]


@pytest.mark.parametrize("closed", [".git", ".git/asr", ".git/asr/queue"])
def test_a_folder_that_cannot_be_written(open_folder: Path, closed: str) -> None:
    hooked = Hooked(open_folder)
    hooked.commit()
    hooked.forget()
    (hooked.repo / closed).mkdir(exist_ok=True)
    if closed == ".git":
        shutil.rmtree(hooked.asr)
    (open_folder / "calls").chmod(0o777)
    (hooked.repo / closed).chmod(0o555)
    before = listing(hooked.repo / ".git")
    safe = {"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "safe.directory", "GIT_CONFIG_VALUE_0": "*"}
    for hook in HOOKS:
        ended = hooked.run(*as_another(), hooked.hooks / hook, "amend", "b", "1", env=safe, stdin=b"a b\n")
        assert ended == Ended(0, "", "")
    (hooked.repo / closed).chmod(0o755)
    assert listing(hooked.repo / ".git") == before
    assert hooked.calls == []


def every(hooked: Hooked) -> None:
    """Run every hook; each says nothing and ends well."""
    for hook in HOOKS:
        ended = hooked.run(hooked.hooks / hook, "amend", "b", "1", stdin=b"a b\n")
        assert ended == Ended(0, "", "")


def listing(folder: Path) -> dict[str, bytes | None]:
    return {
        str(path.relative_to(folder)): path.read_bytes() if path.is_file() else None
        for path in sorted(folder.rglob("*"))
    }


@pytest.mark.parametrize("kind", ["file", "fifo", "broken link", "link to a folder"])
@pytest.mark.parametrize("what", ["asr", "queue"])
def test_a_folder_that_is_something_else(hooked: Hooked, tmp_path: Path, what: str, kind: str) -> None:
    hooked.launcher.rename(hooked.bin / "away")
    commit = hooked.commit()
    (hooked.bin / "away").rename(hooked.launcher)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    for name in ("scan", commit):
        (elsewhere / name).write_text("of somebody else")
    before = listing(elsewhere)
    place = hooked.asr if what == "asr" else hooked.asr / "queue"
    place.parent.mkdir(exist_ok=True)
    if kind == "file":
        place.write_text("x")
    elif kind == "fifo":
        os.mkfifo(place)
    else:
        place.symlink_to(elsewhere if kind == "link to a folder" else "nowhere")
    every(hooked)
    if (what, kind) == ("asr", "link to a folder"):  # where local state lies is the user's choice
        assert len(hooked.calls) == len(HOOKS)
    else:
        assert listing(elsewhere) == before
        assert hooked.calls == []


@pytest.mark.parametrize("kind", ["folder", "fifo", "broken link", "link to a file"])
def test_an_item_that_is_something_else(hooked: Hooked, tmp_path: Path, kind: str) -> None:
    foreign = tmp_path / "foreign"
    foreign.write_text("of somebody else")
    commit = hooked.commit()
    hooked.forget()
    (hooked.asr / "queue").mkdir()
    for name in ("scan", commit):
        place = hooked.asr / "queue" / name
        if kind == "folder":
            place.mkdir()
        elif kind == "fifo":
            os.mkfifo(place)
        else:
            place.symlink_to(foreign if kind == "link to a file" else "nowhere")
    every(hooked)
    assert foreign.read_text() == "of somebody else"
    assert not (hooked.asr / "queue/nowhere").exists()
    assert hooked.started() == 1  # by post-rewrite, whose item has a name of its own


@pytest.mark.parametrize("kind", ["folder", "fifo", "link to a file"])
def test_a_log_that_is_something_else(hooked: Hooked, tmp_path: Path, kind: str) -> None:
    foreign = tmp_path / "foreign"
    foreign.write_text("of somebody else")
    hooked.asr.mkdir()
    log = hooked.asr / "worker.log"
    if kind == "folder":
        log.mkdir()
    elif kind == "fifo":
        os.mkfifo(log)
    else:
        log.symlink_to(foreign)
    hooked.commit()
    assert foreign.read_text() == "of somebody else"
    assert hooked.started() == 1
