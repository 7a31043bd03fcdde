"""Runs commands and keeps what they took. Figures are ratios within a round: a busy machine slows both sides."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

PROJECT = Path(__file__).resolve().parents[1]
PYTHON = sys.executable
BARE = (PYTHON, "-c", "pass")
"""Bare Python as it starts for every program: with ``site``, without ``-I``."""

PROGRAM = (PYTHON, "-c", "import sys; from git_asr.cli.main import main; sys.exit(main())")
"""What the installed ``git-asr`` runs, which is a script of these two statements."""

MAXRSS_UNIT = 1 if sys.platform == "darwin" else 1024
"""Bytes of what ``ru_maxrss`` counts."""
_DROPPED = ("GIT_", "COVERAGE_", "COV_", "PYTHON", "_GIT_ASR")


def environment() -> dict[str, str]:
    """Where measured commands run: nothing of the user's Git, one path for the measured program and the floor."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(_DROPPED)}
    return {
        **kept,
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_TERMINAL_PROMPT": "0",
        "PYTHONPATH": str(PROJECT),
    }


@dataclass(frozen=True, slots=True)
class Usage:
    """What a process and its children took: seconds of wall clock, seconds of CPU, and bytes at its peak.

    ``peak``: of the largest of them, not of all together.
    """

    seconds: float
    cpu: float
    peak: int


class Failed(Exception):
    """A measured command ended with another status than 0."""


def run(
    command: Sequence[str],
    cwd: Path,
    more: Mapping[str, str] = {},
    pass_fds: Sequence[int] = (),
    stdin: bytes = b"",
) -> Usage:
    """Run a command to its end; its output is thrown away. ``stdin``: what it reads, up to a few KB.

    A child begins with the peak of the process that starts it, so this process has to stay small.

    Raises:
        Failed: with the last of what it said.
    """
    with tempfile.TemporaryFile() as said, tempfile.TemporaryFile() as given:
        given.write(stdin)
        given.seek(0)
        begin = time.perf_counter()
        process = subprocess.Popen(
            command,
            cwd=cwd,
            env={**environment(), **more},
            stdin=given,
            stdout=subprocess.DEVNULL,
            stderr=said,
            pass_fds=pass_fds,
        )
        _, status, used = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - begin
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            said.seek(0)
            last = said.read().decode("utf-8", "replace").strip().splitlines()[-1:]
            words = " ".join(command[-3:])
            raise Failed(f"{words} ended with status {process.returncode}: {''.join(last)}")
    return Usage(seconds, used.ru_utime + used.ru_stime, used.ru_maxrss * MAXRSS_UNIT)


def answer(command: Sequence[str], cwd: Path) -> str:
    """Run a command and give its standard output; for what is not measured.

    Raises:
        Failed: with what it said.
    """
    ended = subprocess.run(command, cwd=cwd, env=environment(), capture_output=True, text=True, check=False)
    if ended.returncode:
        last = ended.stderr.strip().splitlines()[-1:]
        raise Failed(f"{' '.join(command[:3])} ended with status {ended.returncode}: {''.join(last)}")
    return ended.stdout


@dataclass(frozen=True, slots=True)
class Figure:
    """One line of the table.

    ``unit``: what the values are (``× floor``, ``s``, ``MB``). ``values``: one for each round. ``aim``: what the median
    should not exceed, None where there is no aim.
    """

    name: str
    unit: str
    values: tuple[float, ...]
    aim: float | None = None

    @property
    def median(self) -> float:
        """The middle of the values."""
        return statistics.median(self.values)

    @property
    def met(self) -> bool | None:
        """Whether the aim is met; None without an aim."""
        return None if self.aim is None else self.median <= self.aim

    def record(self) -> dict[str, Any]:
        """The figure as JSON."""
        return {
            "name": self.name,
            "unit": self.unit,
            "min": min(self.values),
            "median": self.median,
            "max": max(self.values),
            "aim": self.aim,
            "met": self.met,
            "values": list(self.values),
        }
