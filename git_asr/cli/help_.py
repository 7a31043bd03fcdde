"""``git asr help``: the manual page of a command."""

from __future__ import annotations

import click

from git_asr.errors import DONE


@click.command("help")
@click.argument("name", required=False, metavar="[CMD]")
@click.pass_context
def command(ctx: click.Context, name: str | None) -> int:
    """Show the manual page of a command, as `git help` does for those of Git.

    Without CMD the commands are listed, as by `git asr -h`. Where there is no `man`, what `git asr CMD -h` prints is
    shown through the pager. The page comes with git-asr itself: it is found also where `man git-asr-CMD` finds none.
    """
    from git_asr.cli import manual, render
    from git_asr.cli.group import COMMANDS, load
    from git_asr.cli.unknown import unknown_command

    root = ctx.find_root()
    if name is None:
        click.echo(root.get_help())
        return DONE
    if name not in COMMANDS:
        raise unknown_command(name, list(COMMANDS))
    if not manual.shown(name):
        asked = load(name)
        text = asked.get_help(click.Context(asked, parent=root, info_name=name))
        with render.paged():
            print(text)
    return DONE
