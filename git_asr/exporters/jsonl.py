"""JSON Lines, flat: a line for each record, with its session and stream, what lies in blobs, and what it belongs to."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from git_asr.asr import codec
from git_asr.asr.draft import Record
from git_asr.exporters.base import ExportedSession, Losses, Put
from git_asr.exporters.common import ABSENT_BLOB, BINARY, COMMON, begun, problems
from git_asr.exporters.flat import Facts, facts

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
            yield from (codec.encode_line(_flat(*found)) for found in facts(session, stream, losses))
    yield codec.encode_line({"type": LOSSES, "losses": losses.as_json()})


def _flat(own: Facts, record: Record) -> dict[str, Any]:
    """The fields of a line: its own, and the record's beside them; what both say alike stands once."""
    rest = {
        f"_{field}" if field in _OWN else field: value
        for field, value in record.items()
        if field not in own or own[field] != value
    }
    return {**own, **rest}
