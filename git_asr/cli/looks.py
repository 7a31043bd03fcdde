"""How a command's text looks: the options for it, and the sheet on which lines are set."""

from __future__ import annotations

import functools
import shutil
from collections.abc import Callable, Iterator
from dataclasses import replace

import click

from git_asr.cli import render
from git_asr.errors import UsageError
from git_asr.values import dataclass
from git_asr.views import wrapping

LEAST_WIDTH = 20
"""Cells; in fewer nothing can be read."""


@dataclass(frozen=True, slots=True)
class Sheet:
    """Where lines are set. ``cells``: its width, None for any; ``ascii``: nothing else is to appear on it."""

    cells: int | None = None
    ascii: bool = False

    def rows(self, line: str) -> Iterator[str]:
        """A neutral line as it is set: one row, or several where it is longer than the sheet is wide."""
        shown = self.drawn(line)
        if self.cells is None:
            yield shown
        else:
            yield from wrapping.wrapped(shown, self.cells)

    def drawn(self, line: str) -> str:
        """A neutral line in the characters that the sheet may have."""
        return wrapping.ascii_only(line) if self.ascii else line

    def narrower(self, by: int) -> Sheet:
        """The sheet beside something that takes so many cells."""
        return self if self.cells is None else replace(self, cells=self.cells - by)


ANY = Sheet()
"""One on which every line stands as it is."""


@dataclass(frozen=True, slots=True)
class Look:
    """What the command line says of it. ``width``: 0 for lines of any length, None for what fits stdout."""

    width: int | None
    ascii: bool
    color: str
    pager: bool

    def sheet(self) -> Sheet:
        """The sheet; by default as wide as the terminal, and where there is none lines stay whole.

        Raises:
            UsageError: it would be too narrow.
        """
        width = self.width
        if width is None:
            width = shutil.get_terminal_size().columns if render.on_terminal() else 0
        elif 0 < width < LEAST_WIDTH:
            raise UsageError(f"--width takes {LEAST_WIDTH} or more, or 0 for lines of any length")
        render.choose_colour(self.color)
        return Sheet(max(width, LEAST_WIDTH) if width else None, self.ascii)


_OPTIONS = (
    click.option(
        "--width",
        type=click.IntRange(min=0),
        metavar="N",
        help="Wrap lines at N cells, 0 for never. By default at the width of the terminal, if it is one.",
    ),
    click.option(
        "--ascii",
        "ascii_",
        is_flag=True,
        help="Print ASCII alone: plain lines, and any other character as <U+4E2D>.",
    ),
    click.option(
        "--color",
        type=click.Choice(["auto", "always", "never"]),
        default="auto",
        help="By default as color.asr, color.ui and NO_COLOR say.",
    ),
    click.option("--no-pager", "pager", flag_value=False, default=True, help="Do not start a pager."),
)


def looks(function: Callable[..., int]) -> Callable[..., int]:
    """Give a command the options, and the parameter ``look`` in their place."""

    @functools.wraps(function)
    def looking(*, width: int | None, ascii_: bool, color: str, pager: bool, **others: object) -> int:
        return function(look=Look(width, ascii_, color, pager), **others)

    found: Callable[..., int] = looking
    for option in reversed(_OPTIONS):
        found = option(found)
    return found
