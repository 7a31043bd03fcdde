"""``git asr install``: hooks that let records appear by themselves."""

from __future__ import annotations

import json

import click

from git_asr.errors import DONE, INCOMPLETE, UsageError


@click.command("install")
@click.option(
    "--hook", "names", metavar="NAME", multiple=True, help="Only this hook; may be given many times."
)
@click.option("--worktrees", is_flag=True, help="Also where the other worktrees look for hooks.")
@click.option(
    "--config", is_flag=True, help="In Git's configuration instead of hook files (Git 2.54 or newer)."
)
@click.option("--global", "everywhere", is_flag=True, help="For all your repositories.")
@click.option("--manager", is_flag=True, help="Add an entry to your configuration of a hook manager.")
@click.option(
    "--notes/--no-notes", default=None, help="Let plain `git log` show the sessions too, or do not ask."
)
@click.option("--dry-run", is_flag=True, help="Only show what would be done.")
@click.option("--json", "machine", is_flag=True, help="Print the outcome as JSON.")
def command(
    *,
    names: tuple[str, ...],
    worktrees: bool,
    config: bool,
    everywhere: bool,
    manager: bool,
    notes: bool | None,
    dry_run: bool,
    machine: bool,
) -> int:
    """Install hooks, so that new checkpoints are synced in the background.

    The hooks are post-commit, post-rewrite, post-merge, post-checkout, post-applypatch and pre-push. They go where
    Git looks for them. A hook that is there stays and runs first; beside Entire's hook git-asr's runs after it; the
    files of hook managers (husky, lefthook, pre-commit, Overcommit, hk) are left alone, and what to add to their
    configuration is printed, or added with --manager. A hook never fails, waits or prints.

    With --global the files go to the folder that core.hooksPath names for all repositories; with --config --global no
    folder is needed. Installing again changes nothing; `git asr uninstall` takes everything back.

    With --notes the notes with the sessions are added to notes.displayRef, beside what it has.
    """
    if worktrees and (config or everywhere):
        raise UsageError("--worktrees goes with the hook files of one repository")
    if manager and (config or everywhere):
        raise UsageError("--manager goes with the hook files of one repository")
    from git_asr.cli import installed
    from git_asr.hooks.installing import Request, install

    request = Request(
        names, worktrees=worktrees, config=config, everywhere=everywhere, manager=manager, notes=notes
    )
    outcome = install(request, dry_run=dry_run)
    if machine:
        click.echo(json.dumps(installed.as_json(outcome), indent=2))
    else:
        installed.print_lines(outcome)
    installed.print_hints(outcome)
    missing = any(one.outcome in ("refused", "left") for one in outcome.planned)
    return INCOMPLETE if missing else DONE
