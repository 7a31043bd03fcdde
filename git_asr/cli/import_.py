"""``git asr import``: sessions from elsewhere than checkpoints."""

from __future__ import annotations

import json

import click

from git_asr.errors import DONE, INCOMPLETE, UsageError


@click.command("import")
@click.option("--events", "file", metavar="FILE", help="Read events and records from FILE, or - for stdin.")
@click.option("--agent", metavar="NAME", help="The agent whose sessions they are.")
@click.option("--session", metavar="ID", help="The session of lines before which none names one.")
@click.option("--dry-run", is_flag=True, help="Only show what would be taken in.")
@click.option("--strict", is_flag=True, help="End with status 1 if a line is bad or a session is not taken.")
@click.option("--json", "machine", is_flag=True, help="Print the outcome as JSON.")
def command(
    *,
    file: str | None,
    agent: str | None,
    session: str | None,
    dry_run: bool,
    strict: bool,
    machine: bool,
) -> int:
    """Take sessions into refs/asr/sessions of which Entire's hooks told, without a checkpoint.

    FILE has one JSON object on each line: the lifecycle events of Entire's agent protocol, by number or by name
    (SessionStart, TurnStart, TurnEnd, Compaction, SessionEnd, SubagentStart, SubagentEnd), and append-only records
    (message, append, result, usage, drop). Lines of several sessions may stand among one another; one that names no
    session belongs to that of the line before.

    The same file again changes nothing, a longer one extends the session. A bad line is told with its number, and
    kept; a last line that is cut off is left for the next time. Sessions that checkpoints hold are left as they are.
    What is taken in was not redacted. docs/events.md says what becomes of each line.
    """
    if file is None:
        raise UsageError("say what to import: only events so far", hint="git asr import --events FILE")
    from git_asr.cli import imported, render
    from git_asr.cli.opening import open_repository

    repo = open_repository()
    warnings = render.Warnings()
    wanted = imported.read(file, agent, session, warnings)
    report = imported.look(wanted) if dry_run else imported.take(repo, wanted)
    if machine:
        click.echo(json.dumps(report.as_json(warnings.seen), indent=2))
    else:
        for line in report.lines():
            click.echo(line)
    return INCOMPLETE if strict and warnings.seen else DONE
