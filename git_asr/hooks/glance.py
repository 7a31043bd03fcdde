"""A glance at the hooks, for every command: whether something is worth a look, in one line."""

from __future__ import annotations

from pathlib import Path

from git_asr.hooks import queue
from git_asr.hooks.first_look import JOURNAL

HINT = "git asr status   says more"


def glance(directory: Path) -> str | None:
    """What is wrong, in a few words; None if all seems well. ``directory``: ``<common directory>/asr``.

    Looked at are only the files that the journal names, and what was given up; Git is not asked.
    """
    given_up = len(queue.failed(directory))
    if given_up:
        return f"{given_up:,} of the hooks' work failed in the background"
    if not (directory / JOURNAL).is_file():
        return None
    from git_asr.hooks.health import lost  # noqa: PLC0415  (only where hooks were installed)

    gone = lost(directory)
    return f"the hook {gone} is no longer as it was installed" if gone is not None else None
