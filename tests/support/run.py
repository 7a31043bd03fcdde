"""Starts git-asr as a user does: a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

PROJECT = Path(__file__).parents[2]


@dataclass(frozen=True, slots=True)
class Result:
    """How a command ended: exit status and what it wrote, as text."""

    status: int
    out: str
    err: str


def run_cli(
    args: Sequence[str], cwd: Path, env: Mapping[str, str] = {}, stdin: bytes = b"", timeout: float = 120
) -> Result:
    """Run ``git-asr`` with these arguments in a folder; ``env`` is added to the test's environment."""
    path = os.pathsep.join(part for part in (str(PROJECT), os.environ.get("PYTHONPATH", "")) if part)
    ended = subprocess.run(
        [sys.executable, "-m", "git_asr", *args],
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": path, **env},
        input=stdin,
        capture_output=True,
        timeout=timeout,
        check=False,
    )
    return Result(
        ended.returncode, ended.stdout.decode("utf-8", "replace"), ended.stderr.decode("utf-8", "replace")
    )
