"""Damaged local state and locks: made anew or named in one line, and never in the way of reading."""

from __future__ import annotations

import fcntl
import os
import sqlite3
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.e2e.sample_repos import add, own, repository, synced
from tests.support.run import run_cli


def garbage(state: Path) -> None:
    state.write_bytes(bytes(range(256)) * 100)


def empty(state: Path) -> None:
    state.write_bytes(b"")


def half(state: Path) -> None:
    state.write_bytes(state.read_bytes()[: state.stat().st_size // 2])


def one_page_less(state: Path) -> None:
    state.write_bytes(state.read_bytes()[:-4096])


def garbage_inside(state: Path) -> None:
    data = state.read_bytes()
    state.write_bytes(data[:8192] + b"\xa5" * (len(data) - 8192))


def other_version(state: Path) -> None:
    with sqlite3.connect(state) as database:
        database.execute("UPDATE meta SET value = 'other' WHERE key = 'schema'")
    database.close()


def journal_left(state: Path) -> None:
    state.with_name("state.sqlite-journal").write_bytes(b"\xd9\xd5\x05\xf9\x20\xa1\x63\xd7" + b"\xff" * 5000)


def link_to_itself(state: Path) -> None:
    state.unlink()
    state.symlink_to(state.name)


def gone(state: Path) -> None:
    state.unlink()


@pytest.mark.parametrize(
    "damage",
    [
        garbage,
        empty,
        half,
        one_page_less,
        garbage_inside,
        other_version,
        journal_left,
        link_to_itself,
        gone,
    ],
)
def test_damaged_state_is_made_anew(tmp_path: Path, damage: Callable[[Path], None]) -> None:
    repo = repository(tmp_path / "r", 2)
    synced(repo.path)
    good = own(repo.path)
    for command in ("sync", "sessions"):
        damage(repo.path / ".git" / "asr" / "state.sqlite")
        ended = run_cli([command], repo.path)
        assert (ended.status, ended.err) == (0, "")
        assert own(repo.path) == good
    add(repo, 3)
    repo.build()
    damage(repo.path / ".git" / "asr" / "state.sqlite")
    assert run_cli(["log"], repo.path).out.count("claude-code") == 3
    assert synced(repo.path).out == "up to date: 3 sessions, 3 links to commits\n"


@pytest.mark.parametrize("thing", ["asr", "asr/lock", "asr/state.sqlite"])
def test_something_else_stands_where_local_state_should(tmp_path: Path, thing: str) -> None:
    path = repository(tmp_path / "r").path
    place = path / ".git" / thing
    if thing == "asr":
        place.write_text("a file\n")
    else:
        (place / "folder").mkdir(parents=True)
    ended = run_cli(["sync"], path)
    assert (ended.status, ended.out) == (1, "")
    first, *hints = ended.err.splitlines()
    assert first.startswith("error: cannot ")
    assert str(path / ".git" / "asr") in first
    assert all(hint.startswith("hint: ") for hint in hints)
    logged = run_cli(["log", "--format=%s"], path)
    assert (logged.status, logged.out) == (0, "work\n")
    assert logged.err.startswith("hint: could not sync: cannot ")
    assert own(path) == {}


def test_a_lock_file_that_nobody_holds_is_no_obstacle(tmp_path: Path) -> None:
    path = repository(tmp_path / "r").path
    (path / ".git" / "asr").mkdir()
    (path / ".git" / "asr" / "lock").write_text("999999\n")
    assert synced(path).out == "1 session (1 new), 1 link to commits\n"


def test_a_lock_that_is_held_is_waited_for(tmp_path: Path) -> None:
    path = repository(tmp_path / "r").path
    (path / ".git" / "asr").mkdir()
    reading, writing = os.pipe()
    held = os.fork()
    if held == 0:  # the other writer: holds the lock until somebody waits for it, and a moment longer
        with (path / ".git" / "asr" / "lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            os.write(writing, b".")
            time.sleep(1)
        os._exit(0)
    os.read(reading, 1)
    assert synced(path).out == "1 session (1 new), 1 link to commits\n"
    os.waitpid(held, 0)
    os.close(reading)
    os.close(writing)
