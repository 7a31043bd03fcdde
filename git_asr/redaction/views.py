r"""Texts within a text: what stands in it escaped or encoded, each with the way back to where it stands.

- *Spelled*: characters written as ``\u0041``, ``\x41``, ``\n``, ``\/``, ``%41`` or ``&#65;``, with any number of
  backslashes, for JSON text in JSON text doubles them; among others that nobody sees: colours, characters without a
  width, the NULs of UTF-16.
- *Coded*: runs of base64 (also in lines, also its URL alphabet) and of hexadecimal digits that give text.
"""

from __future__ import annotations

import re
from binascii import a2b_base64, unhexlify
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import field

from git_asr.values import dataclass

_CSI = r"\[[0-9;:?]{0,40}([A-Za-z])"
_SPELLED = re.compile(
    "[\\\\%&\x00\x1b\u00ad\u200b-\u200d\u2060\ufeff]"  # a set, so that the engine looks for nothing else at first
    r"(?:(?<=\\)\\{0,15}(?:(?:u001[bB]|x1[bB]|033|e)" + _CSI + r"|(?:u0000|x00)(?=[^\\]\\{1,16}(?:u0000|x00))"
    r"|u00([0-7][0-9a-fA-F])|u\{0{0,4}([2-7][0-9a-fA-F])\}|x([0-7][0-9a-fA-F])|([/nrtbfv]))"
    r"|(?<=%)(0[9aAdD]|[2-7][0-9a-fA-F])"
    r"|(?<=&)(?:#(?:0{0,4}([0-9]{2,3})|[xX]0{0,4}([2-7][0-9a-fA-F]));|(amp|quot|apos|lt|gt|colon|sol|commat);)"
    r"|(?<=\x1b)" + _CSI + r"|(?<=\x00)(?=[\s\S]\x00|[\s\S]?\Z)|(?<=[^\\%&\x00\x1b]))"
)
_LETTERS = {"/": "/", "n": "\n", "r": "\r", "t": "\t", "b": "\b", "f": "\f", "v": "\v"}
_UNSEEN = "mK"
"""What ends a sequence for a terminal that leaves letters where they are: colours, and the rest of the line cleared."""
_NAMED = {"amp": "&", "quot": '"', "apos": "'", "lt": "<", "gt": ">", "colon": ":", "sol": "/", "commat": "@"}
_RUN = re.compile(
    r"(?<![A-Za-z0-9+/_-])(?:(?:[A-Za-z0-9+/]{60,}(?:\r?\n|\\r\\n|\\n))+[A-Za-z0-9+/]+|[A-Za-z0-9+/_-]{20,})={0,2}"
)
_HEX = re.compile(r"(?:[0-9a-f]{2}){12,}|(?:[0-9A-F]{2}){12,}")
_HEAD = 20
"""Digits that are decoded first; lines are longer."""
_CONTROLS = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_BREAKS = re.compile(r"\\r|\\n|\s")
_TO_STANDARD = str.maketrans("-_", "+/")


@dataclass(frozen=True, slots=True)
class View:
    """A text within a text. ``place`` says where a part of it stands in the text around it."""

    text: str
    starts: list[int] = field(default_factory=list)
    """Of each piece: where it starts in ``text``."""
    origins: list[tuple[int, int]] = field(default_factory=list)
    """Of each piece: where it stands in the text around, from and to."""

    def place(self, start: int, end: int) -> tuple[int, int]:
        """Where the characters from ``start`` to ``end`` stand; a run that is coded counts as a whole."""
        first, last = (bisect_right(self.starts, one) - 1 for one in (start, end - 1))
        return self._origin(first, start, 0), self._origin(last, end, 1)

    def _origin(self, piece: int, at: int, side: int) -> int:
        """A piece that is as long here as there is text that was copied; any other counts as a whole."""
        begin, end = self.origins[piece]
        until = self.starts[piece + 1] if piece + 1 < len(self.starts) else len(self.text)
        if until - self.starts[piece] == end - begin:
            return begin + at - self.starts[piece]
        return self.origins[piece][side]


def views(text: str) -> Iterator[View]:
    """Every text that stands in a text, but not those that stand in these."""
    if not text.isascii() or any(one in text for one in "\\%&\x00\x1b"):
        spelled = _spelled(text)
        if spelled is not None:
            yield spelled
    if len(text) >= 20:
        yield from _coded(text)


def _spelled(text: str) -> View | None:
    """The text with all such characters as they are; None where there is none."""
    out: list[str] = []
    starts: list[int] = []
    origins: list[tuple[int, int]] = []
    length = at = 0
    for hit in _SPELLED.finditer(text):
        character = _character(hit)
        if hit.start() > at:
            starts.append(length)
            origins.append((at, hit.start()))
            out.append(text[at : hit.start()])
            length += hit.start() - at
        if character:
            starts.append(length)
            origins.append(hit.span())
            out.append(character)
            length += 1
        at = hit.end()
    if at == 0:
        return None
    if at < len(text):
        starts.append(length)
        origins.append((at, len(text)))
        out.append(text[at:])
    return View("".join(out), starts, origins)


def _character(hit: re.Match[str]) -> str:
    """What is meant; nothing for what nobody sees."""
    moved, unicode, braced, octet, letter, percent, decimal, hexadecimal, named, moves = hit.groups()
    if letter:
        return _LETTERS[letter]
    if named:
        return _NAMED[named]
    if decimal:
        return chr(int(decimal)) if 32 <= int(decimal) < 127 else "\ufffd"
    if digits := unicode or braced or octet or percent or hexadecimal:
        return chr(int(digits, 16))
    return " " if (moved or moves or "m") not in _UNSEEN else ""


def _coded(text: str) -> Iterator[View]:
    for hit in _RUN.finditer(text):
        run = hit[0]
        found = None
        if not (run.islower() or run.isupper()):  # what base64 makes of text has both
            found = _from_base64(run)
        elif run[0] in "234567" and _HEX.fullmatch(run):
            found = _printable(unhexlify(run))
        if found is not None:
            yield View(found, [0], [hit.span()])


def _from_base64(run: str) -> str | None:
    """The text that a run stands for; None where it stands for none."""
    head = run[:_HEAD] if run.isalnum() else run[:_HEAD].translate(_TO_STANDARD)
    if not _may_be_text(a2b_base64(head)):
        return None
    digits = _BREAKS.sub("", run).rstrip("=").translate(_TO_STANDARD)
    digits = digits[:-1] if len(digits) % 4 == 1 else digits
    return _printable(a2b_base64(digits + "=" * (-len(digits) % 4)))


def _may_be_text(data: bytes) -> bool:
    """Whether bytes begin as text does: they may end within a character."""
    if data.isascii():
        return True
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        return error.start >= len(data) - 3
    return True


def _printable(data: bytes) -> str | None:
    """Bytes as text, without a character that is cut off at the end; None where they are no text."""
    if not _may_be_text(data):
        return None
    text = data.decode("utf-8", "ignore")
    return None if not text or _CONTROLS.search(text) else text
