"""The engine that looks at what an input reaches: atheris (libFuzzer), where it is installed.

Inputs are damaged by libFuzzer, and as often by the damage of this package, which knows lines and JSON. The code is
made ready for it once, in a process of its own, and each target runs in a fork of that, since libFuzzer ends a process
with an exit of its own: ``python -m tests.fuzz.guided FOLDER OPTIONS TARGET…``.
"""

from __future__ import annotations

import json
import os
import random
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

_DONE = re.compile(r"stat::number_of_executed_units: (\d+)")
_COVERED = re.compile(r"(?m)^#\d+\s.*? cov: (\d+)")
_LONGEST = 1 << 16


@dataclass(frozen=True, slots=True)
class Ran:
    """What became of a target. ``edges``: places in the code that were reached. ``failures``: inputs that failed."""

    target: str
    executions: int
    edges: int
    failures: tuple[bytes, ...]


def is_installed() -> bool:
    """Whether there is atheris."""
    return find_spec("atheris") is not None


def fuzz(names: Sequence[str], seed: int, seconds: float) -> Iterator[Ran]:
    """Run targets one after the other, each so long.

    Raises:
        RuntimeError: libFuzzer ended otherwise than it should.
    """
    with tempfile.TemporaryDirectory(prefix="git-asr-fuzz-") as folder:
        options = [
            f"-max_total_time={max(1, round(seconds))}",
            f"-seed={seed % (1 << 31) + 1}",
            f"-max_len={_LONGEST}",
            *("-print_final_stats=1", "-rss_limit_mb=0", "-timeout=600", "-detect_leaks=0"),
        ]
        command = [sys.executable, "-m", "tests.fuzz.guided", folder, json.dumps(options), *names]
        env = {**os.environ, "TMPDIR": folder}  # its forks clean nothing up
        with subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=env
        ) as child:
            for line in child.stdout or ():
                yield _ran(Path(folder), line.strip())
        if child.returncode:
            raise RuntimeError(f"the process of atheris ended with {child.returncode}")


def _ran(folder: Path, name: str) -> Ran:
    said = (folder / name / "said").read_text("utf-8", "replace")
    done, covered = _DONE.search(said), _COVERED.findall(said)
    if done is None:
        raise RuntimeError(f"{name}: {said[-2000:]}")
    failures = tuple(file.read_bytes() for file in sorted((folder / name / "failures").iterdir()))
    return Ran(name, int(done[1]), int(covered[-1]) if covered else 0, failures)


def _run_all(folder: Path, options: list[str], names: Sequence[str]) -> None:
    import atheris

    with atheris.instrument_imports(include=["git_asr", "tomllib"]):
        from tests.fuzz.registry import wanted
    for name in names:
        (target,) = wanted([name])
        target.seeds()
        if (child := os.fork()) == 0:
            _run(folder / name, options, target)
        os.waitpid(child, 0)
        print(name, flush=True)  # noqa: T201 - the parent waits for it


def _run(folder: Path, options: list[str], target: Any) -> None:
    """Run one target; never comes back."""
    import atheris

    from tests.fuzz.base import run
    from tests.fuzz.damage import damaged

    failures, corpus = folder / "failures", folder / "corpus"
    failures.mkdir(parents=True)
    corpus.mkdir()
    os.dup2(os.open(folder / "said", os.O_CREAT | os.O_WRONLY), 2)
    seeds = list(target.seeds())
    for at, data in enumerate(seeds):
        (corpus / str(at)).write_bytes(data)
    known: set[str] = set()

    def one(data: bytes) -> None:
        failure = run(target, data)
        if failure is not None and failure.kind not in known:
            known.add(failure.kind)
            (failures / failure.digest).write_bytes(data)

    def mutate(data: bytes, most: int, seed: int) -> Any:
        if seed % 2:
            return atheris.Mutate(data, most)
        choose = random.Random(seed)  # noqa: S311 - it chooses damage
        return damaged(data, choose, seeds, target.pieces, (1, 1, 2))[:most]

    atheris.Setup([sys.argv[0], *options, str(corpus)], one, custom_mutator=mutate)
    atheris.Fuzz()


if __name__ == "__main__":
    _run_all(Path(sys.argv[1]), json.loads(sys.argv[2]), sys.argv[3:])
