"""The table of commands, and the click group that imports a command only when it is run."""

from __future__ import annotations

import os
from importlib import import_module

import click

from git_asr import __version__
from git_asr.errors import UsageError
from git_asr.values import dataclass

PROGRAM = "git asr"


@dataclass(frozen=True, slots=True)
class Entry:
    """One command: where its click command stands (``module:attribute``), and its line in ``git asr -h``."""

    target: str
    help: str


COMMANDS = {
    "sync": Entry("git_asr.cli.sync:command", "Tie the sessions of new checkpoints to their commits."),
    "log": Entry("git_asr.cli.log:command", "Show the commits with the sessions behind them."),
    "show": Entry("git_asr.cli.show:command", "Show what happened in the session behind a commit."),
    "blame": Entry("git_asr.cli.blame:command", "Show the session behind each line of a file."),
    "sessions": Entry("git_asr.cli.sessions:command", "List the sessions."),
    "usage": Entry("git_asr.cli.usage:command", "Add up the tokens that the sessions used."),
    "search": Entry("git_asr.cli.search:command", "Find lines in what was said and done in the sessions."),
    "coverage": Entry(
        "git_asr.cli.coverage:command", "Tell which commits have a session, and why others have none."
    ),
    "drift": Entry("git_asr.cli.drift:command", "Report what agents wrote that is new to git-asr."),
    "status": Entry("git_asr.cli.status:command", "Show what is here, what is synced, and what is missing."),
    "fetch": Entry(
        "git_asr.cli.fetch:command", "Fetch sessions, or checkpoints, that a clone does not bring."
    ),
    "push": Entry("git_asr.cli.push:command", "Send the sessions to where the checkpoints are."),
    "setup": Entry("git_asr.cli.setup:command", "Let every `git fetch` from a remote bring its sessions."),
    "export": Entry("git_asr.cli.export:command", "Write sessions to a bundle: a folder or an archive."),
    "import": Entry("git_asr.cli.import_:command", "Take in sessions from a bundle or from events."),
    "redact": Entry("git_asr.cli.redact:command", "Show what a redaction policy takes out of a text."),
    "validate": Entry(
        "git_asr.cli.validate:command", "Check streams and bundles against the rules of the format."
    ),
    "conformance": Entry("git_asr.cli.conformance:command", "Try a validator on the conformance kit."),
    "verify": Entry("git_asr.cli.verify:command", "Check who signed the commits of the companion ref."),
    "forget": Entry("git_asr.cli.forget:command", "Forget sessions, here and wherever it is merged."),
    "compact": Entry("git_asr.cli.compact:command", "Leave the history of refs/asr/sessions behind."),
    "link": Entry("git_asr.cli.link:command", "Tie commits that lost their trailer to their sessions."),
    "install": Entry("git_asr.cli.install:command", "Install hooks that sync in the background."),
    "uninstall": Entry("git_asr.cli.uninstall:command", "Take the hooks out again."),
    "completion": Entry("git_asr.cli.completion:command", "Let your shell complete commands and options."),
    "help": Entry("git_asr.cli.help_:command", "Show the manual page of a command."),
    "demo": Entry("git_asr.cli.demo:command", "Make a throw-away repository and show what git-asr does."),
}
"""Every command, in the order of ``git asr -h``. A new one is one line here and one module beside this one."""


class LazyGroup(click.Group):
    """A group that knows its commands from the table and imports one when it is asked for by name."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Name every command of the table."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import the command of that name; None if the table has none."""
        return load(cmd_name) if cmd_name in COMMANDS else None

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command of a command line; an unknown one is an error that names the nearest."""
        if args[0] not in COMMANDS:
            from git_asr.cli.unknown import unknown_command

            raise unknown_command(args[0], list(COMMANDS))
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of commands from the table alone."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, entry.help) for name, entry in COMMANDS.items()])


def load(name: str) -> click.Command:
    """Import one command of the table.

    Raises:
        KeyError: the table has no such command.
        TypeError: what stands at the target is no click command.
    """
    module, _, attribute = COMMANDS[name].target.partition(":")
    loaded = getattr(import_module(module), attribute)
    if not isinstance(loaded, click.Command):
        raise TypeError(f"{COMMANDS[name].target} is no command")
    return loaded


def _change_folder(ctx: click.Context, _: click.Parameter, folders: tuple[str, ...]) -> None:
    for folder in folders:
        try:
            os.chdir(folder)
        except OSError as error:
            raise UsageError(f"cannot change to '{folder}': {error.strerror}") from error


@click.command(PROGRAM, cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="git-asr", message="%(prog)s version %(version)s")
@click.option(
    "-C",
    metavar="DIR",
    multiple=True,
    expose_value=False,
    callback=_change_folder,
    help="Run as if started in DIR; several add up, as with git.",
)
def command() -> None:
    """Agent sessions beside your commits.

    git-asr reads the checkpoints that Entire keeps beside a repository, ties each session to the commits it
    went into, and keeps the result in the ref refs/asr/sessions. `git asr COMMAND -h` explains a command.
    """
