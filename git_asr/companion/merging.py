"""Two companion trees → one, session by session (profile section 8, *merge*)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from git_asr.asr import codec, links
from git_asr.asr.bundle import Manifest, Session
from git_asr.asr.draft import Record
from git_asr.asr.header import UNKNOWN, SessionKey
from git_asr.companion import store
from git_asr.companion.merge import StreamState, sources, with_links, without
from git_asr.companion.store import DamagedBundle, StoredSession
from git_asr.companion.tree import changed_sessions
from git_asr.errors import Diagnostic, Report
from git_asr.git.base import TREE, Objects
from git_asr.git.trees import edit_tree
from git_asr.git.writing import ObjectWriter


def merge_trees(objects: Objects, writer: ObjectWriter, left: str, right: str, report: Report) -> str | None:
    """Merge two companion trees; only the sessions that differ are read.

    A session's bundle that is damaged on one side is reported, and the other side's stands; damaged on both, the
    left one's stays as it is.
    """
    edits: dict[str, tuple[int, str] | None] = {}
    for path, mine, theirs in changed_sessions(objects, left, right):
        if mine is None or theirs is None:
            tree = mine or theirs
        else:
            tree = _merge_session(objects, writer, (path, mine, theirs), report)
        if tree is not None and tree != mine:
            edits[path] = (TREE, tree)
    merged = edit_tree(objects, writer, left, edits)
    if merged is None:
        return None
    writer.finish()  # what was just merged is read again
    decided = edit_tree(objects, writer, merged, _with_decisions(objects, writer, merged))
    if decided is None:
        return None
    writer.finish()
    return edit_tree(objects, writer, decided, _without_superfluous(objects, writer, decided))


def _merge_session(
    objects: Objects, writer: ObjectWriter, differing: tuple[str, str, str], report: Report
) -> str | None:
    path, mine, theirs = differing
    sides = [
        one for one in (_load(objects, tree, path, report) for tree in (mine, theirs)) if one is not None
    ]
    if not sides:
        return None
    if len(sides) == 1:
        return mine if _load(objects, mine, path, _ignore) is not None else theirs
    return store.write_session(writer, objects, store.merge_sessions(writer, *sides).files)


def _load(objects: Objects, tree: str, path: str, report: Report) -> StoredSession | None:
    try:
        return store.load_bundle(objects, tree)
    except DamagedBundle as error:
        report(Diagnostic("damaged-bundle", path, error.message, error.hint))
        return None


def _ignore(diagnostic: Diagnostic) -> None:
    """It was reported."""


def _with_decisions(objects: Objects, writer: ObjectWriter, tree: str) -> dict[str, tuple[int, str] | None]:
    """The edits that give every session of a checkpoint all decisions about it: they are found nowhere else.

    A bundle that goes leaves them to the others so; and only if all have all does the order of merging not matter.
    """
    decisions: dict[str, dict[bytes, Record]] = {}
    for record in store.link_records(objects, tree):
        if links.is_decision(record):
            bare = links.for_session(record, ())
            decisions.setdefault(links.checkpoint_of(record), {})[codec.encode(bare)] = bare
    edits: dict[str, tuple[int, str] | None] = {}
    for path, one in store.manifests(objects, tree) if decisions else ():
        entry = objects.lookup(tree, path) if isinstance(one, Manifest) and one.forgotten is None else None
        loaded = None if entry is None else _load(objects, entry.oid, path, _ignore)
        if loaded is None:
            continue
        streams = {name: _decided(stream, decisions) for name, stream in loaded.state.streams.items()}
        if streams != loaded.state.streams:
            changed = store.assemble(writer, replace(loaded.state, streams=streams), loaded.pool)
            edits[path] = (TREE, store.write_session(writer, objects, changed.files))
    return edits


def _decided(stream: StreamState, decisions: Mapping[str, Mapping[bytes, Record]]) -> StreamState:
    """A stream with the decisions about the checkpoints that stand in it."""
    added = [
        links.for_session(decision, record["sessionIds"])
        for record in stream.links
        if record["type"] == links.CHECKPOINT
        for decision in decisions.get(record["id"], {}).values()
    ]
    united = links.unite(stream.links, added)
    return stream if united == list(stream.links) else with_links(stream, united)


def _without_superfluous(
    objects: Objects, writer: ObjectWriter, tree: str
) -> dict[str, tuple[int, str] | None]:
    """The edits that take from bundles without a transcript what other bundles hold under the same session ID.

    A session that was forgotten before its agent was known, or after, goes too.
    """
    listed = [(path, one) for path, one in store.manifests(objects, tree) if isinstance(one, Manifest)]
    edits: dict[str, tuple[int, str] | None] = dict.fromkeys(_forgotten_twins(listed))
    listed = [(path, one) for path, one in listed if path not in edits]
    bare = {path for path, one in listed if one.forgotten is None and any(map(_is_bare, one.sessions))}
    held: set[tuple[str, str]] = set()
    mine: dict[str, StoredSession] = {}
    for path, _ in listed if bare else ():
        entry = objects.lookup(tree, path)
        loaded = None if entry is None else _load(objects, entry.oid, path, _ignore)
        if loaded is not None and path in bare:
            mine[path] = loaded
        elif loaded is not None:
            held |= sources(loaded.state)
    for path, loaded in mine.items():
        left = without(loaded.state, held)
        if left is None:
            edits[path] = None
        elif left != loaded.state:
            edits[path] = (
                TREE,
                store.write_session(writer, objects, store.assemble(writer, left, loaded.pool).files),
            )
    return edits


def _forgotten_twins(listed: Sequence[tuple[str, Manifest]]) -> list[str]:
    """The sessions that were forgotten under the same ID, of which one of the two has no agent."""
    keys = [
        (path, one.forgotten is not None, session.key) for path, one in listed for session in one.sessions
    ]
    gone: dict[str, list[SessionKey]] = {}
    for _, is_gone, key in keys:
        if is_gone:
            gone.setdefault(key.id, []).append(key)
    return [
        path
        for path, is_gone, key in keys
        if not is_gone and any(key.bare or other.bare for other in gone.get(key.id, ()))
    ]


def _is_bare(session: Session) -> bool:
    return session.key.harness == UNKNOWN and all(
        not entry.summary.get("counts") for entry in session.streams
    )
