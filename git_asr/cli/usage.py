"""``git asr usage``: tokens over all sessions, each model call once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from git_asr.cli.filtering import session_filters
from git_asr.errors import UsageError

if TYPE_CHECKING:
    from git_asr.views.usage import By


@click.command("usage")
@click.argument("revisions", nargs=-1, metavar="[RANGE]...")
@click.option(
    "--by",
    type=click.Choice(["session", "commit", "day", "author", "agent", "model"]),
    default="session",
    show_default=True,
    help="What each line adds up.",
)
@click.option(
    "--every-commit", is_flag=True, help="Count for commits too that are on no branch or tag any more."
)
@session_filters
@click.option("--explain", is_flag=True, help="List what was left out, and why.")
@click.option("--json", "as_json", is_flag=True, help="Print all that is known as JSON.")
@click.option("--csv", "as_csv", is_flag=True, help="Print the lines as comma-separated values.")
def command(
    revisions: tuple[str, ...],
    *,
    by: By,
    every_commit: bool,
    explain: bool,
    as_json: bool,
    as_csv: bool,
    **filters: str | None,
) -> int:
    """Add up the tokens that the sessions used.

    RANGE selects commits as for `git log`; without it everything counts but what belongs only to commits that are on no
    branch, tag or other ref. Each model call counts once, in the session that started first: copied records, replayed
    history, and summaries of calls that are known are left out. A call belongs to the earliest commit that names the
    checkpoint with which it came in; what came in with none has a line of its own. The input is without the cache,
    cached is what was read from it, written what was put into it. What is not recorded is -, never 0, and costs are
    added only where an agent recorded them. Filters leave out sessions as a whole; --by model tells models apart.
    """
    import shutil

    from git_asr.cli import render
    from git_asr.cli.autosync import refresh
    from git_asr.cli.opening import open_repository
    from git_asr.cli.promised import bring_records
    from git_asr.cli.used import as_record, chosen, left_out, table, values
    from git_asr.sync.usage import used

    if as_csv and (as_json or explain):
        raise UsageError("--csv excludes --json and --explain", hint=None if as_json else "--json has both")
    if revisions and every_commit:
        raise UsageError("RANGE and --every-commit exclude each other")
    repo = open_repository()
    hinted = refresh(repo)
    warnings = render.Warnings()
    only = chosen(repo, filters, warnings)
    found = used(repo, by, revisions, warnings, bring_records, every=every_commit, only=only)
    if as_json:
        import json

        click.echo(json.dumps(as_record(found, explain=explain), indent=2))
        return 0
    if not (found.rows or found.silent or found.excluded or hinted):
        render.hint("no sessions here yet: git asr sync")
    cells = shutil.get_terminal_size().columns if render.on_terminal() else None
    with render.paged():
        for line in values(found) if as_csv else (*table(found, cells), *left_out(found, explain=explain)):
            print(line)
    return 0
