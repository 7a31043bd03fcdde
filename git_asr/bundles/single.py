"""One file that is no archive: what is written is what was given."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import BinaryIO

from git_asr.bundles.base import Packing
from git_asr.bundles.packed import FileTarget, StreamTarget
from git_asr.errors import UsageError


class _Single:
    """Packs one file, and nothing but its bytes."""

    def packing(self, file: BinaryIO) -> Packing:
        """See ``Packer.packing``."""
        return _Writing(file)


class _Writing:
    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._path: str | None = None

    def put(self, path: str, data: bytes) -> None:
        """Write a piece of the file. Raises UsageError if it is of another one."""
        if self._path not in (None, path):
            raise UsageError("several files are to be written", hint="name a folder: -o DIR")
        self._path = path
        self._file.write(data)

    def finish(self) -> None:
        """Nothing stands behind the file."""

    def abandon(self) -> None:
        """Nothing is held."""


_SINGLE = _Single()


class SingleFile(FileTarget):
    """Writes one file beside the one that is wanted, and renames it."""

    def __init__(self, path: Path, *, force: bool) -> None:
        """As ``FileTarget``."""
        super().__init__(path, _SINGLE, force=force)

    def put_pieces(self, path: str, pieces: Iterable[bytes]) -> None:
        """See ``Files.put_pieces``. Raises UsageError for a second file."""
        self.put(path, b"")
        for piece in pieces:
            self.put(path, piece)


class SingleStream(StreamTarget):
    """Writes one file to a stream, when it is whole."""

    def __init__(self, stream: BinaryIO) -> None:
        """As ``StreamTarget``."""
        super().__init__(stream, _SINGLE)

    def put_pieces(self, path: str, pieces: Iterable[bytes]) -> None:
        """See ``Files.put_pieces``. Raises UsageError for a second file."""
        self.put(path, b"")
        for piece in pieces:
            self.put(path, piece)
