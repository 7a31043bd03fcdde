"""The manual pages that come with git-asr, wherever it is installed."""

from __future__ import annotations

import shutil
import subprocess
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

_SOURCES = Path(__file__).parents[2] / "docs" / "man"


def page(name: str) -> Path | None:
    """The file with the manual page of a command: in the sources, else where the package put it."""
    file = f"git-asr-{name}.1"
    if (_SOURCES / file).is_file():
        return _SOURCES / file
    try:
        listed = distribution("git-asr").files or ()
    except PackageNotFoundError:
        return None
    found = (Path(str(one.locate())).resolve() for one in listed if one.name == file)
    return next(filter(Path.is_file, found), None)


def shown(name: str) -> bool:
    """Let ``man`` show the page of a command; False if there is no page or no ``man``, or it fails."""
    file, program = page(name), shutil.which("man")
    if file is None or program is None:
        return False
    command = [program, str(file)]  # what has slashes is a file for every `man`
    try:
        return subprocess.run(command, check=False).returncode == 0
    except OSError:
        return False
