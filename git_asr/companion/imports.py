"""What a bundle from elsewhere brought, marked in the companion ref so that no sync takes it for a leftover.

A sync makes a session's streams anew from its checkpoints, and what they do not give goes. A stream of a bundle need
not follow from a checkpoint that is here: the mark in its manifest entry says so, and is no part of what is exported.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from git_asr.asr import large
from git_asr.asr.bundle import Manifest, StreamEntry, listed_files
from git_asr.asr.parts import blob_path
from git_asr.asr.shape import without
from git_asr.asr.version import SUPPORTED_MAJOR, major
from git_asr.companion.merge import IMPORTED, NONE, StreamState, narrowed, rank, with_links
from git_asr.companion.store import StoredSession


def is_imported(entry: StreamEntry) -> bool:
    """Tell whether a stream came with a bundle."""
    return IMPORTED in entry.other


def with_mark(entry: StreamEntry) -> StreamEntry:
    """A stream's entry that says that it came with a bundle."""
    return replace(entry, other={**entry.other, IMPORTED: True})


def without_mark(entry: StreamEntry) -> StreamEntry:
    """A stream's entry as it came."""
    return replace(entry, other=without(entry.other, IMPORTED))


_UNCLAIMED = "git-asr/unclaimed"
"""Field of a session's manifest: files that its bundle listed as blobs, and that no stream names."""


def with_unclaimed(manifest: Manifest, blobs: Iterable[large.Blob]) -> Manifest:
    """A manifest of one session that keeps blobs for whoever may know why they are there."""
    listed = [
        {
            "path": blob_path(one.sha256),
            "bytes": one.bytes,
            "sha256": one.sha256,
            "mediaType": one.media_type,
            **one.other,
        }
        for one in sorted(blobs, key=lambda one: one.sha256)
    ]
    return replace(manifest, other={**manifest.other, _UNCLAIMED: listed}) if listed else manifest


def as_it_came(manifest: Manifest) -> Manifest:
    """A session's manifest without marks: what no stream names is listed as blobs again."""
    listed = [
        file for file in listed_files([manifest.other.get(_UNCLAIMED)]) if file.path == blob_path(file.sha256)
    ]
    unclaimed = (
        large.Blob(one.sha256, one.bytes, str(one.other.get("mediaType")), without(one.other, "mediaType"))
        for one in listed
    )
    sessions = (replace(one, streams=tuple(map(without_mark, one.streams))) for one in manifest.sessions)
    return replace(
        manifest,
        sessions=tuple(sessions),
        blobs=(*manifest.blobs, *unclaimed),
        other=without(manifest.other, _UNCLAIMED),
    )


def to_merge(present: StoredSession) -> StoredSession | None:
    """What a sync merges with the streams that checkpoints give: streams that came with a bundle, without their links.

    None where there are none that say something.
    """
    streams = {
        name: one if major(one.entry.format_version) != SUPPORTED_MAJOR else with_links(one, ())
        for name, one in _own(present).items()
        if rank(one.header) != NONE
    }
    return StoredSession(narrowed(present.state, streams), present.files) if streams else None


def left_of(present: StoredSession) -> StoredSession | None:
    """What is left of a session that no checkpoint gives any more: all that came with a bundle; None for nothing."""
    streams = _own(present)
    return StoredSession(narrowed(present.state, streams), present.files) if streams else None


def _own(present: StoredSession) -> dict[str, StreamState]:
    return {name: one for name, one in present.state.streams.items() if is_imported(one.entry)}
