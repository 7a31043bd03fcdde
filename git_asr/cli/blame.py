"""``git asr blame``: ``git blame`` with the session behind each line's commit."""

from __future__ import annotations

import os
import re
from pathlib import Path

import click

from git_asr.errors import UsageError

_LINES = re.compile(r"(.+):(\d+)(?:([,-])(\+?\d+))?", re.DOTALL)


@click.command("blame")
@click.argument("words", nargs=-1, required=True, metavar="[REV] [--] FILE[:LINES]")
@click.option("-L", "ranges", multiple=True, metavar="RANGE", help="Only these lines, as for `git blame`.")
@click.option("--json", "as_json", is_flag=True, help="Print all that is known as JSON.")
def command(words: tuple[str, ...], ranges: tuple[str, ...], *, as_json: bool) -> int:
    """Show which commit each line of a file comes from, and the session and prompt behind that commit.

    The session is the one that a link ties to the commit: an association, not proof that it wrote the line. The prompt
    is the first one that came in with the commit's checkpoint. For a commit without a session it says why. REV is
    the revision to begin at, as for `git blame`; without it, what lies in the work tree is looked at. LINES is a line
    (`:12`) or a range (`:12,20` or `:12-20`); a file of that very name goes first.
    """
    import shutil

    from git_asr.cli import render
    from git_asr.cli.autosync import refresh
    from git_asr.cli.blamed import as_record, lines
    from git_asr.cli.opening import open_repository
    from git_asr.git.blame import blame
    from git_asr.sync.blamed import blamed

    if len(words) > 2:
        raise UsageError("name one file, and before it a revision at most")
    *revision, path = words
    path, more = _split(path)
    repo = open_repository()
    refresh(repo)
    told = blame(repo, path, cwd=Path.cwd(), revision=next(iter(revision), None), ranges=[*ranges, *more])
    found = blamed(repo, told, render.Warnings())
    if as_json:
        import json

        click.echo(json.dumps(as_record(found), indent=2))
        return 0
    cells = shutil.get_terminal_size().columns if render.on_terminal() else 100
    with render.paged():
        for line in lines(found, cells):
            print(line)
    return 0


def _split(path: str) -> tuple[str, list[str]]:
    """A file, and the range of lines that stands behind its name, as ``-L`` takes it."""
    named = _LINES.fullmatch(path)
    if named is None or os.path.lexists(path):
        return path, []
    file, first, mark, last = named.groups()
    return file, [f"{first},{last or '+1'}" if mark != "-" else f"{first},{last.lstrip('+')}"]
