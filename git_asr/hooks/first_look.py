"""First looks, which import nothing: most often another worker has done what there was, and no hook is installed."""

from __future__ import annotations

import os

QUEUE, TAKEN, FAILED = "queue", "taken", "failed"
"""The folders of what waits, of what a worker has in hand, and of what was given up."""
JOURNAL = "hooks.json"
"""The file that tells which hooks were installed."""


def something_waits(directory: str) -> bool:
    """Whether something may be to be done. ``directory``: ``<common directory>/asr``, or whatever a hook said."""
    return _holds(directory, QUEUE) or _holds(directory, TAKEN)


def is_worth_a_glance(directory: str) -> bool:
    """Whether there are hooks, or work of theirs that failed. ``directory``: ``<common directory>/asr``."""
    return _holds(directory, FAILED) or os.path.exists(os.path.join(directory, JOURNAL))  # noqa: PTH110, PTH118


def _holds(directory: str, name: str) -> bool:
    try:
        return bool(os.listdir(os.path.join(directory, name)))  # noqa: PTH118, PTH208  (pathlib is half of a start)
    except (OSError, ValueError):  # ValueError: a name that no system has
        return False
