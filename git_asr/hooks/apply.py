"""Carries a plan out, one step after the other, each noted before it is done."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator
from dataclasses import replace

from git_asr.errors import AsrError
from git_asr.git.base import Repository
from git_asr.hooks.journal import Journal
from git_asr.hooks.plan import Planned
from git_asr.hooks.refusal import Refusal
from git_asr.hooks.steps import Keep, Step, carry_out


def apply(planned: Iterable[Planned], repo: Repository | None, journal: Journal) -> Iterator[Planned]:
    """Do what is planned, hook by hook, and yield each with what became of it.

    A hook whose step fails is refused, and what was begun for it is taken back; the others go on.
    """
    for one in planned:
        done: list[Step] = []
        try:
            for step in one.steps:
                journal.record(step)
                carry_out(step, repo)
                done.append(step)
        except AsrError as error:
            for step in reversed(done):
                _take_back(step)
            yield replace(one, outcome="refused", refusal=Refusal(error.message, error.hint))
        else:
            yield one


def _take_back(step: Step) -> None:
    """A second name that nothing calls is of no use; everything else that is done works by itself."""
    if isinstance(step, Keep):
        with contextlib.suppress(OSError):
            if step.aside.samefile(step.path):
                step.aside.unlink()
