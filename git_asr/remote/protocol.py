"""Git's side of the dialogue, line by line (gitremote-helpers(7); reference git-integration, 8.1 and 8.2)."""

from __future__ import annotations

import os
import re
from typing import BinaryIO

from git_asr.errors import AsrError
from git_asr.values import dataclass
from git_asr.views.text import one_line

LONGEST = 1 << 16
"""Bytes of one line that Git may send."""

_ESCAPE = re.compile(rb"\\([0-7]{3}|.)", re.S)
_NAMED = {b"a": b"\a", b"b": b"\b", b"f": b"\f", b"n": b"\n", b"r": b"\r", b"t": b"\t", b"v": b"\v"}


class Unintelligible(AsrError):
    """What Git said is not the protocol, or broke off in the middle of a command; nothing was done about it."""


class Wire:
    """The two pipes to Git. What is written is complete answers only, and each is sent at once."""

    def __init__(self, reader: BinaryIO, writer: BinaryIO, said: bytes = b"") -> None:
        """``said``: what of the next line was read already."""
        self._reader = reader
        self._writer = writer
        self._said = said

    def line(self) -> str | None:
        """Read one line, without its line feed; None at the end.

        Raises:
            Unintelligible: the line is too long, or was cut short.
        """
        data, self._said = self._said, b""
        if not data.endswith(b"\n"):
            data += self._reader.readline(LONGEST - len(data))
        if not data:
            return None
        if not data.endswith(b"\n"):
            raise Unintelligible("Git sent " + ("a line too long" if len(data) == LONGEST else "half a line"))
        return os.fsdecode(data[:-1])

    def batch(self, first: str) -> list[str]:
        """Give the lines of one batch, from the first, which was read, up to the blank line after the last.

        Raises:
            Unintelligible: there is another command among them, or no blank line.
        """
        word = first.partition(" ")[0]
        lines = [first]
        while line := self.line():
            if not line.startswith(f"{word} "):
                raise Unintelligible(f"Git sent '{line}' among lines of '{word}'")
            lines.append(line)
        if line is None:
            raise Unintelligible(f"Git broke off in the middle of '{word}'")
        return lines

    def answer(self, *lines: str) -> None:
        """Send an answer; a line feed inside a line would end it, so there is none (`plain`)."""
        self._writer.write(b"".join(os.fsencode(line) + b"\n" for line in lines))
        self._writer.flush()


@dataclass(frozen=True, slots=True)
class Push:
    """One line of a push. ``source``: a revision here, empty to delete. ``target``: a ref there."""

    source: str
    target: str
    force: bool


def push_of(line: str) -> Push:
    """Read ``push [+]<source>:<target>``. Raises Unintelligible: it is none."""
    text = line.removeprefix("push ")
    source, colon, target = text.removeprefix("+").rpartition(":")
    if not colon or not target:
        raise Unintelligible(f"Git sent '{line}'")
    return Push(source, target, text.startswith("+"))


def fetch_of(line: str) -> tuple[str, str]:
    """Read ``fetch <id> <ref>``. Raises Unintelligible: it is none."""
    found = re.fullmatch(r"fetch ([0-9a-f]{40}|[0-9a-f]{64}) (\S.*)", line)
    if found is None:
        raise Unintelligible(f"Git sent '{line}'")
    return found[1], found[2]


def unquoted(value: str) -> str:
    """Give the value of an option, which Git quotes as C does where it holds special characters.

    Raises:
        ValueError: a quote is not closed.
    """
    if not value.startswith('"'):
        return value
    if len(value) < 2 or not value.endswith('"'):
        raise ValueError(value)
    return os.fsdecode(_ESCAPE.sub(_unescaped, os.fsencode(value[1:-1])))


def plain(text: str) -> str:
    """Make one line of a reason that goes to Git (reference, 8.3).

    A few texts have a meaning of their own there (``up to date`` would be success), and one that begins with a quote
    would be unquoted.
    """
    line = one_line(text).lstrip('"') or "failed"
    return f"{line}." if line in _SPECIAL else line


_SPECIAL = frozenset(
    {
        *("no match", "up to date", "non-fast forward", "already exists", "fetch first", "needs force"),
        *("stale info", "remote ref updated since checkout", "forced update"),
    }
)


def _unescaped(hit: re.Match[bytes]) -> bytes:
    text = hit[1]
    return bytes([int(text, 8) & 0xFF]) if len(text) == 3 else _NAMED.get(text, text)
