"""Hooks as git-asr has them, in a few lines: they fill the queue and start the worker, and wait for nothing."""

from __future__ import annotations

import os
import shlex
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from git_asr.companion.lock import at_once
from git_asr.hooks import failures, queue
from tests.support.run import PROJECT

HOOKS = ("post-commit", "post-rewrite", "post-merge", "post-checkout", "post-applypatch")
_SCRIPT = r"""#!/bin/sh
hook=${0##*/}
here=$(git rev-parse --path-format=absolute --git-dir)
dir=$(git rev-parse --path-format=absolute --git-common-dir)/asr
if [ "$hook" = post-commit ]; then
  case $(git cat-file commit HEAD) in *Entire-Checkpoint:*) mkdir -p "$dir/queue" ;; *) exit 0 ;; esac
fi
[ -d "$dir" ] && mkdir -p "$dir/queue" || exit 0
case $hook in
post-commit) : >"$dir/queue/$(git rev-parse HEAD)" ;;
post-rewrite) { echo "$1"; cat; } >"$dir/rw-$$" && mv "$dir/rw-$$" "$dir/queue/rw-$(date +%s)-$$" ;;
*) [ "$hook $3" != 'post-checkout 0' ] && : >"$dir/queue/scan" || exit 0 ;;
esac
if [ -d "$here/rebase-merge" ] || [ -f "$here/rebase-apply/rebasing" ]; then
  [ "$hook $1" = 'post-rewrite rebase' ] || exit 0
fi
exec </dev/null >/dev/null
setsid nice env @WORKER@ worker "$dir" 2>>"$dir/worker.log" &
"""


def install(path: Path) -> None:
    """Put the hooks into a repository, and the folder that only an installed one has from the start."""
    words = [*(f"{name}=" for name in os.environ if name.startswith("COVERAGE_")), f"PYTHONPATH={PROJECT}"]
    command = " ".join(shlex.quote(word) for word in [*words, sys.executable, "-m", "git_asr"])
    for hook in HOOKS:
        file = path / ".git" / "hooks" / hook
        file.parent.mkdir(exist_ok=True)
        file.write_text(_SCRIPT.replace("@WORKER@", command))
        file.chmod(0o755)
    (path / ".git" / "asr" / "queue").mkdir(parents=True, exist_ok=True)


def settled(path: Path, minutes: float = 2) -> None:
    """Wait until the queue is empty and no worker is left that holds the lock."""
    directory = path / ".git" / "asr"
    until(lambda: not queue.items(directory) and free(directory), minutes)
    assert failures.recent(directory, 9) == []
    assert queue.failed(directory) == []


def free(directory: Path) -> bool:
    """Whether no worker is at work."""
    with at_once(directory / "worker.lock") as mine:
        return mine


def until(condition: Callable[[], bool], minutes: float = 2) -> None:
    """Wait for something that another process does."""
    end = time.monotonic() + minutes * 60
    while not condition():
        if time.monotonic() > end:
            pytest.fail("it does not come")
        time.sleep(0.02)
