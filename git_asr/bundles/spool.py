"""Files of a bundle in one temporary file, so that no name of theirs touches the disk: of an archive, or made here."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator
from typing import IO

from git_asr.bundles.base import Member
from git_asr.bundles.limits import PIECE
from git_asr.errors import AsrError

_IN_MEMORY = 16 << 20
"""Bytes that are held in memory before a file is made."""


class Spool:
    """A source that holds what members gave. Closing it deletes the temporary file."""

    def __init__(self, members: Iterable[Member]) -> None:
        """Take all members. Raises what taking them raises."""
        self._file: IO[bytes] = tempfile.SpooledTemporaryFile(max_size=_IN_MEMORY)  # noqa: SIM115  (closed in close)
        self._places: dict[str, tuple[int, int]] = {}
        self._end = 0
        try:
            for path, pieces in members:
                self._add(path, pieces)
        except BaseException:
            self.close()
            raise

    def put(self, path: str, data: bytes) -> None:
        """Take one more file."""
        self._add(path, (data,))

    def _add(self, path: str, pieces: Iterable[bytes]) -> None:
        self._file.seek(self._end)
        begin = self._end
        for piece in pieces:
            self._end += self._file.write(piece)
        self._places[path] = (begin, self._end - begin)

    def paths(self) -> Iterable[str]:
        """See ``Source.paths``."""
        return self._places.keys()

    def read(self, path: str) -> bytes:
        """See ``Source.read``."""
        begin, size = self._place(path)
        self._file.seek(begin)
        return self._file.read(size)

    def chunks(self, path: str) -> Iterator[bytes]:
        """See ``Source.chunks``."""
        begin, size = self._place(path)
        for at in range(begin, begin + size, PIECE):
            self._file.seek(at)
            yield self._file.read(min(PIECE, begin + size - at))

    def close(self) -> None:
        """Delete the temporary file."""
        self._file.close()

    def _place(self, path: str) -> tuple[int, int]:
        found = self._places.get(path)
        if found is None:
            raise AsrError(f"the bundle lacks {path}")
        return found
