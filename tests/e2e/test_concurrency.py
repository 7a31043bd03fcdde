"""Several at once in one repository: each session and each link is there afterwards, and no process fails."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from tests.e2e.sample_repos import SESSIONS, add, checkpoint, refs, repository, session
from tests.sharing.sides import clone, hub
from tests.support import alarms
from tests.support.companion import bundles, tip
from tests.support.effort import THOROUGH
from tests.support.entire_repo import EntireRepo, Stored, claude
from tests.support.repo_builder import git
from tests.support.run import PROJECT, run_cli


def start(args: Sequence[str], cwd: Path, env: Mapping[str, str] = {}) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", "git_asr", *args],
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": str(PROJECT), **env},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def ends(children: Sequence[subprocess.Popen[bytes]]) -> list[tuple[int, str, str]]:
    """How all of them end: status, output, errors."""
    answers = [child.communicate(timeout=120 + LOAD) for child in children]
    return [
        (child.returncode, (out or b"").decode(), err.decode())
        for child, (out, err) in zip(children, answers, strict=True)
    ]


def linked(path: Path) -> set[tuple[str, str]]:
    """Every session with every commit that it is linked to."""
    return {
        (bundle.manifest["sessions"][0]["session"]["id"], record["commit"])
        for bundle in bundles(path)
        for record in bundle.links
        if record["type"] == "vcs"
    }


def work(folder: Path, number: int) -> tuple[str, str]:
    """Commit in a worktree, naming a checkpoint."""
    git(folder, "commit", "-q", "--allow-empty", "-m", f"w\n\nEntire-Checkpoint: {checkpoint(number)}\n")
    return session(number), git(folder, "rev-parse", "HEAD")


def with_worktrees(tmp_path: Path, count: int) -> tuple[EntireRepo, list[Path]]:
    """A repository with a session per worktree that no commit names yet."""
    repo = repository(tmp_path / "r", units=40)
    for number in range(2, count + 2):
        lines = claude(session(number), [f"{number}.{unit}" for unit in range(40)])
        repo.checkpoint(checkpoint(number), Stored(session(number), lines))
    repo.build()
    folders = [tmp_path / f"w{number}" for number in range(2, count + 2)]
    for folder in folders:
        git(repo.path, "worktree", "add", "-q", "-b", folder.name, str(folder), "main")
    return repo, folders


def test_two_worktrees_at_once_end_with_the_union(tmp_path: Path) -> None:
    repo, folders = with_worktrees(tmp_path, 2)
    assert run_cli(["sync"], repo.path).status == 0
    before = linked(repo.path)
    for turn in range(3):
        wanted = [work(folder, number) for number, folder in enumerate(folders, start=2)]
        found = ends([start(["sync"], folder) for folder in folders])
        assert [(status, err) for status, _, err in found] == [(0, "")] * 2
        assert all(" links to commits\n" in out for _, out, _ in found)
        assert linked(repo.path) >= {*before, *wanted}
        before = linked(repo.path)
        assert len(before) == 1 + 2 * (turn + 1)


def test_syncs_of_single_commits_at_once_lose_nothing(tmp_path: Path) -> None:
    """Each is told to look at its own commit alone, so that none does the work of the others."""
    repo, folders = with_worktrees(tmp_path, 8)
    wanted = {work(folder, number) for number, folder in enumerate(folders, start=2)}
    found = ends([start(["sync", "HEAD"], folder) for folder in folders])
    assert [(status, err) for status, _, err in found] == [(0, "")] * 8
    assert linked(repo.path) >= wanted
    tips = refs(repo.path)
    assert run_cli(["sync", "--full"], repo.path).out == "up to date: 9 sessions, 9 links to commits\n"
    assert refs(repo.path) == tips


def test_readers_and_writers_at_once(tmp_path: Path) -> None:
    repo = repository(tmp_path / "r", 6, units=40)
    commands = (["sync"], ["sessions", "--json"], ["log", "--format=%H"], ["sync", "--full"])
    found = ends([start(command, repo.path) for command in commands * 2])
    assert [(status, err) for status, _, err in found if err and "could not sync" not in err] == []
    assert [status for status, _, _ in found] == [0] * 8
    assert len(linked(repo.path)) == 6
    assert run_cli(["sync"], repo.path).out == "up to date: 6 sessions, 6 links to commits\n"


def test_checkpoints_arrive_while_syncs_run(tmp_path: Path) -> None:
    """Entire commits to its branch, and the user to hers, while git-asr reads."""
    repo = repository(tmp_path / "r", 3, units=40)
    children = []
    for number in range(4, 12):
        children.append(start(["sync"], repo.path))
        add(repo, number, 40)
        repo.build()
    found = ends(children)
    assert [status for status, _, _ in found] == [0] * 8
    # a commit may be seen before the store that holds its checkpoint is
    said = [line for _, _, err in found for line in err.splitlines()]
    assert all(line.startswith(("warning: no checkpoint ", "hint: searched: ")) for line in said)
    assert run_cli(["sync", "--strict"], repo.path).status == 0
    assert {one for one, _ in linked(repo.path)} == set(map(session, range(1, 12)))
    assert json.loads(run_cli(["sync", "--json"], repo.path).out)["companion"] == tip(repo.path)


def test_a_ref_that_moves_under_a_sync(tmp_path: Path) -> None:
    """Somebody who takes no lock moves the companion ref just before it is written: the sync begins again."""
    repo = repository(tmp_path / "r", 2)
    assert run_cli(["sync", "main~1"], repo.path).status == 0
    one = tip(repo.path)
    hook = repo.path / ".git" / "hooks" / "reference-transaction"
    hook.parent.mkdir(exist_ok=True)
    # the hook runs while Git holds the lock of the ref, so it moves the file itself, once
    git(repo.path, "update-ref", "refs/heads/saved", one or "")
    git(repo.path, "update-ref", "-d", "refs/asr/sessions")
    marker = tmp_path / "moved"
    real = subprocess.run(["git", "--exec-path"], capture_output=True, check=True, text=True).stdout.strip()
    wrapper = tmp_path / "bin" / "git"
    wrapper.parent.mkdir()
    wrapper.write_text(
        f'#!/bin/sh\ncase "$*" in *update-ref*) [ -e {marker} ] || {{ touch {marker};'
        f" {real}/git --git-dir={repo.path}/.git update-ref refs/asr/sessions {one}; }};; esac\n"
        f'exec {real}/git "$@"\n'
    )
    wrapper.chmod(0o755)
    ended = run_cli(["sync"], repo.path, {"PATH": f"{wrapper.parent}{os.pathsep}{os.environ['PATH']}"})
    assert marker.exists()
    assert (ended.status, ended.err) == (0, "")
    assert {one for one, _ in linked(repo.path)} == {session(1), session(2)}
    git(repo.path, "update-ref", "-d", "refs/heads/saved")


LOAD, EACH = (60, 60) if THOROUGH else (5, 6)
"""For how many seconds sixteen processes are at work, and how many commits four of them make."""
AGAIN = 'end=$(($(date +%s) + SECONDS_)); while [ $(date +%s) -lt $end ]; do "$@" || exit; done'
COMMIT = (
    'for one; do git commit -q --allow-empty -m "w$one" -m "Entire-Checkpoint: $one" || exit; sleep 0.2; done'
)


def test_sixteen_processes_at_once(tmp_path: Path) -> None:
    """Four commit in worktrees with hooks; twelve sync, fetch, merge and push: all of them end well."""
    far = hub(tmp_path / "hub", 2).path
    other = clone(far, tmp_path / "other", 2)
    path = clone(far, tmp_path / "r", 1)
    repo = EntireRepo(path)
    numbers = range(10, 10 + 4 * EACH)
    for number in numbers:
        repo.checkpoint(checkpoint(number), Stored(session(number), claude(session(number), [f"{number}.1"])))
    repo.build()
    folders = [tmp_path / f"w{turn}" for turn in range(4)]
    for folder in folders:
        git(path, "worktree", "add", "-q", "-b", folder.name, str(folder), "main")
    alarms.install(path)
    python = [sys.executable, "-m", "git_asr"]
    again = ["sh", "-c", AGAIN.replace("SECONDS_", str(LOAD)), "sh", *python]
    work = [
        *(
            (["sh", "-c", COMMIT, "sh", *map(checkpoint, numbers[turn::4])], folders[turn])
            for turn in range(4)
        ),
        *(([*again, "sync"], folder) for folder in (*folders, path)),
        *(([*again, "fetch"], folder) for folder in folders[:3]),
        *(([*again, "sync", "--remote"], folder) for folder in folders[2:]),
        ([*again, "push"], other),
        ([*again, "sync", "--full"], path),
    ]
    assert len(work) == 16
    env = {**os.environ, "PYTHONPATH": str(PROJECT)}
    found = ends(
        [
            subprocess.Popen(words, cwd=cwd, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
            for words, cwd in work
        ]
    )
    assert [(status, err) for status, _, err in found if status] == []
    alarms.settled(path, minutes=5)
    log = git(path, "log", "--format=%H %s", *(folder.name for folder in folders), "^main").splitlines()
    made = {(session(int(subject[1:], 16)), commit) for commit, subject in (line.split(" ") for line in log)}
    assert len(made) == 4 * EACH
    assert run_cli(["sync", "--remote"], path).status == 0
    assert linked(path) >= made
    assert {one for one, _ in linked(path)} == {session(number) for number in (1, 2, *numbers)}
    tips = refs(path)
    assert run_cli(["sync", "--full"], path).status == 0
    assert refs(path)[SESSIONS] == tips[SESSIONS]
