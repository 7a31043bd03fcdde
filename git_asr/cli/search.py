"""``git asr search``: what was said, called and answered in the sessions, as ``git grep`` looks through files."""

from __future__ import annotations

import click

from git_asr.cli.filtering import session_filters
from git_asr.errors import DONE, INCOMPLETE


@click.command("search")
@click.argument("query")
@click.argument("what", nargs=-1, metavar="[WHAT]...")
@click.option("-i", "--ignore-case", is_flag=True, help="Letters match those of the other case too.")
@click.option("-F", "--fixed-strings", "fixed", is_flag=True, help="QUERY is a text, not a pattern.")
@click.option("-E", "--extended-regexp", is_flag=True, help="QUERY is a pattern; so it is anyway.")
@click.option("-C", "--context", type=click.IntRange(min=0), metavar="N", help="Show N lines around a match.")
@click.option("-B", "--before-context", "before", type=click.IntRange(min=0), metavar="N", help="Before it.")
@click.option("-A", "--after-context", "after", type=click.IntRange(min=0), metavar="N", help="After it.")
@click.option("-c", "--count", is_flag=True, help="Print how many lines match in each session.")
@click.option("-l", "--sessions-with-matches", "only", is_flag=True, help="Print the IDs of sessions alone.")
@session_filters
@click.option("--no-index", is_flag=True, help="Read every session, and keep no signatures of them.")
@click.option("--json", "machine", is_flag=True, help="Print what is found as JSON.")
def command(
    query: str,
    what: tuple[str, ...],
    *,
    ignore_case: bool,
    fixed: bool,
    extended_regexp: bool,
    context: int | None,
    before: int | None,
    after: int | None,
    count: bool,
    only: bool,
    no_index: bool,
    machine: bool,
    **filters: str | None,
) -> int:
    """Find lines in messages, tool calls, results and names of files, in the newest sessions first.

    QUERY is an extended regular expression for one line; -F looks for the text as it is. WHAT leaves out other
    sessions: a commit, a range (main~20..main), a checkpoint or a session, as for `git asr export`. A session is always
    looked through as a whole, with its subagents.

    Ends with status 0 if something was found, 1 if nothing was. docs/search.md says what is looked through.
    """
    from git_asr.cli import found
    from git_asr.cli.selecting import Selection
    from git_asr.errors import UsageError
    from git_asr.views.filtering import Filters
    from git_asr.views.matching import Matcher, Query

    if fixed and extended_regexp:
        raise UsageError("-E and -F exclude each other")
    if count + only + machine > 1:
        raise UsageError("-c, -l and --json exclude each other")
    around = context or 0
    shown = found.Shown(
        "count" if count else "sessions" if only else "json" if machine else "lines",
        around if before is None else before,
        around if after is None else after,
    )
    matcher = Matcher(Query(query, fixed, ignore_case))
    asked = Filters(**filters)
    wanted = found.Wanted(matcher, Selection(what, not (what or asked), asked), index=not no_index)
    return DONE if found.search(wanted, shown) else INCOMPLETE
