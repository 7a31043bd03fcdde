"""A sync that is killed at any moment leaves the refs as they were or as they should be, and nothing in the way."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.e2e.sample_repos import OWN, add, own, repository
from tests.support.companion import bundles
from tests.support.effort import THOROUGH
from tests.support.repo_builder import fsck
from tests.support.run import PROJECT, run_cli

KILLS = 300 if THOROUGH else 8
Tips = dict[str, str]


@dataclass(frozen=True, slots=True)
class Before:
    """A repository with something to sync, and what an undisturbed sync makes of it, in how many seconds."""

    path: Path
    old: Tips
    new: Tips
    seconds: float


@pytest.fixture(scope="module", params=["first sync", "next sync"])
def before(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Before:
    """30 sessions; all are new, or half of them are in the companion ref already."""
    folder = tmp_path_factory.mktemp("kills")
    repo = repository(folder / "r", 15, units=60)
    if request.param == "next sync":
        assert run_cli(["sync"], repo.path).status == 0
    for number in range(16, 31):
        add(repo, number, 60)
    add(repo, 1, 70)
    repo.build()
    old = own(repo.path)
    shutil.copytree(repo.path, undisturbed := folder / "undisturbed")
    begin = time.monotonic()
    assert sync(undisturbed).communicate()[1] == b""
    seconds = time.monotonic() - begin
    fsck(undisturbed)
    assert len(bundles(undisturbed)) == 30
    return Before(repo.path, old, own(undisturbed), seconds)


def sync(path: Path) -> subprocess.Popen[bytes]:
    """Start a sync in a process group of its own, without what measures coverage: that would be killed as well."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("COVERAGE_")}
    return subprocess.Popen(
        [sys.executable, "-m", "git_asr", "sync"],
        cwd=path,
        env={**environment, "PYTHONPATH": str(PROJECT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )


def disturbed(
    path: Path, delay: float, how: signal.Signals, send: Callable[[int, int], None] = os.killpg
) -> tuple[int, bytes]:
    """Send a signal to a sync (and to its children) after some seconds; its status and what it said."""
    child = sync(path)
    try:
        child.wait(delay)
    except subprocess.TimeoutExpired:
        send(child.pid, how)
    _, err = child.communicate(timeout=60)
    return child.returncode, err


def locks_in(path: Path) -> list[Path]:
    """Git's locks of refs."""
    return sorted((path / ".git" / "refs").glob("**/*.lock"))


def until(condition: Callable[[], bool]) -> None:
    """Wait for something that another process does; a minute at most."""
    for _ in range(12_000):
        if condition():
            return
        time.sleep(0.005)
    pytest.fail("it does not come")


def moments(seconds: float) -> list[float]:
    """When to strike: swept from the start to the end, and at random, the same in each run of the tests."""
    at_random = KILLS // 3
    swept = [seconds * (number + 0.5) / (KILLS - at_random) for number in range(KILLS - at_random)]
    chance = random.Random(7)  # noqa: S311  (no secret)
    return swept + [chance.uniform(0.05, seconds * 1.05) for _ in range(at_random)]


def test_killed_at_any_moment(before: Before, tmp_path: Path) -> None:
    """One repository is struck again and again; now and then a sync may end, which must give the same each time."""
    shutil.copytree(before.path, path := tmp_path / "r")
    killed = 0
    for number, delay in enumerate(moments(before.seconds)):
        status, err = disturbed(path, delay, signal.SIGKILL)
        killed += status == -signal.SIGKILL
        assert status in (0, -signal.SIGKILL), err
        until(lambda: not locks_in(path))
        now = own(path)
        assert now in (before.old, before.new)
        fsck(path)
        if now == before.new or number % 6 == 5:
            ended = run_cli(["sync"], path)
            assert (ended.status, ended.err) == (0, "")
            assert own(path) == before.new
            shutil.rmtree(path)
            shutil.copytree(before.path, path)
    assert killed
    assert run_cli(["sync"], path).status == 0
    assert own(path) == before.new
    assert len(bundles(path)) == 30


def on_move(path: Path, phase: str, script: str) -> Path:
    """Let Git run a script when it moves refs: ``prepared`` (it holds their locks) or ``committed``."""
    hook = path / ".git" / "hooks" / "reference-transaction"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f'#!/bin/sh\n[ "$1" = {phase} ] || exit 0\n{script}\n')
    hook.chmod(0o755)
    return hook


@pytest.mark.parametrize("phase", ["prepared", "committed"])
def test_killed_while_git_moves_the_refs(before: Before, tmp_path: Path, phase: str) -> None:
    """The Git that does it ends what it began, or takes it back, and leaves no lock."""
    shutil.copytree(before.path, path := tmp_path / "r")
    hook = on_move(path, phase, f"touch {tmp_path}/now; sleep 0.3; touch {tmp_path}/done")
    child = sync(path)
    until((tmp_path / "now").exists)
    os.killpg(child.pid, signal.SIGKILL)
    child.communicate(timeout=60)
    assert child.returncode == -signal.SIGKILL
    hook.write_text("#!/bin/sh\n")
    ended = run_cli(["sync"], path)  # waits for the other Git, if that holds the locks still
    assert (ended.status, ended.err) == (0, "")
    assert own(path) == before.new
    until((tmp_path / "done").exists)
    assert locks_in(path) == []
    fsck(path)
    assert run_cli(["sync"], path).out.startswith("up to date: 30 sessions, ")


def test_git_itself_is_killed_while_it_moves_the_refs(before: Before, tmp_path: Path) -> None:
    """Its locks stay then, as with any Git that is killed; they are named, and nothing else is in the way."""
    shutil.copytree(before.path, path := tmp_path / "r")
    hook = on_move(path, "prepared", "kill -9 $PPID")
    ended = run_cli(["sync"], path)
    assert (ended.status, ended.out) == (1, "")
    assert ended.err == "error: git update-ref: ended by signal 9\n"
    assert own(path) == before.old
    fsck(path)
    hook.unlink()
    locks = locks_in(path)
    assert [str(lock.relative_to(path / ".git")) for lock in locks] == [f"{name}.lock" for name in OWN]
    ended = run_cli(["sync"], path)
    assert ended.status == 1
    assert ended.err.splitlines()[1].endswith(f": rm '{locks[0]}'")
    for lock in locks:
        lock.unlink()
    assert run_cli(["sync"], path).status == 0
    assert own(path) == before.new


def test_a_hook_that_forbids_it(before: Before, tmp_path: Path) -> None:
    shutil.copytree(before.path, path := tmp_path / "r")
    hook = on_move(path, "prepared", "exit 1")
    ended = run_cli(["sync"], path)
    assert (ended.status, ended.out, ended.err.count("\n")) == (1, "", 1)
    assert ended.err.startswith("error: git update-ref: ")
    assert own(path) == before.old
    hook.unlink()
    assert run_cli(["sync"], path).status == 0
    assert own(path) == before.new


@pytest.mark.parametrize("part", [0.4, 0.7])
def test_interrupted(before: Before, tmp_path: Path, part: float) -> None:
    """Ctrl-C reaches git-asr and its children; it ends quietly, as a shell expects."""
    shutil.copytree(before.path, path := tmp_path / "r")
    status, err = disturbed(path, before.seconds * part, signal.SIGINT)
    assert status in (0, 130, -signal.SIGINT)
    assert err == b""
    assert own(path) in (before.old, before.new)
    fsck(path)
    assert run_cli(["sync"], path).status == 0
    assert own(path) == before.new


def test_terminated_alone(before: Before, tmp_path: Path) -> None:
    """Only git-asr is stopped, not its children: they end by themselves, and nothing is half done."""
    shutil.copytree(before.path, path := tmp_path / "r")
    status, err = disturbed(path, before.seconds / 2, signal.SIGTERM, os.kill)
    assert status in (0, -signal.SIGTERM)
    assert err == b""
    assert own(path) in (before.old, before.new)
    assert run_cli(["sync"], path).status == 0
    assert own(path) == before.new
    fsck(path)
