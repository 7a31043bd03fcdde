"""Strikes a command at one of its writes: strace counts them and lets the one that is named fail, or end its process.

A command is one process of git-asr and the Gits that it starts. What a run writes is found out first, by watching one
that nobody disturbs; each write of it that changes a repository is a `Step`, and a run can be struck at each.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.support.run import PROJECT

CALLS = (
    *("write", "pwrite64", "ftruncate", "rename", "renameat", "renameat2", "link", "linkat"),
    *("unlink", "unlinkat", "mkdir", "mkdirat", "rmdir"),
)
"""The calls of the system by which files are changed."""
_SET = ",".join(f"?{call}" for call in CALLS)
_CALL = re.compile(r"^(?:\d+ +)?([a-z0-9]+)\((.*)")
_PID = re.compile(r"^(\d+) ")
_GIT = r"""#!/bin/sh
# Each start of Git has a number; one of them is watched or struck. It keeps the ID of this process.
number=1
while ! mkdir "$FAULTS/$number" 2>/dev/null; do number=$((number + 1)); done
echo $$ >"$FAULTS/$number/pid"
case $STRUCK in
all) exec strace -D -f -y -s 4096 -o "$FAULTS/$number/log" -e "trace=$CALLS" "@GIT@" "$@" ;;
"$number") exec strace -D -f -y -o "$FAULTS/$number/log" -e "trace=$CALLS" -e "inject=$FAULT" "@GIT@" "$@" ;;
*) exec "@GIT@" "$@" ;;
esac
"""


def _works() -> bool:
    """Whether there is a strace, and it may trace."""
    if shutil.which("strace") is None:
        return False
    return not subprocess.run(
        ["strace", "-o", os.devnull, "true"], capture_output=True, check=False
    ).returncode


needs_strace = pytest.mark.skipif(not _works(), reason="no strace that may trace")


@dataclass(frozen=True, slots=True)
class Step:
    """One write. ``start``: 0 for git-asr itself, else the number of the Git; ``nth``: among its calls of that name."""

    start: int
    call: str
    nth: int
    what: str


@dataclass(frozen=True, slots=True)
class Command:
    """What is run. ``words``: what Python gets; ``inside``: only writes to files below this folder count."""

    words: Sequence[str]
    cwd: Path
    inside: Path
    env: Mapping[str, str]
    stdin: bytes = b""


@dataclass(frozen=True, slots=True)
class Struck:
    """How a run ended. ``hit``: whether it came to the step at all."""

    status: int
    out: str
    err: str
    hit: bool


def steps(command: Command, scratch: Path) -> list[Step]:
    """Run a command undisturbed, and give its writes by processes. ``scratch``: a folder to be made."""
    ended = _run(command, scratch, "all", ["-e", f"trace={_SET}", "-s", "4096"])
    assert ended.returncode == 0, ended.stderr
    logs = [(0, scratch / "log"), *sorted((int(log.parent.name), log) for log in scratch.glob("*/log"))]
    found: dict[tuple[int, str, int], Step] = {}
    for start, log in logs:
        seen: Counter[tuple[str, str]] = Counter()
        for line in log.read_text("utf-8", "replace").splitlines():
            if (call := _CALL.match(line)) is None:
                continue
            pid = match[1] if (match := _PID.match(line)) else ""
            seen[pid, call[1]] += 1
            key = (start, call[1], seen[pid, call[1]])
            if _is_inside(call[2], command.inside):
                found.setdefault(key, Step(*key, call[2]))
    shutil.rmtree(scratch)
    return list(found.values())


def _is_inside(arguments: str, folder: Path) -> bool:
    """Whether a call changes something below a folder, or below that in which a Git works."""
    if (descriptor := re.match(r"\d+<(.*?)>", arguments)) is not None:
        return descriptor[1].startswith(f"{folder}/")
    return all(
        not path.startswith("/") or path.startswith(f"{folder}/")
        for path in re.findall(r'"(.*?)"', arguments)
    )


def strike(command: Command, scratch: Path, step: Step, fault: str) -> Struck:
    """Run a command and let a fault happen at a step, before the write is done; all its processes have ended then.

    ``fault``: as strace's ``inject`` takes it: ``signal=SIGKILL``, ``error=ENOSPC``.
    """
    inject = f"{step.call}:{fault}:when={step.nth}"
    watch = ["-e", f"trace={step.call}", *(["-e", f"inject={inject}"] if step.start == 0 else [])]
    ended = _run(command, scratch, str(step.start), watch, inject)
    log = scratch / (f"{step.start}/log" if step.start else "log")
    said = log.read_text("utf-8", "replace") if log.exists() else ""
    hit = "killed by SIGKILL" in said or "(INJECTED)" in said or "\n--- SIG" in f"\n{said}"
    shutil.rmtree(scratch)
    return Struck(
        ended.returncode,
        ended.stdout.decode("utf-8", "replace"),
        ended.stderr.decode("utf-8", "replace"),
        hit,
    )


def strike_at(command: Command, seconds: float) -> int:
    """Run a command, and kill all its processes after some seconds; its status, which is 0 where it was faster."""
    child = subprocess.Popen(
        [sys.executable, *command.words],
        cwd=command.cwd,
        env=_environment(command),
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    with suppress(subprocess.TimeoutExpired):
        child.communicate(command.stdin, timeout=seconds)
    with suppress(ProcessLookupError):
        os.killpg(child.pid, signal.SIGKILL)
    child.communicate(timeout=60)
    return child.returncode


def _environment(command: Command) -> dict[str, str]:
    """The test's own, without what measures coverage."""
    plain = {name: value for name, value in os.environ.items() if not name.startswith("COVERAGE_")}
    return {**plain, "PYTHONPATH": str(PROJECT), "PYTHONDONTWRITEBYTECODE": "1", **command.env}


def _run(
    command: Command, scratch: Path, struck: str, watch: Sequence[str], fault: str = ""
) -> subprocess.CompletedProcess[bytes]:
    scratch.mkdir()
    (scratch / "bin").mkdir()
    git = scratch / "bin" / "git"
    git.write_text(_GIT.replace("@GIT@", str(shutil.which("git"))))
    git.chmod(0o755)
    ours = {"FAULTS": str(scratch), "STRUCK": struck, "FAULT": fault, "CALLS": _SET}
    path = f"{git.parent}{os.pathsep}{os.environ['PATH']}"
    ended = subprocess.run(
        ["strace", "-y", "-o", str(scratch / "log"), *watch, sys.executable, *command.words],
        cwd=command.cwd,
        env={**_environment(command), "PATH": path, **ours},
        input=command.stdin,
        capture_output=True,
        timeout=120,
        check=False,
    )
    _wait(scratch)
    return ended


def _wait(scratch: Path) -> None:
    """A Git may outlive who started it: wait until each has ended, and what watched it."""
    end = time.monotonic() + 60
    for one in scratch.glob("*/pid"):
        while not _ended(one):
            if time.monotonic() > end:
                pytest.fail("a git does not end")
            time.sleep(0.01)


def _ended(file: Path) -> bool:
    pid = file.read_text().strip()
    log = file.with_name("log")
    if log.exists():
        return any(
            line.startswith(f"{pid} ") and " +++ " in line
            for line in log.read_text("utf-8", "replace").splitlines()
        )
    try:
        return ") Z " in Path("/proc", pid or "0", "stat").read_text()
    except OSError:
        return bool(pid)
