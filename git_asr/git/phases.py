"""Where time goes, for ``GIT_ASR_TRACE``: without that variable nothing is measured, and nothing imported for it."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import ParamSpec, TypeVar

VARIABLE = "GIT_ASR_TRACE"  # as in what is not imported here


P = ParamSpec("P")
T = TypeVar("T")


def timed(name: str, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Do some work, and tell how long it took if somebody wants to know. ``name``: a word of ours, never data."""
    if VARIABLE not in os.environ:
        return work(*args, **kwargs)
    from git_asr.git.tracing import traced  # noqa: PLC0415  (only those who trace pay for it)

    with traced("phase", name):
        return work(*args, **kwargs)


def child(command: list[str]) -> AbstractContextManager[list[int]]:
    """The same for a Git that runs while the block does, which adds its exit status to the list that it is given."""
    if VARIABLE not in os.environ:
        return nullcontext([])
    from git_asr.git.tracing import traced  # noqa: PLC0415

    return traced("git", command)
