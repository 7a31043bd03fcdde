"""Notes that are there for one command."""

from __future__ import annotations

import os
import subprocess
import tempfile
from pathlib import Path
from typing import Literal

import pytest

from git_asr.git.throwaway import throwaway_notes
from tests.support.repo_builder import RepoBuilder, git


def repository(path: Path, object_format: Literal["sha1", "sha256"] = "sha1") -> list[str]:
    builder = RepoBuilder(path, object_format)
    for number in range(3):
        builder.commit("refs/heads/main", f"{number}\n", {"a": f"{number}\n"})
    builder.build()
    return git(path, "rev-list", "main").split()


def shown(path: Path, notes: dict[str, bytes], object_format: str = "sha1") -> str:
    with throwaway_notes(object_format, "asr", notes) as made:
        assert made.title.startswith(b"asr-g")
        env = {**os.environ, **made.environment}
        command = ["git", "log", f"--notes={made.ref}", "--format=%s:%N", "main"]
        ended = subprocess.run(command, cwd=path, env=env, capture_output=True, text=True, check=True)
        (index,) = Path(made.environment["GIT_ALTERNATE_OBJECT_DIRECTORIES"]).glob("pack/*.idx")
        subprocess.run(["git", "verify-pack", index], cwd=path, env=env, check=True)
    assert not index.exists()
    assert ended.stderr == ""
    return ended.stdout


@pytest.mark.parametrize("object_format", ["sha1", "sha256"])
def test_git_reads_them(tmp_path: Path, object_format: Literal["sha1", "sha256"]) -> None:
    new, middle, old = repository(tmp_path / "r", object_format)
    long = b"x" * 70_000 + b"\n"
    assert shown(tmp_path / "r", {new: b"one\n", old: long, middle: b"one\n"}, object_format) == (
        f"2:one\n\n1:one\n\n0:{long.decode()}\n"
    )
    assert shown(tmp_path / "r", {}, object_format) == "2:\n1:\n0:\n"


def test_nothing_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (new, *_) = repository(tmp_path / "r")
    odd = tmp_path / 'a:b "c'
    odd.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(odd))
    monkeypatch.setenv("GIT_ALTERNATE_OBJECT_DIRECTORIES", str(tmp_path / "other"))
    before = git(tmp_path / "r", "count-objects", "-v")
    with throwaway_notes("sha1", "asr", {new: b"one\n"}) as made:
        first = made.environment["GIT_ALTERNATE_OBJECT_DIRECTORIES"]
        assert first.startswith('"')
        assert first.endswith(f":{tmp_path / 'other'}")
        command = ["git", "log", "-1", f"--notes={made.ref}", "--format=%N", new]
        ended = subprocess.run(
            command,
            cwd=tmp_path / "r",
            env={**os.environ, **made.environment},
            capture_output=True,
            text=True,
            check=True,
        )
        assert ended.stdout == "one\n\n"
    assert not list(odd.iterdir())
    assert git(tmp_path / "r", "count-objects", "-v") == before
