"""A progress bar on stderr: only on a terminal, and only for work that takes a while."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

from git_asr.cli.render import on_terminal

if TYPE_CHECKING:
    from click._termui_impl import ProgressBar

Tick = Callable[[str, int, int], None]
"""Says how far a stage is: its name, how many are done, how many there are (0 while unknown)."""


@contextmanager
def progress(*, delay: float = 0.5) -> Iterator[Tick]:
    """Yield a ``Tick`` that draws one bar for each stage; silent if stderr is no terminal.

    ``delay``: seconds of work before anything is drawn, so that a quick command stays quiet.
    """
    if not on_terminal(sys.stderr):
        yield _silent
        return
    bars = _Bars(time.monotonic() + delay)
    try:
        yield bars.tick
    finally:
        bars.end()


def _silent(stage: str, done: int, total: int) -> None:
    """Draw nothing."""


class _Bars:
    def __init__(self, start: float) -> None:
        self._start = start
        self._stage: str | None = None
        self._bar: ProgressBar[int] | None = None
        self._open = ExitStack()

    def tick(self, stage: str, done: int, total: int) -> None:
        if time.monotonic() < self._start or total <= 0:
            return
        bar = self._bar
        if bar is None or stage != self._stage:
            bar = self._begin(stage, total)
        bar.update(done - bar.pos)

    def end(self) -> None:
        self._open.close()
        self._bar = None

    def _begin(self, stage: str, total: int) -> ProgressBar[int]:
        import click

        self.end()
        self._stage = stage
        bar = click.progressbar(length=total, label=stage, file=sys.stderr, show_pos=True, show_eta=True)
        self._bar = self._open.enter_context(bar)
        return self._bar
