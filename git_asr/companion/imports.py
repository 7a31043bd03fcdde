"""What a bundle from elsewhere brought, marked in the companion ref so that no sync takes it for a leftover.

A sync makes a session's streams anew from its checkpoints, and what they do not give goes. A stream of a bundle need
not follow from a checkpoint that is here: the mark in its manifest entry says so, and is no part of what is exported.
"""

from __future__ import annotations

from dataclasses import replace

from git_asr.asr.bundle import StreamEntry
from git_asr.asr.shape import without
from git_asr.asr.version import SUPPORTED_MAJOR, major
from git_asr.companion.merge import NONE, StreamState, narrowed, rank, with_links
from git_asr.companion.store import StoredSession

MARK = "git-asr/imported"


def is_imported(entry: StreamEntry) -> bool:
    """Tell whether a stream came with a bundle."""
    return MARK in entry.other


def with_mark(entry: StreamEntry) -> StreamEntry:
    """A stream's entry that says that it came with a bundle."""
    return replace(entry, other={**entry.other, MARK: True})


def without_mark(entry: StreamEntry) -> StreamEntry:
    """A stream's entry as it came."""
    return replace(entry, other=without(entry.other, MARK))


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
