"""Writes the pages that come from the help of the commands: ``python -m tests.support.command_docs``.

They are ``docs/commands.md`` and the manual page, which Git shows for ``git asr --help``.
"""

from __future__ import annotations

from inspect import cleandoc
from pathlib import Path

import click

from git_asr.cli import group

DOCS = Path(__file__).parents[2] / "docs"
PAGE = DOCS / "commands.md"
MANUAL = DOCS / "git-asr.1"
WIDTH = 78  # click leaves two columns of a terminal of 80 free

INTRODUCTION = """\
# Commands

This page is the help of each command, written by `make docs`; a test compares. `git asr COMMAND -h` shows the
same in a terminal, and so does `git asr COMMAND --help`. (`git asr --help` alone is taken by Git itself, which
looks for the manual page; `git asr -h` works everywhere.)

The exit status is 0 when all is done, 1 when something was found wrong or is not complete, 2 for a wrong
command line, 3 for a fault in git-asr, 130 when interrupted, and 141 when the reader of the output went away.
Results go to stdout; warnings, hints, errors and progress go to stderr.
"""


def help_of(name: str | None = None) -> str:
    """The text that ``git asr NAME --help`` prints on a terminal of 80 columns; of ``git asr`` itself for None."""
    root = click.Context(
        group.command, info_name=group.PROGRAM, terminal_width=WIDTH, help_option_names=["-h", "--help"]
    )
    if name is None:
        return group.command.get_help(root) + "\n"
    command = group.load(name)
    return command.get_help(click.Context(command, parent=root, info_name=name)) + "\n"


def section(name: str | None = None) -> str:
    """One command's part of the page."""
    title = " ".join(filter(None, (group.PROGRAM, name)))
    return f"\n## {title}\n\n```text\n{help_of(name)}```\n"


def page() -> str:
    """The whole page."""
    return INTRODUCTION + section() + "".join(section(name) for name in group.COMMANDS)


def manual() -> str:
    """The manual page, in the ``man`` macros of troff."""
    about = cleandoc(group.command.help or "").split("\n\n")
    lines = ['.TH "GIT-ASR" "1" "" "git-asr" "Git Manual"', ".SH NAME", f"git-asr \\- {about[0].rstrip('.')}"]
    lines += [".SH SYNOPSIS", r"\fBgit asr\fR [\-C DIR] COMMAND [ARGS]...", ".SH DESCRIPTION", *about[1:]]
    lines.append(".SH COMMANDS")
    for name, entry in group.COMMANDS.items():
        lines += [".TP", rf"\fBgit asr {name}\fR", entry.help]
    lines += [".SH SEE ALSO", "git asr COMMAND \\-h explains a command; git\\-log(1), git\\-notes(1)."]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
    MANUAL.write_text(manual(), "utf-8")
