"""Checks of sessions that came from elsewhere, before anything of them is merged (profile section 8).

Trees first, level by level and none that is too large, then sizes, then the manifest, then every file's digest: what is
held at any time is the names of some sessions' files and one file. The limits are constants, no options: so every clone
leaves out the same.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import field

from git_asr.asr.bundle import MANIFEST, Manifest, load
from git_asr.asr.parts import LINKS_END, is_bundle_path, is_part
from git_asr.companion import store
from git_asr.companion.merge import StreamState
from git_asr.companion.tree import session_path
from git_asr.errors import AsrError
from git_asr.git.base import FILE, Objects, TreeEntry
from git_asr.git.promised import absent
from git_asr.values import dataclass

MOST_TREE = 8 << 20
"""Bytes of one tree."""
MOST_FILES = 20_000
"""Files of a session."""
MOST_BYTES = 4 << 30
"""Bytes of all files of a session."""
MOST_FILE = 256 << 20
"""Bytes of one file."""
MOST_MANIFEST = 64 << 20
"""Bytes of a manifest, and of a file of links: merging reads those as a whole."""
AT_ONCE = 256
"""Sessions whose files are listed and read together."""
FILES_AT_ONCE = 100_000
"""Files of those; where there are more, fewer sessions are looked at together."""
_DEEPEST = 16


@dataclass(slots=True)
class _Looked:
    """A session under way. ``files``: by path; ``promised``: those that are not here; ``why``: what is wrong."""

    path: str
    tree: str
    files: dict[str, str] = field(default_factory=dict)
    promised: set[str] = field(default_factory=set)
    why: str | None = None


class TooMuch(AsrError):
    """There is more to read than the caller allowed; nothing was done."""


Spend = Callable[[int], object]
"""Told how many bytes are about to be read; it raises TooMuch where that is too much now."""


def unsound(
    objects: Objects, sessions: Iterable[tuple[str, str]], spend: Spend, *, partial: bool = False
) -> Iterator[tuple[str, str]]:
    """Those of some sessions, each its path in a companion tree and its own tree, that fail; with what is wrong.

    ``partial``: what a partial clone left out of transcripts and blobs is checked by whoever reads it.
    """
    for batch in _batches(objects, sessions):
        spend(_measure(objects, batch, partial=partial))
        _read(objects, [one for one in batch if one.why is None])
        yield from ((one.path, one.why) for one in batch if one.why is not None)


def lacking(objects: Objects, sessions: Iterable[tuple[str, str]]) -> Iterator[str]:
    """The Git blobs that listing and merging read of sessions, and that are not here."""
    for batch in _batches(objects, sessions):
        wanted = [oid for one in batch for path, oid in one.files.items() if is_summary(path)]
        yield from absent(objects, wanted)


def is_summary(path: str) -> bool:
    """Whether listing and merging read a file of a bundle: the manifest, headers and links."""
    return path == MANIFEST or (path.startswith("sessions/") and not is_part(path))


def bounded_entries(objects: Objects, trees: Iterable[str]) -> Callable[[str], tuple[TreeEntry, ...] | str]:
    """What gives the entries of one of some trees; in words why it is not read: it is absent, too large, or damaged."""
    sizes = objects.sizes(trees)
    return lambda tree: _entries(objects, tree, sizes[tree])


def _entries(objects: Objects, tree: str, size: int | None) -> tuple[TreeEntry, ...] | str:
    if size is None:
        return f"tree {tree} is not here"
    if size > MOST_TREE:
        return f"tree {tree} has more than {MOST_TREE >> 20} MiB"
    try:
        entries = objects.entries(tree)
    except AsrError as error:
        return error.message
    if any("/" in entry.name or entry.name.lower() in (".", "..", ".git") for entry in entries):
        return f"tree {tree} has a name that no tree may hold"
    if len({entry.name.lower() for entry in entries}) < len(entries):
        return f"tree {tree} has a name twice, letters of both cases taken as one"
    return entries


def _batches(objects: Objects, sessions: Iterable[tuple[str, str]]) -> Iterator[list[_Looked]]:
    """Sessions with their files listed, as many together as are not too many."""
    batch: list[_Looked] = []
    for path, tree in sessions:
        batch.append(_Looked(path, tree))
        if len(batch) == AT_ONCE:
            yield from _listed(objects, batch)
            batch = []
    if batch:
        yield from _listed(objects, batch)


def _listed(objects: Objects, batch: list[_Looked]) -> Iterator[list[_Looked]]:
    if _list_files(objects, batch):
        yield batch
        return
    half = len(batch) // 2
    for some in (batch[:half], batch[half:]):
        yield from _listed(objects, [_Looked(one.path, one.tree) for one in some])


def _list_files(objects: Objects, batch: list[_Looked]) -> bool:
    """List the files of sessions, one level of folders after the other; whether they are not too many at once."""
    level = [(one, "", one.tree) for one in batch]
    count = 0
    for _ in range(_DEEPEST):
        entries_of = bounded_entries(objects, [tree for _, _, tree in level])
        below: list[tuple[_Looked, str, str]] = []
        for one, prefix, tree in level:
            entries = entries_of(tree)
            count += len(entries)
            if len(batch) > 1 and count > FILES_AT_ONCE:
                return False
            if isinstance(entries, str):
                one.why = entries
            elif one.why is None:
                one.why = _take(one, prefix, entries, below)
        level = [folder for folder in below if folder[0].why is None]
    for one, prefix, _ in level:
        one.why = f"its folder {prefix!r:.80} lies too deep"
    return True


def _take(
    one: _Looked, prefix: str, entries: tuple[TreeEntry, ...], below: list[tuple[_Looked, str, str]]
) -> str | None:
    """Take over a folder's files, and its folders for the next level; what is wrong with them."""
    if len(one.files) + len(entries) > MOST_FILES:
        return f"it holds more than {MOST_FILES:,} files"
    for entry in entries:
        path = prefix + entry.name
        if not is_bundle_path(path):
            return f"{path!r:.80} is no name that a file of a bundle may have"
        if entry.is_tree:
            below.append((one, f"{path}/", entry.oid))
        elif entry.mode != FILE:
            return f"{path!r:.80} is no ordinary file"
        else:
            one.files[path] = entry.oid
    return None


def _measure(objects: Objects, batch: list[_Looked], *, partial: bool) -> int:
    """See that all files are here, and none of them or all together are too large; the bytes of those that are not."""
    whole = 0
    sizes = objects.sizes(oid for one in batch if one.why is None for oid in one.files.values())
    for one in batch:
        if one.why is not None:
            continue
        if MANIFEST not in one.files:
            one.why = f"it has no {MANIFEST}"
        total = 0
        for path, oid in one.files.items():
            size = sizes[oid]
            most = MOST_MANIFEST if path == MANIFEST or path.endswith(LINKS_END) else MOST_FILE
            if size is None and partial and not is_summary(path):
                one.promised.add(path)
            elif size is None:
                one.why = f"the object of {path} is not here"
            elif size > most:
                one.why = f"{path} has more than {most >> 20} MiB"
            total += size or 0
        if total > MOST_BYTES:
            one.why = f"it holds more than {MOST_BYTES >> 30} GiB"
        if one.why is None:
            whole += total
    return whole


def _read(objects: Objects, batch: list[_Looked]) -> None:
    """Compare every file with the manifest, and see that merging can read the rest."""
    asked: list[tuple[_Looked, str, int, str]] = []
    for one, data in zip(batch, objects.blobs(one.files[MANIFEST] for one in batch), strict=True):
        try:
            manifest = load(data or b"")
            _check_manifest(one, manifest)
        except AsrError as error:
            one.why = error.message
            continue
        asked += (
            (one, file.path, file.bytes, file.sha256)
            for file in manifest.files().values()
            if file.path not in one.promised
        )
    wanted = [one.files[path] for one, path, _, _ in asked]
    for (one, path, size, sha256), data in zip(asked, objects.blobs(wanted), strict=True):
        if data is None or len(data) != size or hashlib.sha256(data).hexdigest() != sha256:
            one.why = f"{path} is not the file that its manifest lists"
    for one in batch:
        if one.why is None:
            one.why = _unreadable(objects, one)


def _check_manifest(one: _Looked, manifest: Manifest) -> None:
    """See that a manifest is of the one session that stands there, and of its files. Raises AsrError."""
    if len(manifest.sessions) != 1:
        raise AsrError("its manifest is not of one session")
    key = manifest.sessions[0].key
    if session_path(key) != one.path:
        raise AsrError(f"its manifest is of the session {key.id!r:.80} of {key.harness!r:.80}")
    listed = {MANIFEST, *manifest.files()}
    if manifest.forgotten is not None and (manifest.sessions[0].streams or listed != {MANIFEST}):
        raise AsrError("its manifest says that it was forgotten, and lists files")
    if lacking := min(listed - one.files.keys(), default=None):
        raise AsrError(f"it lacks {lacking}, which its manifest lists")
    if more := min(one.files.keys() - listed, default=None):
        raise AsrError(f"it holds {more}, which its manifest does not list")


def _unreadable(objects: Objects, one: _Looked) -> str | None:
    """What is wrong with headers and links, if anything is."""
    try:
        state = store.load_bundle(objects, one.tree).state
    except AsrError as error:
        return error.message
    return next((why for stream in state.streams.values() if (why := _foreign(stream, state.key.pair))), None)


def _foreign(stream: StreamState, pair: tuple[str, str]) -> str | None:
    """Whether a stream's header is that of another one."""
    header: Mapping[str, object] = stream.header
    session = header.get("session")
    said = (session.get("harness"), session.get("id")) if isinstance(session, Mapping) else None
    if header and (header.get("stream") != stream.entry.stream or said != pair):
        return f"the header of stream {stream.entry.stream!r:.80} is another stream's"
    return None
