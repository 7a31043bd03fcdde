"""What is written stands beside its place under a hidden name until it is whole."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path

from git_asr.errors import AsrError, UsageError


def beside(path: Path, make: Callable[[Path], object]) -> Path:
    """Make something beside a path, with a name that nothing has; ``make`` raises FileExistsError where it has.

    Raises:
        AsrError: it cannot be made.
    """
    with unwritable(path):
        for number in count():
            made = path.absolute().parent / f".{path.name[:100]}.{os.getpid()}-{number}.part"
            try:
                make(made)
            except FileExistsError:
                continue
            return made
    raise AssertionError("numbers do not end")


def refuse_existing(path: Path, *, force: bool) -> None:
    """Refuse to write where something is. Raises UsageError."""
    if not path.name or path.name == "..":
        raise UsageError(f"'{path}' is no name to write to")
    with unwritable(path):
        exists = os.path.lexists(path)
    if exists and not force:
        raise UsageError(f"'{path}' is there already", hint="--force replaces it")


@contextmanager
def unwritable(path: Path) -> Iterator[None]:
    """Say in one line what the system says when a path cannot be written."""
    try:
        yield
    except OSError as error:
        raise AsrError(f"cannot write '{path}': {error.strerror or error}") from error
    except ValueError as error:  # a NUL in the name
        raise UsageError(f"cannot write {str(path)!r}: {error}") from error
