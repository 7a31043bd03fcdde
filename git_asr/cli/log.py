"""``git asr log``: ``git log`` with the sessions of each commit under it."""

from __future__ import annotations

import click


class _AsGiven(click.Command):
    """Passes the command line on as it is: click would drop ``--`` and find ``-h`` in ``-Ghello``."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if args[:1] in (["-h"], ["--help"]):
            return super().parse_args(ctx, args[:1])
        ctx.params["arguments"] = tuple(args)
        return []


@click.command("log", cls=_AsGiven)
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED, metavar="[GIT LOG OPTIONS]...")
@click.option(
    "--sessions/--no-sessions", expose_value=False, help="Only commits that have a session, or none."
)
@click.option(
    "--agent", metavar="NAME", expose_value=False, help="Only commits with a session of that agent."
)
@click.option(
    "--model",
    metavar="NAME",
    expose_value=False,
    help="Of a model with NAME in its name, or a glob; case is one.",
)
@click.option("--session", metavar="ID", expose_value=False, help="With a session whose ID begins so.")
@click.option(
    "--touched",
    metavar="PATH",
    expose_value=False,
    help="With a session that edited PATH, or below it, for the commit; or a glob.",
)
@click.option(
    "--asr-format", metavar="FORMAT", expose_value=False, help="The line for each session: docs/log.md."
)
def command(arguments: tuple[str, ...]) -> int:
    """Show the commit log with the sessions behind each commit.

    Takes every option of `git log`. The sessions stand under each commit where its notes would (refs/notes/asr), also
    with --oneline and --graph, and where an own --format has %N, else after it.

    The options below are our own, and stand before `--`. Those that choose commits go together with ranges, paths, -n
    and --graph as Git's own --author does; several ask for one session that is all of that. FORMAT has fields such as
    %(agent), %(session:short), %(tokens) and %(prompt); what is not recorded is -.
    """
    from git_asr.cli.autosync import refresh
    from git_asr.cli.log_options import taken, with_notes
    from git_asr.cli.logged import log
    from git_asr.cli.opening import open_repository
    from git_asr.cli.passthrough import run_git_here
    from git_asr.companion.names import NOTES
    from git_asr.git.refs import read_ref

    own, options, rest = taken(arguments)
    repo = open_repository()
    refresh(repo)
    status = log(repo, own, options, rest)
    if status is not None:
        return status
    if read_ref(repo, NOTES) is not None:
        options = with_notes(options, repo.config)
    return run_git_here("log", *options, *rest)
