"""``git asr completion``: the shell completes commands, options and revisions."""

from __future__ import annotations

import os

import click

from git_asr.errors import DONE, UsageError


@click.command("completion")
@click.argument(
    "shell", required=False, type=click.Choice(["bash", "zsh", "fish"]), metavar="[bash|zsh|fish]"
)
@click.option("--install", is_flag=True, help="Put the script where the shell looks for it.")
@click.option("--uninstall", is_flag=True, help="Take it away again.")
def command(*, shell: str | None, install: bool, uninstall: bool) -> int:
    """Print the completion for a shell, by default yours, or install it.

    It completes commands, their options and the words that these take; where Git's own completion is there, also
    revisions and remotes, and `git asr` as `git-asr`. It is a script that starts no Python.

    With --install it goes where the shell looks for the completion of your own: of bash below
    ~/.local/share/bash-completion, of zsh to ~/.local/share/zsh/site-functions, of fish to ~/.config/fish. A file that
    is not git-asr's is never replaced, and no file that a shell starts with is changed: what is left to do is said.
    docs/completion.md has other ways.
    """
    from git_asr.cli import completing, render
    from git_asr.views.text import neutral

    if install and uninstall:
        raise UsageError("--install and --uninstall exclude each other")
    named = completing.named(shell, os.environ)
    if not (install or uninstall):
        click.echo(completing.script(named), nl=False)
        return DONE
    path = completing.place(named, os.environ)
    if uninstall:
        removed = completing.uninstall(path)
        click.echo(neutral(f"removed: {path}" if removed else "nothing to remove"))
        return DONE
    written = completing.install(named, path)
    click.echo(neutral(f"{'written' if written else 'is current'}: {path}"))
    render.hint(completing.next_step(named, path))
    return DONE
