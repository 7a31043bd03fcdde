"""Starts git-asr as a user does: a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.support import forking
from tests.support.measuring import settings_for_processes

PROJECT = Path(__file__).parents[2]
MEASURED_RUNS = 1
"""Of runs with the same command and options coverage measures so many."""
_runs: Counter[tuple[str, ...]] = Counter()


@dataclass(frozen=True, slots=True)
class Result:
    """How a command ended: exit status and what it wrote, as text."""

    status: int
    out: str
    err: str


def python_path() -> str:
    """Where git-asr's own modules are found, whatever folder it is started in."""
    return os.pathsep.join(part for part in (str(PROJECT), os.environ.get("PYTHONPATH", "")) if part)


def _is_measured(args: Sequence[str]) -> bool:
    kind = (*args[:1], *sorted({one.partition("=")[0] for one in args if one.startswith("-")}))
    _runs[kind] += 1
    return _runs[kind] <= MEASURED_RUNS


def run_cli(
    args: Sequence[str], cwd: Path, env: Mapping[str, str] = {}, stdin: bytes = b"", timeout: float = 120
) -> Result:
    """Run ``git-asr`` with these arguments in a folder; ``env`` is added to the test's environment."""
    environment = {**os.environ, "PYTHONPATH": python_path(), **env}
    if _is_measured(args):
        environment |= settings_for_processes()
    try:
        status, out, err = forking.run(args, cwd, environment, stdin, timeout)
    except forking.CannotFork:
        ended = subprocess.run(
            [sys.executable, "-m", "git_asr", *args],
            cwd=cwd,
            env=environment,
            input=stdin,
            capture_output=True,
            timeout=timeout,
            check=False,
        )
        status, out, err = ended.returncode, ended.stdout, ended.stderr
    return Result(status, out.decode("utf-8", "replace"), err.decode("utf-8", "replace"))
