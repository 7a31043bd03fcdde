"""``git-remote-asr`` where Git finds it, and a dialogue with it without Git."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from tests.support.run import PROJECT, Result


def put_on_path(folder: Path) -> dict[str, str]:
    """Write the program to a folder, and give what must stand in the environment for Git to find it."""
    folder.mkdir(parents=True, exist_ok=True)
    program = folder / "git-remote-asr"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m git_asr.remote "$@"\n')
    program.chmod(0o755)
    return {"PATH": f"{folder}{os.pathsep}{os.environ['PATH']}", "PYTHONPATH": str(PROJECT)}


def dialogue(
    address: str, said: str | bytes, cwd: Path, env: Mapping[str, str] = {}, *, git_dir: str | None = ".git"
) -> Result:
    """What the helper answers to all that Git might say; ``git_dir``: as Git names it, None outside a repository."""
    own = {"PYTHONPATH": str(PROJECT), **({} if git_dir is None else {"GIT_DIR": git_dir})}
    ended = subprocess.run(
        [sys.executable, "-m", "git_asr.remote", "remote", address],
        cwd=cwd,
        env={**os.environ, **own, **env},
        input=said.encode() if isinstance(said, str) else said,
        capture_output=True,
        timeout=60,
        check=False,
    )
    return Result(ended.returncode, ended.stdout.decode(), ended.stderr.decode("utf-8", "replace"))


def git_said(
    cwd: Path, *args: str, env: Mapping[str, str] = {}, timeout: float = 120, stdin: bytes = b""
) -> Result:
    """Run one Git to its end, whatever that is."""
    ended = subprocess.run(
        ["git", *args],
        cwd=cwd,
        env={**os.environ, **env},
        input=stdin,
        capture_output=True,
        timeout=timeout,
        check=False,
    )
    return Result(ended.returncode, ended.stdout.decode(), ended.stderr.decode("utf-8", "replace"))


def lines(text: str, *beginnings: str) -> Sequence[str]:
    """The lines that begin so."""
    return [line for line in text.splitlines() if line.startswith(beginnings)]
