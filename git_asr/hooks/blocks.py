"""A few lines of ours in a file of somebody else, marked so that exactly they can be taken out again.

The marks are comments that begin with ``#``, which shells, YAML and Git's ``info/exclude`` all have.
"""

from __future__ import annotations

import hashlib
import re

from git_asr.values import dataclass

VERSION = 1

_BEGIN = re.compile(
    rb"^# git-asr block (?P<version>\d{1,9}) (?P<name>[a-z-]{1,40}) (?P<how>kept|joined|made) (?P<hash>[0-9a-f]{64})\n",
    re.MULTILINE,
)
_MOST = 100
"""Blocks that are looked for: there is one for each hook, and a file may be full of beginnings without an end."""


@dataclass(frozen=True, slots=True)
class Block:
    """Lines of ours in a file, from ``start`` to ``end``, ``body`` between the marks.

    ``made``: the file was made for them alone.
    ``intact``: they are as git-asr wrote them, so they can be taken out.
    """

    name: str
    start: int
    end: int
    body: bytes
    made: bool
    intact: bool


def blocks(data: bytes) -> list[Block]:
    """All blocks of a file, in order."""
    found: list[Block] = []
    for begin, _ in zip(_BEGIN.finditer(data), range(_MOST), strict=False):
        if found and begin.start() < found[-1].end:
            continue
        mark = _end_mark(begin["name"])
        end = data.find(b"\n" + mark, begin.end() - 1) + 1
        if end:
            found.append(_block(data, begin, end, end + len(mark)))
    return found


def with_block(data: bytes | None, name: str, body: bytes, *, first: bool = False) -> bytes:
    """Give a file (None: a new one) with a block of that name, in the place of an intact one, else at the end.

    ``first``: after the line that names the interpreter instead. Nothing else of the file changes.
    """
    if data is None:
        return _render(name, body, "made")
    for old in blocks(data):
        if old.name == name and old.intact:
            how = _how(data, old)
            start = old.start + (how == "joined")
            return data[:start] + _render(name, body, how).removeprefix(b"\n") + data[old.end :]
    if first:
        line = data.find(b"\n") + 1 if data.startswith(b"#!") and b"\n" in data else 0
        return data[:line] + _render(name, body, "kept") + data[line:]
    return data + _render(name, body, "kept" if not data or data.endswith(b"\n") else "joined")


def without_blocks(data: bytes) -> bytes | None:
    """Give a file as it was before: without the intact blocks; None if it was made for them and holds nothing else."""
    made = False
    for found in reversed(blocks(data)):
        if found.intact:
            start = found.start
            if found.end < len(data) and data[start : start + 1] == b"\n":
                start += 1  # something was written after it, and begins a line
            data = data[:start] + data[found.end :]
            made = made or found.made
    return None if made and not data else data


def _block(data: bytes, begin: re.Match[bytes], mark: int, end: int) -> Block:
    """``mark``: where the last line begins; ``end``: where its text ends, with or without a line feed after it."""
    body = data[begin.end() : mark]
    intact = _hash(begin["version"], begin["name"], begin["how"], body) == begin["hash"]
    intact = intact and data[end : end + 1] in (b"\n", b"")
    start = begin.start()
    if begin["how"] == b"joined":
        intact = intact and start > 0
        start -= intact
    return Block(
        begin["name"].decode(), start, min(end + 1, len(data)), body, begin["how"] == b"made", intact
    )


def _end_mark(name: bytes) -> bytes:
    return b"# end of git-asr block " + name


def _how(data: bytes, block: Block) -> str:
    if block.made:
        return "made"
    return "joined" if data[block.start : block.start + 1] == b"\n" else "kept"


def _render(name: str, body: bytes, how: str) -> bytes:
    """``joined``: the file did not end in a line feed, so the block begins with one."""
    digest = _hash(b"%d" % VERSION, name.encode(), how.encode(), body).decode()
    head = f"# git-asr block {VERSION} {name} {how} {digest}\n".encode()
    return b"\n" * (how == "joined") + head + body + _end_mark(name.encode()) + b"\n"


def _hash(*parts: bytes) -> bytes:
    return hashlib.sha256(b"\n".join(parts)).hexdigest().encode()
