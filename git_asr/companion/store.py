"""The companion ref: one bundle per session in the tree of ``refs/asr/sessions`` (profile section 8)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from git_asr.asr import codec, stream
from git_asr.asr.bundle import MANIFEST, Manifest, Session, StreamEntry, WrittenStream, load
from git_asr.asr.draft import Record
from git_asr.asr.header import UNKNOWN, SessionKey, is_sound
from git_asr.asr.ids import name
from git_asr.asr.links import CHECKPOINT, SESSION, is_link
from git_asr.asr.parts import LINKS_END, blob_path, header_path, links_path
from git_asr.asr.version import SUPPORTED_MAJOR, major
from git_asr.companion import merge
from git_asr.companion.merge import SessionState, StreamState
from git_asr.companion.names import REMOTES, SESSIONS
from git_asr.companion.tree import Tip, session_folders, session_path
from git_asr.errors import AsrError
from git_asr.git import refs, trees
from git_asr.git.base import FILE, TREE, Objects, Repository
from git_asr.git.graph import reached
from git_asr.git.writing import ObjectWriter
from git_asr.values import dataclass

IDENTITY = ("git-asr", "git-asr@localhost")
MESSAGE = "Agent sessions\n"
_HINT = "git asr sync --full"
LAST_PLAUSIBLE = 4_102_444_800
"""The year 2100 in epoch seconds: a later time is no time."""


def with_parents(repo: Repository, objects: Objects, tip: Tip) -> Tip:
    """What the next commit builds on by the history of the companion ref, where no remote has a tip that counts."""
    if tip.commit is None:
        return tip
    _, parents, _ = objects.commit(tip.commit)
    remotes = {ref.oid for ref in refs.list_refs(repo, REMOTES)}
    try:
        exchanged = tip.commit in remotes or bool(remotes and reached(repo, remotes, [tip.commit]))
    except AsrError:  # the history of one of them is damaged
        exchanged = False
    if exchanged or None in objects.sizes(parents).values():  # what a shallow fetch brought was exchanged
        parents = (tip.commit,)
    return replace(tip, parents=parents, date=newest_date(objects, parents))


def newest_date(objects: Objects, commits: Iterable[str]) -> int:
    """The date of the newest of some commits, 0 without any; one that is not plausible is none."""
    dates = (objects.commit(one)[2] for one in commits)
    return max((one for one in dates if one <= LAST_PLAUSIBLE), default=0)


def commit(writer: ObjectWriter, tree: str, parents: tuple[str, ...], when: int) -> str:
    """Write a companion commit: the same tree, parents and date give the same commit everywhere."""
    return writer.commit(tree, tuple(sorted(parents)), MESSAGE, identity=IDENTITY, when=when)


class DamagedBundle(AsrError):
    """A session's bundle in a companion tree cannot be read."""


@dataclass(frozen=True, slots=True)
class StoredSession:
    """One session's bundle in a tree: what merging needs of it, and the blob of every file by its path."""

    state: SessionState
    files: Mapping[str, str]

    @property
    def blobs(self) -> dict[str, str]:
        """The SHA-256 of each of its blobs, by the blob's object ID."""
        listed = {sha256: self.files.get(blob_path(sha256)) for sha256 in self.state.blobs}
        return {oid: sha256 for sha256, oid in listed.items() if oid is not None}

    @property
    def pool(self) -> dict[tuple[str, str], str]:
        """Blobs by path and SHA-256, for whoever puts files of several bundles together."""
        listed = {
            (file.path, file.sha256): self.files[file.path]
            for file in merge.manifest(self.state).files().values()
            if file.path in self.files
        }
        blobs = ((path, path.rpartition("/")[2]) for path in self.files if path.startswith("blobs/"))
        return {**listed, **{(path, sha256): self.files[path] for path, sha256 in blobs}}


def load_session(objects: Objects, tree: str | None, key: SessionKey) -> StoredSession | None:
    """The session's bundle in a companion tree, or None.

    Raises:
        DamagedBundle: the bundle cannot be read.
    """
    try:
        entry = None if tree is None else objects.lookup(tree, session_path(key))
    except AsrError as error:
        raise DamagedBundle(error.message, hint=_HINT) from error
    return load_bundle(objects, entry.oid) if entry is not None and entry.is_tree else None


def load_bundle(objects: Objects, tree: str) -> StoredSession:
    """The bundle of one session, from its tree.

    Raises:
        DamagedBundle: it cannot be read, or holds no session.
    """
    try:
        files = {path: file.oid for path, file in trees.walk_files(objects, tree)}
        manifest = load(_blob(objects, files, MANIFEST))
        if not manifest.sessions:
            raise AsrError("a bundle without a session")
        session = manifest.sessions[0]
        streams = {one.stream: _stream_state(objects, files, one) for one in session.streams}
    except AsrError as error:
        raise DamagedBundle(error.message, hint=_HINT) from error
    blobs = {blob.sha256: blob for blob in manifest.blobs}
    beside = merge.beside(replace(manifest, sessions=manifest.sessions[:1]))
    return StoredSession(SessionState(session.key, streams, blobs, manifest.forgotten, beside), files)


def readable(objects: Objects, tree: str | None) -> StoredSession | None:
    """The bundle of one session, from its tree; None without a tree, and if it is damaged, which others report."""
    try:
        return None if tree is None else load_bundle(objects, tree)
    except DamagedBundle:
        return None


def _stream_state(objects: Objects, files: Mapping[str, str], entry: StreamEntry) -> StreamState:
    if major(entry.format_version) != SUPPORTED_MAJOR:
        return StreamState(entry, {}, ())
    try:
        header = stream.header(_blob(objects, files, header_path(entry.stream)))
    except stream.UnknownMajor:
        return StreamState(entry, {}, ())
    if not is_sound(header):
        raise AsrError(f"a header of another shape in {header_path(entry.stream)}")
    path = links_path(entry.stream)
    found = stream.read([_blob(objects, files, path)] if path in files else [])
    return StreamState(
        entry, header, tuple(one for one in found if not isinstance(one, stream.Gap) and is_link(one))
    )


def _blob(objects: Objects, files: Mapping[str, str], path: str) -> bytes:
    data = objects.blob(files[path]) if path in files else None
    if data is None:
        raise AsrError(f"a bundle in {SESSIONS} lacks {path}")
    return data


def fresh(streams: Sequence[WrittenStream], manifest: Manifest, files: Mapping[str, str]) -> StoredSession:
    """A bundle that was just written: its streams' headers and links, its manifest, the blobs of its files."""
    (session,) = manifest.sessions
    entries = {one.stream: one for one in session.streams}
    states = {
        one.header["stream"]: StreamState(entries[one.header["stream"]], one.header, one.links)
        for one in streams
    }
    return StoredSession(
        SessionState(session.key, states, {blob.sha256: blob for blob in manifest.blobs}), files
    )


def session_of(state: SessionState) -> Session:
    """The session as its manifest lists it."""
    return Session(state.key, tuple(one.entry for one in state.streams.values()))


def write_session(writer: ObjectWriter, objects: Objects, files: Mapping[str, str]) -> str:
    """Write the tree of a session's bundle."""
    tree = trees.edit_tree(objects, writer, None, {path: (FILE, oid) for path, oid in files.items()})
    if tree is None:
        raise AsrError("a bundle without files")
    return tree


def merge_sessions(writer: ObjectWriter, mine: StoredSession, other: StoredSession) -> StoredSession:
    """Merge two bundles of a session; the files of the result are blobs of the two, links and manifest are written."""
    return assemble(writer, merge.merge(mine.state, other.state), {**other.pool, **mine.pool})


def assemble(writer: ObjectWriter, state: SessionState, pool: Mapping[tuple[str, str], str]) -> StoredSession:
    """Put a merged bundle together: files from the pool, by path and SHA-256, and those that merging makes."""
    files: dict[str, str] = {}
    for one in state.streams.values():
        made = merge.made(one)
        for file in one.entry.files:
            known = pool.get((file.path, file.sha256))
            files[file.path] = writer.blob(made[file.path]) if known is None else known
    for (path, sha256), oid in pool.items():
        if sha256 in state.blobs and path.startswith("blobs/"):
            files[path] = oid
    manifest = merge.manifest(state)
    for path, file in manifest.files().items():
        if path not in files and (path, file.sha256) in pool:  # what unknown fields list
            files[path] = pool[path, file.sha256]
    files[MANIFEST] = writer.blob(manifest.dump())
    return StoredSession(state, files)


def place(changes: Mapping[SessionKey, str | None]) -> dict[str, tuple[int, str] | None]:
    """The tree edits that put each session's tree (None: nothing) in its place."""
    return {session_path(key): None if tree is None else (TREE, tree) for key, tree in changes.items()}


def link_records(objects: Objects, tree: str | None) -> Iterator[Record]:
    """Every link record in a companion tree, whether or not its bundle is whole otherwise."""
    folders = [oid for _, oid in session_folders(objects, tree)] if tree is not None else []
    files = [
        one.oid
        for found in (objects.lookup(folder, "sessions") for folder in folders)
        for one in (objects.entries(found.oid) if found is not None and found.is_tree else ())
        if one.name.endswith(LINKS_END)
    ]
    for data in objects.blobs(files):
        for record in stream.read([data or b""]):
            if not isinstance(record, stream.Gap) and is_link(record):
                yield record


def manifests(objects: Objects, tree: str) -> Iterator[tuple[str, Manifest | AsrError]]:
    """Every session's manifest in a companion tree, with the session's path; an error for one that is damaged."""
    found: list[tuple[str, str]] = []
    for path, session in session_folders(objects, tree):
        entry = objects.lookup(session, MANIFEST)
        if entry is not None:
            found.append((path, entry.oid))
    for (path, _), data in zip(found, objects.blobs(oid for _, oid in found), strict=True):
        try:
            yield path, load(data or b"")
        except AsrError as error:
            yield path, error


def is_forgotten(objects: Objects, tree: str | None, key: SessionKey) -> bool:
    """Whether a session was forgotten, under its key or, where its agent was not known then or is not now, its ID."""
    if tree is None:
        return False
    agents = [one.name for one in objects.entries(tree)] if key.bare else [name(key.harness), UNKNOWN]
    end = session_path(key).partition("/")[2]
    found = [objects.lookup(tree, f"{agent}/{end}/{MANIFEST}") for agent in agents]
    blobs = [entry.oid for entry in found if entry is not None and entry.is_blob]
    return any(map(says_forgotten, objects.blobs(blobs)))


def says_forgotten(data: bytes | None) -> bool:
    """Whether a manifest, None where it is not there, is that of a forgotten session."""
    try:
        return b'"forgotten"' in (data or b"") and load(data or b"").forgotten is not None
    except AsrError:
        return False


def keys(objects: Objects, tree: str | None) -> Iterator[SessionKey]:
    """The keys of all sessions in a companion tree whose manifests can be read."""
    for _, manifest in manifests(objects, tree) if tree is not None else ():
        if isinstance(manifest, Manifest):
            yield from (session.key for session in manifest.sessions)


def metadata_of(objects: Objects, stored: StoredSession) -> Iterator[Mapping[str, Any]]:
    """The metadata of the folders that a stored session came from, as its checkpoint records keep it."""
    for _, record in links_of(stored):
        if record["type"] != CHECKPOINT:
            continue
        meta = record.get("_meta")
        if meta is None:
            meta = _metadata_blob(objects, stored.files, record.get("_metaBlob"))
        found = meta.get(SESSION) if isinstance(meta, Mapping) else None
        yield from (
            one for one in (found if isinstance(found, list) else [found]) if isinstance(one, Mapping)
        )


def _metadata_blob(objects: Objects, files: Mapping[str, str], reference: Any) -> Any:
    """The metadata that a record keeps in a blob; None where it is not there or no JSON."""
    named = reference.get("blob") if isinstance(reference, Mapping) else None
    oid = files.get(blob_path(named)) if isinstance(named, str) else None
    try:
        return codec.decode((oid and objects.blob(oid)) or b"null").value
    except codec.JsonError:
        return None


def links_of(stored: StoredSession | None) -> list[tuple[str, Record]]:
    """Every link record of a stored session with the stream it stands in."""
    if stored is None:
        return []
    return [(name_, record) for name_, one in stored.state.streams.items() for record in one.links]
