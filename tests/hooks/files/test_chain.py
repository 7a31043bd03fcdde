"""The hook that was there before git-asr came: it runs first, as Git would run it, and its status counts."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from git_asr.hooks.script import HOOKS
from tests.hooks.files.hooked import TIMEOUT, TRAILER, Ended, Hooked, recorder, write

LINES = b"".join(b"%040x %040x\n" % (at, at + 1) for at in range(4000))


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return tmp_path / "log"


@pytest.mark.parametrize("hook", HOOKS)
@pytest.mark.parametrize("suffix", ["", ".pre-entire", ".legacy"])
def test_the_hook_before_us_gets_arguments_and_input_and_its_status_counts(
    hooked: Hooked, log: Path, hook: str, suffix: str
) -> None:
    path = hooked.hooks / hook
    if suffix:
        path = path.rename(hooked.hooks / f"{hook}{suffix}")
    write(hooked.hooks / f"{hook}.pre-asr", recorder(log, 3, reads=True))
    ended = hooked.run(path, "amend", "it's\n two", "", stdin=LINES)
    assert ended == Ended(3, "", "")
    assert log.read_bytes() == f"{hook}.pre-asr <amend> <it's\n two> <>\n".encode() + LINES


@pytest.mark.parametrize("hook", HOOKS)
def test_it_runs_where_there_is_no_git_asr(hooked: Hooked, log: Path, hook: str) -> None:
    hooked.launcher.unlink()
    write(hooked.hooks / f"{hook}.pre-asr", recorder(log, 1, reads=True))
    assert hooked.run(hooked.hooks / hook, "rebase", stdin=b"a b\n").status == 1
    assert log.read_bytes() == f"{hook}.pre-asr <rebase>\na b\n".encode()


@pytest.mark.parametrize("name", ["post-commit", "./post-commit"])
def test_it_is_found_in_whatever_way_we_were_called(hooked: Hooked, log: Path, name: str) -> None:
    write(hooked.hooks / "post-commit.pre-asr", recorder(log, 4))
    assert (
        hooked.run(hooked.sh, name, cwd=hooked.hooks, env={"GIT_DIR": str(hooked.repo / ".git")}).status == 4
    )


def test_what_it_says_is_heard_and_what_we_do_is_done(hooked: Hooked) -> None:
    write(hooked.hooks / "post-commit.pre-asr", "#!/bin/sh\necho to stdout; echo to stderr >&2; exit 9\n")
    ended = hooked.run("git", "commit", "-q", "--allow-empty", "-m", TRAILER)
    assert (ended.status, ended.out) == (0, "")  # Git does not ask for the status of post-commit
    assert ended.err == "to stdout\nto stderr\n"
    assert hooked.queue == [hooked.head()]
    assert hooked.started() == 1


def test_a_push_that_it_refuses_is_refused_and_one_that_it_lets_through_is_pushed(
    hooked: Hooked, log: Path
) -> None:
    remote = hooked.repo.parent / "remote"
    hooked.git("init", "-q", "--bare", str(remote))
    hooked.git("remote", "add", "origin", str(remote))
    hooked.commit()
    write(hooked.hooks / "pre-push.pre-asr", recorder(log, 1, reads=True))
    assert hooked.run("git", "push", "-q", "origin", "main").status == 1
    name, given = log.read_text().splitlines()
    assert name == f"pre-push.pre-asr <origin> <{remote}>"
    assert given == f"refs/heads/main {hooked.head()} refs/heads/main {'0' * 40}"
    assert hooked.git("ls-remote", str(remote)) == ""
    write(hooked.hooks / "pre-push.pre-asr", recorder(log, 0, reads=True))
    assert hooked.run("git", "push", "-q", "origin", "main") == Ended(0, "", "")
    assert hooked.head() in hooked.git("ls-remote", str(remote))


@pytest.mark.parametrize("given", [b"", b"no line end", b"\n\n", b"a b\n\n", LINES], ids=len)
def test_input_of_post_rewrite_reaches_both_as_it_was(hooked: Hooked, log: Path, given: bytes) -> None:
    hooked.asr.mkdir()
    write(hooked.hooks / "post-rewrite.pre-asr", f"#!/bin/sh\ncat >'{log}'\n")
    assert hooked.run(hooked.hooks / "post-rewrite", "rebase", stdin=given) == Ended(0, "", "")
    assert log.read_bytes() == given
    (item,) = (hooked.asr / "queue").iterdir()
    assert item.read_bytes() == b"rebase\n" + given


def test_a_hook_that_does_not_read_its_input_is_fine(hooked: Hooked) -> None:
    write(hooked.hooks / "post-rewrite.pre-asr", "#!/bin/sh\nexit 5\n")
    assert hooked.run(hooked.hooks / "post-rewrite", "rebase", stdin=LINES * 5) == Ended(5, "", "")
    deaf = ("sh", "-c", 'trap "" PIPE; exec "$0" rebase', hooked.hooks / "post-rewrite")
    assert hooked.run(*deaf, stdin=LINES * 5) == Ended(5, "", "")


def test_a_terminal_is_not_waited_for(hooked: Hooked) -> None:
    ours, theirs = os.openpty()
    try:
        words = [hooked.hooks / "post-rewrite", "amend"]
        ended = subprocess.run(
            words, cwd=hooked.repo, env=hooked.env, stdin=theirs, timeout=TIMEOUT, check=False
        )
    finally:
        os.close(ours)
        os.close(theirs)
    assert ended.returncode == 0


def test_a_nul_in_the_input_is_not_spoken_of(hooked: Hooked) -> None:
    assert hooked.run(hooked.hooks / "post-rewrite", "rebase", stdin=b"a\0b\n") == Ended(0, "", "")


@pytest.mark.parametrize("kind", ["not executable", "folder", "broken link"])
def test_what_git_would_not_run_is_not_run(hooked: Hooked, log: Path, kind: str) -> None:
    before = hooked.hooks / "post-commit.pre-asr"
    if kind == "folder":
        before.mkdir()
    elif kind == "broken link":
        before.symlink_to("nowhere")
    else:
        write(before, recorder(log), 0o644)
    commit = hooked.commit()
    assert not log.exists()
    assert hooked.queue == [commit]


def test_a_hook_without_a_first_line_runs_as_with_git(hooked: Hooked, log: Path) -> None:
    write(hooked.hooks / "post-commit.pre-asr", f"echo ran >'{log}'; exit 2\n")
    assert hooked.run(hooked.hooks / "post-commit").status == 2
    assert log.read_text() == "ran\n"


@pytest.mark.parametrize("hook", ["post-commit", "post-rewrite"])
def test_our_own_file_before_us_is_no_endless_circle(hooked: Hooked, hook: str) -> None:
    hooked.asr.mkdir()
    shutil.copy(hooked.hooks / hook, hooked.hooks / f"{hook}.pre-asr")
    commit = hooked.commit()
    assert commit in hooked.queue
    assert hooked.run(hooked.hooks / hook, "amend", stdin=b"a b\n") == Ended(0, "", "")


def test_a_hook_that_calls_us_again_is_no_endless_circle(hooked: Hooked, log: Path) -> None:
    """As when a file of another installer that calls ``.pre-entire`` was renamed to ``.pre-asr``."""
    (hooked.hooks / "post-commit").rename(hooked.hooks / "post-commit.pre-entire")
    text = recorder(log).replace("exit 0", f"'{hooked.hooks}/post-commit.pre-entire' && exit 8")
    for name in ("post-commit", "post-commit.pre-asr"):
        write(hooked.hooks / name, text)
    commit = hooked.commit()
    assert hooked.queue == [commit]
    assert log.read_text().splitlines() == ["post-commit", *["post-commit.pre-asr"] * 4]


def test_a_link_to_us_finds_the_hook_beside_the_link(hooked: Hooked, log: Path, tmp_path: Path) -> None:
    """A file with other hooks in one folder, to which links lead from another."""
    links = tmp_path / "links"
    links.mkdir()
    (links / "post-commit").symlink_to(hooked.hooks / "post-commit")
    write(links / "post-commit.pre-asr", recorder(log))
    hooked.git("config", "core.hooksPath", str(links))
    hooked.commit()
    assert log.read_text() == "post-commit.pre-asr\n"


@pytest.mark.parametrize("options", ["-e", "-eu", "-eC", "-euf"])
def test_the_shell_is_that_of_a_careful_caller(hooked: Hooked, log: Path, options: str) -> None:
    write(hooked.hooks / "post-rewrite.pre-asr", recorder(log, 6))
    hooked.asr.mkdir()
    command = (hooked.sh, options, hooked.hooks / "post-rewrite", "amend")
    assert hooked.run(*command, stdin=b"a b\n") == Ended(6, "", "")
    assert len(hooked.queue) == hooked.started() == 1
    hooked.git("checkout", "-q", "--orphan", "unborn")
    hooked.forget()
    for _ in range(2):
        assert hooked.run(hooked.sh, options, hooked.hooks / "post-merge") == Ended(0, "", "")
    assert hooked.queue == ["scan"]
    assert hooked.started() == 2
