"""Runs a command of Git's in the user's own place: same folder, environment, terminal and pager."""

from __future__ import annotations

import subprocess
import sys

from git_asr.errors import AsrError

_SIGPIPE = -13


def run_git_here(*arguments: str) -> int:
    """Run git and wait; its exit status (a reader who left early is no failure).

    Raises:
        AsrError: there is no git.
    """
    sys.stdout.flush()
    try:
        status = subprocess.run(["git", *arguments], check=False).returncode
    except FileNotFoundError as error:
        raise AsrError("git is not on the PATH", hint="install Git, 2.36 or newer") from error
    return 0 if status == _SIGPIPE else status
