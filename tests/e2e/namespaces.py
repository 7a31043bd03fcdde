"""Runs a shell script where mounts are its own: read-only folders, and file systems with little room."""

from __future__ import annotations

import functools
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.support.run import PROJECT, Result


@functools.cache
def _unshare() -> tuple[str, ...] | None:
    """How to start a process with mounts of its own; None where that is not allowed."""
    for command in (("unshare", "-m"), ("unshare", "-r", "-m")):
        try:
            tried = subprocess.run(
                [*command, "mount", "-t", "tmpfs", "none", "/mnt"], capture_output=True, check=False
            )
        except OSError:
            return None
        if tried.returncode == 0:
            return command
    return None


needs_mounts = pytest.mark.skipif(_unshare() is None, reason="needs mounts of its own: unshare -m")

READ_ONLY = 'mount --bind "$1" "$1" && mount -o remount,bind,ro "$1" && cd "$1" && shift && exec "$@"'
"""A script: the folder ``$1`` becomes read-only, and the rest is a command line to run in it."""


def run_with_mounts(script: str, *arguments: str, env: Mapping[str, str] = {}) -> Result:
    """Run a script of sh; ``$ASR`` in it runs git-asr. The mounts end with it."""
    command = _unshare()
    assert command is not None
    own = {"PYTHONPATH": str(PROJECT), "ASR": f"{sys.executable} -m git_asr", **env}
    ended = subprocess.run(
        [*command, "sh", "-c", script, "sh", *arguments],
        env={**os.environ, **own},
        capture_output=True,
        check=False,
    )
    return Result(ended.returncode, ended.stdout.decode(), ended.stderr.decode())


def run_read_only(args: list[str], folder: Path) -> Result:
    """Run git-asr in a folder that cannot be written."""
    return run_with_mounts(READ_ONLY, str(folder), sys.executable, "-m", "git_asr", *args)
