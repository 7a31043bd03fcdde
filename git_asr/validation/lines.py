"""The lines of a stream's files, in bounded memory, each with the file and the line where it begins."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from typing import Any

from git_asr.asr import codec
from git_asr.values import dataclass

MOST_BYTES = 8 * 1024 * 1024
"""Bytes of a line that is read; a longer one is passed over."""


@dataclass(frozen=True, slots=True)
class Line:
    """A line without its LF.

    ``file``, ``number``: where it begins, counted from 1. ``ended``: it has its LF. ``whole``: it ends in the file in
    which it begins. ``cut``: it is too long, so that ``data`` is only its beginning.
    """

    file: str
    number: int
    data: bytes
    ended: bool
    whole: bool = True
    cut: bool = False


class Measured:
    """Passes the pieces of a file on, and learns its size, its lines and its digest."""

    __slots__ = ("_digest", "bytes", "lines")

    def __init__(self) -> None:
        self._digest = hashlib.sha256()
        self.bytes = 0
        self.lines = 0

    @property
    def sha256(self) -> str:
        """In hex, of what has passed so far."""
        return self._digest.hexdigest()

    def __call__(self, chunks: Iterable[bytes]) -> Iterator[bytes]:
        """The same pieces."""
        for chunk in chunks:
            self.bytes += len(chunk)
            self.lines += chunk.count(b"\n")
            self._digest.update(chunk)
            yield chunk


def lines(files: Iterable[tuple[str, Iterable[bytes]]]) -> Iterator[Line]:
    """The lines of files that are joined; one may go on in the next file."""
    begun = _Begun("", 1)
    at = ("", 0)
    for path, chunks in files:
        number = 1
        if not begun.pieces:
            begun = _Begun(path, number)
        for chunk in chunks:
            first, *rest = chunk.split(b"\n")
            begun.add(first)
            for piece in rest:
                yield begun.line(path)
                number += 1
                begun = _Begun(path, number)
                begun.add(piece)
        at = (path, number)
    if begun.pieces:
        yield begun.line(at[0], ended=False)


class _Begun:
    """A line of which not all may have been read."""

    __slots__ = ("_cut", "_file", "_number", "_size", "pieces")

    def __init__(self, file: str, number: int) -> None:
        self._file, self._number = file, number
        self.pieces: list[bytes] = []
        self._size = 0
        self._cut = False

    def add(self, piece: bytes) -> None:
        if not piece:
            return
        self._size += len(piece)
        if self._size <= MOST_BYTES:
            self.pieces.append(piece)
        else:
            self._cut = True

    def line(self, file: str, *, ended: bool = True) -> Line:
        data = self.pieces[0] if len(self.pieces) == 1 else b"".join(self.pieces)
        return Line(self._file, self._number, data, ended, file == self._file, self._cut)


def value(line: Line) -> Any:
    """What JSON text says, strict or not; None where no decoder reads it."""
    try:
        return codec.decode(line.data).value
    except ValueError:
        return None
