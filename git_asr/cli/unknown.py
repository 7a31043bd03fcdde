"""What click says of a wrong command line, said in Git's manner."""

from __future__ import annotations

import click

from git_asr.errors import AsrError, UsageError


def usage_error(error: click.ClickException) -> AsrError:
    """Make click's error ours: lower case, no full stop, and the help of the command as a hint."""
    if isinstance(error, click.NoSuchOption):
        message, near = f"unknown option: {error.option_name}", sorted(error.possibilities or ())
    else:
        text = error.format_message().strip().rstrip(".")
        message, near = text[:1].lower() + text[1:], []
    hints = [f"did you mean {' or '.join(near)}?"] if near else []
    context = getattr(error, "ctx", None)
    if context is not None:
        hints.append(f"{context.command_path} -h")
    return UsageError(message, hint="\n".join(hints) or None)


def unknown_command(name: str, known: list[str]) -> AsrError:
    """Say that there is no such command, and which one was probably meant."""
    import difflib

    near = difflib.get_close_matches(name, known, n=1, cutoff=0.5)
    hint = f"the most similar command is: git asr {near[0]}" if near else "git asr -h lists the commands"
    return UsageError(f"'{name}' is not a git asr command", hint=hint)
