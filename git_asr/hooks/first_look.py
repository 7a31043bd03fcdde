"""The first look of a worker: it imports nothing, for most often another worker has done what there was."""

from __future__ import annotations

import os

QUEUE, TAKEN = "queue", "taken"
"""The folders of what waits, and of what a worker has in hand."""


def something_waits(directory: str) -> bool:
    """Whether something may be to be done. ``directory``: ``<common directory>/asr``, or whatever a hook said."""
    for name in (QUEUE, TAKEN):
        try:
            if os.listdir(os.path.join(directory, name)):  # noqa: PTH118, PTH208  (pathlib is half of a start)
                return True
        except (OSError, ValueError):  # ValueError: a name that no system has
            continue
    return False
