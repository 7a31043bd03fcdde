"""The queue of the hooks: a file for each item that waits, in ``<common directory>/asr/queue``.

A hook makes an empty file named by the commit that it ran after, or ``scan``; or it saves what Git told it of
rewritten commits. Creating, renaming and unlinking files is all that there is, so nobody waits for anybody.

The worker takes an item in hand by moving it to ``taken/``: a hook that has news meanwhile makes it anew in ``queue/``,
and none is lost with the one that was being worked on. What is in hand is an item still, whatever becomes of the
worker. After so many tries an item lies in ``failed/``.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Literal

from git_asr.hooks.first_look import FAILED, QUEUE, TAKEN
from git_asr.values import dataclass

TRIES = 5
"""After so many failures an item is given up."""
BACK_OFF = (10.0, 60.0, 300.0, 1800.0)
"""Seconds until an item is tried again, by the number of its failures."""
MAX_REWRITE = 32 << 20
"""Bytes of what Git tells of one rebase that are read: some hundred thousand commits."""

Kind = Literal["commit", "scan", "rewrite"]
_NAMES: tuple[tuple[Kind, re.Pattern[str]], ...] = (
    ("commit", re.compile("[0-9a-f]{40}|[0-9a-f]{64}")),
    ("scan", re.compile("scan")),
    ("rewrite", re.compile("rw-[0-9]{1,12}-[0-9]{1,20}")),
)
_STATE = re.compile(rb'\{"tries": ([0-9]{1,3}), "next": ([0-9]{1,12})\}\n?\Z')
_LONGEST_STATE = 64


@dataclass(frozen=True, slots=True, order=True)
class Item:
    """Something to do. ``tries``: how often it failed; ``next``: when it is tried again, in epoch seconds."""

    name: str
    kind: Kind
    tries: int = 0
    next: int = 0

    @property
    def commit(self) -> str | None:
        """The commit that it is about."""
        return self.name if self.kind == "commit" else None

    @property
    def when(self) -> int:
        """When Git told of a rewrite, in epoch seconds; 0 for other items."""
        return int(self.name.split("-")[1]) if self.kind == "rewrite" else 0


def items(directory: Path) -> list[Item]:
    """What waits, and what a worker has in hand; ``directory``: ``<common directory>/asr``."""
    found = {one.name: one for folder in (TAKEN, QUEUE) for one in _listed(directory / folder)}
    return sorted(found.values())


def failed(directory: Path) -> list[Item]:
    """What was given up."""
    return sorted(_listed(directory / FAILED))


def requeue(directory: Path) -> int:
    """Let everything that was given up be tried once more; tells how much that is.

    Raises:
        OSError: it cannot be moved.
    """
    given_up = failed(directory)
    for one in given_up:
        _write(directory, one, directory / FAILED / one.name, b"")
    return len(given_up)


def due(directory: Path, now: float) -> bool:
    """Tell whether there is something to do now: in the queue, or in hand."""
    return waits(directory, now) or any(True for _ in _listed(directory / TAKEN))


def waits(directory: Path, now: float) -> bool:
    """Tell whether something in the queue is to be tried now."""
    return any(True for _ in _due(directory, now))


def take(directory: Path, now: float) -> list[Item]:
    """Take what is due in hand, and give all that is in hand: a worker that was killed may have left some.

    Raises:
        OSError: it cannot be moved.
    """
    some = list(_due(directory, now))
    if some:
        (directory / TAKEN).mkdir(mode=0o700, exist_ok=True)
    for one in some:
        with suppress(FileNotFoundError):  # somebody emptied the queue
            (directory / QUEUE / one.name).replace(directory / TAKEN / one.name)
    return sorted(_listed(directory / TAKEN))


def told(directory: Path, item: Item) -> bytes:
    """What a rewrite in hand says.

    Raises:
        OSError: it cannot be read.
    """
    return _STATE.sub(b"", _read(directory / TAKEN / item.name, MAX_REWRITE))


def done(directory: Path, item: Item) -> None:
    """Let go of an item in hand that was done.

    Raises:
        OSError: it cannot be unlinked.
    """
    (directory / TAKEN / item.name).unlink(missing_ok=True)


def put_back(directory: Path, item: Item) -> None:
    """Let an item in hand wait as it is; one that a hook made anew meanwhile stands.

    Raises:
        OSError: it cannot be moved.
    """
    if os.path.lexists(directory / QUEUE / item.name):
        done(directory, item)
    else:
        (directory / TAKEN / item.name).replace(directory / QUEUE / item.name)


def put_off(directory: Path, item: Item, now: float) -> bool:
    """Count a failure of an item in hand: it waits to be tried again, or is given up. Tells whether it waits.

    Raises:
        OSError: neither can be written.
    """
    tries = item.tries + 1
    if tries >= TRIES:
        give_up(directory, item)
        return False
    state = b'{"tries": %d, "next": %d}\n' % (tries, now + BACK_OFF[tries - 1])
    _write(directory, item, directory / TAKEN / item.name, state)
    return True


def give_up(directory: Path, item: Item) -> None:
    """Move an item in hand to ``failed/``.

    Raises:
        OSError: it cannot be moved.
    """
    with suppress(FileNotFoundError):  # somebody emptied the folder
        (directory / FAILED).mkdir(mode=0o700, exist_ok=True)
        (directory / TAKEN / item.name).replace(directory / FAILED / item.name)


def forgive(directory: Path) -> None:
    """Drop what was given up and is done now, since one sync does it all.

    Raises:
        OSError: it cannot be unlinked.
    """
    for one in failed(directory):
        if one.kind != "rewrite":
            (directory / FAILED / one.name).unlink(missing_ok=True)


def put_aside(directory: Path) -> tuple[list[str], list[str]]:
    """Move what is no item of ours to ``failed/``: the names of what was moved, and of what cannot be."""
    moved: list[str] = []
    left: list[str] = []
    strange = [one for folder in (QUEUE, TAKEN) for one in _entries(directory / folder) if _kind(one) is None]
    if strange:
        with suppress(OSError):
            (directory / FAILED).mkdir(mode=0o700, exist_ok=True)
    for one in strange:
        (moved if _moved(one.path, f"{directory}/{FAILED}/{one.name}") else left).append(one.name)
    return sorted(moved), sorted(left)


def _moved(path: str, target: str) -> bool:
    """Move anything to a place of its own; there may be very many, and paths as objects cost more than the move."""
    for number in range(100):
        place = f"{target}.{number}" if number else target
        if not os.path.lexists(place):
            try:
                os.rename(path, place)  # noqa: PTH104
            except OSError:
                return False
            return True
    return False


def _write(directory: Path, item: Item, held: Path, state: bytes) -> None:
    """Write an item with a state to the queue, and let go of where it was; one that a hook made anew stands."""
    place = directory / QUEUE / item.name
    if not os.path.lexists(place):
        content = _STATE.sub(b"", _read(held, MAX_REWRITE)) if item.kind == "rewrite" else b""
        new = directory / f"{QUEUE}.new"
        new.write_bytes(content + state)
        new.replace(place)
    held.unlink(missing_ok=True)


def _due(directory: Path, now: float) -> Iterator[Item]:
    """What waits and is to be tried now; a time that is farther off than we ever put it is none."""
    return (one for one in _listed(directory / QUEUE) if not now < one.next <= now + BACK_OFF[-1])


def _listed(folder: Path) -> Iterator[Item]:
    """The items in a folder; none where there is no folder."""
    for one in _entries(folder):
        if (kind := _kind(one)) is not None:
            yield Item(one.name, kind, *_state(one))


def _entries(folder: Path) -> Iterable[os.DirEntry[str]]:
    """What is in a folder of ours; nothing where a link leads elsewhere."""
    try:
        if folder.is_symlink():
            return ()
        with os.scandir(folder) as found:
            return list(found)
    except OSError:
        return ()


def _kind(entry: os.DirEntry[str]) -> Kind | None:
    """What kind of item this is; None for what no hook of ours made."""
    kind = next((kind for kind, name in _NAMES if name.fullmatch(entry.name)), None)
    try:
        return kind if kind is not None and entry.is_file(follow_symlinks=False) else None
    except OSError:
        return None


def _state(entry: os.DirEntry[str]) -> tuple[int, int]:
    """How often an item failed and when it is tried again; as if never where it does not say."""
    try:
        if not entry.stat(follow_symlinks=False).st_size:
            return 0, 0
        found = _STATE.search(_read(Path(entry.path), -_LONGEST_STATE))
    except OSError:
        return 0, 0
    return (int(found[1]), int(found[2])) if found else (0, 0)


def _read(path: Path, most: int) -> bytes:
    """The beginning of a file; with a negative number its end."""
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    with os.fdopen(os.open(path, flags), "rb") as file:
        if most < 0:
            file.seek(max(0, os.fstat(file.fileno()).st_size + most))
        return file.read(abs(most))
