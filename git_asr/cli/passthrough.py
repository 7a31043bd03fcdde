"""Runs a command of Git's in the user's own place: same folder, environment, terminal and pager."""

from __future__ import annotations

import subprocess
import sys

from git_asr.errors import AsrError


def run_git_here(*arguments: str) -> int:
    """Run git and wait; its exit status, as a shell says it (128 and the signal that ended it).

    An interrupt reaches git and its pager too, and they decide: nothing ends before they do.

    Raises:
        AsrError: there is no git.
    """
    if sys.stdout is not None:
        sys.stdout.flush()
    try:
        child = subprocess.Popen(["git", *arguments])
    except FileNotFoundError as error:
        raise AsrError("git is not on PATH", hint="install Git 2.39 or newer, or put it on PATH") from error
    while True:
        try:
            status = child.wait()
        except KeyboardInterrupt:
            continue
        return status if status >= 0 else 128 - status
