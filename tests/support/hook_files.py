"""Writes the hook files into ``hooks/``: ``python -m tests.support.hook_files``."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

from git_asr.hooks.script import HOOKS, render

FOLDER = Path(__file__).parents[2] / "hooks"


def program(name: str) -> str | None:
    """Where a program lies: beside this Python, else in the ``PATH``."""
    return shutil.which(name, path=str(Path(sys.executable).parent)) or shutil.which(name)


if __name__ == "__main__":
    for hook in HOOKS:
        path = FOLDER / hook
        path.write_bytes(render(hook))
        path.chmod(0o755)
