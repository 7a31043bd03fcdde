"""``git asr show``: what happened in the session behind a commit."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from git_asr.cli import render

if TYPE_CHECKING:
    from git_asr.cli.shown import Shown


@click.command("show")
@click.argument("what", default="HEAD", metavar="[WHAT]")
@click.option("--whole", is_flag=True, help="Show the whole session, not only what came in with the commit.")
@click.option("--full", is_flag=True, help="Fold nothing: every text to its end.")
@click.option("--records", is_flag=True, help="Print the ASR records themselves, as JSON Lines.")
@click.option("--record", metavar="ID", help="Print only the records of that ID, as JSON Lines.")
@click.option("--json", "as_json", is_flag=True, help="Print the timeline as JSON.")
def command(what: str, *, whole: bool, full: bool, records: bool, record: str | None, as_json: bool) -> int:
    """Show what happened in the session behind a commit.

    WHAT is a commit (HEAD by default), a checkpoint or a session; of the ID of one of the latter any beginning will do
    that fits nothing else. Of a commit's or a checkpoint's session the part is shown that came in with the checkpoint:
    who said what, which tools were called and how they ended, edits as diffs, questions and answers, plans,
    subagents, compactions, and branches that were left.
    """
    from git_asr.cli.autosync import refresh
    from git_asr.cli.opening import open_repository
    from git_asr.cli.shown import find
    from git_asr.errors import UsageError
    from git_asr.git.backend import open_objects

    if as_json and (records or record is not None):
        raise UsageError("--json excludes --records and --record")
    repo = open_repository()
    refresh(repo)
    with open_objects(repo, "git") as objects:
        shown = find(repo, objects, what, whole=whole)
        if records or record is not None:
            _print_records(shown, record)
        elif as_json:
            _print_json(shown)
        else:
            from git_asr.cli.folding import Folding
            from git_asr.cli.timeline import lines

            with render.paged():
                for line in lines(shown, Folding(full=full)):
                    print(line)
    return 0


def _print_records(shown: Shown, only: str | None) -> None:
    """Print headers and records, the header of each stream before its records; or only the records of one ID."""
    from git_asr.asr import codec

    terminal = render.on_terminal()
    for record in shown.records(only):
        data = codec.encode(record)
        click.echo(codec.escaped(data) if terminal else data)


def _print_json(shown: Shown) -> None:
    from git_asr.asr import codec
    from git_asr.cli.shown import as_json

    click.echo(codec.escaped(codec.encode(as_json(shown))))
