"""What `git asr log` costs over a long history, against `git log --notes` of the same."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path

from benchmarks.generate import Shape
from benchmarks.measure import MAXRSS_UNIT, PROGRAM, Failed, Figure, Usage, answer, environment
from benchmarks.scenarios import Bench, Job

_TIMES = 3
"""Runs of each in one round; the fastest counts."""
_SCREEN = 24
"""Lines of a terminal."""
_FIRST = 0.3
"""Aim for the first screen: seconds after that of git log."""
_WHOLE = 1.5
"""Aim for all of it beyond what the first commit alone takes, in times of git log."""
_GIT = ("git", "log", "--notes=asr")
_OURS = (*PROGRAM, "log")
_WAYS: dict[str, tuple[str, ...]] = {
    "as it is": (),
    "coloured": ("--color=always",),
    "--oneline --graph": ("--oneline", "--graph"),
    "--agent": ("--agent=claude-code",),
    "--asr-format": ("--asr-format=%(agent) %(session:short) %(tokens) %(prompt)",),
}


def logging(bench: Bench, commits: int) -> list[Figure]:
    """The first screen and all of the log of a repository whose commits all have a session."""
    shape = Shape(sessions=max(commits // 4, 1), checkpoints=commits, commits=commits, size=3000)
    synced = bench.synced(bench.generated("logged", shape))
    answer([*_OURS, "-1", "--color=always"], synced)  # what is kept from one log to the next is there
    first: dict[str, Job] = {}
    jobs: dict[str, Job] = {}
    for name, words in _WAYS.items():
        like = [word for word in words if not word.startswith(("--agent", "--asr"))]
        for into, whole in ((first, False), (jobs, True)):
            into[f"git {name} {whole}"] = _job(synced, (*_GIT, *like), whole=whole)
            into[f"our {name} {whole}"] = _job(synced, (*_OURS, *words), whole=whole)
        jobs[f"start {name}"] = _job(synced, (*_OURS, *words, "-1"), whole=True)
    measured = bench.measure(first, _TIMES) | bench.measure(jobs, _TIMES)
    seconds = {name: [one.seconds for one in runs] for name, runs in measured.items()}
    figures = []
    for name in _WAYS:
        what = f"log of {commits:,} commits, {name}"
        ours, git = seconds[f"our {name} False"], seconds[f"git {name} False"]
        after = tuple(mine - its for mine, its in zip(ours, git, strict=True))
        figures.append(Figure(f"{what}, first screen", "s after git log", after, _FIRST))
        rows = zip(
            seconds[f"our {name} True"], seconds[f"start {name}"], seconds[f"git {name} True"], strict=True
        )
        ratios = tuple((mine - start) / its for mine, start, its in rows)
        figures.append(Figure(f"{what}, all, without the start", "× git log --notes", ratios, _WHOLE))
    figures.append(Figure("git log --notes=asr, all", "s", tuple(seconds["git as it is True"])))
    return [*figures, Figure("start: git asr log -1", "s", tuple(seconds["start as it is"]))]


def _job(repository: Path, command: Sequence[str], *, whole: bool) -> Job:
    return lambda: _read(repository, command, whole=whole)


def _read(repository: Path, command: Sequence[str], *, whole: bool) -> Usage:
    """Run a log and read all of it, or the first screen. Raises Failed: it ended badly."""
    begin = time.perf_counter()
    process = subprocess.Popen(command, cwd=repository, env=environment(), stdout=subprocess.PIPE)
    assert process.stdout is not None
    with process.stdout as lines:
        for number, _ in enumerate(lines, start=1):
            if not whole and number == _SCREEN:
                break
        seconds = time.perf_counter() - begin
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in (0, 141, -13):
        raise Failed(f"{' '.join(command)} ended with status {process.returncode}")
    return Usage(seconds, used.ru_utime + used.ru_stime, used.ru_maxrss * MAXRSS_UNIT)
