"""Sessions that are forgotten: a manifest without streams takes the place of the bundle, and wins every merge.

Profile section 8: whoever syncs or merges keeps it so. What is left of a session is its key, the reason, and how far it
went, in units.
"""

from __future__ import annotations

from collections.abc import Iterable

from git_asr.asr.bundle import MANIFEST, Manifest, Session
from git_asr.asr.header import SessionKey
from git_asr.asr.links import CHECKPOINT
from git_asr.asr.times import instant
from git_asr.companion import store
from git_asr.companion.merge import through
from git_asr.companion.store import DamagedBundle, StoredSession
from git_asr.companion.tree import session_path
from git_asr.git.base import FILE, TREE, Objects, TreeEntry
from git_asr.git.trees import Edit, edit_tree
from git_asr.git.writing import ObjectWriter
from git_asr.values import dataclass


@dataclass(frozen=True, slots=True)
class Forget:
    """Sessions that are to be forgotten, and why."""

    keys: tuple[SessionKey, ...]
    reason: str


def buried(objects: Objects, writer: ObjectWriter, tree: str | None, wanted: Forget) -> str | None:
    """A companion tree in which some sessions are forgotten; those that were forgotten before stay as they are."""
    edits: dict[str, Edit] = {}
    for key in wanted.keys:
        found = None if tree is None else objects.lookup(tree, f"{session_path(key)}/{MANIFEST}")
        if found is not None and store.says_forgotten(objects.blob(found.oid)):
            continue
        manifest = tombstone(key, wanted.reason, _through(objects, tree, key))
        entry = TreeEntry(MANIFEST, FILE, writer.blob(manifest.dump()))
        edits[session_path(key)] = (TREE, writer.tree([entry]))
    result = edit_tree(objects, writer, tree, edits)
    writer.finish()
    return result


def tombstone(key: SessionKey, reason: str, last: int) -> Manifest:
    """The manifest of a forgotten session. ``last``: the last position that one of its streams had, 0 where unknown."""
    return Manifest((Session(key, ()),), forgotten={"reason": reason, "through": last})


def newest_checkpoint(stored: StoredSession) -> int | None:
    """When the newest checkpoint of a session was made, in nanoseconds since 1970; None where none says.

    A session without checkpoints, which a bundle or events brought, is as old as its last record.
    """
    links = [record for _, record in store.links_of(stored) if record["type"] == CHECKPOINT]
    ends = [one.entry.summary.get("endedAt") for one in stored.state.streams.values()]
    said: Iterable[object] = (record.get("ts") for record in links) if links else ends
    times = [instant(one) for one in said if isinstance(one, str)]
    return max((one for one in times if one is not None), default=None)


def _through(objects: Objects, tree: str | None, key: SessionKey) -> int:
    try:
        stored = store.load_session(objects, tree, key)
    except DamagedBundle:
        return 0
    return max((through(one.header) for one in stored.state.streams.values()), default=0) if stored else 0
