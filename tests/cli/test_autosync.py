"""Before a command reads it brings the companion ref up to date, if that is quick; it reads in any case."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.namespaces import needs_mounts, run_read_only, run_with_mounts
from tests.e2e.sample_repos import add, checkpoint, noise, refs, repository, session
from tests.e2e.soundness import check
from tests.support.companion import bundles, tip
from tests.support.entire_repo import EntireRepo, Stored, claude
from tests.support.repo_builder import git
from tests.support.run import run_cli

MORE = "hint: there is more to see: git asr sync\n"


@pytest.fixture(autouse=True)
def _sound(tmp_path: Path) -> Iterator[None]:
    yield
    check(tmp_path)


def listed(path: Path, hint: str = "") -> set[str]:
    """The sessions that are listed, while exactly this is said on stderr."""
    ended = run_cli(["sessions", "--json"], path)
    assert (ended.status, ended.err) == (0, hint)
    return {one["id"] for one in json.loads(ended.out)["sessions"]}


def tips(path: Path) -> dict[str, str]:
    """Our own refs."""
    return {name: oid for name, oid in refs(path).items() if name.startswith(("refs/asr/", "refs/notes/asr"))}


def test_what_is_new_is_synced_quietly(tmp_path: Path) -> None:
    repo = repository(tmp_path / "r")
    assert listed(repo.path) == {session(1)}
    first = tips(repo.path)
    assert listed(repo.path) == {session(1)}
    assert tips(repo.path) == first
    add(repo, 2)
    repo.build()
    ended = run_cli(["log", "-1", "--format=%N"], repo.path)
    assert ended.out.startswith(f"claude-code {session(2)[:8]}")
    assert len(bundles(repo.path)) == 2


def test_it_leaves_the_same_as_a_sync(tmp_path: Path) -> None:
    left = []
    for name, command in (("a", "sessions"), ("b", "log"), ("c", "sync")):
        path = repository(tmp_path / name, 3).path
        assert run_cli([command], path).status == 0
        assert run_cli(["sync"], path).out == "up to date: 3 sessions, 3 links to commits\n"
        left.append(tips(path))
    assert left[0] == left[1] == left[2]


def test_warnings_are_left_to_sync(tmp_path: Path) -> None:
    repo = EntireRepo(tmp_path / "r")
    add(repo, 1, metadata=b"{")
    repo.commit(checkpoint(9))
    assert listed(repo.build()) == {session(1)}
    ended = run_cli(["sync"], repo.path)
    assert [line.partition(":")[0] for line in ended.err.splitlines()] == ["warning", "hint", "hint"]
    assert f"no checkpoint {checkpoint(9)} in any store" in ended.err
    assert ended.err.endswith("hint: 1 earlier finding left: git asr sync --strict says what is wrong\n")


def test_switched_off(tmp_path: Path) -> None:
    repo = repository(tmp_path / "r")
    git(repo.path, "config", "asr.autosync", "false")
    ended = run_cli(["sessions"], repo.path)
    assert (ended.status, ended.out) == (0, "")
    assert ended.err == MORE
    ended = run_cli(["log", "--format=%s"], repo.path)
    assert (ended.status, ended.out, ended.err) == (0, "work\n", MORE)
    assert tips(repo.path) == {}
    assert not (repo.path / ".git" / "asr").exists()
    assert run_cli(["sync"], repo.path).status == 0
    assert listed(repo.path) == {session(1)}
    add(repo, 2)
    repo.build()
    before = tips(repo.path)
    assert listed(repo.path, MORE) == {session(1)}
    assert tips(repo.path) == before


def test_too_much_for_now(tmp_path: Path) -> None:
    repo = repository(tmp_path / "r")
    assert listed(repo.path) == {session(1)}
    before = tips(repo.path)
    big = claude(session(2), ["a", "b"], pad="p" * 10_000_000)
    repo.checkpoint(checkpoint(2), Stored(session(2), big))
    repo.commit(checkpoint(2))
    repo.build()
    assert listed(repo.path, MORE) == {session(1)}
    ended = run_cli(["log", "--format=%s", "-1"], repo.path)
    assert (ended.status, ended.out, ended.err) == (0, "work\n", MORE)
    assert tips(repo.path) == before
    assert run_cli(["sync"], repo.path).out == "2 sessions (1 new), 2 links to commits\n"
    assert listed(repo.path) == {session(1), session(2)}


def test_no_session_yet_but_much_to_see(tmp_path: Path) -> None:
    repo = EntireRepo(tmp_path / "r")
    repo.checkpoint(checkpoint(1), Stored(session(1), claude(session(1), ["a", "b"], pad="p" * 10_000_000)))
    repo.commit(checkpoint(1))
    ended = run_cli(["sessions"], repo.build())
    assert (ended.status, ended.out) == (0, "")
    assert ended.err == MORE
    assert tips(repo.path) == {}


def test_another_writer_holds_the_lock(tmp_path: Path) -> None:
    repo = repository(tmp_path / "r")
    assert listed(repo.path) == {session(1)}
    add(repo, 2)
    repo.build()
    lock = repo.path / ".git" / "asr" / "lock"
    script = (
        "import filelock, sys\nwith filelock.FileLock(sys.argv[1]):\n print('held', flush=True)\n input()"
    )
    hint = f"hint: could not sync: another git-asr is writing ({lock} is locked)\n"
    with subprocess.Popen(
        [sys.executable, "-c", script, str(lock)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == b"held\n"
        assert listed(repo.path, hint) == {session(1)}
        ended = run_cli(["log", "--format=%s", "-1"], repo.path, timeout=20)  # a sync would wait for a minute
        assert (ended.status, ended.out, ended.err) == (0, "work\n", hint)
        other.communicate(b"\n")
    assert listed(repo.path) == {session(1), session(2)}


@needs_mounts
@pytest.mark.parametrize("known", [True, False], ids=["with state", "without state"])
def test_a_read_only_repository_is_read(tmp_path: Path, known: bool) -> None:
    repo = repository(tmp_path / "r")
    if known:
        assert listed(repo.path) == {session(1)}
        assert run_read_only(["sessions"], repo.path).err == ""
        add(repo, 2)
        repo.build()
    for command in (["sessions", "--json"], ["log", "--format=%s", "-1"]):
        ended = run_read_only(command, repo.path)
        assert ended.status == 0
        assert ended.err.startswith("hint: could not sync: cannot ")
        assert ended.err.endswith(": Read-only file system\n")
        assert ended.err.count("\n") == 1
    ended = run_read_only(["sync"], repo.path)
    assert (ended.status, ended.out) == (1, "")
    assert ended.err.startswith("error: cannot ")
    assert tip(repo.path) is None or known


def test_wrong_exclusions_do_not_keep_it_from_reading(tmp_path: Path) -> None:
    path = repository(tmp_path / "r").path
    assert listed(path) == {session(1)}
    git(path, "config", "asr.exclude", "nothing")
    hint = "hint: could not sync: asr.exclude has a value 'nothing' of no known kind\n"
    assert listed(path, hint) == {session(1)}


@needs_mounts
def test_no_room_for_temporary_files(tmp_path: Path) -> None:
    repo = EntireRepo(tmp_path / "r")
    repo.checkpoint(checkpoint(1), Stored(session(1), claude(session(1), ["a"], pad=noise(300_000))))
    repo.commit(checkpoint(1))
    path = repo.build()
    (tmp_path / "full").mkdir()
    ended = run_with_mounts(
        'mount -t tmpfs -o size=64k none "$1" && cd "$2" && TMPDIR=$1 $ASR log --format=%s',
        str(tmp_path / "full"),
        str(path),
    )
    assert (ended.status, ended.out) == (0, "work\n")
    assert ended.err.startswith("hint: could not sync: ")
    assert "No space left on device" in ended.err
    assert ended.err.count("\n") == 1
    assert tips(path) == {}
    assert listed(path) == {session(1)}
