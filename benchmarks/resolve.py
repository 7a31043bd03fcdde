"""Prints the seconds that it takes to find the copy of one checkpoint that counts, when the refs were looked at.

Started as ``python -m benchmarks.resolve PATH ID``, in a repository that is synced.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

from git_asr.companion.state_file import read_state
from git_asr.git.backend import open_objects
from git_asr.git.repository import open_repository
from git_asr.sync.changes import Changes
from git_asr.sync.look import directory, look

_TIMES = 200
"""Runs of which the fastest counts."""


def main(path: Path, checkpoint: str) -> None:
    """Resolve one ID again and again."""
    repo = open_repository(path)
    with read_state(directory(repo)) as state, open_objects(repo, "git") as objects:
        if state is None:
            raise SystemExit("not synced")
        changes = Changes(repo, objects, state, look(repo), lambda _: None)
        spent = []
        for _ in range(_TIMES):
            begin = time.perf_counter()
            found = changes.chosen([checkpoint])
            spent.append(time.perf_counter() - begin)
        if found[checkpoint] is None:
            raise SystemExit(f"{checkpoint} is in no store")
        print(min(spent))


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
