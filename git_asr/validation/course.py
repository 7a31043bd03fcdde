"""What was learned of a stream and of a bundle while they are read; checks look at it, and some note more."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Any

from git_asr.asr import large, parts
from git_asr.asr.draft import Record
from git_asr.asr.ids import PART_SPAN
from git_asr.asr.reading import is_of_links
from git_asr.asr.summary import Summary
from git_asr.validation.lines import Measured
from git_asr.validation.seen import Seen
from git_asr.values import dataclass

MOST_COPIES = 100_000
"""Copies of a bundle whose source is looked for in streams that come later."""
MOST_SUMMED = 200_000
"""Records of a stream whose sums are compared with its summary; of a longer one they are not."""
MOST_LINKS = 100_000
"""Links of a stream that are compared with its summary; with more, they are not."""
_CALLS = ("tool_call", "tool_result")


SUPERSEDED = 0x80
"""Bit of the number of a record's ID: another record supersedes it."""


class Types:
    """Small numbers for the types of records; what comes after the first hundred shares one."""

    OTHER = SUPERSEDED - 1

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    def number(self, kind: str) -> int:
        """The number of a type."""
        found = self._numbers.get(kind)
        if found is not None or len(self._numbers) >= self.OTHER:
            return self.OTHER if found is None else found
        return self._numbers.setdefault(kind, len(self._numbers))


@dataclass(frozen=True, slots=True)
class Copy:
    """A copied record, and the one that it names: session, stream, ID."""

    file: str
    record: str
    session: tuple[str, str]
    stream: str
    id: str


@dataclass(slots=True)
class Holding:
    """A bundle while it is read.

    ``paths``: its files. ``place``: where the companion ref holds it, or None. ``manifest``: as JSON, None where there
    is none that is read. ``major``: its version, if it is one that is not. ``sound``: it has the shape that its schema
    asks for. ``entries``: the streams that it lists, those of the right shape, each with its session's key. ``blobs``:
    its blobs by SHA-256; ``files``: what else it lists, size and SHA-256 by path. ``read``: what was measured of the
    files that were read; ``failed``: why others could not be. ``ids``: by session and stream the IDs of the records
    that were read. ``reached``: blobs that a header or a record names; ``texts``: those of them that stand for a text
    or a value; ``garbled``: the files of those that are no text. ``copies``: copied records whose source was not read
    before. ``links``: by session the IDs of its link records; ``repeated_links``: files with IDs that another stream of
    the session has too.
    """

    paths: frozenset[str] = frozenset()
    place: str | None = None
    manifest: Any = None
    sound: bool = False
    major: str | None = None
    entries: list[tuple[Mapping[str, Any], Mapping[str, Any]]] = field(default_factory=list)
    blobs: dict[str, Mapping[str, Any]] = field(default_factory=dict)
    files: dict[str, tuple[int, str]] = field(default_factory=dict)
    read: dict[str, Measured] = field(default_factory=dict)
    failed: dict[str, str] = field(default_factory=dict)
    ids: dict[tuple[tuple[str, str], str], Seen] = field(default_factory=dict)
    copies: list[Copy] = field(default_factory=list)
    reached: set[str] = field(default_factory=set)
    texts: set[str] = field(default_factory=set)
    garbled: list[str] = field(default_factory=list)
    links: dict[tuple[str, str], Seen] = field(default_factory=dict)
    repeated_links: list[tuple[str, str]] = field(default_factory=list)

    @property
    def shareable(self) -> bool:
        """Whether the manifest says that the bundle may be shared."""
        return isinstance(self.manifest, dict) and self.manifest.get("shareable") is True

    def every(self, name: str) -> list[Any]:
        """The items of a list of the manifest; none where it has another shape."""
        return self.manifest[name] if self.sound else []

    def listed(self) -> dict[str, tuple[int, str]]:
        """The files that the manifest lists, each with its size and SHA-256."""
        blobs = {parts.blob_path(one): (blob["bytes"], one) for one, blob in self.blobs.items()}
        return self.files | blobs

    def note_copy(self, file: str, record: Record) -> None:
        """Remember what a copied record names, unless that is there already."""
        found = record["copiedFrom"]
        if "stream" not in found or "id" not in found or len(self.copies) >= MOST_COPIES:
            return
        session = key_pair(found["session"])
        known = self.ids.get((session, found["stream"]))
        if known is None or found["id"] not in known:
            self.copies.append(Copy(file, record["id"], session, found["stream"], found["id"]))


@dataclass(slots=True)
class Course:
    """A stream while it is read: all that was said before the record that is looked at.

    ``file``: the one that is read. ``data``: the line. ``entry``, ``key``: what the manifest says of the stream and its
    session, if there is one. ``header``: None while there is none, where it has not its shape (``unsound``), and where
    the version is one that is not read (``major``). ``whole``: all files are read. ``last``, ``linked``: the last
    ``seq`` of all records and of link records, -1 at first. ``position``: the greatest of a transcript record.
    ``records``: how many there were. ``ids``: theirs, with numbers for their types and ``SUPERSEDED``. ``calls``: the
    IDs of tool calls, and of results. ``named``: blobs of the manifest that header and transcript records name, with
    their media types. ``link_records``: the ``vcs`` records, without what is not needed; only where there is a
    manifest. ``summary``: what the transcript records add up to, None where that is not known. What else there is
    belongs to one check each.
    """

    file: str
    entry: Mapping[str, Any] | None = None
    key: Mapping[str, Any] | None = None
    holding: Holding | None = None
    data: bytes = b""
    header: Record | None = None
    major: str | None = None
    unsound: bool = False
    whole: bool = True
    last: int = -1
    linked: int = -1
    position: int = 0
    records: int = 0
    types: Types = field(default_factory=Types)
    ids: Seen = field(default_factory=Seen)
    calls: Seen = field(default_factory=Seen)
    named: dict[str, str] = field(default_factory=dict)
    link_records: list[Record] = field(default_factory=list)
    summary: Summary | None = None
    inferences: Seen = field(default_factory=Seen)
    secrets: Seen = field(default_factory=Seen)

    @property
    def subagent(self) -> bool:
        """Whether the header says that the session itself started this stream; another may start a session."""
        if self.header is None:
            return False
        spawned = self.header.get("lineage", {}).get("spawnedBy", ())
        own = key_pair(self.header["session"])
        facets = spawned if isinstance(spawned, list) else [spawned] if spawned else []
        return any(key_pair(one["session"]) == own for one in facets)

    def note_header(self, header: Record) -> None:
        """Remember the header."""
        self.header = header
        self._note_blobs(header)

    def note(self, record: Record) -> None:
        """Remember a record of the right shape."""
        kind, identifier, seq = record["type"], record["id"], record["seq"]
        self.ids.add(identifier, self.types.number(kind))
        self.last = max(self.last, seq)
        self.records += 1
        if kind in _CALLS:
            self.calls.add(record["callId"])
        if self.holding is not None and b'"blob"' in self.data:
            self._note_blobs(record)
        if is_of_links(record):
            self._note_link(record)
            return
        self.position = max(self.position, seq // PART_SPAN)
        if self.summary is not None:
            self._sum(record)
        if self.holding is not None and "copiedFrom" in record:
            self.holding.note_copy(self.file, record)

    def note_unsound(self, record: Mapping[str, Any]) -> None:
        """Remember of a record of another shape what others may refer to."""
        identifier, seq = record.get("id"), record.get("seq")
        self.records += 1
        if isinstance(identifier, str):
            self.ids.add(identifier, Types.OTHER)
        if isinstance(seq, int) and not isinstance(seq, bool) and seq < 1 << 53:
            self.last = max(self.last, seq)
        if isinstance(call := record.get("callId"), str):
            self.calls.add(call)

    def _sum(self, record: Record) -> None:
        """Add a record to the summary, unless there are too many, or one does not show all that counts."""
        if self.summary is not None and (self.records > MOST_SUMMED or "_metaBlob" in record):
            self.summary = None
        elif self.summary is not None:
            for _ in self.summary.watch((record,)):
                pass

    def _note_link(self, record: Record) -> None:
        self.linked = max(self.linked, record["seq"])
        if self.holding is None or self.key is None:
            return
        if record["type"] == "vcs" and len(self.link_records) <= MOST_LINKS:
            self.link_records.append({name: record[name] for name in ("type", "id", "commit")})
        seen = self.holding.links.setdefault(key_pair(self.key), Seen())
        if not seen.add(record["id"]) and len(self.holding.repeated_links) < MOST_LINKS:
            self.holding.repeated_links.append((self.file, record["id"]))

    def _note_blobs(self, record: Record) -> None:
        if self.holding is not None:
            self.holding.texts |= _texts(record) & self.holding.blobs.keys()
        for sha256, media in large.references((record,)).items():
            if self.holding is not None and sha256 in self.holding.blobs:
                self.holding.reached.add(sha256)
                if not is_of_links(record):
                    self.named[sha256] = min(media, self.named.get(sha256, media))


def _texts(record: Record) -> set[str]:
    """The blobs that stand for fields, or for texts of the content."""
    content = record.get("content")
    parts = [one for one in content if one.get("type") == "text"] if isinstance(content, list) else []
    fields = [value for name, value in record.items() if name.endswith("Blob")]
    named = [one.get("blob") for one in (*fields, *parts) if isinstance(one, dict)]
    return {one for one in named if isinstance(one, str)}


def key_pair(key: Mapping[str, Any]) -> tuple[str, str]:
    """What tells sessions apart."""
    return str(key["harness"]), str(key["id"])
