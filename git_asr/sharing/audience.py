"""To whom a push would show the sessions (design, rule 3; profile section 8, *push*)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from git_asr.errors import Report
from git_asr.git.base import Repository
from git_asr.sharing.target import Target


@dataclass(frozen=True, slots=True)
class Audience:
    """Who can read at a target, compared with who can read the checkpoints.

    ``kind``: ``same`` if the target is the repository that the checkpoints go to, or holds checkpoints itself;
    ``wider`` for every other, since nobody can tell. ``reason``: why, in one sentence without a full stop.
    """

    kind: Literal["same", "wider"]
    reason: str


def of(repo: Repository, target: Target, report: Report) -> Audience:
    """Tell to whom a push to a target would show the sessions.

    Raises:
        AsrError: the target cannot be read.
    """
    raise NotImplementedError
