"""``git asr status``: what is here, what is synced, what is missing."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.sample_repos import add, checkpoint, repository, session
from tests.support.corpus import expected, needs_corpus, sample, some_samples
from tests.support.entire_repo import STORE, EntireRepo, Stored, claude, own_ref
from tests.support.repo_builder import git
from tests.support.run import Result, run_cli

ULID = "01KXDM08H2V0SZREV3NDG2R38M"
NO_HOOKS = "hooks: none of git-asr's\n"
INSTALL = "hint: git asr install   lets new sessions be synced by themselves\n"


def status(path: Path, *args: str) -> Result:
    ended = run_cli(["status", *args], path)
    assert ended.status == 0
    return ended


def told(path: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(status(path, "--json").out)
    return found


def test_an_empty_repository(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", "r")
    shown = status(tmp_path / "r")
    assert shown.out == f"stores: none here\ncompanion ref: none yet\n{NO_HOOKS}"
    assert shown.err == f"hint: git asr sync\n{INSTALL}"
    assert told(tmp_path / "r") == {
        "version": 1, "notes": {"displayed": False}, "companion": None, "synced": None, "sessions": 0, "links": 0,
        "orphans": {"sessions": 0, "taken": 0}, "stores": [], "unresolved": [], "absent": 0, "findings": [],
        "remote": None, "helper": {"path": shutil.which("git-remote-asr"), "remotes": []},
        "hooks": [], "withoutHooks": [], "queue": [], "failed": [], "failures": [], "crash": None, "missed": [],
    }  # fmt: skip


def test_before_and_after_a_sync(tmp_path: Path) -> None:
    repo = repository(tmp_path / "r", 2)
    path = repo.path
    assert status(path).out == f"stores\n  {STORE}  not read yet\ncompanion ref: none yet\n{NO_HOOKS}"
    assert run_cli(["sync"], path).status == 0
    shown = status(path)
    assert shown.err == INSTALL
    assert shown.out == (
        f"stores\n  {STORE}  2 checkpoints\ncompanion ref: 2 sessions, 2 links to commits (up to date)\n{NO_HOOKS}"
    )
    add(repo, 3)
    repo.build()
    shown = status(path)
    assert "(there is more to sync)" in shown.out
    assert shown.err == f"hint: git asr sync\n{INSTALL}"
    assert told(path)["synced"] is False


def test_what_is_missing_and_what_would_help(tmp_path: Path) -> None:
    repo = repository(tmp_path / "r", 1)
    for number in range(7):
        repo.commit(f"bbbb0000000{number}")
    repo.checkpoint(checkpoint(9), Stored(session(9), claude(session(9), ["a"])))
    path = repo.build()
    git(path, "remote", "add", "origin", "https://name:secret@example.com/x.git")
    assert run_cli(["sync"], path).status == 0
    shown = status(path)
    assert "orphans: 1 session that no commit leads to\n" in shown.out
    assert "unresolved: 7 checkpoint IDs that no store has\n  bbbb00000000  commit " in shown.out
    assert shown.out.endswith(f"  and 2 more: --json lists them\n{NO_HOOKS}")
    assert shown.err.splitlines() == [
        "hint: git asr fetch --checkpoints origin   asks origin for what is missing",
        "hint: git asr sessions --orphans   lists what no commit leads to",
        "hint: git asr coverage   says why commits have no session",
        INSTALL.rstrip(),
    ]
    found = told(path)
    assert found["remote"] == {"address": "origin", "command": "git asr fetch --checkpoints origin"}
    assert len(found["unresolved"]) == 7
    assert run_cli(["sync", "--orphans"], path).status == 0
    assert "orphans: 1 session that no commit leads to, 1 of them taken\n" in status(path).out


def test_refs_of_single_checkpoints_are_one_line(tmp_path: Path) -> None:
    repo = EntireRepo(tmp_path / "r")
    ids = [f"{ULID[:-1]}{letter}" for letter in "MNP"]
    for number, one in enumerate(ids):
        repo.checkpoint(one, Stored(session(number), claude(session(number), ["a"])), ref=own_ref(one))
        repo.commit(one)
    path = repo.build()
    assert run_cli(["sync"], path).status == 0
    assert status(path).out.splitlines()[1] == "  refs/entire/checkpoints/*/*  3 checkpoints"


def test_absent_objects_and_findings(tmp_path: Path) -> None:
    repo = repository(tmp_path / "r", 2)
    repo.checkpoint(checkpoint(3), Stored(session(3), b"no transcript of any agent\n"))
    repo.commit(checkpoint(3))
    path = repo.build()
    git(path, "config", "uploadpack.allowFilter", "true")
    git(tmp_path, "clone", "-q", "--bare", "--filter=blob:none", f"file://{path}", "p")
    part = tmp_path / "p"
    git(part, "remote", "remove", "origin")
    assert run_cli(["sync"], part).status == 0
    shown = status(part)
    assert "absent: " in shown.out
    assert "objects of checkpoints not in this repository\n" in shown.out
    assert "(there is more to sync)" in shown.out, "what was absent may be here next time"
    assert "hint: git asr sync --strict   says what was found wrong\n" in shown.err
    assert run_cli(["sync"], path).status == 0
    assert "findings: 1\n" in status(path).out
    (one,) = told(path)["findings"]
    assert one["code"] == "unknown-transcript"


def test_a_damaged_state_is_said_to_be(tmp_path: Path) -> None:
    path = repository(tmp_path / "r", 1).path
    assert run_cli(["sync"], path).status == 0
    file = path / ".git" / "asr" / "state.sqlite"
    data = bytearray(file.read_bytes())
    data[8192:] = b"\xff" * (len(data) - 8192)
    file.write_bytes(data)
    shown = status(path)
    assert "companion ref: not looked at yet\n" in shown.out
    assert shown.err.startswith("warning: ")
    assert "git asr sync" in shown.err


@needs_corpus
@pytest.mark.parametrize("name", some_samples(1))
def test_the_stores_of_the_samples(name: str, tmp_path: Path) -> None:
    repo = sample(name, tmp_path)
    assert run_cli(["sync"], repo).status == 0
    found = told(repo)
    wanted = expected()["samples"][name]
    assert len(found["unresolved"]) == wanted["git"]["ids_not_resolving"]
    assert found["synced"] is True
    assert bool(found["stores"]) == bool(wanted["stores"])


def test_the_remote_helper_is_looked_for_where_a_remote_needs_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    git(tmp_path, "init", "-q", "r")
    path, bin_ = tmp_path / "r", tmp_path / "bin"
    bin_.mkdir()
    (bin_ / "git").symlink_to(str(shutil.which("git")))
    monkeypatch.setenv("PATH", str(bin_))
    git(path, "remote", "add", "plain", "https://example.com/x")
    assert "git-remote-asr" not in status(path).out
    git(path, "remote", "add", "one", "asr::https://example.com/x")
    git(path, "remote", "add", "two", "team:x")
    git(path, "config", "url.asr::https://example.com/.pushInsteadOf", "team:")
    shown = status(path)
    assert "git-remote-asr: not on PATH (remote one, two)\n" in shown.out
    assert "hint: git-remote-asr lies beside git-asr" in shown.err
    assert told(path)["helper"] == {"path": None, "remotes": ["one", "two"]}
    program = bin_ / "git-remote-asr"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    shown = status(path)
    assert f"git-remote-asr: {program} (remote one, two)\n" in shown.out
    assert "git-remote-asr" not in shown.err
