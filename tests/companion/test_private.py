"""Local state is its owner's alone, whatever the umask."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from git_asr.companion.private import make_file, make_folder
from tests.support.entire_repo import EntireRepo, Stored, claude
from tests.support.repo_builder import git
from tests.support.run import run_cli


@pytest.fixture(params=[0o000, 0o002, 0o022, 0o077], ids=oct)
def umask(request: pytest.FixtureRequest) -> Iterator[int]:
    before = os.umask(request.param)
    yield request.param
    os.umask(before)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.lstat().st_mode)


def test_whatever_is_written_is_the_owner_s(umask: int, tmp_path: Path) -> None:
    repo = EntireRepo(tmp_path / "r")
    repo.checkpoint("5f0af6f2363f", Stored("ses-1", claude("ses-1", ["a", "b"])))
    repo.commit("5f0af6f2363f")
    path = repo.build()
    asr = path / ".git" / "asr"
    (asr / "queue").mkdir(parents=True)  # as a hook makes them
    head = git(path, "rev-parse", "main")
    (asr / "queue" / "rw-1700000000-1").write_text(f"amend\n{'1' * 40} {head}\n")
    (asr / "worker.log").touch()
    shell = f'umask {umask:o}; exec "$0" -m git_asr worker "$1" 2>>"$1/worker.log"'
    subprocess.run(["sh", "-c", shell, sys.executable, str(asr)], check=True)
    for line in (["sync"], ["usage"], ["search", "text"], ["log", "--agent", "claude-code"], ["install"]):
        assert run_cli(line, path).status == 0
    assert mode(asr) == 0o700
    named = {"state.sqlite", "usage.sqlite", "signatures.sqlite", "summaries.json", "rewrites", "worker.log"}
    found = {one.name: mode(one) for one in asr.iterdir() if one.is_file() and one.name in named}
    assert found == dict.fromkeys(named, 0o600)


def test_a_folder_that_people_share_stays_open(tmp_path: Path) -> None:
    (tmp_path / "asr").mkdir()
    (tmp_path / "asr").chmod(0o775)
    tmp_path.chmod(0o2775)
    make_folder(tmp_path / "asr")
    assert mode(tmp_path / "asr") == 0o775
    tmp_path.chmod(0o755)
    make_folder(tmp_path / "asr")
    assert mode(tmp_path / "asr") == 0o700


def test_what_is_there_is_only_closed(tmp_path: Path) -> None:
    (tmp_path / "asr").mkdir()
    (tmp_path / "asr").chmod(0o555)
    make_folder(tmp_path / "asr")
    assert mode(tmp_path / "asr") == 0o500
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere").chmod(0o755)
    (tmp_path / "link").symlink_to(tmp_path / "elsewhere")
    make_folder(tmp_path / "link")
    assert mode(tmp_path / "elsewhere") == 0o755
    file = tmp_path / "file"
    make_file(file)
    file.write_text("kept")
    make_file(file)
    assert (mode(file), file.read_text()) == (0o600, "kept")
