"""``git asr blame``: ``git blame`` with the session behind each line's commit."""

from __future__ import annotations

from pathlib import Path

import click

from git_asr.cli.blame_words import WithGits, split
from git_asr.errors import UsageError


@click.command("blame", cls=WithGits)
@click.argument("words", nargs=-1, required=True, metavar="[REV] [--] FILE[:LINES]")
@click.option("-L", "ranges", multiple=True, metavar="RANGE", help="Only these lines, as for `git blame`.")
@click.option("--json", "as_json", is_flag=True, help="Print all that is known as JSON.")
def command(
    words: tuple[str, ...], ranges: tuple[str, ...], options: tuple[str, ...] = (), *, as_json: bool
) -> int:
    """Show which commit each line of a file comes from, and the session and prompt behind that commit.

    The session is the one that a link ties to the commit: an association, not proof that it wrote the line. The prompt
    is the first one that came in with the commit's checkpoint. For a commit without a session it says why. REV is
    the revision to begin at, as for `git blame`; without it, what lies in the work tree is looked at. LINES is a line
    (`:12`) or a range (`:12,20` or `:12-20`); a file of that very name goes first.

    Of the options of `git blame` those are taken that change which commit a line is traced to: -w, -M[NUM], -C[NUM],
    --since=DATE, --until=DATE, --first-parent, --ignore-rev=REV, --ignore-revs-file=FILE, --diff-algorithm=NAME and
    --minimal. Where a range, a date or a shallow clone ends, lines may be older than the commit that stands there; that
    is said.
    """
    import shutil

    from git_asr.cli import render
    from git_asr.cli.autosync import refresh
    from git_asr.cli.blamed import as_record, lines
    from git_asr.cli.opening import open_repository
    from git_asr.cli.promised import bring_sessions
    from git_asr.git.blame import blame
    from git_asr.sync.blamed import blamed

    if len(words) > 2:
        raise UsageError("name one file, and before it a revision at most")
    *revision, path = words
    path, more = split(path)
    repo = open_repository()
    refresh(repo)
    told = blame(
        repo,
        path,
        cwd=Path.cwd(),
        revision=next(iter(revision), None),
        ranges=[*ranges, *more],
        options=options,
    )
    found = blamed(repo, told, render.Warnings(), bring_sessions)
    if as_json:
        import json

        click.echo(json.dumps(as_record(found), indent=2))
        return 0
    cells = shutil.get_terminal_size().columns if render.on_terminal() else 100
    with render.paged():
        for line in lines(found, cells):
            print(line)
    return 0
