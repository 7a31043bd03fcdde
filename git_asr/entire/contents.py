"""What a checkpoint holds: its sessions, their metadata and the object IDs of their files. No transcript is read here.

Reference entire-checkpoints, sections 2.2 to 2.4 and 3.1 to 3.5, and rules 4, 5 and 6 of section 0.2. Whether sessions
are flat or in folders shows in the files, not in the name of the store.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Literal

from git_asr.asr import ids
from git_asr.asr.times import instant
from git_asr.entire import metadata as fields
from git_asr.entire.copies import folder_order
from git_asr.entire.listing import COMPACT, FULL, HASHES, PART, RAW, Listing, list_files, transcript_parts
from git_asr.entire.metadata import METADATA, Metadata
from git_asr.entire.stores.base import Location, Merit
from git_asr.entire.stores.v2 import V2
from git_asr.errors import Report
from git_asr.git.base import Objects
from git_asr.values import dataclass

MAX_METADATA = 64 * 1024 * 1024
"""Bytes of metadata files that are read of one checkpoint."""

_AT_ONCE = 256
_BYTES_AT_ONCE = 32 * 1024 * 1024
_FOLDER = re.compile(r"[0-9]{1,6}")


@dataclass(frozen=True, slots=True)
class SessionFolder:
    """One session as one checkpoint stores it. Object IDs are those of blobs, which need not be in this repository.

    ``folder``: its name below the checkpoint, empty for the checkpoint's own (the flat layout). ``metadata``: as
    stored, empty where absent or damaged. ``session_id``: as stored (a leading date included), None unless usable.
    ``created_at``: as stored; ``created``: the same in nanoseconds since 1970, None where that cannot be told.
    ``agent``, ``model``: labels. ``start``: lines or elements of the transcript before this checkpoint's slice, None
    where that is not recorded. ``transcript``: the parts in their order, of which ``missing_parts`` are known to be
    absent from the folder; nothing for a session without transcript.
    ``transcript_name``: the name of the first part, without number; ``parts``: those of all. ``compact``: Entire's own
    transcript, ``compact_of`` what it tells of, ``compact_start`` its lines before this slice (reference, section 4);
    ``prompt``, ``content_hash``: the files of these names. ``files``: every other file below the folder, by path.
    """

    checkpoint: str
    folder: str
    metadata: Metadata
    session_id: str | None
    created_at: str | None
    created: int | None
    agent: str | None
    model: str | None
    start: int | None
    transcript: tuple[str, ...]
    transcript_name: str | None
    missing_parts: int
    compact: str | None
    prompt: str | None
    content_hash: str | None
    files: Mapping[str, str]
    compact_of: Literal["session", "checkpoint"] | None = None
    compact_start: int | None = None
    parts: tuple[str, ...] = ()

    @property
    def own_id(self) -> str:
        """What stands for the session's ID where neither metadata nor transcript tell one."""
        return f"{self.checkpoint}.{self.folder}" if self.folder else self.checkpoint

    @property
    def place(self) -> str:
        """The folder in words, to follow the checkpoint in the place of a diagnostic."""
        return f", session folder {self.folder}" if self.folder else ""


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """One checkpoint of one store; ``id``, ``store`` and ``trees`` as in its :class:`Location`.

    ``metadata``: the root file as stored, empty where absent or damaged. ``sessions``: the oldest ``created_at``
    first (unknown ones before all), then by number of the folder. ``files``: the files outside session folders, by
    path (``tasks/…``). ``absent``: trees and metadata files that should be there and are not in this repository;
    while there are any, the same trees may say more at another time.
    """

    id: str
    store: str
    trees: tuple[str, ...]
    metadata: Metadata
    sessions: tuple[SessionFolder, ...]
    files: Mapping[str, str]
    absent: tuple[str, ...]

    def file(self, path: str) -> str | None:
        """The blob of a file by its path, if it is among ``files``, here or of a session folder."""
        name, _, inner = path.partition("/")
        own = next((one.files for one in self.sessions if one.folder == name), {})
        return self.files.get(path) or own.get(inner)

    @property
    def beside(self) -> Iterator[str]:
        """The blobs of files that may be read beside metadata and transcripts."""
        yield from self.files.values()
        for session in self.sessions:
            yield from session.files.values()
            yield from filter(None, (session.prompt, session.compact, session.content_hash))


def read_checkpoints(objects: Objects, locations: Iterable[Location], report: Report) -> Iterator[Checkpoint]:
    """Read checkpoints in the order given: trees first, then all metadata of many checkpoints in one stream.

    Session folders are those of the tree with a number of up to six digits for a name, those at whose files the root's
    ``sessions`` point, and in the flat layout the checkpoint's own. Never raises for what it finds; what is damaged,
    missing or absent is reported, and what can be read beside it is read: what :func:`list_files` tells, and
    ``absent-blob``, ``damaged-metadata``, ``huge-metadata``, ``no-session``, ``dangling-session``,
    ``missing-metadata``, ``missing-transcript``, ``missing-part``, ``unusable-session-id``.
    """
    remaining = iter(locations)
    while some := list(islice(remaining, _AT_ONCE)):
        listings = [list_files(objects, location, report) for location in some]
        sizes = objects.sizes({oid for listing in listings for oid in listing.wanted().values()})
        for group in _groups(listings, sizes):
            yield from _read(objects, group, sizes)


def merits(objects: Objects, locations: Iterable[Location]) -> dict[Location, Merit]:
    """How much each copy of a checkpoint holds, to choose among :func:`git_asr.entire.stores.registry.rivals`."""
    wanted = list(locations)
    read = list(zip(wanted, read_checkpoints(objects, wanted, lambda _: None), strict=True))
    sizes = objects.sizes({oid for _, one in read for session in one.sessions for oid in session.transcript})
    return {
        location: (
            len(one.sessions),
            max((session.created or 0 for session in one.sessions), default=0),
            sum(sizes[oid] or 0 for session in one.sessions for oid in session.transcript),
        )
        for location, one in read
    }


def _groups(listings: Sequence[Listing], sizes: Mapping[str, int | None]) -> Iterator[list[Listing]]:
    """Cut the listings where their metadata would take too much memory at once."""
    group: list[Listing] = []
    held = 0
    for listing in listings:
        size = sum(sizes[oid] or 0 for oid in listing.wanted().values())
        if group and held + size > _BYTES_AT_ONCE:
            yield group
            group, held = [], 0
        group.append(listing)
        held += size
    yield group


def _read(objects: Objects, listings: Sequence[Listing], sizes: Mapping[str, int | None]) -> list[Checkpoint]:
    """Read the metadata of listed checkpoints in one stream, all of it before anything else asks for objects."""
    wanted = [(listing, path, oid) for listing in listings for path, oid in _affordable(listing, sizes)]
    for (listing, path, oid), content in zip(wanted, objects.blobs([oid for *_, oid in wanted]), strict=True):
        if content is None:
            listing.absent.append(oid)
            listing.tell("absent-blob", f"blob {oid} is not in this repository", f", {path}")
        else:
            where = f"checkpoint {listing.location.checkpoint}, {path}"
            listing.parsed[path] = fields.parse(content, where, listing.report)
    return [_checkpoint(listing) for listing in listings]


def _affordable(listing: Listing, sizes: Mapping[str, int | None]) -> Iterator[tuple[str, str]]:
    left = MAX_METADATA
    for path, oid in listing.wanted().items():
        size = sizes[oid] or 0
        if size > min(fields.MAX_BYTES, left):
            listing.tell("huge-metadata", f"{size} bytes of metadata are not read", f", {path}")
        else:
            left -= size
            yield path, oid


def _checkpoint(listing: Listing) -> Checkpoint:
    location, root = listing.location, listing.parsed.get(METADATA, {})
    listed = _listed(listing, root)
    flat = fields.text(root, "session_id") is not None or any(map(PART.fullmatch, listing.files))
    folders: dict[str, dict[str, str]] = {}
    outside: dict[str, str] = {}
    for path, oid in listing.files.items():
        name, _, inner = path.partition("/")
        if inner and (name in listed or _FOLDER.fullmatch(name)):
            folders.setdefault(name, {})[inner] = oid
        elif flat and not inner:
            folders.setdefault("", {})[path] = oid
        elif path != METADATA:
            outside[path] = oid
    sessions = sorted((_session(listing, name, files) for name, files in folders.items()), key=_age)
    if not sessions:
        listing.tell("no-session", "the checkpoint holds no session")
    elif METADATA not in listing.files and "" not in folders:
        listing.tell("missing-metadata", "there is no metadata.json")
    for session in sessions:
        _miss_transcript(listing, session, listed.get(session.folder))
    absent = tuple(listing.absent)
    return Checkpoint(
        location.checkpoint, location.store, location.trees, root, tuple(sessions), outside, absent
    )


def _miss_transcript(listing: Listing, session: SessionFolder, listed: str | None) -> None:
    """Tell that there is no transcript where one should be; ``listed``: the one at which ``sessions`` points."""
    if session.transcript:
        return
    if listing.location.kind == V2.kind:  # where ``sessions`` points at Entire's own transcript
        listing.tell("missing-transcript", "no ref v2/full/… has a transcript of it", session.place)
    elif listed:
        listing.tell("missing-transcript", f"{listed:.200} is listed and is not there")


def _listed(listing: Listing, root: Metadata) -> dict[str, str | None]:
    """The folders at whose files ``sessions`` points, with the transcript named for each."""
    names: dict[str, str | None] = {}
    dangling: list[str] = []
    for pointer in fields.pointers(root):
        target = fields.pointed(pointer, "metadata")
        if target is None:
            continue
        if "/".join(target) in listing.files:
            transcript = fields.pointed(pointer, "transcript")
            names[target[0]] = "/".join(transcript) if transcript else None
        else:
            dangling.append("/".join(target))
    if dangling:
        listing.tell("dangling-session", f"{len(dangling)} listed and not there, first {dangling[0]:.200}")
    return names


def _session(listing: Listing, folder: str, files: dict[str, str]) -> SessionFolder:
    metadata = listing.parsed.get(f"{folder}/{METADATA}" if folder else METADATA, {})
    v2 = listing.location.kind == V2.kind
    listed = files.pop(METADATA, None)
    native, created_at = fields.text(metadata, "session_id"), fields.text(metadata, "created_at")
    name, parts, missing = transcript_parts(files, (RAW, FULL) if v2 else (FULL, RAW))
    compact, whole = files.pop(COMPACT, None), v2 or "compact_transcript_start" in metadata
    session = SessionFolder(
        checkpoint=listing.location.checkpoint,
        folder=folder,
        metadata=metadata,
        session_id=native if native is not None and ids.usable_session(native) else None,
        created_at=created_at,
        created=instant(created_at),
        agent=fields.agent(metadata),
        model=fields.text(metadata, "model"),
        start=fields.start(metadata, compact=v2) if metadata else None,
        transcript=tuple(files.pop(part) for part in parts),
        transcript_name=name,
        missing_parts=missing,
        compact=compact,
        prompt=files.pop("prompt.txt", None),
        content_hash=files.pop(HASHES[name or FULL], None),
        files=files,
        compact_of=None if compact is None else "session" if whole else "checkpoint",
        compact_start=fields.compact_start(metadata, v2=v2) if compact is not None and metadata else None,
        parts=tuple(parts),
    )
    if listed is None:
        listing.tell("missing-metadata", "there is no metadata.json", session.place)
    if native is not None and session.session_id is None:
        listing.tell("unusable-session-id", f"session ID {native!a:.120} cannot be used", session.place)
    if missing:
        said = f"{missing} of {missing + len(parts)} parts of {name} are not there"
        listing.tell("missing-part", said, session.place)
    return session


def _age(session: SessionFolder) -> tuple[bool, int, int, str]:
    return session.created is not None, session.created or 0, *folder_order(session.folder)
