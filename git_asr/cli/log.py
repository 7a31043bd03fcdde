"""``git asr log``: ``git log`` with the sessions of each commit under it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import click

from git_asr.companion.names import NOTES

_FORMATS = ("--oneline", "--format", "--pretty")
_CHOICES = ("--notes", "--no-notes", "--show-notes", "--standard-notes", "--no-standard-notes")
_PLACED = re.compile(r"(?<!%)(?:%%)*%[-+ ]?N")


class _AsGiven(click.Command):
    """Passes the command line on as it is: click would drop ``--`` and find ``-h`` in ``-Ghello``."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if args[:1] in (["-h"], ["--help"]):
            return super().parse_args(ctx, args[:1])
        ctx.params["arguments"] = tuple(args)
        return []


@click.command("log", cls=_AsGiven)
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED, metavar="[GIT LOG OPTIONS]...")
def command(arguments: tuple[str, ...]) -> int:
    """Show the commit log with the sessions behind each commit.

    Takes every option of `git log`. The sessions come from the notes that sync derives (refs/notes/asr): they
    stand under each commit, also with --oneline and --graph, and where an own --format has %N, else after it.
    """
    from git_asr.cli.autosync import refresh
    from git_asr.cli.opening import open_repository
    from git_asr.cli.passthrough import run_git_here
    from git_asr.git.refs import read_ref

    repo = open_repository()
    refresh(repo)
    if read_ref(repo, NOTES) is None:
        return run_git_here("log", *arguments)
    end = arguments.index("--") if "--" in arguments else len(arguments)
    return run_git_here("log", *_with_notes(arguments[:end], repo.config), *arguments[end:])


def _with_notes(options: Sequence[str], config: Mapping[str, Sequence[str]]) -> list[str]:
    """Ask for our notes; where Git would show the user's own by default, for those too."""
    names = {option.partition("=")[0] for option in options}
    notes = [f"--notes={NOTES}"] if names & {*_FORMATS, *_CHOICES} else ["--notes", f"--notes={NOTES}"]
    shown = [_ending_with_notes(option, config) for option in options]
    if not names & {*_FORMATS}:  # `format.pretty` may be an own format too
        configured = f"--format={config.get('format.pretty', ('',))[-1]}"
        changed = _ending_with_notes(configured, config)
        shown[:0] = [changed] if changed != configured else []
    return [*notes, *shown]


def _ending_with_notes(option: str, config: Mapping[str, Sequence[str]]) -> str:
    """Let an own format end with the notes, unless it places them itself; any other option stays."""
    name, _, value = option.partition("=")
    own = config.get(f"pretty.{value.lower()}", (value,))[-1]
    if name not in _FORMATS or _PLACED.search(own):
        return option
    return f"{name}={own}%+N" if "%" in own or own.startswith(("format:", "tformat:")) else option
