"""Bundles: the files of one or more sessions and the manifest that lists them (profile section 7)."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from typing import Any, cast

from git_asr.asr import codec, large, parts
from git_asr.asr.draft import Record
from git_asr.asr.exact import decode_exactly
from git_asr.asr.header import PRODUCER, IdSource, SessionKey
from git_asr.asr.shape import a, digest, summary_of, without
from git_asr.asr.version import FORMAT_VERSION, SUPPORTED_MAJOR, major
from git_asr.errors import AsrError
from git_asr.values import dataclass

MANIFEST = "bundle.json"

PutFile = Callable[[str, bytes], None]
"""Takes a file of the bundle: its path with slashes, and its bytes."""


@dataclass(frozen=True, slots=True)
class File:
    """A file as the manifest lists it. ``sha256`` in hex."""

    path: str
    bytes: int
    sha256: str
    other: Mapping[str, Any] = field(default_factory=dict)
    """Fields beside these, kept."""

    def record(self) -> dict[str, Any]:
        """The entry as the manifest writes it."""
        return {"path": self.path, "bytes": self.bytes, "sha256": self.sha256, **self.other}


@dataclass(frozen=True, slots=True)
class StreamEntry:
    """A stream as the manifest lists it: the files in the order in which they are joined, and what lists need."""

    stream: str
    files: tuple[File, ...]
    records: int
    content_level: str
    format_version: str
    summary: Mapping[str, Any]
    blobs: Mapping[str, str] | None = None
    """The blobs that the header and the transcript's records name, by SHA-256 in order, each with its media type there
    (of several the smallest); None where that is not said."""
    other: Mapping[str, Any] = field(default_factory=dict)
    """Fields that this version does not know, kept."""

    def record(self) -> dict[str, Any]:
        """The entry as the manifest writes it."""
        return {
            "stream": self.stream,
            "files": [file.record() for file in self.files],
            "records": self.records,
            "contentLevel": self.content_level,
            "formatVersion": self.format_version,
            "summary": dict(self.summary),
            **({} if self.blobs is None else {"blobs": dict(self.blobs)}),
            **self.other,
        }


@dataclass(frozen=True, slots=True)
class Session:
    """A session of a bundle: its key and its streams, sorted by stream ID.

    ``key_other``, ``other``: fields of the key and beside it that this version does not know, kept.
    """

    key: SessionKey
    streams: tuple[StreamEntry, ...]
    key_other: Mapping[str, Any] = field(default_factory=dict)
    other: Mapping[str, Any] = field(default_factory=dict)

    def record(self) -> dict[str, Any]:
        """The entry as the manifest writes it."""
        return {
            "session": {**self.key.record(), **self.key_other},
            "streams": [one.record() for one in sorted(self.streams, key=lambda one: one.stream)],
            **self.other,
        }


@dataclass(frozen=True, slots=True)
class Manifest:
    """``bundle.json``. ``forgotten`` is set, and ``sessions`` hold no streams, where a session was forgotten.

    ``native``: the native transcripts, below ``native/``. ``other``: fields that this version does not know, kept, and
    so are the files that they list (an object with ``path``, ``bytes`` and ``sha256``).
    """

    sessions: tuple[Session, ...]
    blobs: tuple[large.Blob, ...] = ()
    shareable: bool = False
    forgotten: Mapping[str, Any] | None = None
    meta: Mapping[str, Any] = field(default_factory=dict)
    native: tuple[File, ...] = ()
    other: Mapping[str, Any] = field(default_factory=dict)

    def files(self) -> dict[str, File]:
        """Every file that is listed, by path: all that is part of the bundle beside the manifest."""
        own = (file for _, entry in streams(self) for file in entry.files)
        blobs = (File(parts.blob_path(one.sha256), one.bytes, one.sha256) for one in self.blobs)
        unknown = [self.other, self.meta, self.forgotten or {}]
        for session in self.sessions:
            unknown += [session.other, session.key_other, *(entry.other for entry in session.streams)]
        return {file.path: file for file in (*listed_files(unknown), *self.native, *blobs, *own)}

    def dump(self) -> bytes:
        """The file: 2-space indented, lists sorted, keys in the order of the profile, one final LF."""
        record: dict[str, Any] = {
            "formatVersion": FORMAT_VERSION,
            "producer": {"name": PRODUCER},
            "shareable": self.shareable,
            "sessions": [session.record() for session in sorted(self.sessions, key=lambda s: s.key)],
            "blobs": [
                {"sha256": blob.sha256, "bytes": blob.bytes, "mediaType": blob.media_type, **blob.other}
                for blob in sorted(self.blobs, key=lambda b: b.sha256)
            ],
        }
        if self.native:
            record["native"] = [file.record() for file in sorted(self.native, key=lambda one: one.path)]
        if self.forgotten is not None:
            record["forgotten"] = dict(self.forgotten)
        if self.meta:
            record["_meta"] = dict(self.meta)
        return codec.encode_indented({**record, **self.other})


MAX_LEVELS = 64
"""Levels of arrays and objects in a manifest."""


def load(data: bytes) -> Manifest:
    """Read a manifest. Numbers in unknown fields keep their digits.

    Raises:
        AsrError: it is no manifest, one of another major version, names a file that the rules of names do not allow, or
            holds something else where readers count on a text, a number or a list.
    """
    try:
        if codec.deeper(data, MAX_LEVELS):
            raise ValueError("nested too deeply")
        record = a(dict, decode_exactly(data))
        version = record.get("formatVersion", FORMAT_VERSION)
        if major(version) != SUPPORTED_MAJOR:
            raise AsrError(f"a bundle of format version {version!r:.40}, and only 0 is read")
        return _manifest(record)
    except KeyError as error:
        raise AsrError(f"a damaged {MANIFEST}: something lacks {error}") from error
    except (ValueError, TypeError) as error:
        raise AsrError(f"a damaged {MANIFEST}: {error}") from error


REDACTION = "git-asr/redaction"
"""Key of the manifest's ``_meta`` that says by which policy a shareable bundle was made."""
_MANIFEST = ("formatVersion", "producer", "shareable", "sessions", "blobs", "forgotten", "_meta")


def _manifest(record: dict[str, Any]) -> Manifest:
    native = _native(record.get("native"))
    manifest = Manifest(
        tuple(_session(a(dict, one)) for one in a(list, record["sessions"])),
        tuple(_blob(a(dict, one)) for one in a(list, record["blobs"])),
        bool(record.get("shareable")),
        a(dict, record["forgotten"]) if "forgotten" in record else None,
        a(dict, record.get("_meta", {})),
        native,
        without(record, *_MANIFEST, *(["native"] if native else [])),
    )
    paths = [file.path for _, entry in streams(manifest) for file in entry.files]
    if len(set(paths)) < len(paths):
        raise ValueError("a file that is listed twice")
    if len({one.key for one in manifest.sessions}) < len(manifest.sessions):
        raise ValueError("a session that is listed twice")
    return manifest


def _session(record: dict[str, Any]) -> Session:
    key = a(dict, record["session"])
    source = cast("IdSource", a(str, key.get("idSource", "native")))
    return Session(
        SessionKey(a(str, key["harness"]), a(str, key["id"]), source),
        tuple(_entry(a(dict, entry)) for entry in a(list, record["streams"])),
        without(key, "harness", "id", "idSource"),
        without(record, "session", "streams"),
    )


def _blob(record: dict[str, Any]) -> large.Blob:
    other = without(record, "sha256", "bytes", "mediaType")
    return large.Blob(digest(record["sha256"]), a(int, record["bytes"]), a(str, record["mediaType"]), other)


def _native(value: Any) -> tuple[File, ...]:
    """The native files; none where the field has a form that this version does not know."""
    found = [_maybe_file(one) for one in value] if isinstance(value, list) else []
    known = tuple(one for one in found if one is not None and one.path.startswith("native/"))
    return known if len(known) == len(found) else ()


def listed_files(values: Iterable[Any]) -> Iterator[File]:
    """The files that values list, whatever fields they are: objects with a path, a size and a digest."""
    todo = list(values)
    while todo:
        value = todo.pop()
        if isinstance(value, Mapping):
            file = _maybe_file(value)
            if file is not None:
                yield file
            todo.extend(value.values())
        elif isinstance(value, list):
            todo.extend(value)


def _maybe_file(value: Any) -> File | None:
    """A file entry, if a value is one."""
    try:
        file = _file(a(dict, value))
    except (ValueError, KeyError, TypeError):
        return None
    return file if parts.is_bundle_path(file.path) and file.path != MANIFEST else None


def _file(record: dict[str, Any]) -> File:
    other = without(record, "path", "bytes", "sha256")
    return File(a(str, record["path"]), a(int, record["bytes"]), digest(record["sha256"]), other)


_ENTRY = ("stream", "files", "records", "contentLevel", "formatVersion", "summary", "blobs")


def _entry(record: dict[str, Any]) -> StreamEntry:
    files = tuple(_file(a(dict, file)) for file in a(list, record["files"]))
    version = a(str, record["formatVersion"])
    allowed = parts.is_stream_file if major(version) == SUPPORTED_MAJOR else parts.is_in_sessions
    for file in files:
        if not allowed(file.path):
            raise ValueError(f"a file name that is not allowed: {file.path!r}")
    return StreamEntry(
        a(str, record["stream"]),
        files,
        a(int, record["records"]),
        a(str, record["contentLevel"]),
        version,
        summary_of(a(dict, record["summary"])),
        {digest(sha): a(str, media) for sha, media in a(dict, record["blobs"]).items()}
        if "blobs" in record
        else None,
        without(record, *_ENTRY),
    )


@dataclass(frozen=True, slots=True)
class WrittenStream:
    """A stream as it was written: its header and its link records."""

    header: Record
    links: tuple[Record, ...]


@dataclass(frozen=True, slots=True)
class Bundle:
    """A bundle as plain data while it goes from one place to another.

    ``file``: gives a listed file by its path; None where it is not there, or it raises AsrError.
    """

    manifest: Manifest
    file: Callable[[str], bytes | None]


class BundleWriter:
    """Writes the files of a bundle through ``put`` as they come, and the manifest at the end.

    Nothing is held but the manifest and one part, so the size of a session does not matter.
    """

    def __init__(self, put: PutFile, kept: Mapping[str, large.Blob] | None = None) -> None:
        """``kept``: blobs that link records from an earlier bundle may name; ``adopted`` are those that they do."""
        self._put = put
        self._kept = kept or {}
        self._sessions: dict[SessionKey, list[StreamEntry]] = {}
        self._blobs: dict[str, large.Blob] = {}
        self._named: dict[str, dict[str, str]] = {}
        self.adopted: set[str] = set()

    def records(self, stream: str, records: Iterable[Record]) -> tuple[File, ...]:
        """Write the transcript records of a stream as parts; the files in order."""
        named = self._named.setdefault(stream, {})
        put = self._naming(named)
        lines = (large.line(record, put) for record in records)
        return tuple(
            self._file(parts.part_path(stream, number), data)
            for number, data in enumerate(parts.cut(lines), start=1)
        )

    def stream(
        self,
        key: SessionKey,
        header: Record,
        written: Sequence[File],
        links: Sequence[Record],
        *,
        records: int,
        summary: Mapping[str, Any],
    ) -> WrittenStream:
        """Write the header and the links of a stream whose ``records`` transcript records are ``written``.

        What is returned is what was written: large values have left it for blobs.
        """
        stream = header["stream"]
        named = self._named.setdefault(stream, {})
        head = large.line(header, self._naming(named))
        lines = [large.line(link, self._naming({})) for link in links]
        files = [self._file(parts.header_path(stream), head), *written]
        if lines:
            files.append(self._file(parts.links_path(stream), b"".join(lines)))
        entry = StreamEntry(
            stream,
            tuple(files),
            records + len(links),
            header["contentLevel"],
            header["formatVersion"],
            summary,
            dict(sorted(named.items())),
        )
        self._sessions.setdefault(key, []).append(entry)
        own_links = tuple(codec.decode(line).value for line in lines)
        for sha256, media in large.references(own_links).items():
            known = self._blobs.get(sha256)
            if known is None and sha256 in self._kept:
                known = replace(self._kept[sha256], media_type=media)
                self.adopted.add(sha256)
            if known is not None:
                self._blobs[sha256] = replace(known, media_type=min(media, known.media_type))
        return WrittenStream(codec.decode(head).value, own_links)

    def blob(self, data: bytes, media_type: str) -> large.Blob:
        """Write a blob that link records will name."""
        return self._naming({})(data, media_type)

    def _naming(self, named: dict[str, str]) -> large.PutBlob:
        """Writes a blob, once for the bundle. Of two media types for the same bytes the smaller text stays."""

        def put(data: bytes, media_type: str) -> large.Blob:
            blob = large.describe(data, media_type)
            named[blob.sha256] = min(media_type, named.get(blob.sha256, media_type))
            known = self._blobs.get(blob.sha256)
            if known is None:
                self._put(parts.blob_path(blob.sha256), data)
            if known is None or media_type < known.media_type:
                self._blobs[blob.sha256] = blob
            return blob

        return put

    def close(self) -> Manifest:
        """Write the manifest and return it."""
        manifest = Manifest(
            tuple(Session(key, tuple(streams)) for key, streams in self._sessions.items()),
            tuple(self._blobs.values()),
        )
        self._put(MANIFEST, manifest.dump())
        return manifest

    def _file(self, path: str, data: bytes) -> File:
        self._put(path, data)
        return file_entry(path, data)


def file_entry(path: str, data: bytes) -> File:
    """The manifest entry of a file with these bytes."""
    return File(path, len(data), hashlib.sha256(data).hexdigest())


def streams(manifest: Manifest) -> Iterator[tuple[SessionKey, StreamEntry]]:
    """Every stream of a manifest with its session's key."""
    for session in manifest.sessions:
        for entry in session.streams:
            yield session.key, entry
