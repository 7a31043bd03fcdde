"""``git asr log``: ``git log`` with the sessions of each commit under it."""

from __future__ import annotations

import click

from git_asr.cli.autosync import refresh
from git_asr.cli.passthrough import run_git_here
from git_asr.companion.names import NOTES
from git_asr.git.refs import read_ref
from git_asr.git.repository import open_repository


@click.command("log", context_settings={"ignore_unknown_options": True})
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED, metavar="[GIT LOG OPTIONS]...")
def command(arguments: tuple[str, ...]) -> int:
    """Show the commit log with the sessions behind each commit.

    Takes every option of `git log`. The sessions come from the notes that sync derives (refs/notes/asr): they
    stand under each commit, also with --oneline and --graph, and where an own --format has %N, else after it.
    """
    repo = open_repository()
    refresh(repo)
    shown = list(arguments)
    if read_ref(repo, NOTES) is not None:
        own = [_with_notes(one) for one in shown[: _end(shown)]]
        shown = [*_notes_options(own), *own, *shown[_end(shown) :]]
    return run_git_here("log", *shown)


def _end(arguments: list[str]) -> int:
    """Where the options end."""
    return arguments.index("--") if "--" in arguments else len(arguments)


def _notes_options(arguments: list[str]) -> list[str]:
    """Ask for our notes; where Git would show the user's own notes by default, for those too."""
    chosen = any(one == "--oneline" or one.startswith(("--format", "--pretty")) for one in arguments)
    return [f"--notes={NOTES}"] if chosen else ["--notes", f"--notes={NOTES}"]


def _with_notes(argument: str) -> str:
    """Let an own format end with the notes, unless it places them itself."""
    option, equals, value = argument.partition("=")
    if option not in ("--format", "--pretty") or not equals or "%N" in value or "%+N" in value:
        return argument
    if "%" in value or value.startswith(("format:", "tformat:")):
        return f"{argument}%+N"
    return argument
