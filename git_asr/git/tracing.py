"""What ``GIT_ASR_TRACE`` shows: a line for each phase and each Git that was run, when it has ended, with its time.

As with Git's own ``GIT_TRACE``, ``1`` or ``true`` means standard error, and an absolute path a file that lines are
added to. A line holds no content: phases have names of ours, and of a command line no credentials are shown. It is
written at once, so that several processes may share a file. A trace that cannot be written is said once, and stops
nothing.
"""

from __future__ import annotations

import os
import shlex
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path

from git_asr.git.credentials import without_credentials
from git_asr.views.text import one_line

VARIABLE = "GIT_ASR_TRACE"
LONGEST = 2000
"""Characters of a command line that are shown."""
_SECRETIVE = ("extraheader", "password", "token", "proxy", "cookie")
"""What is in the name of a setting whose value is not shown."""
_said: list[str] = []
"""What was complained of, once in a process."""


@contextmanager
def traced(kind: str, what: str | Sequence[str]) -> Iterator[list[int]]:
    """Write a line when the block ends, however it does. ``what``: the name of a phase, or a command line."""
    statuses: list[int] = []
    began = time.perf_counter()
    try:
        yield statuses
    finally:
        took = time.perf_counter() - began
        shown = what if isinstance(what, str) else shown_command(what)
        ended = "".join(f"status {status}  " for status in statuses)
        now = f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%S.%fZ}"
        _write(f"{now} {os.getpid()} {took:10.6f} s  {kind}  {ended}{shown}\n")


def shown_command(command: Sequence[str]) -> str:
    """A command line as a shell would take it, in one neutral line, without what lets somebody in."""
    words = [_without_secrets(word) for word in command]
    return one_line(shlex.join(words)[:LONGEST])


def _without_secrets(word: str) -> str:
    name, separator, _ = word.partition("=")
    if separator and any(one in name.lower() for one in _SECRETIVE):
        word = f"{name}=..."
    return without_credentials(word)


def _write(line: str) -> None:
    where = os.environ.get(VARIABLE, "")
    data = line.encode("utf-8", "backslashreplace")
    if where.lower() in {"", "0", "false", "no", "off"}:
        return
    if where.lower() in {"1", "true", "yes", "on"}:
        with suppress(OSError):
            os.write(2, data)
        return
    try:
        if not Path(where).is_absolute():
            raise OSError(0, "neither 1 nor an absolute path")
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_NONBLOCK", 0)
        descriptor = os.open(where, flags, 0o600)
        try:
            os.write(descriptor, data)
        finally:
            os.close(descriptor)
    except (OSError, ValueError) as error:
        _complain(where, getattr(error, "strerror", None) or "no name of a file")


def _complain(where: str, why: str) -> None:
    if where not in _said and sys.stderr is not None:
        _said.append(where)
        with suppress(OSError, ValueError):
            sys.stderr.write(f"warning: {VARIABLE}: {one_line(where)}: {why}\n")
            sys.stderr.flush()
