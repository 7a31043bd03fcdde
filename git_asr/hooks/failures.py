"""What went wrong in the background: a JSON line for each failure in ``<common directory>/asr/errors.jsonl``."""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import fields
from pathlib import Path
from typing import Any

from git_asr.values import dataclass

FILE_NAME = "errors.jsonl"
MAX_BYTES = 1 << 20
"""A log that is longer begins anew, and the one before is kept beside it."""
_LONGEST = {"trace": 16_384}
_LONG = 2_000


@dataclass(frozen=True, slots=True)
class Failure:
    """One failure.

    ``time``: RFC 3339 in UTC. ``item``: the name of the item of the queue that was worked on, the first where there
    were several ``items``; empty where it was about none. ``message``, ``hint``: as those of an ``AsrError``.
    ``commit``: the item's, if it has one. ``trace``: the calls that led to a fault in git-asr.
    """

    time: str
    item: str
    message: str
    items: int = 1
    commit: str | None = None
    hint: str | None = None
    trace: str | None = None


def record(directory: Path, failure: Failure) -> None:
    """Add a failure to the log. Where that is impossible too, there is nobody left to tell."""
    import json  # noqa: PLC0415  (a worker that finds nothing to do pays nothing)

    line = json.dumps(
        {
            one.name: value[: _LONGEST.get(one.name, _LONG)] if isinstance(value, str) else value
            for one in fields(failure)
            if (value := getattr(failure, one.name)) != one.default
        }
    )
    path = directory / FILE_NAME
    with suppress(OSError):
        rotate(path)
        flags = os.O_RDWR | os.O_APPEND | os.O_CREAT | getattr(os, "O_NONBLOCK", 0)
        with os.fdopen(os.open(path, flags, 0o600), "r+b", buffering=0) as file:
            size = os.fstat(file.fileno()).st_size
            file.seek(max(0, size - 1))
            torn = size and file.read(1) != b"\n"  # the disk was full
            file.write(b"\n" * bool(torn) + line.encode() + b"\n")


def recent(directory: Path, most: int) -> list[Failure]:
    """The last failures, the oldest of them first. Lines that are none are passed over."""
    import json  # noqa: PLC0415

    path = directory / FILE_NAME
    lines = [line for one in (_previous(path), path) for line in _content(one).splitlines()]
    found: list[Failure] = []
    for line in reversed(lines):
        if len(found) == most:
            break
        with suppress(ValueError, RecursionError):
            if (failure := _failure(json.loads(line))) is not None:
                found.append(failure)
    return found[::-1]


def _failure(value: Any) -> Failure | None:
    known = {one.name: one.type for one in fields(Failure)}
    if not isinstance(value, dict):
        return None
    own = {name: found for name, found in value.items() if name in known}
    texts = all(isinstance(found, str) for name, found in own.items() if name != "items")
    if not texts or type(own.get("items", 1)) is not int or not {"time", "item", "message"} <= own.keys():
        return None
    return Failure(**own)


def rotate(path: Path) -> bool:
    """Put a log that is too long aside, in the place of the one before; tells whether it did.

    Raises:
        OSError: it cannot be renamed, or is no file.
    """
    try:
        if path.lstat().st_size <= MAX_BYTES:
            return False
    except FileNotFoundError:
        return False
    path.replace(_previous(path))
    return True


def _previous(path: Path) -> Path:
    return path.with_name(f"{path.name}.1")


def _content(path: Path) -> bytes:
    try:
        with os.fdopen(os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0)), "rb") as file:
            return file.read(2 * MAX_BYTES)
    except OSError:
        return b""
