"""The files that a session touched: those that its agent's edits name, with the commits of the slices they came in."""

from __future__ import annotations

from collections.abc import Iterable

from git_asr.asr.draft import Record
from git_asr.asr.entities import Revisions, pair
from git_asr.asr.links import pairs
from git_asr.asr.origins import commits_of, origin_of
from git_asr.asr.reading import GetBlob, Stream, position, value
from git_asr.asr.slices import slices
from git_asr.views.edits import edits

_FAILED = ("error", "rejected", "cancelled")
_KEPT = ("tool_call", "tool_result", "tombstone")


def part(record: Record) -> Record | None:
    """What ``touched`` needs of a record (``reading.Part``): calls, results, and what takes them back."""
    if record["type"] in _KEPT:
        return record
    if "supersedes" in record:
        return {field: record[field] for field in ("type", "seq", "id", "supersedes")}
    return None


def touched(streams: Iterable[Stream], blob: GetBlob) -> dict[str, tuple[str, ...]]:
    """The paths as they are recorded, each with the commits that name the checkpoints with which its edits came in.

    An edit is a call that has the shape of one (``views.edits``), unless its result says that it failed; what a shell
    command did to files is not known. What a subagent did came in when it was started. A commit whose checkpoint does
    not tell its slice has all paths of the stream.
    """
    listed = tuple(streams)
    came_in, commits = origin_of(listed), commits_of(listed)
    always = {one.id: _unplaced(one) for one in listed}
    found: dict[str, set[str]] = {}
    for one in listed:
        for path, call in _edited(one, blob):
            at = position(call)
            own = found.setdefault(path, set())
            own.update(commits(one, at), always[came_in(one, at)[0].id])
    return {path: tuple(sorted(own)) for path, own in sorted(found.items())}


def _edited(stream: Stream, blob: GetBlob) -> list[tuple[str, Record]]:
    """The paths of the edits in a stream, each with its call."""
    found = []
    for one in pair(list(Revisions(stream.records).standing())).calls:
        status = None if one.result is None else one.result.get("status")
        if status in _FAILED:
            continue
        output = value(one.result, "output", blob) if one.result is not None and status == "ok" else None
        found += [(edit.path, one.call) for edit in edits(value(one.call, "arguments", blob), output)]
    return found


def _unplaced(stream: Stream) -> set[str]:
    """The commits whose checkpoint does not tell its slice."""
    placed = {one.checkpoint for one in slices(stream)}
    return {commit for checkpoint, commit in pairs(stream.links) if checkpoint not in placed}
