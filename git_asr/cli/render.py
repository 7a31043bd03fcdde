"""What commands share when they speak: diagnostics, colour, the pager.

Git's rules hold (reference git-integration, section 10): colour and pager only on a terminal, the pager is the
one that ``git var GIT_PAGER`` names, colour is as ``color.asr`` and ``color.ui`` say.
"""

from __future__ import annotations

import os
import select
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Literal, TextIO, cast

from git_asr.errors import AsrError, Diagnostic
from git_asr.git.process import try_git
from git_asr.views.text import neutral, plural

Style = Literal["bold", "dim", "red", "green", "yellow", "cyan"]

_SGR: dict[Style, str] = {"bold": "1", "dim": "2", "red": "31", "green": "32", "yellow": "33", "cyan": "36"}
_CHOSEN: list[bool] = []
"""What the command line says of colour; empty where it leaves that open."""
_GIT_DEADLINE = 10.0
"""Seconds; a question to Git about its configuration takes milliseconds."""


def error(failure: AsrError) -> None:
    """Write ``error: …`` and its hints to stderr, untrusted characters made visible."""
    _say("error", failure.message)
    if failure.hint:
        hint(failure.hint)


def hint(text: str) -> None:
    """Write ``hint: …`` to stderr, one line for each line of the text."""
    for line in text.splitlines():
        _say("hint", line)


def warning(text: str) -> None:
    """Write ``warning: …`` to stderr."""
    _say("warning", text)


class Warnings:
    """Writes diagnostics to stderr as they come, each once; give it to what takes a ``Report``."""

    def __init__(self) -> None:
        self.seen: dict[Diagnostic, None] = {}
        self._hints: set[str] = set()

    def __call__(self, diagnostic: Diagnostic) -> None:
        """Write ``warning: <where>: <message>``; a hint that was given before is not repeated."""
        if diagnostic in self.seen:
            return
        self.seen[diagnostic] = None
        where = f"{diagnostic.where}: " if diagnostic.where else ""
        warning(where + diagnostic.message)
        if diagnostic.hint and diagnostic.hint not in self._hints:
            self._hints.add(diagnostic.hint)
            hint(diagnostic.hint)


def on_terminal(stream: TextIO | None = None) -> bool:
    """Tell whether a stream (by default stdout) is a terminal."""
    stream = sys.stdout if stream is None else stream
    return stream is not None and not stream.closed and stream.isatty()


def choose_colour(when: str) -> None:
    """Give stdout colour ``always`` or ``never``, whatever else is said; ``auto`` leaves that to ``colour``."""
    _CHOSEN[:] = [] if when == "auto" else [when == "always"]


@cache
def colour() -> bool:
    """Tell whether stdout gets colour.

    As the command line chose; else if NO_COLOR is unset or empty, and Git's configuration wants it there.
    """
    if _CHOSEN:
        return _CHOSEN[0]
    if os.environ.get("NO_COLOR"):
        return False
    terminal = "true" if on_terminal() else "false"
    return _git("config", "--get-colorbool", "color.asr", terminal) == "true"


def paint(text: str, style: Style) -> str:
    """Give a text a style, if stdout gets colour. The text must be neutral already."""
    return f"\x1b[{_SGR[style]}m{text}\x1b[m" if text and colour() else text


@contextmanager
def paged(command: str | None = None, *, wanted: bool = True) -> Iterator[None]:
    """Send stdout through Git's pager while the block runs, if stdout is a terminal and a pager is wanted.

    ``command``: the command of Git's whose setting ``pager.<command>`` holds too. A reader who leaves the pager early
    ends the block quietly.
    """
    pager = _pager(command) if wanted and on_terminal() else None
    if not pager or pager == "cat":
        yield
        return
    colour()  # decided by the terminal, not by the pipe that stands in front of it now
    environment = {"LESS": "FRX", "LV": "-c", **os.environ, "GIT_PAGER_IN_USE": "true"}
    terminal = sys.stdout
    terminal.flush()
    with subprocess.Popen(  # noqa: S602  (as Git does: the pager is a command line of the user)
        pager,
        shell=True,
        stdin=subprocess.PIPE,
        encoding=terminal.encoding,
        errors="backslashreplace",
        env=environment,
    ) as child:
        sys.stdout = pipe = cast("TextIO", child.stdin)
        try:
            yield
            pipe.flush()
        except BrokenPipeError:
            if not unread(pipe):
                raise
        finally:
            sys.stdout = terminal
            _close(child, pipe)


def unread(stream: TextIO | None) -> bool:
    """Tell whether a stream is a pipe whose reader has gone."""
    if stream is None or stream.closed or not hasattr(select, "poll"):
        return False
    try:
        watch = select.poll()
        watch.register(stream.fileno(), 0)
    except ValueError:  # a stream without a file behind it
        return False
    return any(event & select.POLLERR for _, event in watch.poll(0))


def left_out(number: int, noun: str = "", *, command: str = "", listed: str = "them") -> str:
    """What stands behind a list that was cut: ``and 3 more: --json lists them``.

    ``command``: the one whose ``--json`` is meant, where it is not the one that runs; ``listed``: what that lists.
    """
    said = plural(number, f"more {noun}") if noun else f"{number:,} more"
    return f"and {said}: {command}{' ' if command else ''}--json lists {listed}"


def _say(kind: str, text: str) -> None:
    if sys.stderr is not None:  # print() would take stdout instead
        print(f"{kind}: {neutral(text)}", file=sys.stderr, flush=True)


def _pager(command: str | None) -> str | None:
    """The pager as Git chooses it: ``pager.<command>`` is one, or says whether there is one."""
    own = _git("config", "--get", f"pager.{command}") if command is not None else None
    if own is not None:
        wanted = _git("config", "--type=bool", "--get", f"pager.{command}")
        if wanted is None or wanted == "false":
            return own if wanted is None else None
    return _git("var", "GIT_PAGER")


def _git(*question: str) -> str | None:
    """What Git answers to a question about its configuration; None if it has no answer or cannot be run."""
    given = {name: value for name, value in os.environ.items() if name.startswith("GIT_CONFIG")}
    try:
        answer = try_git(None, *question, cwd=Path.cwd(), env=given, deadline=_GIT_DEADLINE)
    except (AsrError, OSError):
        return None
    return answer.out.decode(errors="replace").strip() if answer.status == 0 else None


def _close(child: subprocess.Popen[str], pipe: TextIO) -> None:
    """Close the pager's input and wait until the user leaves it; an interrupt is the pager's business."""
    with suppress(BrokenPipeError):
        pipe.close()
    while True:
        try:
            child.wait()
            return
        except KeyboardInterrupt:
            continue
