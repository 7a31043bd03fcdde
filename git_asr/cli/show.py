"""``git asr show``: what happened in the session behind a commit."""

from __future__ import annotations

from typing import Any

import click

from git_asr.cli.looks import Look, looks


@click.command("show")
@click.argument("what", default="HEAD", metavar="[WHAT]")
@click.option("--whole", is_flag=True, help="Show the whole session, not only what came in with the commit.")
@click.option("--full", is_flag=True, help="Fold nothing: every text to its end.")
@click.option("--context", is_flag=True, help="Show what, by the records, stood before the agent at the end.")
@click.option("--at", metavar="RECORD", help="With --context: at that record instead.")
@looks
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
    look: Look,
    html: str | None,
    policy: str | None,
    private: bool,
    force: bool,
    **form: Any,
) -> int:
    """Show what happened in the session behind a commit.

    WHAT is a commit (HEAD by default), a checkpoint, a session or a subagent's stream; of the ID of one of the others
    any beginning will do that fits nothing else. Of a commit's or a checkpoint's session the part is shown that came in
    with the checkpoint: who said what, which tools were called and how they ended, edits as diffs, questions and
    answers, plans, subagents, compactions, and branches that were left (docs/show.md).

    With --context it is what, by the records, stood before the agent at the end of that: a projection, not proof of
    what the model received.

    With --html all of that is written to one file, a page that needs no network (docs/pages.md); it takes --policy or
    --private.
    """
    from git_asr.cli.autosync import refresh
    from git_asr.cli.opening import open_repository
    from git_asr.cli.showing import Form
    from git_asr.git.backend import open_objects

    chosen, sheet, page = Form(full=full, **form), look.sheet(), None
    chosen.check()
    if html is not None or policy is not None or private or force:
        from git_asr.cli.paged import page_place

        page = page_place(html, policy, chosen.given(), private=private, force=force)
    repo = open_repository()
    refresh(repo)
    with open_objects(repo, "git") as objects:
        if page is not None:
            page.write(repo, objects, what, whole=whole)
        else:
            chosen.show(repo, objects, what, sheet, whole=whole, pager=look.pager)
    return 0
