"""What a checkpoint holds: its sessions, their metadata and the object IDs of their files. No transcript is read here.

Reference entire-checkpoints, sections 3.1 to 3.5, and rules 4, 5 and 6 of section 0.2.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice

from git_asr.asr import ids
from git_asr.asr.times import instant
from git_asr.entire import metadata as fields
from git_asr.entire.metadata import Metadata
from git_asr.entire.stores.base import Location, Merit
from git_asr.errors import AsrError, Diagnostic, Report
from git_asr.git.base import ObjectAbsent, Objects

MAX_ENTRIES = 20_000
"""Files and folders that are looked at below one checkpoint; the deeper ones go first. The largest real one: 700."""
MAX_DEPTH = 16
"""Folders between a checkpoint and a file; deeper ones are left out. The deepest real one: 4."""
MAX_METADATA = 64 * 1024 * 1024
"""Bytes of metadata files that are read of one checkpoint."""

_AT_ONCE = 256
_BYTES_AT_ONCE = 32 * 1024 * 1024
_METADATA = "metadata.json"
_FOLDER = re.compile(r"[0-9]{1,6}")
_PART = re.compile(r"full\.jsonl\.([0-9]{1,9})")


@dataclass(frozen=True, slots=True)
class SessionFolder:
    """One session as one checkpoint stores it. Object IDs are those of blobs, which need not be in this repository.

    ``folder``: its name below the checkpoint. ``metadata``: as stored, empty where absent or damaged. ``session_id``:
    as stored (a leading date included), None unless usable. ``created_at``: as stored; ``created``: the same in
    nanoseconds since 1970, None where that cannot be told. ``agent``, ``model``: labels. ``start``: lines or elements
    of the transcript before this checkpoint's slice. ``transcript``: the parts in their order, of which
    ``missing_parts`` are known to be absent from the folder; nothing for a session without transcript.
    ``transcript_name``: the name of the first part, without number. ``compact``: Entire's own transcript format;
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
    start: int
    transcript: tuple[str, ...]
    transcript_name: str | None
    missing_parts: int
    compact: str | None
    prompt: str | None
    content_hash: str | None
    files: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """One checkpoint of one store; ``id``, ``store`` and ``tree`` as in its :class:`Location`.

    ``metadata``: the root file as stored, empty where absent or damaged. ``sessions``: the oldest ``created_at``
    first (unknown ones before all), then by number of the folder. ``files``: the files outside session folders, by
    path (``tasks/…``). ``absent``: trees and metadata files that should be there and are not in this repository;
    while there are any, the same tree may say more at another time.
    """

    id: str
    store: str
    tree: str
    metadata: Metadata
    sessions: tuple[SessionFolder, ...]
    files: Mapping[str, str]
    absent: tuple[str, ...]


@dataclass(slots=True)
class _Listing:
    """A checkpoint whose trees are read: its files, its metadata files once they are read, and what is not here."""

    location: Location
    report: Report
    files: dict[str, str] = field(default_factory=dict)
    parsed: dict[str, Metadata] = field(default_factory=dict)
    absent: list[str] = field(default_factory=list)

    def wanted(self) -> dict[str, str]:
        """The metadata files of the checkpoint and of all that may be session folders, by path."""
        return {
            path: oid
            for path, oid in self.files.items()
            if path == _METADATA or (path.endswith(f"/{_METADATA}") and path.count("/") == 1)
        }

    def tell(self, code: str, message: str, inside: str = "") -> None:
        """Report something about the checkpoint, or about what it holds."""
        self.report(Diagnostic(code, f"checkpoint {self.location.checkpoint}{inside}", message))


def read_checkpoint(objects: Objects, location: Location, report: Report) -> Checkpoint:
    """Read one checkpoint; as :func:`read_checkpoints`."""
    (checkpoint,) = read_checkpoints(objects, (location,), report)
    return checkpoint


def read_checkpoints(objects: Objects, locations: Iterable[Location], report: Report) -> Iterator[Checkpoint]:
    """Read checkpoints in the order given: trees first, then all metadata of many checkpoints in one stream.

    Session folders are those of the tree with a number of up to six digits for a name, and those at whose files the
    root's ``sessions`` point. Never raises for what it finds; what is damaged, missing or absent is reported, and what
    can be read beside it is read: ``absent-tree``, ``absent-blob``, ``damaged-tree``, ``damaged-metadata``,
    ``huge-metadata``, ``too-many-files``, ``too-deep``, ``not-a-file``, ``no-session``, ``dangling-session``,
    ``missing-metadata``, ``missing-transcript``, ``missing-part``, ``unusable-session-id``.
    """
    remaining = iter(locations)
    while some := list(islice(remaining, _AT_ONCE)):
        listings = [_list(objects, _Listing(location, report)) for location in some]
        sizes = objects.sizes({oid for listing in listings for oid in listing.wanted().values()})
        for group in _groups(listings, sizes):
            yield from _read(objects, group, sizes)


def merit(objects: Objects, location: Location) -> Merit:
    """How much a copy of a checkpoint holds, for :func:`git_asr.entire.stores.registry.unite`."""
    sessions = read_checkpoint(objects, location, lambda _: None).sessions
    newest = max((session.created for session in sessions if session.created is not None), default=0)
    parts = [oid for session in sessions for oid in session.transcript]
    sizes = objects.sizes(parts)
    return len(sessions), newest, sum(sizes[oid] or 0 for oid in parts)


def _list(objects: Objects, listing: _Listing) -> _Listing:
    """Read the trees of a checkpoint, level by level, so that a limit meets the deepest files first."""
    todo = deque([("", listing.location.tree)])
    seen = left_out = 0
    while todo:
        prefix, tree = todo.popleft()
        try:
            entries = objects.entries(tree)
        except ObjectAbsent as error:
            listing.absent.append(tree)
            listing.tell("absent-tree", error.message)
            continue
        except AsrError as error:
            listing.tell("damaged-tree", error.message)
            continue
        if seen + len(entries) > MAX_ENTRIES:
            left_out += 1
            continue
        seen += len(entries)
        for entry in entries:
            path = prefix + entry.name
            if entry.is_tree and path.count("/") >= MAX_DEPTH:
                listing.tell("too-deep", f"what is below {path:.200} is left out")
            elif entry.is_tree:
                todo.append((f"{path}/", entry.oid))
            elif entry.is_blob:
                listing.files[path] = entry.oid
            else:
                listing.tell("not-a-file", f"{path:.200} is a link or a submodule and is left out")
    if left_out:
        listing.tell("too-many-files", f"more than {MAX_ENTRIES} files: {left_out} folders are left out")
    return listing


def _groups(listings: Sequence[_Listing], sizes: Mapping[str, int | None]) -> Iterator[list[_Listing]]:
    """Cut the listings where their metadata would take too much memory at once."""
    group: list[_Listing] = []
    held = 0
    for listing in listings:
        size = sum(sizes[oid] or 0 for oid in listing.wanted().values())
        if group and held + size > _BYTES_AT_ONCE:
            yield group
            group, held = [], 0
        group.append(listing)
        held += size
    yield group


def _read(
    objects: Objects, listings: Sequence[_Listing], sizes: Mapping[str, int | None]
) -> list[Checkpoint]:
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


def _affordable(listing: _Listing, sizes: Mapping[str, int | None]) -> Iterator[tuple[str, str]]:
    left = MAX_METADATA
    for path, oid in listing.wanted().items():
        size = sizes[oid] or 0
        if size > min(fields.MAX_BYTES, left):
            listing.tell("huge-metadata", f"{size} bytes of metadata are not read", f", {path}")
        else:
            left -= size
            yield path, oid


def _checkpoint(listing: _Listing) -> Checkpoint:
    location, root = listing.location, listing.parsed.get(_METADATA, {})
    listed = _listed(listing, root)
    folders: dict[str, dict[str, str]] = {}
    outside: dict[str, str] = {}
    for path, oid in listing.files.items():
        name, _, inner = path.partition("/")
        if inner and (name in listed or _FOLDER.fullmatch(name)):
            folders.setdefault(name, {})[inner] = oid
        elif path != _METADATA:
            outside[path] = oid
    sessions = sorted((_session(listing, name, files) for name, files in folders.items()), key=_age)
    if not sessions:
        listing.tell("no-session", "the checkpoint holds no session")
    elif _METADATA not in listing.files:
        listing.tell("missing-metadata", "there is no metadata.json")
    for session in sessions:
        transcript = listed.get(session.folder)
        if transcript and not session.transcript:
            listing.tell("missing-transcript", f"{transcript:.200} is listed and is not there")
    absent = tuple(listing.absent)
    return Checkpoint(
        location.checkpoint, location.store, location.tree, root, tuple(sessions), outside, absent
    )


def _listed(listing: _Listing, root: Metadata) -> dict[str, str | None]:
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


def _session(listing: _Listing, folder: str, files: dict[str, str]) -> SessionFolder:
    metadata = listing.parsed.get(f"{folder}/{_METADATA}", {})
    inside = f", session folder {folder}"
    if files.pop(_METADATA, None) is None:
        listing.tell("missing-metadata", "there is no metadata.json", inside)
    native = fields.text(metadata, "session_id")
    if native is not None and not ids.usable_session(native):
        listing.tell("unusable-session-id", f"session ID {native!a:.120} cannot be used", inside)
        native = None
    created_at = fields.text(metadata, "created_at")
    name, parts, missing = _transcript(files)
    if missing:
        listing.tell(
            "missing-part", f"{missing} of {missing + len(parts)} parts of {name} are not there", inside
        )
    return SessionFolder(
        checkpoint=listing.location.checkpoint,
        folder=folder,
        metadata=metadata,
        session_id=native,
        created_at=created_at,
        created=instant(created_at),
        agent=fields.agent(metadata),
        model=fields.text(metadata, "model"),
        start=fields.start(metadata),
        transcript=tuple(files.pop(part) for part in parts),
        transcript_name=name,
        missing_parts=missing,
        compact=files.pop("transcript.jsonl", None),
        prompt=files.pop("prompt.txt", None),
        content_hash=files.pop("content_hash.txt", None),
        files=files,
    )


def _transcript(files: Mapping[str, str]) -> tuple[str | None, list[str], int]:
    """The name of the transcript, the names of its parts in order, and how many are known to be missing.

    Part 0 has the bare name, the others a decimal number of any width (reference, section 3.5). The old name
    ``full.log`` serves where the other is absent. Of two spellings of one number the longer stands for the part.
    """
    base = "full.log" if "full.log" in files and "full.jsonl" not in files else "full.jsonl"
    parts: dict[int, str] = {}
    for name in sorted(files):
        if found := _PART.fullmatch(name):
            parts.setdefault(int(found[1]), name)
    if base in files:
        parts[0] = base
    if not parts:
        return None, [], 0
    return base, [parts[number] for number in sorted(parts)], max(parts) + 1 - len(parts)


def _age(session: SessionFolder) -> tuple[bool, int, int, str]:
    number = int(session.folder) if _FOLDER.fullmatch(session.folder) else -1
    return session.created is not None, session.created or 0, number, session.folder
