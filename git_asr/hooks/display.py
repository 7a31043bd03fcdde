"""Lets plain `git log` show the sessions: ``notes.displayRef`` names the notes that sync derives.

The value is added beside those of the user, and taken out again only where the journal says that it was put in here.
"""

from __future__ import annotations

import os
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Literal

from git_asr.companion.names import NOTES
from git_asr.git.base import Repository
from git_asr.git.process import try_git
from git_asr.hooks.journal import Entry, Journal
from git_asr.hooks.steps import Configure, Unconfigure, carry_out

KEY = "notes.displayRef"
VALUE = f"{NOTES}*"
"""A glob: Git warns wherever a plain name is there and the ref is not, as before the first sync."""

Display = Literal["added", "current", "absent"]
"""Whether the key has the value: now, before, or not."""


def is_displayed(repo: Repository | None) -> bool:
    """Whether plain `git log` shows our notes; without a repository, in all of the user's."""
    values = repo.config.get(KEY.lower(), ()) if repo is not None else _values("--global")
    return any(fnmatchcase(NOTES, one) for one in values)


def display(repo: Repository | None, journal: Journal) -> Display:
    """Add the value. ``repo``: None for all repositories of the user. Raises AsrError: Git refuses."""
    step = Configure(_scope(repo), KEY, VALUE, add=True)
    journal.record(step)
    carry_out(step, repo)
    return "added"


def taking_out(repo: Repository | None, journal: Journal) -> Unconfigure | None:
    """The step that takes out what ``display`` put in; None where it put in nothing, or that is gone."""
    scope = _scope(repo)
    if Entry("config", KEY.partition(".")[0], scope) not in journal.entries:
        return None
    return Unconfigure(scope, KEY, VALUE) if VALUE in _values(scope, repo) else None


def _scope(repo: Repository | None) -> str:
    return "--global" if repo is None else "--local"


def _values(scope: str, repo: Repository | None = None) -> list[str]:
    cwd = None if repo is not None else Path(os.sep)
    asked = try_git(repo, "config", scope, "-z", "--get-all", KEY, cwd=cwd)
    return os.fsdecode(asked.out).split("\0")[:-1]
