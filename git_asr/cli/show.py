"""``git asr show``: what happened in the session behind a commit."""

from __future__ import annotations

import click

from git_asr.cli import render


@click.command("show")
@click.argument("what", default="HEAD", metavar="[WHAT]")
@click.option("--whole", is_flag=True, help="Show the whole session, not only what came in with the commit.")
@click.option("--full", is_flag=True, help="Fold nothing: every text to its end.")
@click.option("--records", is_flag=True, help="Print the ASR records themselves, as JSON Lines.")
@click.option("--record", metavar="ID", help="Print only the records of that ID, as JSON Lines.")
@click.option("--json", "as_json", is_flag=True, help="Print the timeline as JSON.")
@click.option("--html", metavar="FILE", help="Write a page for a browser, or to stdout for -.")
@click.option("--policy", metavar="NAME|FILE", help="Redact the page: default, strict, or a TOML file.")
@click.option("--private", is_flag=True, help="Let the page say that it is NOT REDACTED.")
@click.option("--force", is_flag=True, help="Replace FILE.")
def command(
    what: str,
    *,
    whole: bool,
    full: bool,
    records: bool,
    record: str | None,
    as_json: bool,
    html: str | None,
    policy: str | None,
    private: bool,
    force: bool,
) -> int:
    """Show what happened in the session behind a commit.

    WHAT is a commit (HEAD by default), a checkpoint or a session; of the ID of one of the latter any beginning will do
    that fits nothing else. Of a commit's or a checkpoint's session the part is shown that came in with the checkpoint:
    who said what, which tools were called and how they ended, edits as diffs, questions and answers, plans,
    subagents, compactions, and branches that were left.

    With --html all of that is written to one file, a page that needs no network (docs/pages.md); it takes --policy or
    --private.
    """
    from git_asr.cli.autosync import refresh
    from git_asr.cli.opening import open_repository
    from git_asr.cli.shown import find, print_json, print_records
    from git_asr.errors import UsageError
    from git_asr.git.backend import open_objects

    if as_json and (records or record is not None):
        raise UsageError("--json excludes --records and --record")
    others = {"--json": as_json, "--records": records, "--record": record is not None, "--full": full}
    page = None
    if html is not None or policy is not None or private or force:
        from git_asr.cli.paged import page_place

        page = page_place(html, policy, others, private=private, force=force)
    repo = open_repository()
    refresh(repo)
    with open_objects(repo, "git") as objects:
        if page is not None:
            page.write(repo, objects, what, whole=whole)
            return 0
        shown = find(repo, objects, what, whole=whole)
        if records or record is not None:
            print_records(shown, record)
        elif as_json:
            print_json(shown)
        else:
            from git_asr.cli.folding import Folding
            from git_asr.cli.timeline import lines

            with render.paged():
                for line in lines(shown, Folding(full=full)):
                    print(line)
    return 0
