"""Many copies of a session → its lines: which units they hold, and which copy gives each (profile section 5).

A *copy* is the transcript of a session in one checkpoint. Most copies are the same file, longer each time, and that
is cheap to know: the ID of a blob is a hash of its bytes, so an older copy is the beginning of a newer one exactly
if hashing that many bytes of the newer gives the older's ID. Only what is not a beginning is read and compared.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from git_asr.asr.header import UNKNOWN
from git_asr.converters.base import NativeFormat, TellsAgent, Unit
from git_asr.converters.detect import detect
from git_asr.converters.units import read_units
from git_asr.errors import AsrError, Diagnostic
from git_asr.values import dataclass

Content = tuple[str, ...]
"""The blobs of a transcript in order: one, or the chunks of a large one."""

Place = tuple[int, int]
"""Position and index of a unit."""

ABSENT = "the transcript cannot be read in this repository"
"""Why a session or a subagent has no transcript that may appear later."""

UNKNOWN_TRANSCRIPT = "unknown-transcript"
"""Tells that a transcript is of no known agent; a later version may know it."""

OF_NO_AGENT = "the transcript is of no known agent"
"""Why a transcript is not used where Entire's own stands in for it."""

_LAST_FOLDER = 1_000_000


@dataclass(frozen=True, slots=True)
class Copy:
    """The transcript of a session in one checkpoint.

    ``created``: nanoseconds since the epoch, 0 when unknown. ``sizes``: bytes of each blob of ``content``.
    ``path``: where the transcript lies below the checkpoint, for people. ``start``: its lines or elements before the
    checkpoint's own slice, None where that is not recorded.
    ``compact``: it is Entire's own, which stands in for the native one. ``continues``: it is known to begin in the
    middle of its session.
    """

    checkpoint: str
    folder: str
    created: int
    content: Content
    sizes: tuple[int, ...]
    path: str
    start: int | None = None
    compact: bool = False
    continues: bool = False

    @property
    def age(self) -> tuple[int, str, int, str]:
        """Sort key: oldest first, and the same order everywhere for equal times."""
        return self.created, self.checkpoint, *folder_order(self.folder)


def folder_order(folder: str) -> tuple[int, str]:
    """Sort key of a session folder's name: a number as such, any other name before all numbers.

    The flat layout's own folder, which has no name, holds the newest session and comes last.
    """
    if not folder:
        return _LAST_FOLDER, folder
    return (int(folder) if folder.isascii() and folder.isdecimal() else -1), folder


def absent_blob(where: str, said: str = ABSENT) -> Diagnostic:
    """Tells that a file of a checkpoint is not here."""
    return Diagnostic(
        "absent-blob", where, said, "fetch it from a complete clone: sync looks again each time"
    )


class UnreadableBlob(AsrError):
    """A blob of a transcript has a size and cannot be read."""

    def __init__(self, oid: str) -> None:
        super().__init__(f"object {oid} cannot be read")
        self.oid = oid


class ContentReader:
    """Reads transcripts by their blobs and keeps the last few, so that looking twice costs one reading.

    ``read`` gives the bytes of a blob, or None when it is absent. ``kept`` bytes at most are held.
    """

    def __init__(self, read: Callable[[str], bytes | None], object_format: str, kept: int = 32 << 20) -> None:
        self._read = read
        self._hash = object_format
        self._kept = kept
        self._cache: dict[str, bytes] = {}
        self._held = 0

    def offer(self, oid: str, data: bytes) -> None:
        """Put in a blob that was read ahead."""
        while self._cache and len(data) + self._held > self._kept:
            self._held -= len(self._cache.pop(next(iter(self._cache))))
        self._held += len(data) - len(self._cache.get(oid, b""))
        self._cache[oid] = data

    def forget(self) -> None:
        """Let go of what is held: the next session has other transcripts."""
        self._cache.clear()
        self._held = 0

    def blob(self, oid: str) -> bytes:
        """The bytes of a blob.

        Raises:
            UnreadableBlob: it cannot be read, though its size was known.
        """
        if oid not in self._cache:
            data = self._read(oid)
            if data is None:
                raise UnreadableBlob(oid)
            self.offer(oid, data)
        return self._cache[oid]

    def chunks(self, content: Content) -> Iterator[bytes]:
        """The chunks of a transcript, one at a time."""
        return map(self.blob, content)

    def begins(self, copy: Copy, whole: Copy) -> bool:
        """Tell whether the bytes of ``copy`` are the beginning of those of ``whole``."""
        *same, last = range(len(copy.content))
        if len(copy.content) > len(whole.content) or any(copy.content[i] != whole.content[i] for i in same):
            return False
        size = copy.sizes[last]
        if copy.content[last] == whole.content[last] or size > whole.sizes[last]:
            return copy.content[last] == whole.content[last]
        digest = hashlib.new(self._hash, b"blob %d\0" % size, usedforsecurity=False)
        digest.update(memoryview(self.blob(whole.content[last]))[:size])
        return digest.hexdigest() == copy.content[last]


@dataclass(frozen=True, slots=True)
class Family:
    """Copies of which each is the beginning of ``root``, bytes for bytes; ``root`` is one of them.

    ``session``: the first native session ID in the root, as stored. ``harness``: the agent, as the registry names it.
    """

    root: Copy
    copies: tuple[Copy, ...]
    native: NativeFormat | None
    session: str | None
    harness: str


def families(copies: Iterable[Copy], reader: ContentReader) -> Iterator[Family]:
    """Sort copies into families, reading one transcript for each family; largest root first."""
    rest = sorted(copies, key=lambda copy: (-sum(copy.sizes), copy.age))
    while rest:
        root = rest[0]
        native = detect(reader.chunks(root.content))
        document = native is not None and native.array is not None
        mine: list[Copy] = []
        others: list[Copy] = []
        for copy in rest:
            is_mine = copy.content == root.content or (not document and reader.begins(copy, root))
            (mine if is_mine else others).append(copy)
        rest = others
        yield Family(root, tuple(mine), native, *_session(native, root.content, reader))


def _session(native: NativeFormat | None, content: Content, reader: ContentReader) -> tuple[str | None, str]:
    """The session ID and the agent: the first that the units name. Of most formats there is one agent."""
    if native is None:
        return None, UNKNOWN
    if isinstance(native, TellsAgent):  # its units name no session
        return None, _first(native, reader.chunks(content), native.agent) or native.harness
    return _first(native, reader.chunks(content), lambda value: native.facts(value).session), native.harness


def _first(native: NativeFormat, chunks: Iterator[bytes], tell: Callable[[Any], str | None]) -> str | None:
    """The first answer that a transcript's units give."""
    values = (unit.value for unit in read_units(chunks, native) if unit.kind == "value")
    return next(filter(None, map(tell, values)), None)


def chunks_of(copy: Copy, family: Family, reader: ContentReader) -> Iterator[bytes]:
    """The chunks of a copy, taken from its family's root."""
    for index, size in enumerate(copy.sizes):
        oid = family.root.content[index]
        yield reader.blob(oid) if copy.content[index] == oid else reader.blob(oid)[:size]


def units_of(copy: Copy, family: Family, reader: ContentReader) -> Iterator[Unit]:
    """The units of a copy."""
    return read_units(chunks_of(copy, family, reader), family.native)


def extent(copy: Copy, family: Family, reader: ContentReader) -> int:
    """The last position of a copy: its physical lines, or the elements of the document's array."""
    if family.native is not None and family.native.array is not None:
        return max((unit.position for unit in units_of(copy, family, reader)), default=0)
    return sum(
        _lines(reader.blob(oid), size) for oid, size in zip(family.root.content, copy.sizes, strict=False)
    )


def _lines(data: bytes, size: int) -> int:
    """The physical lines in the first ``size`` bytes, the last one ended or not."""
    return data.count(b"\n", 0, size) + (size > 0 and data[size - 1 : size] != b"\n")


@dataclass(frozen=True, slots=True)
class Segment:
    """A run of units that one copy gives to a stream: from ``first`` to ``last``, or to its end."""

    copy: Copy
    family: Family
    first: Place
    last: Place | None


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a session's history: it becomes one stream.

    ``stream``: its ID. ``members``: every copy that belongs to it with its family, newest first. ``relation``: the
    lineage facet (``continues``, ``forkedFrom``) and the stream of the session it leads to (None: not known which).
    ``copied``: for each unit that an earlier line has too, that line's stream and the unit's native ID there.
    """

    stream: str
    native: NativeFormat | None
    segments: tuple[Segment, ...]
    members: tuple[tuple[Copy, Family], ...]
    relation: tuple[str, str | None] | None = None
    copied: Mapping[Place, tuple[str, str | None]] | None = None

    @property
    def copies(self) -> tuple[Copy, ...]:
        """Every copy that belongs to the line, newest first."""
        return tuple(copy for copy, _ in self.members)

    def units(self, reader: ContentReader) -> Iterator[Unit]:
        """All units of the line, each from the newest copy that has it; every copy is read once at most."""
        if len(self.segments) == 1:  # nearly always
            whole = self.segments[0]
            if whole.first == (0, 0) and whole.last is None:
                yield from units_of(whole.copy, whole.family, reader)
                return
        runs: dict[Copy, Iterator[Unit]] = {}
        for segment in self.segments:
            if segment.copy not in runs:
                runs[segment.copy] = units_of(segment.copy, segment.family, reader)
            for unit in runs[segment.copy]:
                place = (unit.position, unit.index)
                if place >= segment.first:
                    yield unit
                if place == segment.last:
                    break

    def extents(self, reader: ContentReader) -> dict[Copy, int]:
        """The last position of each of the line's copies."""
        distinct = {copy.content: (copy, family) for copy, family in self.members}
        known = {content: extent(copy, family, reader) for content, (copy, family) in distinct.items()}
        return {copy: known[copy.content] for copy, _ in self.members}


def newest_first(copies: Iterable[Copy]) -> tuple[Copy, ...]:
    """Copies by age, the newest first."""
    return tuple(sorted(copies, key=lambda copy: copy.age, reverse=True))


def is_simple(kin: Sequence[Family]) -> bool:
    """Tell whether the newest copy is the whole story: one family, and its root is the newest copy's content."""
    return len(kin) == 1 and newest_first(kin[0].copies)[0].content == kin[0].root.content
