"""The files of a stream: their names, and the cut into parts (profile section 1, *stream files*)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from git_asr.asr.ids import is_name, name

PART_BYTES = 256 * 1024
"""Bytes of one part at most; a longer line stands alone."""

LINKS_END = "~links.jsonl"
"""How the name of a file of link records ends."""

_SEGMENT = re.compile(r"[A-Za-z0-9_~](?:[A-Za-z0-9._~@+=,-]{0,198}[A-Za-z0-9_~@+=,-])?")
_MOST_SEGMENTS = 16

_FILE = re.compile(r"sessions/(?P<name>~?[a-z0-9_-]+?)(?:~(?P<tail>[0-9]{6,}|links))?\.jsonl")


def header_path(stream: str) -> str:
    """The file with the header line of a stream."""
    return f"sessions/{name(stream)}.jsonl"


def part_path(stream: str, number: int) -> str:
    """The file with the ``number``-th part (from 1) of a stream's records."""
    return f"sessions/{name(stream)}~{number:06d}.jsonl"


def links_path(stream: str) -> str:
    """The file with a stream's ``vcs`` and checkpoint records."""
    return f"sessions/{name(stream)}{LINKS_END}"


def blob_path(sha256: str) -> str:
    """The file of a blob."""
    return f"blobs/sha256/{sha256}"


def is_stream_file(path: str) -> bool:
    """Tell whether a path in a bundle can be a file of a stream."""
    match = _FILE.fullmatch(path)
    return match is not None and is_name(match["name"])


def stream_name(path: str) -> str | None:
    """The name of the stream, as files have it, to which a path belongs; None for a path of no stream."""
    match = _FILE.fullmatch(path)
    return match["name"] if match is not None and is_name(match["name"]) else None


def is_part(path: str) -> bool:
    """Tell whether a path is that of a part of a stream's records."""
    match = _FILE.fullmatch(path)
    return match is not None and (match["tail"] or "links") != "links"


def is_bundle_path(path: str) -> bool:
    """Tell whether a file of a bundle may have this path: up to 16 names with slashes between them.

    Each has up to 200 letters and digits of ASCII and ``._~@+=,-``, none of them a dot at an end, nor ``@+=,-`` at its
    beginning: nothing is absolute, hidden or ``..``, and every file system takes it.
    """
    names = path.split("/", _MOST_SEGMENTS)
    return len(names) <= _MOST_SEGMENTS and all(map(_SEGMENT.fullmatch, names))


def is_in_sessions(path: str) -> bool:
    """Tell whether a path in a bundle can be a file of a stream of another major version: it may have any name."""
    return path.startswith("sessions/") and is_bundle_path(path)


def cut(lines: Iterable[bytes]) -> Iterator[bytes]:
    """Join lines to parts, greedily, at line ends: at most 256 KiB each unless one line alone is longer."""
    part: list[bytes] = []
    size = 0
    for line in lines:
        if part and size + len(line) > PART_BYTES:
            yield b"".join(part)
            part, size = [], 0
        part.append(line)
        size += len(line)
    if part:
        yield b"".join(part)
