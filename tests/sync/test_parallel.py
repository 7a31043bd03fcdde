"""Several processes come to what one comes to, whatever the sessions are like; nothing is left if one of them dies."""

from __future__ import annotations

import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Literal

import pytest

from tests.support.companion import tip
from tests.support.entire_repo import STORE, EntireRepo, Stored, claude
from tests.support.repo_builder import git
from tests.support.run import run_cli

MANY = 48
"""Sessions: more than are converted in one process."""


def session(number: int) -> str:
    return f"{number:08x}-2222-4333-8444-555555555555"


def checkpoint(number: int) -> str:
    return f"{number * 5 % 256:02x}{number:04x}6af236"


def repository(path: Path, format_: Literal["sha1", "sha256"] = "sha1") -> EntireRepo:
    """Sessions of which some turn up where others are said to be, some are of no agent, some are damaged."""
    repo = EntireRepo(path, format_)
    for number in range(MANY):
        stored = Stored(
            session(number), claude(session(number), [f"{number}.{n}" for n in range(4)]), created=number
        )
        repo.checkpoint(checkpoint(number), stored)
        if number % 7:  # the others are of no commit
            repo.commit(checkpoint(number))
    for number, (said, holds) in enumerate([(3, 40), (44, 2), (7, 7), (90, 45)]):
        name = checkpoint(100 + number)
        more = [f"{holds}.{n}" for n in range(5 + number)]
        repo.checkpoint(name, Stored(session(said), claude(session(holds), more), created=100 + number))
        repo.commit(name)
    for number, data in enumerate([b"no agent wrote this\n", b"", b'{"half": '], start=200):
        repo.checkpoint(checkpoint(number), Stored(session(number), data, created=number))
        repo.commit(checkpoint(number))
    repo.checkpoint(checkpoint(300), Stored(session(30), b"", metadata=b"{"))
    repo.commit(checkpoint(300))
    repo.build()
    return repo


def grow(repo: EntireRepo, path: Path) -> None:
    """Let all sessions grow in a repository, which is what became of the one that was built."""
    for number in range(MANY):
        more = claude(session(number), [f"{number}.{n}" for n in range(9)])
        repo.checkpoint(checkpoint(1000 + number), Stored(session(number), more, created=1000 + number))
        repo.commit(checkpoint(1000 + number))
    repo.path = repo.builder.path = path
    repo.build()


def synced(source: Path, name: str, *arguments: str) -> tuple[Path, str]:
    """A copy that was synced, and what was said of it."""
    path = source.with_name(name)
    if not path.exists():
        shutil.copytree(source, path)
    done = run_cli(["sync", *arguments], path)
    assert done.status == 0, done.err
    return path, done.out + done.err


def left(path: Path) -> tuple[str | None, str, list[str]]:
    """The companion, the notes, and the local state."""
    with closing(sqlite3.connect(path / ".git" / "asr" / "state.sqlite")) as state:
        rows = sorted(state.iterdump())
    return tip(path), git(path, "rev-parse", "refs/notes/asr"), rows


@pytest.mark.parametrize("orphans", [(), ("--orphans",)])
def test_it_makes_no_difference_how_many_processes_convert(tmp_path: Path, orphans: tuple[str, ...]) -> None:
    repo = repository(tmp_path / "r")
    packs = list((repo.path / ".git" / "objects" / "pack").glob("*.pack"))
    assert packs
    one, said = synced(repo.path, "one", "-j", "1", *orphans)
    for jobs in ("2", "3", "0"):
        other, as_well = synced(repo.path, f"with-{jobs}", "-j", jobs, *orphans)
        assert left(other) == left(one)
        assert as_well == said
    git(other, "fsck", "--strict")


def test_nor_when_sessions_grow(tmp_path: Path) -> None:
    repo = repository(tmp_path / "r")
    repo.path.rename(tmp_path / "first")
    one, _ = synced(tmp_path / "first", "one", "-j", "1")
    git(one, "config", "asr.jobs", "1")
    grow(repo, one)
    two = tmp_path / "two"
    shutil.copytree(one, two)
    assert left(two) == left(one)
    synced(one, "one")
    synced(two, "two", "-j", "2")
    assert left(two) == left(one)


def test_nor_when_a_transcript_cannot_be_read(tmp_path: Path) -> None:
    repo = repository(tmp_path / "r")
    gone = git(repo.path, "rev-parse", f"{STORE}:{checkpoint(9)[:2]}/{checkpoint(9)[2:]}/0/full.jsonl")
    for pack in (repo.path / ".git" / "objects" / "pack").glob("*.pack"):
        moved = pack.rename(repo.path / pack.name)
        git(repo.path, "unpack-objects", "-q", stdin=moved.read_bytes())
    (repo.path / ".git" / "objects" / gone[:2] / gone[2:]).unlink()
    one, said = synced(repo.path, "one", "-j", "1")
    other, as_well = synced(repo.path, "other", "-j", "2")
    assert "absent" in said or "cannot be read" in said
    assert (left(other), as_well) == (left(one), said)


def run_patched(path: Path, patch: str) -> subprocess.CompletedProcess[str]:
    """Sync in two processes, where something of the program is another."""
    script = (
        "import os, signal, sys\nfrom git_asr.cli.main import main\nfrom git_asr.errors import AsrError\n"
        f"from git_asr.sync import parallel\n{patch}\nsys.argv = ['git-asr', 'sync', '-j', '2']\nsys.exit(main())"
    )
    return subprocess.run(
        [sys.executable, "-c", script], cwd=path, capture_output=True, text=True, timeout=60, check=False
    )


def converting(what: str) -> str:
    """A patch: each process does this instead of converting its second lot."""
    return (
        "convert = parallel.Conversion.convert\ncalls = []\nme = os.getpid()\n"
        "def other(self, groups):\n"
        "    calls.append(groups)\n"
        f"    if len(calls) == 2 and os.getpid() != me:\n        {what}\n"
        "    yield from convert(self, groups)\n"
        "parallel.Conversion.convert = other\n"
    )


@pytest.mark.parametrize(
    ("what", "status", "said"),
    [
        ("os.kill(os.getpid(), signal.SIGKILL)", 1, "error: a process that converts sessions was killed"),
        (
            "raise AsrError('the moon is in the way', hint='wait')",
            1,
            "error: the moon is in the way\nhint: wait",
        ),
        ("raise ValueError('seven')", 3, "error: a fault in git-asr: ValueError"),
        ("raise type('Local', (Exception,), {})('eight')", 3, "error: a fault in git-asr: "),
    ],
)
def test_nothing_is_left_when_a_process_cannot_go_on(
    tmp_path: Path, what: str, status: int, said: str
) -> None:
    repo = repository(tmp_path / "r")
    ended = run_patched(repo.path, converting(what))
    assert ended.returncode == status
    assert said in ended.stderr
    assert tip(repo.path) is None
    one, _ = synced(repo.path, "one", "-j", "1")
    again, _ = synced(repo.path, "again", "-j", "2")
    assert left(again) == left(one)


@pytest.mark.parametrize("case", ["first", "next", "sha256", "git"])
def test_several_processes_convert_whatever_reads_the_repository(tmp_path: Path, case: str) -> None:
    """One of them is killed, which one process alone would not be."""
    repo = repository(tmp_path / "r", "sha256" if case == "sha256" else "sha1")
    if case == "git":
        git(repo.path, "config", "asr.backend", "git")
    if case == "next":
        synced(repo.path, "r", "-j", "1")
        grow(repo, repo.path)
    assert run_patched(repo.path, converting("os.kill(os.getpid(), signal.SIGKILL)")).returncode == 1


def refuse(times: int) -> str:
    """A patch: no process is to be had after so many."""
    return (
        f"fork, left = os.fork, [{times}]\n"
        "def refusing():\n"
        "    left[0] -= 1\n"
        "    if left[0] < 0:\n        raise OSError('no more processes')\n"
        "    return fork()\n"
        "os.fork = refusing\n"
    )


@pytest.mark.parametrize("patch", [refuse(0), refuse(1), "del os.fork"])
def test_fewer_processes_do_it_too(tmp_path: Path, patch: str) -> None:
    repo = repository(tmp_path / "r")
    one, _ = synced(repo.path, "one", "-j", "1")
    ended = run_patched(repo.path, patch)
    assert ended.returncode == 0, ended.stderr
    assert left(repo.path) == left(one)


@pytest.fixture(autouse=True)
def no_process_stays() -> Iterator[None]:
    yield
    command = ["ps", "--ppid", "1", "-o", "args="]
    assert "sync -j" not in subprocess.run(command, capture_output=True, text=True, check=False).stdout
