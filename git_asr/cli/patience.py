"""A deadline for a pattern that Python's own engine matches: with some it would take for ever."""

from __future__ import annotations

import signal
from collections.abc import Callable, Sequence
from types import FrameType
from typing import NoReturn

from git_asr.errors import UsageError
from git_asr.views.matching import Line, Matcher

SECONDS = 5.0
"""For one text; an ordinary pattern takes milliseconds for the longest."""


def patient(matcher: Matcher) -> Callable[[str], Sequence[Line]]:
    """What finds the lines of a text and, where its time has no bound, raises UsageError when it takes too long.

    The engine looks for signals while it matches, and a handler may raise.
    """
    if matcher.bounded:
        return matcher.lines
    signal.signal(signal.SIGALRM, _give_up)

    def lines(text: str) -> Sequence[Line]:
        signal.setitimer(signal.ITIMER_REAL, SECONDS)
        try:
            return matcher.lines(text)
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)

    return lines


def _give_up(_: int, __: FrameType | None) -> NoReturn:
    raise UsageError(
        "this pattern takes too long",
        hint="with google-re2 no pattern does: pip install google-re2\n-F looks for the text as it is",
    )
