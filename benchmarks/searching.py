"""What a search costs: the first one, which makes the signatures, later ones, and one that reads everything."""

from __future__ import annotations

import json
import os
import subprocess
import time
from pathlib import Path

from benchmarks.generate import Shape
from benchmarks.measure import MAXRSS_UNIT, PROGRAM, Failed, Figure, Usage, answer, environment
from benchmarks.scenarios import Bench, Job

_FIRST_HIT = 2.0
"""Aim for the first hit over 1 GB of sessions, in seconds."""
_NOWHERE = "zzqqxxjj"
_FREQUENT = "def "
_MEGABYTE = 1e6


def searching(bench: Bench, source: Path | None, shape: Shape) -> list[Figure]:
    """Searches in a synced repository, made or given, with signatures and without."""
    synced = bench.synced(bench.generated("searched", shape) if source is None else bench.given(source))
    listed = answer(["git", "ls-tree", "-r", "-l", "refs/asr/sessions"], synced)
    size = sum(int(line.split(maxsplit=4)[3]) for line in listed.splitlines())
    folder = answer(["git", "rev-parse", "--path-format=absolute", "--git-common-dir"], synced).strip()
    signatures = Path(folder) / "asr" / "signatures.sqlite"
    oldest = json.loads(answer([*PROGRAM, "sessions", "--json"], synced))["sessions"][-1]["firstPrompt"][:60]

    def to_end(*words: str) -> Job:
        return lambda: _searched(synced, *words, first=False)

    def to_first(*words: str) -> Job:
        return lambda: _searched(synced, *words, first=True)

    def anew() -> Usage:
        signatures.unlink(missing_ok=True)
        return _searched(synced, "-c", _NOWHERE, first=False)

    jobs = {
        "the first one of all": anew,
        "a word that is nowhere": to_end("-c", _NOWHERE),
        "a word that is nowhere, --no-index": to_end("-c", "--no-index", _NOWHERE),
        "60 characters of the oldest session, first hit": to_first("-F", oldest),
        "60 characters of the oldest session": to_end("-F", oldest),
        "a frequent word, first hit": to_first(_FREQUENT),
        "a pattern without three letters": to_end("-c", "[0-9]zq"),
    }
    found = bench.measure(jobs)
    scans = [one.seconds for one in found["a word that is nowhere, --no-index"]]
    figures = [Figure("sessions that are searched", "MB", (size / _MEGABYTE,))]
    for what, usages in found.items():
        seconds = tuple(one.seconds for one in usages)
        figures.append(Figure(f"search, {what}", "s", seconds, _FIRST_HIT if "first hit" in what else None))
        ratios = tuple(mine / scan for mine, scan in zip(seconds, scans, strict=True))
        figures.append(Figure(f"search, {what}", "× --no-index", ratios))
    peaks = tuple(max(one.peak for one in row) / _MEGABYTE for row in zip(*found.values(), strict=True))
    figures.append(Figure("search, peak memory, with the packs that Git maps", "MB", peaks))
    share = 100 * signatures.stat().st_size / size
    return [*figures, Figure("signatures", "% of the sessions", (share,))]


def _searched(repository: Path, *words: str, first: bool) -> Usage:
    """Run a search to its end, or to its first line. Raises Failed: it neither found something nor nothing."""
    begin = time.perf_counter()
    process = subprocess.Popen(
        [*PROGRAM, "search", *words], cwd=repository, env=environment(), stdout=subprocess.PIPE
    )
    assert process.stdout is not None
    with process.stdout as lines:
        for _ in lines:
            if first:
                break
        seconds = time.perf_counter() - begin if first else None
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in (0, 1, 141):
        raise Failed(f"git asr search ended with status {process.returncode}")
    if seconds is None:
        seconds = time.perf_counter() - begin
    return Usage(seconds, used.ru_utime + used.ru_stime, used.ru_maxrss * MAXRSS_UNIT)
