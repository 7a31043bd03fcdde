"""People who share sessions over every kind of address, at the same time, by force, and interrupted."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.e2e.sample_repos import SESSIONS, refs
from tests.sharing.sides import clone, copied, held, hub, linked, named
from tests.support.companion import tip
from tests.support.repo_builder import git
from tests.support.run import PROJECT, run_cli
from tests.support.serving import TRANSPORTS, Serve

PUSHERS = 8


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """A hub that holds the checkpoints of all, refuses force, and a clone for each pusher."""
    path = tmp_path_factory.mktemp("made")
    far = hub(path / "hub", PUSHERS).path
    git(far, "config", "http.receivepack", "true")
    clones = [clone(far, path / f"c{number}", number) for number in range(1, PUSHERS + 1)]
    return [far, *clones]


def started(path: Path, *args: str) -> subprocess.Popen[str]:
    env = {**os.environ, "PYTHONPATH": str(PROJECT)}
    return subprocess.Popen(
        [sys.executable, "-m", "git_asr", "-C", str(path), *args],
        env=env,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def at_once(paths: Sequence[Path], *args: str) -> None:
    """The same command in several repositories at the same time; each ends well."""
    running = [started(path, *args) for path in paths]
    for one in running:
        said, complained = one.communicate(timeout=120)
        assert one.returncode == 0, complained
        assert "forced" not in said + complained


def alike(far: Path, clones: Sequence[Path], *numbers: int) -> None:
    """Every session and every link is on every side, and so is the same commit."""
    assert held(far) == named(*numbers)
    links = linked(far)
    assert len(links) == len(numbers)
    for one in clones:
        assert run_cli(["sync", "--remote"], one).status == 0
        assert (tip(one), held(one), linked(one)) == (tip(far), held(far), links)


@pytest.mark.parametrize("transport", TRANSPORTS.values(), ids=TRANSPORTS)
def test_two_at_once(transport: Serve, made: list[Path], tmp_path: Path) -> None:
    """Their histories are unrelated, and the hub is empty at first; whoever knows nothing yet comes last."""
    far, a, b = copied(made[:3], tmp_path)
    with transport(tmp_path) as address:
        empty = tmp_path / "late"
        git(tmp_path, "clone", "-q", "--single-branch", "--branch", "main", str(far), str(empty))
        for one in (a, b, empty):
            git(one, "remote", "set-url", "origin", address(far))
        before = refs(far)
        at_once([a, b], "push")
        assert {name: oid for name, oid in refs(far).items() if name != SESSIONS} == before
        alike(far, [a, b, empty], 1, 2)
        assert run_cli(["fetch"], empty).out.startswith("fetched from origin: up to date")


def test_eight_at_once(made: list[Path], tmp_path: Path) -> None:
    far, *clones = copied(made, tmp_path)
    at_once(clones, "push")
    alike(far, clones[:2], *range(1, PUSHERS + 1))


def test_a_third_party_forces_in_between(made: list[Path], tmp_path: Path) -> None:
    far, a, b, c = copied(made[:4], tmp_path)
    at_once([a], "push")
    git(c, "push", "-q", "origin", f"{SESSIONS}:refs/heads/waiting")
    hook = far / "hooks" / "update"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f'#!/bin/sh\nrm "$0"\ngit update-ref {SESSIONS} refs/heads/waiting\n')
    hook.chmod(0o755)
    at_once([b], "push")
    assert held(far) == named(2, 3)
    at_once([a], "sync", "--remote")
    at_once([c], "sync", "--remote")
    git(far, "update-ref", "-d", "refs/heads/waiting")
    alike(far, [a, b, c], 1, 2, 3)


def test_a_push_that_is_killed(made: list[Path], tmp_path: Path) -> None:
    """Whenever that is, the hub has all of it or nothing, and the next push sends what is left."""
    far, a, b = copied(made[:3], tmp_path)
    at_once([b], "push")
    before = tip(far)
    for delay in (0.15, 0.3, 0.4, 0.5, 0.6):
        one = started(a, "push")
        time.sleep(delay)
        os.killpg(one.pid, signal.SIGKILL)
        one.communicate(timeout=60)
        assert held(far) in (named(2), named(1, 2))
        assert tip(far) == before or held(far) == named(1, 2)
    (far / f"{SESSIONS}.lock").unlink(missing_ok=True)  # what a server does that is killed itself
    for lock in (a / ".git").rglob("*.lock"):
        lock.unlink()
    alike(far, [a, b], 1, 2) if tip(far) != before else at_once([a], "push")
    alike(far, [a, b], 1, 2)
