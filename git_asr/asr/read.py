"""The way in for whoever reads sessions: a bundle or a stream, its usage, its context (docs/reading.md).

What the specification asks of readers holds for all of it. A last line that was cut off is ignored; another one that
cannot be read is a gap, told, across which nothing is connected. Order is that of ``seq``. Unknown types and fields are
kept. A reference to an entity means its latest revision, one to a record exactly that. Calls and results are paired by
ID, never by order. A model call counts once, a copy where it comes from. What is not there is unknown, never 0.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from typing import Literal

from git_asr.asr import bundle as bundles
from git_asr.asr import context as contexts
from git_asr.asr import entities, reading, totals
from git_asr.asr.bundle import MANIFEST, Manifest, StreamEntry
from git_asr.asr.context import Context
from git_asr.asr.draft import Record
from git_asr.asr.entities import Call, Calls
from git_asr.asr.reading import GetBlob, GetFile, Stream, text, value
from git_asr.asr.stream import UnknownMajor
from git_asr.asr.totals import Total
from git_asr.errors import AsrError
from git_asr.values import dataclass

__all__ = [
    "Bundle",
    "Call",
    "Calls",
    "Context",
    "GetBlob",
    "GetFile",
    "Problem",
    "Stream",
    "Total",
    "UnknownMajor",
    "bundle",
    "calls",
    "context",
    "listed",
    "standing",
    "stream",
    "text",
    "usage",
    "value",
]

Kind = Literal["other-bytes", "unreadable-stream", "unknown-major", "bad-record"]


@dataclass(frozen=True, slots=True)
class Problem:
    """Something that is wrong with a stream. ``line``: in its joined files, from 1; None where it is about no line.

    ``kind``: ``other-bytes``, a file is not the one that the manifest lists; ``unreadable-stream``, it is left out;
    ``unknown-major``, it is left out since its version is not read; ``bad-record``, a line is no record, or its record
    is kept and breaks a rule.
    """

    kind: Kind
    stream: str
    line: int | None
    message: str


@dataclass(frozen=True, slots=True)
class Bundle:
    """A bundle as it was read: its manifest, its streams but those that cannot be read, and what is wrong."""

    manifest: Manifest
    streams: tuple[Stream, ...]
    problems: tuple[Problem, ...]


def bundle(file: GetFile) -> Bundle:
    """Read a bundle; ``file`` gives its files by path.

    Raises:
        AsrError: there is no manifest that can be read.
    """
    manifest = bundles.load(file(MANIFEST) or b"")
    problems: list[Problem] = []
    found = (listed(entry, file, problems.append) for _, entry in bundles.streams(manifest))
    return Bundle(manifest, tuple(one for one in found if one is not None), tuple(problems))


def listed(
    entry: StreamEntry, file: GetFile, report: Callable[[Problem], object], part: reading.Part | None = None
) -> Stream | None:
    """Read one stream that a manifest lists, and report what is wrong with it; None if it cannot be read.

    ``part``: what is kept of each record, by default all (``reading.load``).
    """
    digests = {one.path: one.sha256 for one in entry.files}

    def checked(path: str) -> bytes | None:
        data = file(path)
        if data is not None and hashlib.sha256(data).hexdigest() != digests[path]:
            message = f"{path} is not the file that {MANIFEST} lists"
            report(Problem("other-bytes", entry.stream, None, message))
        return data

    try:
        found = reading.load(entry, checked, part)
    except AsrError as error:
        kind: Kind = "unknown-major" if isinstance(error, UnknownMajor) else "unreadable-stream"
        report(Problem(kind, entry.stream, None, error.message))
        return None
    for fault in (*(gap for _, gap in found.gaps), *found.faults):
        report(Problem("bad-record", entry.stream, fault.line, fault.reason))
    return found


def stream(files: Iterable[bytes]) -> Stream:
    """Read a stream from the bytes of its file, or of several that are joined in order.

    Raises:
        UnknownMajor: it has a format version that is not read.
        AsrError: it begins with no header of the shape on which readers count.
    """
    return reading.joined("", files)


def standing(one: Stream) -> list[Record]:
    """What stands of a stream: every entity once, in its latest revision, without what was withdrawn."""
    return list(entities.Revisions(one.records).standing())


def calls(one: Stream) -> Calls:
    """The tool calls of a stream with their results."""
    return entities.pair(standing(one))


def usage(streams: Iterable[Stream], within: Callable[[Stream, Record], bool] | None = None) -> Total:
    """The tokens of streams, each model call once; ``within`` tells which records count, by default all."""
    return totals.total(streams, within)


def context(one: Stream, head: str | None = None) -> Context | None:
    """What, by the records, stood before the agent at a record, by default the last one: a projection, no proof.

    None if there is no such record.
    """
    return contexts.view(one.records, head, frozenset(place for place, _ in one.gaps))
