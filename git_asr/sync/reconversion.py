"""Sessions that an earlier version of a converter made, and streams that a later one did.

The former are converted anew, after everything else; the latter stay as they are, whoever syncs.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from git_asr.asr.version import SUPPORTED_MAJOR, major
from git_asr.companion import store
from git_asr.companion.merge import NATIVE, StreamState, narrowed, rank, with_links
from git_asr.companion.state import Key, State
from git_asr.converters.versions import VERSIONS, known
from git_asr.entire.copies import UNKNOWN_TRANSCRIPT

AT_ONCE = 512
"""Outdated sessions that are converted anew before what was made of them is published."""
_STAND_INS = frozenset({"opaque", "entire-transcript"})
"""Converters whose streams give way to those of one that knows the agent's own format."""


def note_outdated(state: State) -> None:
    """Mark the sessions that the converters of today would make otherwise than those that made them.

    A converter that is new may concern every session whose transcript none knew.
    """
    before = state.meta("converters")
    if before is not None and before != known():
        new = not VERSIONS.keys() <= {_split(one)[0] for one in before.split()}
        if new:
            state.findings.drop_kind(UNKNOWN_TRANSCRIPT)
        state.mark_outdated(key for key, made in state.makers() if is_outdated(made, new=new))
    state.set_meta("converters", known())


def is_outdated(made: str, *, new: bool) -> bool:
    """Tell by which converters a session's streams were ``made`` whether they would be made otherwise today.

    ``new``: whether there is a converter that there was not.
    """
    pairs = [_split(one) for one in made.split()]
    return any(version < VERSIONS.get(name, 0) or (new and name in _STAND_INS) for name, version in pairs)


def groups(state: State, keys: list[Key]) -> set[str]:
    """The groups of folders that hold these sessions."""
    return {row.stored for key in keys for row in state.of_session(key)}


def makers(streams: Mapping[str, StreamState]) -> str:
    """The converters with which streams were made, as the state keeps them."""
    return " ".join(sorted({_version(one.header) for one in streams.values()} - {""}))


def later(present: store.StoredSession) -> store.StoredSession | None:
    """The streams of a session, without their links, that only a later version of git-asr can have made."""
    streams = {
        name: one if _is_of_later_major(one) else with_links(one, ())
        for name, one in present.state.streams.items()
        if is_later(one)
    }
    return store.StoredSession(narrowed(present.state, streams), present.files) if streams else None


def is_later(stream: StreamState) -> bool:
    """Tell whether a later version of git-asr made a stream: by its format, or by a converter not known here."""
    if _is_of_later_major(stream):
        return True
    name, version = _split(_version(stream.header))
    if name not in VERSIONS:
        return rank(stream.header) == NATIVE
    return version > VERSIONS[name]


def _is_of_later_major(stream: StreamState) -> bool:
    return (major(stream.entry.format_version) or 0) > SUPPORTED_MAJOR


def _version(header: Mapping[str, Any]) -> str:
    found = (header.get("producer") or {}).get("version")
    return found if isinstance(found, str) and " " not in found else ""


def _split(made: str) -> tuple[str, int]:
    """Name and version of a converter, as ``producer.version`` has them."""
    name, _, number = made.rpartition("/")
    return name, int(number) if number.isascii() and number.isdecimal() and len(number) < 10 else 0
