"""The files in which is kept what the companion ref tells, and how a sync lets them follow it.

Each may be deleted at any time, and answers are the same without it. Where none is there, nothing is imported that
makes or reads one.
"""

from __future__ import annotations

from git_asr.companion.names import SIGNATURES, SUMMARIES, USAGE
from git_asr.git.base import Objects, Repository


def keep_up(repo: Repository, objects: Objects, *, learn: bool) -> None:
    """Let the files that are there be about the companion ref as it is now; what it does not hold goes.

    ``learn``: read what is new in it, so that no search need to.
    """
    directory = repo.common_dir / "asr"
    if (directory / SIGNATURES).exists():
        from git_asr.companion import searching  # noqa: PLC0415

        searching.keep_up(repo, objects, learn=learn)
    if (directory / SUMMARIES).exists():
        from git_asr.companion import summaries  # noqa: PLC0415

        summaries.drop_gone(repo, objects)
    if (directory / USAGE).exists():
        from git_asr.companion import usage_file  # noqa: PLC0415

        usage_file.keep_up(repo, objects)
