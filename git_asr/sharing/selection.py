"""The sessions of a companion tree that may go to a remote, and those that are left out (profile section 8, *push*)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from git_asr.asr import codec
from git_asr.asr.bundle import MANIFEST, Manifest
from git_asr.asr.header import SessionKey
from git_asr.asr.links import CHECKPOINT
from git_asr.asr.shape import without
from git_asr.companion import merge, store
from git_asr.companion.merge import SessionState, StreamState
from git_asr.companion.store import DamagedBundle, StoredSession
from git_asr.companion.tree import changed_sessions
from git_asr.git.base import TREE, Objects
from git_asr.git.trees import edit_tree
from git_asr.git.writing import ObjectWriter
from git_asr.sharing.provenance import Held, Sources, Trees, Undecided
from git_asr.values import dataclass


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A session that does not go, and why, as the end of a sentence."""

    session: SessionKey
    why: str


@dataclass(frozen=True, slots=True)
class Selection:
    """Sessions that may go. ``trees``: of each its tree, by its path in the companion tree."""

    trees: Mapping[str, str]
    left_out: tuple[LeftOut, ...]

    def tree(self, objects: Objects, writer: ObjectWriter) -> str | None:
        """The companion tree of these sessions alone; None where there are none."""
        return edit_tree(objects, writer, None, {path: (TREE, one) for path, one in self.trees.items()})


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A session that the remote does not have like this. ``wanted``: the trees that must be held there."""

    path: str
    tree: str
    key: SessionKey
    wanted: Trees


def select(
    objects: Objects, writer: ObjectWriter, between: tuple[str | None, str], sources: Sources, held: Held
) -> Selection:
    """Choose among the sessions that differ between two companion trees: the remote's (None: it has none) and ours.

    A session goes if every tree of a checkpoint that it was made from is held there, if it was forgotten, or if its
    transcripts are there already and only its links are new. Nothing goes of what came with a bundle: neither streams
    nor native transcripts.

    Raises:
        AsrError: one of the trees cannot be read, or an object cannot be written.
    """
    left_out: list[LeftOut] = []
    candidates = list(_candidates(objects, between, sources, left_out))
    wanted: dict[str, frozenset[str]] = {}
    for one in candidates:
        wanted |= one.wanted
    lacking = held.lacks(wanted, sources.names(wanted)) if wanted else set()
    trees: dict[str, str] = {}
    for one in candidates:
        absent = sorted(one.wanted.keys() & lacking)
        if absent:
            left_out.append(LeftOut(one.key, _absence(absent)))
        else:
            trees[one.path] = _clean(objects, writer, one.tree)
    writer.finish()
    return Selection(trees, tuple(sorted(left_out, key=lambda one: one.session)))


def _absence(checkpoints: list[str]) -> str:
    more = f" and {len(checkpoints) - 1} more" if len(checkpoints) > 1 else ""
    return f"its checkpoint {checkpoints[0]}{more} is not there as it is here"


def _candidates(
    objects: Objects, between: tuple[str | None, str], sources: Sources, left_out: list[LeftOut]
) -> Iterator[_Candidate]:
    for path, theirs, mine in changed_sessions(objects, *between):
        if mine is None:
            continue
        try:
            stored = store.load_bundle(objects, mine)
        except DamagedBundle as error:
            left_out.append(LeftOut(_key(path), error.message))
            continue
        if stored.state.forgotten is not None or _is_known(stored, store.readable(objects, theirs)):
            yield _Candidate(path, mine, stored.state.key, {})
            continue
        try:
            yield _Candidate(path, mine, stored.state.key, sources.of(path, mine, stored))
        except Undecided as why:
            left_out.append(LeftOut(stored.state.key, str(why)))


def _key(path: str) -> SessionKey:
    """What a path tells of a session whose bundle cannot be read."""
    harness, _, name = path.split("/")
    return SessionKey(harness, name)


def _is_known(mine: StoredSession, theirs: StoredSession | None) -> bool:
    """Whether all that a session has of checkpoints is there already."""
    if theirs is None:
        return False
    others = theirs.state.streams
    blobs = {path: oid for path, oid in mine.files.items() if path.startswith("blobs/")}
    return blobs.items() <= theirs.files.items() and all(
        name in others and _told(mine, one) <= _told(theirs, others[name])
        for name, one in mine.state.streams.items()
    )


def _told(stored: StoredSession, stream: StreamState) -> set[tuple[str, object]]:
    """What a stream has, its links aside: its files as they are stored, what the manifest says, checkpoints' records.

    Not what the manifest says of the files: that could be said of any.
    """
    files = {(file.path, stored.files.get(file.path)) for file in stream.transcript}
    records = {
        (record["id"], codec.encode(without(record, "seq")))
        for record in stream.links
        if record["type"] == CHECKPOINT
    }
    summary = without(dict(stream.entry.summary), "commits")
    return {
        *files,
        *records,
        ("summary", codec.encode(summary)),
        ("", codec.encode(dict(stream.entry.other))),
    }


def _clean(objects: Objects, writer: ObjectWriter, tree: str) -> str:
    """The session's tree with nothing in it but streams and what they name."""
    stored = store.load_bundle(objects, tree)
    if stored.state.forgotten is not None:
        alone = merge.manifest(SessionState(stored.state.key, {}, {}, stored.state.forgotten))
        return store.write_session(writer, objects, {MANIFEST: writer.blob(alone.dump())})
    whole = merge.manifest(stored.state)
    bare = merge.manifest(replace(stored.state, beside=Manifest(())))
    listed = {MANIFEST, *bare.files()}
    if whole.dump() == bare.dump() and set(stored.files) <= listed:
        return tree
    state = replace(stored.state, beside=Manifest(()))
    return store.write_session(writer, objects, store.assemble(writer, state, stored.pool).files)
