"""``git asr import``: sessions from elsewhere than checkpoints."""

from __future__ import annotations

import json

import click

from git_asr.cli.sizes import SIZE
from git_asr.errors import DONE, INCOMPLETE


@click.command("import")
@click.argument("bundle", required=False, metavar="[BUNDLE]")
@click.option("--into", metavar="DIR", help="Unpack BUNDLE to DIR instead of taking it in.")
@click.option("--force", is_flag=True, help="Replace what is at DIR: a bundle or an empty folder.")
@click.option("--max-files", type=click.IntRange(1), metavar="N", help="Take more files than 65535.")
@click.option("--max-size", type=SIZE, metavar="SIZE", help="Take more bytes than 4g.")
@click.option("--max-file-size", type=SIZE, metavar="SIZE", help="Take a larger file than 1g.")
@click.option(
    "--max-ratio", type=click.IntRange(1), metavar="N", help="Take an archive packed closer than 250:1."
)
@click.option("--events", "file", metavar="FILE", help="Read events and records from FILE, or - for stdin.")
@click.option("--agent", metavar="NAME", help="With --events: the agent whose sessions they are.")
@click.option(
    "--session", metavar="ID", help="With --events: the session of lines before which none names one."
)
@click.option("--dry-run", is_flag=True, help="Only show what would be taken in.")
@click.option("--strict", is_flag=True, help="End with status 1 if a line is bad or a session is not taken.")
@click.option("--json", "machine", is_flag=True, help="Print the outcome as JSON.")
def command(
    bundle: str | None,
    *,
    file: str | None,
    agent: str | None,
    session: str | None,
    machine: bool,
    strict: bool,
    dry_run: bool,
    into: str | None,
    force: bool,
    **limits: int | None,
) -> int:
    """Take sessions into refs/asr/sessions, from a bundle or from events.

    BUNDLE is a folder or an archive (zip, tar, tar.gz, tar.zst), or - for an archive from stdin: what `git asr export`
    or another tool for ASR wrote. Every session in it is merged with what is here of it; the better version of a stream
    stays whole, and what this version does not know is kept. An archive with unsafe names, links, or more than the
    limits is refused, and nothing of it is taken. docs/bundles.md tells the rules.

    With --events sessions are taken in of which Entire's hooks told, without a checkpoint. FILE has one JSON object on
    each line: the lifecycle events of Entire's agent protocol, by number or by name (SessionStart, TurnStart, TurnEnd,
    Compaction, SessionEnd, SubagentStart, SubagentEnd), and append-only records (message, append, result, usage,
    drop). Lines of several sessions may stand among one another; one that names no session belongs to that of the line
    before. The same file again changes nothing, a longer one extends the session. A bad line is told with its number,
    and kept; a last line that is cut off is left for the next time. Sessions that checkpoints hold are left as they
    are. What is taken in was not redacted. docs/events.md says what becomes of each line.
    """
    from git_asr.cli import importing, render

    asked = importing.asked(bundle, into, file, (agent, session), limits, force=force)
    warnings = render.Warnings()
    report = asked(warnings, dry_run=dry_run)
    if machine:
        click.echo(json.dumps(report.as_json(warnings.seen), indent=2))
    else:
        for line in report.lines():
            click.echo(line)
    return INCOMPLETE if strict and warnings.seen else DONE
