"""A bundle in a folder."""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Self

from git_asr.asr.bundle import MANIFEST
from git_asr.bundles.beside import beside, refuse_existing, unwritable
from git_asr.bundles.limits import PIECE, Gauge, check_path
from git_asr.errors import AsrError, UsageError

NAME = "folder"


class FolderSource:
    """The files below a folder. What is hidden (its name begins with a dot) is no part of a bundle, and passed over."""

    def __init__(self, root: Path, gauge: Gauge) -> None:
        """Look what there is. Raises AsrError for a link or a device, an unsafe name, or more than the limits allow."""
        self._root = root
        self._limits = gauge.limits
        self._sizes = dict(_walk(root, "", gauge))

    def paths(self) -> Iterable[str]:
        """See ``Source.paths``."""
        return self._sizes.keys()

    def read(self, path: str) -> bytes:
        """See ``Source.read``."""
        return b"".join(self.chunks(path))

    def chunks(self, path: str) -> Iterator[bytes]:
        """See ``Source.chunks``."""
        if path not in self._sizes:
            raise AsrError(f"the bundle lacks {path}")
        try:
            number = os.open(
                self._root / path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
            )
            with os.fdopen(number, "rb") as file:
                if not stat.S_ISREG(os.fstat(number).st_mode):
                    raise AsrError(f"{path!r:.80} is no file any more")
                done = 0
                while data := file.read(PIECE):
                    done += len(data)
                    Gauge(self._limits).grew(len(data), done)
                    yield data
        except OSError as error:
            raise AsrError(f"cannot read {path}: {error.strerror or error}") from error


def _walk(folder: Path, prefix: str, gauge: Gauge) -> Iterator[tuple[str, int]]:
    """Every file below a folder with its size, by name."""
    try:
        with os.scandir(folder) as found:
            entries = sorted(found, key=lambda entry: entry.name)
        for entry in entries:
            path = prefix + entry.name
            if entry.name.startswith("."):
                continue
            if entry.is_symlink():
                raise AsrError(f"{path!a:.80} is a symbolic link")
            if entry.is_dir(follow_symlinks=False):
                gauge.folder(path)
                yield from _walk(folder / entry.name, f"{path}/", gauge)
            elif entry.is_file(follow_symlinks=False):
                gauge.file(path)
                size = entry.stat(follow_symlinks=False).st_size
                gauge.grew(size, size)
                yield path, size
            else:
                raise AsrError(f"{path!a:.80} is a device, or of another kind that no bundle holds")
    except OSError as error:
        raise AsrError(f"cannot read it: {error.strerror or error}") from error


class FolderTarget:
    """Writes files to a folder beside the one that is wanted, and renames it."""

    def __init__(self, path: Path, *, force: bool, mark: str = MANIFEST) -> None:
        """``force``: what is there is replaced if it is an empty folder, or one with the file ``mark``.

        Raises:
            UsageError: something is there already.
            AsrError: the folder cannot be made.
        """
        refuse_existing(path, force=force)
        if os.path.lexists(path) and not _is_replaceable(path, mark):
            raise UsageError(f"'{path}' is there and has no {mark}, so it is not replaced")
        self._path = path
        self._made = beside(path, Path.mkdir)
        self._folders: set[Path] = {self._made}

    def put(self, path: str, data: bytes) -> None:
        """See ``Target.put``."""
        self.put_pieces(path, (data,))

    def put_pieces(self, path: str, pieces: Iterable[bytes]) -> None:
        """See ``Files.put_pieces``."""
        check_path(path)
        place = self._made / path
        with unwritable(self._path):
            if place.parent not in self._folders:
                place.parent.mkdir(parents=True, exist_ok=True)
                self._folders.add(place.parent)
            file = place.open("xb")
        try:
            for piece in pieces:
                with unwritable(self._path):
                    file.write(piece)
            with unwritable(self._path):
                file.flush()
        finally:
            with suppress(OSError):
                file.close()

    def close(self) -> None:
        """See ``Target.close``."""
        with unwritable(self._path):
            if not os.path.lexists(self._path):
                self._made.rename(self._path)
                return
            old = beside(self._path, Path.mkdir)
            self._path.rename(old)  # an empty folder gives way to a folder
            try:
                self._made.rename(self._path)
            except OSError:
                old.rename(self._path)
                raise
        shutil.rmtree(old, ignore_errors=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        shutil.rmtree(self._made, ignore_errors=True)


def _is_replaceable(path: Path, mark: str) -> bool:
    """Whether a folder has a file that says it is ours, or is empty: nothing else is ever deleted."""
    if path.is_symlink() or not path.is_dir():
        return False
    with unwritable(path):
        return (path / mark).is_file() or not any(path.iterdir())
