"""What ``git asr blame`` reads on its command line as ``git blame`` does."""

from __future__ import annotations

import os
import re

import click

_LINES = re.compile(r"(.+):(\d+)(?:([,-])(\+?\d+))?", re.DOTALL)
_OPTION = re.compile(
    r"-w|-[MC]\d*|--(?:first-parent|minimal|(?:since|until|ignore-rev|ignore-revs-file|diff-algorithm)=.*)",
    re.DOTALL,
)
"""Options of ``git blame`` that change which commit a line is traced to, and nothing of what is printed."""


class WithGits(click.Command):
    """Takes options of ``git blame`` too; click would take what follows ``-M`` for its number."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """See ``click.Command.parse_args``."""
        end = args.index("--") if "--" in args else len(args)
        options = [one for one in args[:end] if _OPTION.fullmatch(one)]
        ctx.params["options"] = tuple(options)
        return super().parse_args(ctx, [*(one for one in args[:end] if one not in options), *args[end:]])


def split(path: str) -> tuple[str, list[str]]:
    """A file, and the range of lines that stands behind its name, as ``-L`` takes it."""
    named = _LINES.fullmatch(path)
    if named is None or os.path.lexists(path):
        return path, []
    file, first, mark, last = named.groups()
    return file, [f"{first},{last or '+1'}" if mark != "-" else f"{first},{last.lstrip('+')}"]
