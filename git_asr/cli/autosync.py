"""Before a command reads: bring the companion ref up to date if that is quick, else say how."""

from __future__ import annotations

from git_asr.cli import render
from git_asr.errors import AsrError, Diagnostic
from git_asr.git.base import Repository
from git_asr.sync.look import has_news
from git_asr.sync.settings import settings

QUICK_BYTES = 16 * 1024 * 1024
"""Bytes of transcripts that are converted in about a second."""
_HINT = "there is more to see: git asr sync"


def refresh(repo: Repository) -> bool:
    """Sync what is new if ``asr.autosync`` allows it and it takes about a second at most, else print one hint.

    Tells whether a hint was printed. What a sync would report is left to ``git asr sync``; a sync that fails does not
    keep the command from reading. It asks nothing of the network; but where a partial clone left out what listing reads
    of the companion ref, that is fetched first, and said.
    """
    if repo.promisor:
        from git_asr.cli.promised import bring_summaries

        bring_summaries(repo)
    wanted = settings(repo)
    if not has_news(repo, wanted.exclusions, orphans=wanted.orphans):
        return False
    if not wanted.autosync:
        render.hint(_HINT)
        return True
    from git_asr.companion.soundness import TooMuch
    from git_asr.sync.flow import Options, sync

    options = Options(
        exclusions=wanted.exclusions,
        orphans=wanted.orphans,
        backend="git",
        at_most=QUICK_BYTES,
        lock_wait=0.5,
    )
    try:
        sync(repo, options, _say_nothing)
    except TooMuch:
        render.hint(_HINT)
    except AsrError as error:
        render.hint(f"could not sync: {error.message}")
    except OSError as error:  # no room, or no place, for temporary files
        render.hint(f"could not sync: {error.strerror or error}")
    else:
        return False
    return True


def _say_nothing(diagnostic: Diagnostic) -> None:
    """Leave it to ``git asr sync``."""
