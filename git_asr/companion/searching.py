"""Looks through the sessions of the companion ref for lines that match, one part of a stream after the other.

No more than a part is held (256 KiB, or one longer line, and the blobs of one record), whatever the size of a session.
What is found is a record as it stands: one that a later record supersedes, or that was withdrawn, is left out.
"""

from __future__ import annotations

import hashlib
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager

from git_asr.asr import stream
from git_asr.asr.bundle import MANIFEST, Session, StreamEntry, load
from git_asr.asr.draft import Record
from git_asr.asr.parts import blob_path, header_path, links_path
from git_asr.asr.reading import fault
from git_asr.asr.version import SUPPORTED_MAJOR, major
from git_asr.companion.signature_file import (
    SIGNATURES,
    Revision,
    SignatureFile,
    Signed,
    open_signatures,
)
from git_asr.companion.tree import changed_sessions, read_tip, session_folders, session_path
from git_asr.errors import AsrError, Diagnostic, Report
from git_asr.git.base import Objects, Repository
from git_asr.git.trees import walk_files
from git_asr.values import dataclass
from git_asr.views.matching import Line
from git_asr.views.passages import Passage, has_text, passage
from git_asr.views.signatures import Sieve, Signer

Find = Callable[[str], Sequence[Line]]
"""Finds the lines of a text that match."""


@dataclass(frozen=True, slots=True)
class Hit:
    """A record with lines that match. ``stream``: the ID of its stream."""

    stream: str
    passage: Passage
    lines: Sequence[Line]


@dataclass(frozen=True, slots=True)
class Place:
    """A companion tree to look through.

    ``folders``: the trees of the sessions' folders, by their paths. ``known``: the file of signatures; None where every
    part is read.
    """

    objects: Objects
    folders: Mapping[str, str]
    known: SignatureFile | None
    report: Report


@dataclass(slots=True)
class _Folder:
    """The folder of one session: its path, its tree, its files' object IDs, and what is known of its parts."""

    place: Place
    path: str
    tree: str
    files: Mapping[str, str]
    signed: dict[str, Signed]
    lacking: bool = False
    """Whether a blob that was asked for is not there."""
    whole: bool = True
    """Whether nothing was missing so far."""

    def blob(self, sha256: str) -> bytes | None:
        oid = self.files.get(blob_path(sha256))
        data = None if oid is None else self.place.objects.blob(oid)
        if data is not None and hashlib.sha256(data).hexdigest() == sha256:
            return data
        self.lacking = True
        return None

    def read(self, oids: Iterable[str]) -> Iterator[tuple[str, bytes]]:
        """Some parts, those that are there."""
        wanted = list(oids)
        with closing(self.place.objects.blobs(wanted)) as found:
            for oid, data in zip(wanted, found, strict=True):
                if data is None:
                    self.whole = False
                    message = f"a part of its records is not here: {oid}"
                    self.place.report(Diagnostic("absent-part", self.path, message, "git asr sync"))
                else:
                    yield oid, data


def search(place: Place, session: Session, find: Find, sieve: Sieve) -> Generator[Hit]:
    """The records of a session that have a line that matches, stream by stream, in their order.

    ``sieve``: passes every signature of a text that ``find`` finds a line in. Who leaves early closes it.
    """
    path = session_path(session.key)
    tree = place.folders.get(path)
    if (
        tree is None
        or not session.streams
        or (place.known is not None and place.known.rules_out(path, tree, sieve))
    ):
        return
    folder = _folder(place, path, tree)
    for entry in session.streams:
        if major(entry.format_version) == SUPPORTED_MAJOR:
            yield from _stream(folder, entry, find, sieve)
        else:
            message = f"its version {entry.format_version} is not read"
            place.report(Diagnostic("unreadable-stream", f"stream {entry.stream}", message))
    if place.known is not None and folder.whole:
        place.known.finish(path, tree)


@contextmanager
def opened(repo: Repository, objects: Objects, tree: str, report: Report, *, index: bool) -> Iterator[Place]:
    """A companion tree to look through, with the file of signatures where ``index`` is wanted and it can be used."""
    directory = repo.common_dir / "asr"
    folders = dict(session_folders(objects, tree))
    if not index:
        yield Place(objects, folders, None, report)
        return
    try:
        with open_signatures(directory, objects, tree, make=True) as known:
            yield Place(objects, folders, known, report)
    finally:
        now = read_tip(repo, objects).tree
        if now != tree:  # what went meanwhile may have been written once more
            SIGNATURES.drop_gone(directory, objects, now)


def keep_up(repo: Repository, objects: Objects, *, learn: bool) -> None:
    """Bring the file of signatures, which is there, up to date with the companion ref.

    What that does not hold goes. ``learn``: read what is new in it, so that no search need to.
    """
    directory = repo.common_dir / "asr"
    try:
        tree = read_tip(repo, objects).tree
        before = SIGNATURES.tree_of(directory)
        SIGNATURES.drop_gone(directory, objects, tree)
        if not learn or None in (before, tree) or before == tree:
            return
        changed = {path: new for path, _, new in changed_sessions(objects, before, tree) if new is not None}
        sessions = [one for folder in changed.values() for one in _sessions(objects, folder)]
        with open_signatures(directory, objects, str(tree), make=False) as known:
            place = Place(objects, changed, known, _say_nothing)
            for one in sessions if known is not None else ():
                deque(search(place, one, _find_nothing, Sieve(())), 0)
    except AsrError:
        return  # what is not known is read by a search


def _sessions(objects: Objects, folder: str) -> tuple[Session, ...]:
    entry = objects.lookup(folder, MANIFEST)
    return load((objects.blob(entry.oid) if entry is not None else None) or b"").sessions


def _say_nothing(_: Diagnostic) -> None:
    """Leave it to whoever searches."""


def _find_nothing(_: str) -> Sequence[Line]:
    return ()


def _folder(place: Place, path: str, tree: str) -> _Folder:
    files = {name: file.oid for name, file in walk_files(place.objects, tree)}
    return _Folder(place, path, tree, files, place.known.signed(path) if place.known else {})


def _stream(folder: _Folder, entry: StreamEntry, find: Find, sieve: Sieve) -> Iterator[Hit]:
    listed = [one.path for one in entry.files if one.path not in _beside(entry.stream)]
    parts = [folder.files[path] for path in listed if path in folder.files]
    if len(parts) < len(listed):
        folder.whole = False
        message = f"{len(listed) - len(parts)} of its files are missing"
        folder.place.report(
            Diagnostic("absent-part", f"stream {entry.stream}", message, "git asr sync --full")
        )
    wanted = [oid for oid in parts if oid not in folder.signed or sieve.passes(folder.signed[oid].signature)]
    revised: _Revised | None = None
    for oid, data in folder.read(wanted):
        for told in _passages(folder, oid, data):
            lines = find(told.text)
            if not lines:
                continue
            revised = revised or _Revised(_revisions(folder, parts))
            if revised.stands(told):
                yield Hit(entry.stream, told, lines)


def _beside(stream_id: str) -> tuple[str, str]:
    return header_path(stream_id), links_path(stream_id)


def _passages(folder: _Folder, oid: str, data: bytes) -> Iterator[Passage]:
    """The texts of a part, and when they are all told, what a later search needs to know of it."""
    folder.lacking = False
    signer = Signer()
    revisions: list[Revision] = []
    learning = folder.place.known is not None and oid not in folder.signed
    for record in _records(data):
        if (revision := _revision(record)) is not None:
            revisions.append(revision)
        told = passage(record, folder.blob) if has_text(record) else None
        if told is None:
            continue
        if learning:
            signer.add(told.text)
        yield told
    if learning and folder.place.known is not None:
        found = Signed(signer.signature(), revisions)
        folder.signed[oid] = found
        if folder.lacking:  # what is not here may come
            folder.whole = False
        else:
            folder.place.known.add(folder.path, folder.tree, oid, found)


def _records(data: bytes) -> Iterator[Record]:
    for record in stream.read([data]):
        if not isinstance(record, stream.Gap) and fault(record) is None:
            yield record


def _revision(record: Record) -> Revision | None:
    if record["type"] == "tombstone":
        return record["seq"], "", record["target"]
    if "supersedes" in record and has_text(record):
        return record["seq"], record["id"], record["supersedes"]
    return None


def _revisions(folder: _Folder, parts: Iterable[str]) -> Iterator[Revision]:
    """The revisions of a stream: those that are known, and those in parts of which nothing is known yet."""
    unknown = [oid for oid in parts if oid not in folder.signed]
    for oid in parts:
        if oid in folder.signed:
            yield from folder.signed[oid].revisions
    for _, data in folder.read(unknown):
        lines = b"\n".join(line for line in data.split(b"\n") if _may_revise(line))
        yield from (found for one in _records(lines) if (found := _revision(one)) is not None)


def _may_revise(line: bytes) -> bool:
    return b"supersedes" in line or b"tombstone" in line or b"\\u" in line


class _Revised:
    """Which records of a stream do not stand, by what its later records say."""

    def __init__(self, revisions: Iterable[Revision]) -> None:
        self._superseded: dict[str, int] = {}
        self._earlier: dict[str, str] = {}
        self._withdrawn: set[str] = set()
        for seq, identifier, target in revisions:
            if not identifier:
                self._withdrawn.add(target)
            elif identifier != target:
                self._superseded[target] = max(seq, self._superseded.get(target, seq))
                self._earlier[identifier] = target

    def stands(self, told: Passage) -> bool:
        """Whether no later record supersedes this one, and neither it nor what it revises was withdrawn."""
        if self._superseded.get(told.record, -1) > told.seq:
            return False
        seen: set[str] = set()
        at: str | None = told.record
        while at is not None and at not in seen:
            if at in self._withdrawn:
                return False
            seen.add(at)
            at = self._earlier.get(at)
        return True
