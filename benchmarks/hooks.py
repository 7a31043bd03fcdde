"""Commits with and without our hook. What the hook starts is over before anything else is measured."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from benchmarks.measure import PYTHON, Usage, run
from git_asr.hooks.script import render

WORKER = (PYTHON, "-P", "-m", "git_asr")
ASLEEP = ("/bin/sh", "-c", "sleep 0.2")
"""Two programs that a hook can start."""

NO_HOOK = Path(os.devnull)
_TO_THE_END = 300
"""A descriptor that neither a shell nor a worker closes: open until all processes have ended that came of a command."""


def hooks_path(folder: Path, launch: Sequence[str]) -> Path:
    """Make a hooks path with our post-commit."""
    folder.mkdir()
    file = folder / "post-commit"
    file.write_bytes(render("post-commit", launch))
    file.chmod(0o755)
    return folder


def commit(repository: Path, hooks: Path, message: str) -> Usage:
    """Commit, and wait, outside of what is measured, until nothing runs any more."""
    who = ("-c", "user.name=A", "-c", "user.email=a@example.com")
    command = ["git", "-c", f"core.hooksPath={hooks}", *who, "commit", "-q", "--allow-empty", "-m", message]
    read, write = os.pipe()
    try:
        os.dup2(write, _TO_THE_END)
        usage = run(command, repository, pass_fds=[_TO_THE_END])
    finally:
        os.close(write)
        os.close(_TO_THE_END)
    with os.fdopen(read, "rb") as end:
        end.read()
    return usage
