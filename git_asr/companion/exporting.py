"""Sessions of the companion ref → one bundle, as plain data."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from git_asr.asr import codec, large
from git_asr.asr.bundle import MANIFEST, Bundle, File, Manifest, Session, load
from git_asr.asr.header import SessionKey
from git_asr.companion import imports
from git_asr.companion.tree import session_path
from git_asr.errors import AsrError
from git_asr.git import trees
from git_asr.git.base import Objects


def bundle_of(objects: Objects, tree: str, keys: Iterable[SessionKey]) -> Bundle:
    """The bundle with these sessions of a companion tree. Its files are read when they are asked for.

    Raises:
        AsrError: a session is damaged or not there, or two have a stream of one name, which no bundle can hold.
    """
    files: dict[str, str] = {}
    manifests = [_one(objects, tree, key, files) for key in sorted(keys)]

    def file(path: str) -> bytes | None:
        return objects.blob(files[path]) if path in files else None

    return Bundle(_joined(manifests), file)


def _one(objects: Objects, tree: str, key: SessionKey, files: dict[str, str]) -> Manifest:
    """The manifest of a session; its files are added to ``files``: Git blobs by path."""
    entry = objects.lookup(tree, session_path(key))
    if entry is None or not entry.is_tree:
        raise AsrError(f"no session {key.id} in the companion ref", hint="git asr sessions")
    own = {path: file.oid for path, file in trees.walk_files(objects, entry.oid)}
    try:
        manifest = load((objects.blob(own[MANIFEST]) if MANIFEST in own else None) or b"")
    except AsrError as error:
        raise AsrError(f"session {key.id}: {error.message}", hint="git asr sync --full") from error
    for path in manifest.files():
        if path in files and (path.startswith("sessions/") or files[path] != own.get(path)):
            raise AsrError(
                f"two sessions have a file {path}, and a bundle cannot hold both: one is {key.harness} {key.id}",
                hint=f"git asr export --agent {key.harness}   exports those of one agent",
            )
        if path in own:
            files[path] = own[path]
    return imports.as_it_came(manifest)


def _joined(manifests: Iterable[Manifest]) -> Manifest:
    """One manifest of many; a field that this version does not know has the value that it has in all."""
    sessions: list[Session] = []
    blobs: dict[str, large.Blob] = {}
    native: dict[str, File] = {}
    meta: dict[str, Any] = {}
    other: dict[str, Any] = {}
    for one in manifests:
        sessions += one.sessions
        for blob in one.blobs:
            known = blobs.get(blob.sha256, blob)
            blobs[blob.sha256] = min(known, blob, key=lambda found: found.media_type)
        native |= {file.path: file for file in one.native}
        _add(meta, one.meta)
        _add(other, one.other)
    return Manifest(
        tuple(sessions), tuple(blobs.values()), meta=meta, native=tuple(native.values()), other=other
    )


def _add(fields: dict[str, Any], more: Mapping[str, Any]) -> None:
    """Add fields; of two values for one name the one with the greater bytes stays."""
    for name, value in more.items():
        fields[name] = max(fields.get(name, value), value, key=codec.encode)
