"""Runs git-asr with a real terminal for standard output and standard error."""

from __future__ import annotations

import fcntl
import os
import pty
import struct
import subprocess
import sys
import termios
from collections.abc import Mapping, Sequence
from pathlib import Path

from tests.support.run import PROJECT


def run_on_terminal(
    args: Sequence[str], cwd: Path, columns: int = 80, env: Mapping[str, str] = {}
) -> tuple[int, str]:
    """Exit status, and all that appears, with line feeds alone at line ends; the pager is ``cat`` by default."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    own = {**os.environ, "PYTHONPATH": str(PROJECT), "TERM": "xterm", "GIT_PAGER": "cat", **env}
    own.pop("COLUMNS", None)
    child = subprocess.Popen(
        [sys.executable, "-m", "git_asr", *args],
        cwd=cwd,
        env=own,
        stdin=subprocess.DEVNULL,
        stdout=slave,
        stderr=slave,
        start_new_session=True,
    )
    os.close(slave)
    shown = b""
    try:
        while True:
            try:
                piece = os.read(master, 65536)
            except OSError:  # the last one who held the other end has gone
                break
            if not piece:
                break
            shown += piece
        return child.wait(60), shown.decode().replace("\r\n", "\n")
    finally:
        child.kill()
        child.wait()
        os.close(master)
