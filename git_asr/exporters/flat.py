"""The records of a stream, each with what it belongs to."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from git_asr.asr import entities
from git_asr.asr.draft import Record
from git_asr.asr.reading import Stream
from git_asr.exporters.base import ExportedSession, Losses
from git_asr.exporters.common import Places, resolved

Facts = dict[str, Any]
"""``harness``, ``session``, ``stream``; of records of the transcript ``stands`` too, and the others where known."""


def facts(session: ExportedSession, stream: Stream, losses: Losses) -> Iterator[tuple[Facts, Record]]:
    """The header of a stream, its records in order, and its links, with the values of blobs.

    ``stands``: whether a record is the latest revision of what it tells of, and was not withdrawn. ``tool``: the name
    of the tool whose result it is. ``checkpoints``, ``commits``: with which it came in, and which name these.
    """
    key: Facts = {"harness": session.key.harness, "session": session.key.id, "stream": stream.id}
    standing = list(entities.Revisions(stream.records).standing())
    stands = {id(record) for record in standing}
    names = {id(one.result): one.call.get("name") for one in entities.pair(standing).calls}
    places = Places(stream)
    yield key, resolved(stream.header, session.blob, losses)
    for record in stream.records:
        own: Facts = {**key, "stands": id(record) in stands}
        if (tool := names.get(id(record))) is not None:
            own["tool"] = tool
        checkpoints, commits = places.of(record)
        if checkpoints:
            own |= {"checkpoints": checkpoints, "commits": commits}
        yield own, resolved(record, session.blob, losses)
    for record in stream.links:
        yield key, resolved(record, session.blob, losses)
