"""Transcripts for tests: copies of a session as checkpoints store them, without a repository."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from typing import Any

import orjson

from git_asr.asr.numbering import number
from git_asr.converters.opaque import DOCUMENTS, LINES, Opaque
from git_asr.entire.copies import ContentReader, Copy, Family, Line, families
from git_asr.entire.lines import lines

SESSION = "11111111-2222-3333-4444-555555555555"


def claude(identifier: str, parent: str | None, second: int, **other: Any) -> dict[str, Any]:
    """A chained line of Claude Code."""
    return {
        "parentUuid": parent,
        "sessionId": SESSION,
        "type": "user",
        "message": {"role": "user", "content": f"say {identifier}"},
        "uuid": identifier,
        "timestamp": f"2026-01-01T00:{second // 60:02d}:{second % 60:02d}.000Z",
        **other,
    }


def chain(*identifiers: str, parent: str | None = None, start: int = 0) -> list[dict[str, Any]]:
    """Chained lines, each the child of the one before."""
    parents = [parent, *identifiers[:-1]]
    return [
        claude(one, before, start + n)
        for n, (one, before) in enumerate(zip(identifiers, parents, strict=True))
    ]


def text(values: Iterable[Any], *, final: bytes = b"\n") -> bytes:
    """JSON Lines."""
    return b"\n".join(orjson.dumps(value) for value in values) + final


class Blobs(dict[str, bytes]):
    """An object store of blobs; it counts how often each is read."""

    def __init__(self, object_format: str = "sha1") -> None:
        super().__init__()
        self.object_format = object_format
        self.reads: list[str] = []

    def put(self, data: bytes) -> str:
        oid = hashlib.new(self.object_format, b"blob %d\0" % len(data) + data).hexdigest()
        self[oid] = data
        return oid

    def copy_of(self, checkpoint: str, created: int, *chunks: bytes, folder: str = "0") -> Copy:
        oids = tuple(map(self.put, chunks))
        return Copy(checkpoint, folder, created, oids, tuple(map(len, chunks)), f"{folder}/full.jsonl")

    def read(self, oid: str) -> bytes | None:
        self.reads.append(oid)
        return self.get(oid)

    def reader(self) -> ContentReader:
        return ContentReader(self.read, self.object_format)


def arranged(blobs: Blobs, copies: Sequence[Copy], session: str = SESSION) -> tuple[Line, ...]:
    """The lines of one session's copies."""
    reader = blobs.reader()
    return lines(session, list(families(copies, reader)), reader)


def families_of(blobs: Blobs, copies: Sequence[Copy]) -> list[Family]:
    return list(families(copies, blobs.reader()))


def _opaque(line: Line) -> Opaque:
    return LINES if line.native is None or line.native.array is None else DOCUMENTS


def ids(blobs: Blobs, line: Line) -> list[str]:
    """The IDs of the records that keep each unit as it is."""
    drafts = _opaque(line).convert(line.units(blobs.reader()), line.native)
    return [record["id"] for record in number(drafts)]


def records(blobs: Blobs, line: Line) -> list[dict[str, Any]]:
    """The records that keep each unit of a line as it is."""
    drafts = _opaque(line).convert(line.units(blobs.reader()), line.native)
    return list(number(drafts))
