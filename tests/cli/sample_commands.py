"""Commands that end in every way a command can end."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import click

from git_asr.errors import AsrError, UsageError


@click.command("ends")
@click.argument("how")
@click.option("--loud/--quiet", help="Nothing.")
def ends(how: str, loud: bool) -> int | None:
    """End in some way."""
    WAYS[how]()
    return STATUS.get(how)


def _refuse() -> None:
    raise AsrError("no \x1b[31mred\x1b[m here", hint="git asr sync\nor wait")


def _misuse() -> None:
    raise UsageError("not like that")


def _fault() -> None:
    raise ValueError("first\nsecond")


def _silent_fault() -> None:
    raise RuntimeError


def _interrupt() -> None:
    raise KeyboardInterrupt


def _abort() -> None:
    raise click.Abort


def _child_pipe() -> None:
    with subprocess.Popen([sys.executable, "-c", ""], stdin=subprocess.PIPE, bufsize=0) as child:
        child.wait()
        if child.stdin is not None:
            child.stdin.write(b"x" * 100_000)


def _pour() -> None:
    while True:
        click.echo("x" * 1000)


def _strange() -> None:
    sys.stdout.write("caf\u00e9 \ud800\n")


def _where() -> None:
    click.echo(Path.cwd())


WAYS = {
    "refused": _refuse,
    "misused": _misuse,
    "faulty": _fault,
    "silent-fault": _silent_fault,
    "interrupted": _interrupt,
    "aborted": _abort,
    "child-pipe": _child_pipe,
    "pouring": _pour,
    "strange": _strange,
    "where": _where,
    "well": lambda: None,
    "incomplete": lambda: None,
}
STATUS = {"well": 0, "incomplete": 1}

not_a_command = 7
