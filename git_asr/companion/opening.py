"""Opens a session's bundle in the companion ref for reading."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from git_asr.asr import reading
from git_asr.asr.bundle import MANIFEST, Session, load
from git_asr.asr.header import SessionKey
from git_asr.asr.parts import blob_path
from git_asr.asr.reading import Stream
from git_asr.asr.stream import UnknownMajor
from git_asr.companion import store
from git_asr.errors import AsrError, Diagnostic, Report
from git_asr.git import trees
from git_asr.git.base import Objects


@dataclass(frozen=True, slots=True)
class OpenBundle:
    """A session with its streams as they were read, those that cannot be left out. ``files``: Git blobs by path."""

    session: Session
    streams: tuple[Stream, ...]
    files: Mapping[str, str] = field(repr=False)
    objects: Objects = field(repr=False)

    def blob(self, sha256: str) -> bytes | None:
        """The bytes of a blob; None where it is not there."""
        oid = self.files.get(blob_path(sha256))
        return None if oid is None else self.objects.blob(oid)


def open_bundle(objects: Objects, tree: str, key: SessionKey, report: Report) -> OpenBundle:
    """Open the bundle of a session in a companion tree; streams of it that cannot be read are reported.

    Raises:
        AsrError: there is none, it is damaged, or the session was forgotten.
    """
    entry = objects.lookup(tree, store.session_path(key))
    if entry is None or not entry.is_tree:
        raise AsrError(f"no session {key.id} in the companion ref", hint="git asr sessions")
    files = {path: file.oid for path, file in trees.walk_files(objects, entry.oid)}

    def file(path: str) -> bytes | None:
        return objects.blob(files[path]) if path in files else None

    manifest = load(file(MANIFEST) or b"")
    if manifest.forgotten is not None:
        reason = manifest.forgotten.get("reason")
        raise AsrError(f"session {key.id} was forgotten" + (f": {reason}" if isinstance(reason, str) else ""))
    session = next((one for one in manifest.sessions if one.key == key), None)
    if session is None:
        raise AsrError(f"the bundle of session {key.id} does not list it", hint="git asr sync --full")
    streams = []
    for one in session.streams:
        try:
            found = reading.load(one, file)
        except AsrError as error:
            hint = None if isinstance(error, UnknownMajor) else "git asr sync --full"
            report(Diagnostic("unreadable-stream", f"stream {one.stream}", error.message, hint))
            continue
        for fault in (*(gap for _, gap in found.gaps), *found.faults):
            report(Diagnostic("bad-record", f"stream {one.stream}, line {fault.line}", fault.reason))
        streams.append(found)
    return OpenBundle(session, tuple(streams), files, objects)
