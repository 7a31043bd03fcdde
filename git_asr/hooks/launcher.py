"""How a hook starts the git-asr that is running now."""

from __future__ import annotations

import os
import sys
from pathlib import Path

_NAMES = ("git-asr", "git-asr.exe")


def launcher() -> tuple[str, ...]:
    """The words that start this installation: the script that was started, else the one beside Python, else the module.

    The first is an absolute path, links not followed: what a link names may move with the next upgrade. Empty where
    Python does not know its own path.
    """
    python = Path(sys.executable).absolute()
    for script in (Path(sys.argv[0]), *(python.parent / name for name in _NAMES)):
        if script.name in _NAMES and script.is_file() and os.access(script, os.X_OK):
            return (str(script.absolute()),)
    return (str(python), "-m", "git_asr") if sys.executable else ()
