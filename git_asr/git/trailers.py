"""Trailers in commit messages, wherever they stand: Git itself reads only the last block of a message."""

from __future__ import annotations

import re
from typing import Literal

from git_asr.values import dataclass

Place = Literal["last-block", "column-0", "elsewhere"]
"""Where a trailer stood, from the strongest evidence to the weakest; :func:`find` says what each means."""

_STRENGTH: dict[Place, int] = {"last-block": 0, "column-0": 1, "elsewhere": 2}
_LINE_ENDS_HERE = re.compile(rb"[ \t\r]*(?:\n|\Z)")
_TOKEN = re.compile(rb"[A-Za-z0-9-]+[ \t]*:")
_WRITTEN_BY_GIT = (b"Signed-off-by: ", b"(cherry picked from commit ")
_BLANKS = b" \t\r"


@dataclass(frozen=True, slots=True)
class Trailer:
    """One value of a key. ``value`` is text (UTF-8 with surrogate escapes), ``place`` the best of its places."""

    value: str
    place: Place


def find(message: bytes, key: str, value: re.Pattern[bytes]) -> tuple[Trailer, ...]:
    r"""Find every value of a key in a whole message, in the order first seen, each value once.

    A hit is the key in exactly this case, a colon, blanks or none, a value that ``value`` matches, then white space or
    the end: not anchored, as Entire reads it (reference entire-checkpoints, section 1.3). ``value`` must not carry
    flags inside its pattern. Time and space are linear in the message, whatever it holds.

    The places:

    * ``last-block``: a line that is the trailer and nothing else, in the block that Git takes for the trailers of the
      message. As in Git, that is the last paragraph, never the first one (the subject), of lines that are all
      ``token: text``, indented continuations of such, ``Signed-off-by:`` or ``(cherry picked from commit``; with one
      of the latter two in it, a quarter of such lines is enough. Lines that begin with ``#`` do not count.
      Not read, other than by Git: ``trailer.*`` and ``core.commentChar`` of the configuration, and a ``Conflicts:``
      list of old Git below the block.
    * ``column-0``: such a line in another place: squashed messages, a trailer right under the subject.
    * ``elsewhere``: in the subject, indented, in a list, quoted, or with text after it.
    """
    pattern = re.compile(re.escape(key.encode()) + rb":[ \t]*(" + value.pattern + rb")(?=\s|\Z)", value.flags)
    found: dict[bytes, Place] = {}
    block: int | None = None
    for hit in pattern.finditer(message):
        place: Place = "elsewhere"
        if _starts_line(message, hit.start()) and _LINE_ENDS_HERE.match(message, hit.end()):
            block = _last_block(message) if block is None else block
            place = "last-block" if hit.start() >= block else "column-0"
        before = found.setdefault(hit[1], place)
        if _STRENGTH[place] < _STRENGTH[before]:
            found[hit[1]] = place
    return tuple(Trailer(text.decode("utf-8", "surrogateescape"), place) for text, place in found.items())


def _starts_line(message: bytes, offset: int) -> bool:
    return offset == 0 or message[offset - 1] == ord("\n")


def _last_block(message: bytes) -> int:
    """The offset at which the trailers of the message begin, as Git's ``trailer.c`` finds them; its end if none."""
    lines = message.split(b"\n")
    last = len(lines)
    while last and (_blank(lines[last - 1]) or lines[last - 1].startswith(b"#")):
        last -= 1
    first = last
    while first and not _blank(lines[first - 1]):
        first -= 1
    subject = any(not _blank(line) for line in lines[:first])
    if subject and _are_trailers(lines[first:last]):
        return sum(len(line) + 1 for line in lines[:first])
    return len(message)


def _blank(line: bytes) -> bool:
    return not line.strip(_BLANKS)


def _are_trailers(paragraph: list[bytes]) -> bool:
    trailers = others = 0
    written_by_git = continues = False
    for line in paragraph:
        if line.startswith(b"#"):
            continues = False
        elif line.startswith(_WRITTEN_BY_GIT):
            written_by_git = continues = True
            trailers += 1
        elif _TOKEN.match(line):
            continues = True
            trailers += 1
        elif not (continues and line[0] in _BLANKS):
            continues = False
            others += 1
    if written_by_git:
        return trailers * 3 >= others
    return trailers > 0 and not others
