"""``git asr validate``: are streams and bundles as the format wants them."""

from __future__ import annotations

import click

from git_asr.errors import DONE, INCOMPLETE, UsageError


@click.command("validate")
@click.argument("paths", nargs=-1, metavar="[PATH]...")
@click.option(
    "--ref",
    metavar="[REV]",
    is_flag=False,
    flag_value="refs/asr/sessions",
    help="Check the companion ref, or what another revision holds in its place.",
)
@click.option(
    "--against", "original", metavar="ORIGINAL", help="Compare a redacted bundle with its original."
)
@click.option("--quiet", is_flag=True, help="Print nothing; the exit status tells.")
@click.option("--json", "as_json", is_flag=True, help="Print all that is known as JSON.")
@click.option("--sarif", is_flag=True, help="Print a SARIF 2.1.0 log, for code scanning.")
@click.option(
    "--most",
    type=click.IntRange(min=1),
    default=20,
    show_default=True,
    metavar="N",
    help="Print N findings of each check, and count the rest.",
)
@click.option("--list", "listed", is_flag=True, help="List every check, with its level and its rule.")
def command(
    *,
    paths: tuple[str, ...],
    ref: str | None,
    original: str | None,
    quiet: bool,
    as_json: bool,
    sarif: bool,
    most: int,
    listed: bool,
) -> int:
    """Check streams, bundles and the companion ref against the rules of the format.

    PATH is a stream (a file of JSON Lines, `-` for standard input), or a bundle: a folder or an archive. What is wrong
    is told apart by level: *syntax*, the text and the shapes; *semantics*, what records mean together; *unsupported*,
    what is right as far as it can be told, and newer than this version. Each finding says in which file and line, of
    which record, and by which check; `--list` explains the checks. Ends with status 1 if there are findings.

    With --against it tells instead whether a redacted bundle is made from ORIGINAL, has all its records, and holds
    nothing that was taken out of it; for whoever has both.
    """
    from git_asr.cli import render, validated
    from git_asr.cli.against import against

    if quiet + as_json + sarif > 1:
        raise UsageError("--quiet, --json and --sarif exclude each other")
    if listed:
        if quiet or sarif:
            raise UsageError(f"--list and {'--quiet' if quiet else '--sarif'} exclude each other")
        validated.print_listing(machine=as_json)
        return DONE
    if not paths and ref is None:
        raise UsageError("nothing to check", hint="git asr validate --ref   checks refs/asr/sessions")
    found = validated.run(paths, ref, most) if original is None else against(paths, original, most)
    if as_json or sarif:
        import json

        click.echo(json.dumps(validated.as_sarif(found) if sarif else validated.as_json(found), indent=2))
    elif not quiet:
        with render.paged():
            for line in validated.lines(found):
                print(line)
        if found.findings.counts:
            render.hint("git asr validate --list   explains the checks")
    return INCOMPLETE if found.findings.counts else DONE
