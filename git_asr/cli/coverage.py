"""``git asr coverage``: which commits have a session, and why the others have none."""

from __future__ import annotations

import click

from git_asr.errors import DONE, INCOMPLETE


@click.command("coverage")
@click.argument("revisions", nargs=-1, metavar="[RANGE]...")
@click.option(
    "--by", type=click.Choice(["author", "agent", "month"]), help="Count by author, agent or month."
)
@click.option(
    "--min",
    "least",
    type=click.FloatRange(0, 100),
    metavar="PERCENT",
    help="End with status 1 below PERCENT.",
)
@click.option("--strict", is_flag=True, help="End with status 1 unless every commit has its session.")
@click.option("--json", "machine", is_flag=True, help="Print all that is known as JSON.")
def command(
    revisions: tuple[str, ...], by: str | None, least: float | None, strict: bool, machine: bool
) -> int:
    """Tell which commits have a session, and why the others have none.

    RANGE selects commits as for `git log`; HEAD by default. A commit is *linked*; *ambiguous*, where other commits of
    the range name the same checkpoint or the message only quotes it; *content missing*, where its session is known and
    no transcript of it is here; *dangling*, where no store has the checkpoint; or has *no trailer*. For what is not
    linked it says why, and the command that would mend it. Merges that name no checkpoint do not count.
    """
    from git_asr.cli import render
    from git_asr.cli.autosync import refresh
    from git_asr.cli.covered import as_json, lines, table
    from git_asr.cli.opening import open_repository
    from git_asr.sync.survey import survey

    repo = open_repository()
    refresh(repo)
    found = survey(repo, revisions, render.Warnings())
    if machine:
        for piece in as_json(found):
            click.echo(piece, nl=False)
    else:
        with render.paged():
            for line in table(found, by) if by is not None else lines(found):
                print(line)
    percent = 100.0 if found.percent is None else found.percent
    short = (least is not None and percent < least) or (strict and percent < 100)
    return INCOMPLETE if short else DONE
