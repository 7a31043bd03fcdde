"""``git asr export``: sessions to a bundle outside Git, or to another format."""

from __future__ import annotations

import click

from git_asr.cli.filtering import session_filters


@click.command("export")
@click.argument("what", nargs=-1, metavar="[WHAT]...")
@click.option("-o", "--output", metavar="PATH", help="Write to PATH, or to stdout for -.")
@click.option(
    "--format",
    "kind",
    metavar="KIND",
    help="folder, zip, tar, tar.gz or tar.zst, else PATH tells; or html, markdown, jsonl, atif, otel or parquet.",
)
@click.option("--all", "everything", is_flag=True, help="Export every session.")
@session_filters
@click.option("--join", is_flag=True, help="Write each stream as one file.")
@click.option("--native", is_flag=True, help="Add the agents' own transcripts, without secret answers.")
@click.option("--shareable", is_flag=True, help="Redact everything; needs --policy.")
@click.option("--policy", metavar="NAME|FILE", help="By which policy: default, strict, or a TOML file.")
@click.option("--private", is_flag=True, help="Let what is written say that it is NOT REDACTED.")
@click.option("--force", is_flag=True, help="Replace what is at PATH: a file, a bundle or an empty folder.")
@click.option("--json", "machine", is_flag=True, help="Print what was written as JSON.")
def command(
    what: tuple[str, ...],
    *,
    output: str | None,
    kind: str | None,
    everything: bool,
    join: bool,
    native: bool,
    shareable: bool,
    policy: str | None,
    private: bool,
    force: bool,
    machine: bool,
    **filters: str | None,
) -> int:
    """Write sessions to a bundle: a folder, or an archive by the end of its name (.zip, .tar, .tar.gz, .tar.zst).

    Or, with --format html, markdown, jsonl, atif, otel or parquet, to files for people and tools that do not know
    bundles; they need --policy or --private, and say what they lost (docs/exporters.md).

    WHAT is a commit, a range of commits (main~20..main), a checkpoint or a session, as for `git asr show`; several add
    up. A session is always written whole. The same sessions give the same bytes. Nothing stands at PATH before all is
    written.

    What is written holds what the sessions hold, as Entire stored it: it is for you, and for people who may see the
    checkpoints. docs/bundles.md says what is in it; `git asr import` takes it in.

    With --shareable every stream is made anew by a redaction policy, which the bundle names; docs/redaction.md says
    what that promises. `git asr redact --try` shows beforehand what a policy does.
    """
    from git_asr.cli import exported, placing, render
    from git_asr.cli.selecting import Selection
    from git_asr.views.filtering import Filters

    place = placing.place(output, kind, force=force, machine=machine)
    wanted = exported.Wanted(
        Selection(what, everything, Filters(**filters)),
        place,
        join=join,
        native=native,
        redaction=place.redaction(policy, shareable=shareable, private=private, native=native, join=join),
    )
    warnings = render.Warnings()
    report = exported.export(wanted, warnings)
    report.show(warnings.seen, machine=machine)
    return 0
