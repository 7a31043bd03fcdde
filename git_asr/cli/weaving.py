"""Puts lines for sessions into what `git log` prints, in the place of marks that stand in its notes.

A mark is a line of characters for private use, which no pattern that anybody looks for matches, with a number that
tells which line it stands for. Git puts it where the note belongs, behind whatever a graph draws before it.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable, Iterator

_BASE = 0xE000
_END = chr(_BASE + 16)
_CHARACTERS = str.maketrans("0123456789abcdef", "".join(chr(_BASE + digit) for digit in range(16)))
_DIGITS = {ord(chr(_BASE + digit)): "0123456789abcdef"[digit] for digit in range(16)}
_DIGIT = rb"\xee\x80[\x80-\x8f]"
_LONGEST = 1 << 16
"""Bytes of a line that is begun for whose end it is waited; no mark is longer than a hundredth of that."""
_SGR = re.compile(rb"\x1b\[[0-9;]*m")

Line = Callable[[int], bytes]
"""Gives the line for a number, without a line feed."""


class Marks:
    """The marks of one run. ``word``: what stands in each of them, for ``--grep``."""

    def __init__(self) -> None:
        self.word = secrets.token_hex(8).translate(_CHARACTERS)
        self.pattern = re.compile(re.escape(self.word.encode()) + b"((?:%s)+)%s" % (_DIGIT, _END.encode()))

    def mark(self, number: int) -> bytes:
        """The mark for the line of that number."""
        return f"{self.word}{format(number, 'x').translate(_CHARACTERS)}{_END}\n".encode()


def number_of(found: re.Match[bytes]) -> int:
    """The number in a mark."""
    return int(found[1].decode().translate(_DIGITS), 16)


class Weaver:
    """Takes the output in pieces, and gives it with lines for marks. ``title``: what Git calls the notes."""

    def __init__(self, marks: Marks, title: bytes, line: Line) -> None:
        self._pattern = marks.pattern
        self._title = title
        self._line = line
        self._rest = b""

    def feed(self, piece: bytes) -> bytes:
        """What can be printed now."""
        data = self._rest + piece
        end = data.rfind(b"\n") + 1
        if len(data) - end > _LONGEST:
            end = len(data) - _LONGEST // 64
        self._rest = data[end:]
        return self._woven(data[:end])

    def end(self) -> bytes:
        """What is left."""
        data, self._rest = self._rest, b""
        return self._woven(data)

    def _woven(self, data: bytes) -> bytes:
        named = data.replace(self._title, b"asr")
        return self._pattern.sub(lambda found: self._line(number_of(found)), named)


class Unweaver:
    """Takes the notes with marks out again, where the user wants none: what is left is as without them."""

    def __init__(self, marks: Marks, title: bytes) -> None:
        self._pattern = marks.pattern
        self._title = title
        self._rest = b""
        self._blank = b""
        self._titled = False
        self._skips = False

    def feed(self, piece: bytes) -> bytes:
        """What can be printed now."""
        lines = (self._rest + piece).split(b"\n")
        self._rest = lines.pop()
        return b"".join(kept for line in lines for kept in self._kept(line + b"\n"))

    def end(self) -> bytes:
        """What is left."""
        return self._blank + self._rest

    def _kept(self, line: bytes) -> Iterator[bytes]:
        """What can be told now that one more line is known; an empty one waits for the next."""
        held, self._blank = self._blank, b""
        if self._title in line:
            self._titled, self._skips = True, not held  # with --oneline the empty line stands behind
            yield from _drawn(line[: line.index(b"Notes (")])
            return
        found = self._pattern.search(line)
        if found is not None and self._titled:
            self._titled = False
            yield from _drawn(line[: found.start()])
            return
        yield held
        if found is not None:  # in an own format: the line goes on with what stands behind the note
            yield line[: found.start()]
        elif not _is_blank(line):
            self._skips = False
            yield line
        elif self._skips:
            self._skips = False
        else:
            self._blank = line


def _is_blank(line: bytes) -> bool:
    return not _SGR.sub(b"", line).strip(b"| \n")


def _drawn(before: bytes) -> Iterator[bytes]:
    """What a graph drew before a line that goes, where that is more than straight lines."""
    if not _is_blank(before):
        yield before.rstrip(b" ") + b"\n"
