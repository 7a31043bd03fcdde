"""JSON Lines, flat: a line for each record, with its session and stream, what lies in blobs, and what it belongs to."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from git_asr.asr import codec, entities
from git_asr.asr.draft import Record
from git_asr.asr.reading import Stream
from git_asr.exporters.base import ExportedSession, Losses, Put
from git_asr.exporters.common import ABSENT_BLOB, BINARY, COMMON, Places, begun, problems, resolved

PATH = "records.jsonl"
HEAD = "git-asr/export"
LOSSES = "git-asr/losses"
_REASONS = {
    **COMMON,
    BINARY: "a part of a content is no text: its media type, size and SHA-256 stay",
    ABSENT_BLOB: "a value is not in the bundle: the record says that it is omitted",
}
_OWN = ("harness", "session", "stream", "stands", "tool", "checkpoints", "commits")
"""What a line says beside its record, first; a field of the record with such a name has ``_`` before it."""


class _Jsonl:
    name = "jsonl"
    suffix = ".jsonl"

    def write(self, sessions: Iterable[ExportedSession], put: Put) -> Losses:
        """See ``Exporter.write``. One file: a line about the export, one for each record, one with the losses."""
        losses = Losses(_REASONS)
        put(PATH, _lines(sessions, losses))
        return losses


JSONL = _Jsonl()


def _lines(sessions: Iterable[ExportedSession], losses: Losses) -> Iterator[bytes]:
    first, sessions = begun(sessions)
    yield codec.encode_line({"type": HEAD, "version": 1, **first})
    for session in sessions:
        problems(session, losses)
        for stream in session.streams:
            yield from (codec.encode_line(line) for line in _stream(session, stream, losses))
    yield codec.encode_line({"type": LOSSES, "losses": losses.as_json()})


def _stream(session: ExportedSession, stream: Stream, losses: Losses) -> Iterator[dict[str, Any]]:
    """The lines of a stream: its header, its records in order, its links."""
    key = {"harness": session.key.harness, "session": session.key.id, "stream": stream.id}
    revisions = entities.Revisions(stream.records)
    standing = list(revisions.standing())
    stands = {id(record) for record in standing}
    names = {id(one.result): one.call.get("name") for one in entities.pair(standing).calls}
    places = Places(stream)
    yield _flat(key, resolved(stream.header, session.blob, losses))
    for record in stream.records:
        own: dict[str, Any] = {**key, "stands": id(record) in stands}
        if (tool := names.get(id(record))) is not None:
            own["tool"] = tool
        checkpoints, commits = places.of(record)
        if checkpoints:
            own["checkpoints"], own["commits"] = checkpoints, commits
        yield _flat(own, resolved(record, session.blob, losses))
    for record in stream.links:
        yield _flat(key, resolved(record, session.blob, losses))


def _flat(own: dict[str, Any], record: Record) -> dict[str, Any]:
    """The fields of a line: its own, and the record's beside them; what both say alike stands once."""
    rest = {
        f"_{field}" if field in _OWN else field: value
        for field, value in record.items()
        if field not in own or own[field] != value
    }
    return {**own, **rest}
