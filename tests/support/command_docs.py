"""Writes the pages that come from the help of the commands: ``python -m tests.support.command_docs``.

They are ``docs/commands.md`` and the manual pages, one for each command and the one that Git shows for
``git asr --help``.
"""

from __future__ import annotations

import re
import textwrap
from inspect import cleandoc
from pathlib import Path

import click

from git_asr import __version__
from git_asr.cli import group

DOCS = Path(__file__).parents[2] / "docs"
PAGE = DOCS / "commands.md"
MANUALS = DOCS / "man"
WIDTH = 78  # click leaves two columns of a terminal of 80 free

STATUS = """\
The exit status is 0 when all is done, 1 when something was found wrong or is not complete, 2 for a wrong
command line, 3 for a fault in git-asr, 130 when interrupted, and 141 when the reader of the output went away.
"""
OF_GIT = ("blame", "fetch", "log", "push", "show", "status")
"""Commands that do what one of Git does, and more."""

INTRODUCTION = f"""\
# Commands

This page is the help of each command, written by `make docs`; a test compares. `git asr COMMAND -h` shows the
same in a terminal, and so does `git asr COMMAND --help`; `git asr help COMMAND` shows it as a manual page.
(`git asr --help` alone is taken by Git itself, which looks for the manual page; `git asr -h` works everywhere.)

{STATUS}Results go to stdout; warnings, hints, errors and progress go to stderr.
"""


def help_of(name: str | None = None) -> str:
    """The text that ``git asr NAME --help`` prints on a terminal of 80 columns; of ``git asr`` itself for None."""
    context = _context(name)
    return context.command.get_help(context) + "\n"


def _context(name: str | None) -> click.Context:
    root = click.Context(
        group.command, info_name=group.PROGRAM, terminal_width=WIDTH, help_option_names=["-h", "--help"]
    )
    return root if name is None else click.Context(group.load(name), parent=root, info_name=name)


def section(name: str | None = None) -> str:
    """One command's part of the page."""
    title = " ".join(filter(None, (group.PROGRAM, name)))
    return f"\n## {title}\n\n```text\n{help_of(name)}```\n"


def page() -> str:
    """The whole page."""
    return INTRODUCTION + section() + "".join(section(name) for name in group.COMMANDS)


def manual(name: str | None = None) -> str:
    """The manual page of a command, or of ``git asr`` itself, in the ``man`` macros of troff."""
    context = _context(name)
    command = context.command
    first, *about = cleandoc(command.help or "").split("\n\n")
    title = "-".join(filter(None, ("git-asr", name)))
    summary = first if name is None else group.COMMANDS[name].help
    lines = [f'.TH "{title.upper()}" "1" "" "git-asr {__version__}" "git-asr manual"']
    lines += [".SH NAME", f"{_troff(title)} \\- {_troff(summary[:1].lower() + summary[1:].rstrip('.'))}"]
    lines += [".SH SYNOPSIS", f"\\fB{_troff(context.command_path)}\\fR {_troff(' '.join(_pieces(context)))}"]
    lines.append(".SH DESCRIPTION")
    for number, text in enumerate(about if name is None else [first, *about]):
        lines += [*([".PP"] if number else []), *paragraph(text)]
    lines.append(".SH OPTIONS")
    for param in command.get_params(context):
        if isinstance(param, click.Option) and (record := param.get_help_record(context)):
            lines += [".TP", f"\\fB{_troff(record[0])}\\fR", *paragraph(record[1])]
    if name is None:
        lines.append(".SH COMMANDS")
        for one, entry in group.COMMANDS.items():
            lines += [".TP", f"\\fBgit asr {_troff(one)}\\fR", *paragraph(entry.help)]
    lines += [".SH EXIT STATUS", *paragraph(STATUS), ".SH SEE ALSO"]
    if name is None:
        lines.append(r"\fBgit\-asr\-\fR\fIcommand\fR(1), \fBgit\-log\fR(1), \fBgit\-notes\fR(1)")
    else:
        same = ["git-asr", *([f"git-{name}"] if name in OF_GIT else [])]
        lines.append(", ".join(rf"\fB{_troff(one)}\fR(1)" for one in same))
    return "\n".join(lines) + "\n"


def manuals() -> dict[str, str]:
    """Every manual page by the name of its file."""
    names = (None, *group.COMMANDS)
    return {f"{'-'.join(filter(None, ('git-asr', name)))}.1": manual(name) for name in names}


def _pieces(context: click.Context) -> list[str]:
    return context.command.collect_usage_pieces(context)


def paragraph(text: str) -> list[str]:
    """Lines of text, with what stands between backquotes bold and between asterisks slanted."""
    joined = " ".join(text.split())
    marked = re.split(r"(`[^`]+`|\*[^*\s][^*]*\*)", joined)
    set_ = "".join(
        rf"\fB{_troff(one[1:-1])}\fR"
        if one.startswith("`") and len(one) > 1
        else rf"\fI{_troff(one[1:-1])}\fR"
        if one.startswith("*") and len(one) > 1
        else _troff(one)
        for one in marked
    )
    lines = textwrap.wrap(set_, 78, break_long_words=False, break_on_hyphens=False)
    return [rf"\&{line}" if line.startswith((".", "'")) else line for line in lines]


def _troff(text: str) -> str:
    """A text in which troff sees no command of its own."""
    return "".join(_TROFF.get(one, one) for one in text)


_TROFF = {"\\": "\\e", "-": "\\-", "`": "\\(ga", "'": "\\(aq", "…": "\\[u2026]", '"': "\\(dq"}


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
    MANUALS.mkdir(exist_ok=True)
    made = manuals()
    for old in MANUALS.iterdir():
        if old.name not in made:
            old.unlink()
    for file, text in made.items():
        (MANUALS / file).write_text(text, "utf-8")
