"""``git asr``: the way in, and the boundary at which every error becomes one line and an exit status.

This module imports next to nothing: what a command needs is imported when it runs (design: start-up is a
feature).
"""

from __future__ import annotations

import errno
import os
import sys

TYPE_CHECKING = False  # `typing` would cost a third of the start of `git asr --version`
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import TextIO

PIPE_CLOSED = 141
"""What a shell reports for a program that a closed pipe ended; ``git log | head`` gives the same."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command line and return its exit status.

    ``argv`` holds the arguments after the program's name, by default those of the process. Exit status: 0
    done, 1 findings or not complete, 2 wrong usage, 3 a fault in git-asr, 130 interrupted, 141 the reader of
    the output went away.
    """
    arguments = list(sys.argv[1:] if argv is None else argv)
    try:
        if arguments == ["--version"]:
            _print_version()
            status = 0
        elif len(arguments) == 2 and arguments[0] == "worker":
            status = _work(arguments[1])
        else:
            _let_every_character_out()
            status = _run(arguments)
        _flush()
    except BrokenPipeError as broken:
        return _closed_pipe(broken)
    except OSError as error:
        return _cannot_write(error)
    except KeyboardInterrupt:
        return 130
    return status


def _print_version() -> None:
    from git_asr import __version__

    print(f"git-asr version {__version__}")


def _work(directory: str) -> int:
    """Do in the background what a hook put into the queue; no command for people, hence in no list of them."""
    from git_asr.hooks.first_look import something_waits

    if not something_waits(directory):
        return 0
    from pathlib import Path

    from git_asr.hooks.worker import work

    return work(Path(directory))


def _run(arguments: list[str]) -> int:
    from git_asr.errors import FAULT, AsrError

    try:
        return _dispatch(arguments)
    except AsrError as error:
        from git_asr.cli import render

        render.error(error)
        return error.status
    except Exception as fault:
        if isinstance(fault, OSError) and fault.errno in {errno.EPIPE, errno.ENOSPC}:
            raise
        _report_fault(fault)
        return FAULT


def _dispatch(arguments: list[str]) -> int:
    """Let click parse and run; its own ways to end become ours."""
    import click

    from git_asr.cli.group import PROGRAM, command
    from git_asr.errors import DONE, USAGE

    try:
        with command.make_context(PROGRAM, list(arguments) or ["--help"]) as context:
            status = command.invoke(context)
    except click.exceptions.Exit as end:
        status = end.exit_code
    except click.Abort as abort:
        raise KeyboardInterrupt from abort
    except click.ClickException as error:
        from git_asr.cli.unknown import usage_error

        raise usage_error(error) from error
    if not arguments:
        return USAGE
    return status if isinstance(status, int) else DONE


def _report_fault(fault: Exception) -> None:
    """Say that the fault is ours, in one line, and where it is told; the traceback only to those who ask for it."""
    from git_asr.cli import render
    from git_asr.companion import crash

    if os.environ.get("GIT_ASR_DEBUG"):
        import traceback

        traceback.print_exception(fault)
    render.error(crash.reported(fault, crash.report_here(fault)))


def _let_every_character_out() -> None:
    """Write what the locale's encoding lacks as an escape, instead of failing half-way through an answer."""
    import io

    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _flush() -> None:
    if sys.stdout is not None:
        sys.stdout.flush()


def _closed_pipe(broken: BrokenPipeError) -> int:
    """End quietly if nobody reads what we write; a child's pipe that broke is a fault of ours."""
    from git_asr.cli.render import unread
    from git_asr.errors import FAULT

    left = [stream for stream in (sys.stdout, sys.stderr) if unread(stream)]
    if not left:
        _report_fault(broken)
        return FAULT
    _discard(left)
    return PIPE_CLOSED


def _cannot_write(error: OSError) -> int:
    """The disk is full, or what stands behind stdout is gone."""
    from git_asr.cli import render
    from git_asr.errors import AsrError

    render.error(AsrError(f"cannot write: {error.strerror}"))
    _discard([stream for stream in (sys.stdout,) if stream is not None])
    return AsrError.status


def _discard(streams: list[TextIO]) -> None:
    """Send what a stream still holds into the void: Python flushes once more at its end."""
    void = os.open(os.devnull, os.O_WRONLY)
    for stream in streams:
        os.dup2(void, stream.fileno())
