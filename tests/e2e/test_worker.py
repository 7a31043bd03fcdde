"""The worker as hooks start it: many at once, one at a time, and whatever is killed, nothing is lost."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

import pytest

from git_asr.companion.rewrites import pairs
from git_asr.hooks import queue
from tests.e2e.sample_repos import checkpoint, own, repository, session
from tests.support import alarms
from tests.support.companion import bundles
from tests.support.effort import THOROUGH
from tests.support.entire_repo import Stored, claude
from tests.support.repo_builder import git
from tests.support.run import PROJECT, run_cli

WORKTREES, EACH = 4, 40


def test_160_commits_from_4_worktrees_at_once(tmp_path: Path) -> None:
    repo = repository(tmp_path / "r", checkout=True)
    numbers = range(2, WORKTREES * EACH + 2)
    for number in numbers:
        repo.checkpoint(checkpoint(number), Stored(session(number), claude(session(number), [f"{number}.1"])))
    repo.build()
    folders = [tmp_path / f"w{turn}" for turn in range(WORKTREES)]
    for folder in folders:
        git(repo.path, "worktree", "add", "-q", "-b", folder.name, str(folder), "main")
    alarms.install(repo.path)
    script = 'for one; do git commit -q --allow-empty -m "w$one" -m "Entire-Checkpoint: $one" || exit; done'
    children = [
        subprocess.Popen(
            ["sh", "-c", script, "sh", *map(checkpoint, numbers[turn::WORKTREES])],
            cwd=folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        for turn, folder in enumerate(folders)
    ]
    assert [(child.communicate()[0], child.returncode) for child in children] == [(b"", 0)] * WORKTREES
    alarms.settled(repo.path, minutes=5)
    log = git(repo.path, "log", "--format=%H %s", *(folder.name for folder in folders), "^main")
    made = {(commit, subject[1:]) for commit, subject in (line.split(" ") for line in log.splitlines())}
    assert len(made) == WORKTREES * EACH
    found = Counter(
        (record["commit"], record["id"].partition("@")[0])
        for bundle in bundles(repo.path)
        for record in bundle.links
        if record["type"] == "vcs" and record["id"].partition("@")[0] != checkpoint(1)
    )
    assert set(found) == made
    assert set(found.values()) == {1}


KILLED = """
import os, signal, sys
from pathlib import Path

directory, moment = sys.argv[1], int(sys.argv[2])
passed = 0

def watch(event, arguments):
    global passed
    writes = event == "open" and isinstance(arguments[2], int) and arguments[2] & (os.O_WRONLY | os.O_RDWR)
    if event in ("os.rename", "os.remove", "os.mkdir", "subprocess.Popen") or writes:
        if event != "open" or str(arguments[0]).startswith(directory):
            passed += 1
            if passed == moment:
                os.kill(os.getpid(), signal.SIGKILL)

from git_asr.hooks.worker import Worker
sys.addaudithook(watch)
Worker(Path(directory)).run()
sys.addaudithook(lambda event, arguments: None)
print(passed)
"""


def killed(path: Path, moment: int) -> tuple[int, bytes]:
    """Run a worker that is killed just before it writes, moves or starts something for the nth time."""
    ended = subprocess.run(
        [sys.executable, "-c", KILLED, str(path / ".git" / "asr"), str(moment)],
        env={**plain(os.environ), "PYTHONPATH": str(PROJECT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        check=False,
    )
    return ended.returncode, ended.stdout


def plain(environment: Mapping[str, str]) -> dict[str, str]:
    """Without what measures coverage."""
    return {name: value for name, value in environment.items() if not name.startswith("COVERAGE_")}


@pytest.mark.parametrize("turn", range(4) if THOROUGH else (1,))
def test_killed_before_each_thing_that_it_does(tmp_path: Path, turn: int) -> None:
    """Nothing is lost, nothing is done twice, and the next worker ends where an undisturbed one does."""
    repo = repository(tmp_path / "r", 2)
    assert run_cli(["sync", "main~1"], repo.path).status == 0
    waiting = repo.path / ".git" / "asr" / "queue"
    waiting.mkdir()
    commit, old = git(repo.path, "rev-parse", "main"), "1" * 40
    for name in (commit, "scan", "no item"):
        (waiting / name).touch()
    (waiting / "rw-1700000000-1").write_text(f"amend\n{old} {commit}\n")
    shutil.copytree(repo.path, undisturbed := tmp_path / "undisturbed")
    status, said = killed(undisturbed, 0)
    assert status == 0
    wanted = own(undisturbed)
    assert wanted != own(repo.path)
    moments = int(said)
    assert moments > 20
    for moment in range(1 + turn, moments + 1, 4):
        shutil.copytree(repo.path, path := tmp_path / f"killed {moment}")
        directory = path / ".git" / "asr"
        assert killed(path, moment)[0] == -signal.SIGKILL
        assert own(path) in (own(repo.path), wanted)
        held = {one.name for one in queue.items(directory)}
        assert "scan" in held or own(path) == wanted
        assert "rw-1700000000-1" in held or pairs(directory)
        assert killed(path, 0)[0] == 0
        assert own(path) == wanted
        assert queue.items(directory) == queue.failed(directory) == []
        assert [str(one) for one in pairs(directory)] == [f"{old} {commit} amend 1700000000"]
        assert (directory / "failed" / "no item").exists()
        shutil.rmtree(path)
