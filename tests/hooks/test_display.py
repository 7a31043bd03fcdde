"""``git asr install --notes``: plain `git log` shows the sessions, and `git asr uninstall` takes that back."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from tests.e2e.sample_repos import add
from tests.support.entire_repo import EntireRepo
from tests.support.hooked import install, uninstall
from tests.support.repo_builder import git
from tests.support.run import run_cli

OFFER = "hint: git asr install --notes   lets plain git log show the sessions too\n"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    repo = EntireRepo(tmp_path / "r")
    add(repo, 1)
    return repo.build()


def values(path: Path, scope: str = "--local") -> list[str]:
    asked = subprocess.run(
        ["git", "config", scope, "--get-all", "notes.displayRef"],
        cwd=path,
        capture_output=True,
        text=True,
        check=False,
    )
    return asked.stdout.split()


def test_there_and_back(path: Path) -> None:
    git(path, "config", "--add", "notes.displayRef", "refs/notes/mine")
    assert OFFER in install(path).err
    assert values(path) == ["refs/notes/mine"]
    tried = install(path, "--notes", "--dry-run")
    assert "notes: would be added: notes.displayRef refs/notes/asr*\n" in tried.out
    assert values(path) == ["refs/notes/mine"]
    done = install(path, "--notes")
    assert "notes: added: notes.displayRef refs/notes/asr*\n" in done.out
    assert OFFER not in done.err
    assert values(path) == ["refs/notes/mine", "refs/notes/asr*"]
    again = install(path, "--notes")
    assert "notes:" not in again.out
    assert json.loads(run_cli(["install", "--json"], path).out)["notes"] == "current"
    assert values(path) == ["refs/notes/mine", "refs/notes/asr*"]
    quiet = subprocess.run(["git", "log"], cwd=path, capture_output=True, text=True, check=True)
    assert "refs/notes/asr" not in quiet.stderr  # there are no notes yet
    assert run_cli(["sync"], path).status == 0
    assert "Notes (asr):\n    claude-code" in git(path, "log", "main")
    assert run_cli(["log", "--sessions", "main"], path).out.count("Notes (asr)") == 1
    assert "notes: plain git log shows them\n" in run_cli(["status"], path).out
    assert json.loads(run_cli(["status", "--json"], path).out)["notes"] == {"displayed": True}
    assert "would be removed: notes.displayRef refs/notes/asr*\n" in uninstall(path, "--dry-run").out
    assert values(path) == ["refs/notes/mine", "refs/notes/asr*"]
    assert "removed: notes.displayRef refs/notes/asr*\n" in uninstall(path).out
    assert values(path) == ["refs/notes/mine"]
    assert "notes:" not in run_cli(["status"], path).out


def test_what_the_user_set_stays(path: Path) -> None:
    for own in ("refs/notes/asr", "refs/notes/*", "refs/notes/asr*"):
        git(path, "config", "--replace-all", "notes.displayRef", own)
        done = install(path, "--notes")
        assert "notes:" not in done.out
        assert OFFER not in done.err
        assert "notes.displayRef" not in uninstall(path).out
        assert values(path) == [own]


def test_it_is_not_offered_to_who_wants_none(path: Path) -> None:
    assert OFFER not in install(path, "--no-notes").err
    assert values(path) == []


def test_what_went_meanwhile(path: Path) -> None:
    install(path, "--notes")
    git(path, "config", "--unset-all", "notes.displayRef")
    assert "notes.displayRef" not in uninstall(path).out


def test_for_all_repositories(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("XDG_DATA_HOME", str(home / "data"))
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(home / "config"))
    git(path, "config", "--global", "core.hooksPath", str(home / "hooks"))
    assert "notes: added" in install(path, "--global", "--notes").out
    assert (values(path, "--global"), values(path)) == (["refs/notes/asr*"], [])
    assert "notes.displayRef" not in uninstall(path).out
    assert "removed: notes.displayRef" in uninstall(path, "--global").out
    assert values(path, "--global") == []
