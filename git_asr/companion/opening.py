"""Opens a session's bundle in the companion ref for reading."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import field

from git_asr.asr import read
from git_asr.asr.bundle import MANIFEST, Session, StreamEntry, load
from git_asr.asr.header import SessionKey
from git_asr.asr.parts import blob_path
from git_asr.asr.read import Problem, Stream
from git_asr.asr.reading import Part
from git_asr.companion.tree import session_path
from git_asr.errors import AsrError, Diagnostic, Report
from git_asr.git import trees
from git_asr.git.base import Objects
from git_asr.values import dataclass

_HINT = "git asr sync --full"
_MOST_FAULTS = 5
"""Lines of a stream that are reported one by one."""


@dataclass(frozen=True, slots=True)
class OpenBundle:
    """A session with its streams as they were read, those that cannot be left out. ``files``: Git blobs by path."""

    session: Session
    streams: tuple[Stream, ...]
    files: Mapping[str, str] = field(repr=False)
    objects: Objects = field(repr=False)

    def blob(self, sha256: str) -> bytes | None:
        """The bytes of a blob; None where it is not there, or other bytes stand in its place."""
        oid = self.files.get(blob_path(sha256))
        data = None if oid is None else self.objects.blob(oid)
        return data if data is not None and hashlib.sha256(data).hexdigest() == sha256 else None


def open_bundle(
    objects: Objects, tree: str, key: SessionKey, report: Report, part: Part | None = None
) -> OpenBundle:
    """Open the bundle of a session in a companion tree; streams of it that cannot be read are reported.

    ``part``: what is kept of each record of its streams, by default all.

    Raises:
        AsrError: there is none, it is damaged, or the session was forgotten.
    """
    entry = objects.lookup(tree, session_path(key))
    if entry is None or not entry.is_tree:
        raise AsrError(f"no session {key.id} in the companion ref", hint="git asr sessions")
    files = {path: file.oid for path, file in trees.walk_files(objects, entry.oid)}

    manifest = load((objects.blob(files[MANIFEST]) if MANIFEST in files else None) or b"")
    if manifest.forgotten is not None:
        reason = manifest.forgotten.get("reason")
        raise AsrError(f"session {key.id} was forgotten" + (f": {reason}" if isinstance(reason, str) else ""))
    session = next((one for one in manifest.sessions if one.key == key), None)
    if session is None:
        raise AsrError(f"the bundle of session {key.id} does not list it", hint=_HINT)
    streams = (_stream(objects, files, one, report, part) for one in session.streams)
    return OpenBundle(session, tuple(one for one in streams if one is not None), files, objects)


def _stream(
    objects: Objects, files: Mapping[str, str], entry: StreamEntry, report: Report, part: Part | None
) -> Stream | None:
    """Read one stream and report what is wrong with it, bad lines up to a number; None if it cannot be read."""
    lines = 0

    def tell(problem: Problem) -> None:
        nonlocal lines
        where = f"stream {entry.stream}"
        if problem.kind == "bad-record":
            lines += 1
            if lines <= _MOST_FAULTS:
                report(Diagnostic("bad-record", f"{where}, line {problem.line}", problem.message))
            return
        known = problem.kind == "unknown-major"
        code = "unreadable-stream" if known else problem.kind
        report(Diagnostic(code, where, problem.message, None if known else _HINT))

    found = read.listed(entry, lambda path: objects.blob(files[path]) if path in files else None, tell, part)
    if (more := lines - _MOST_FAULTS) > 0:
        report(Diagnostic("bad-record", f"stream {entry.stream}", f"{more} more of its lines have faults"))
    return found
