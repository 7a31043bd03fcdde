"""Bundles: the files of one or more sessions and the manifest that lists them (profile section 7)."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar, cast

from git_asr.asr import codec, large, parts
from git_asr.asr.draft import Record
from git_asr.asr.header import PRODUCER, IdSource, SessionKey
from git_asr.asr.version import FORMAT_VERSION
from git_asr.errors import AsrError

MANIFEST = "bundle.json"

_Kind = TypeVar("_Kind")
_WORDS = {str: "text", int: "number", list: "list", dict: "object"}

PutFile = Callable[[str, bytes], None]
"""Takes a file of the bundle: its path with slashes, and its bytes."""


@dataclass(frozen=True, slots=True)
class File:
    """A file as the manifest lists it. ``sha256`` in hex."""

    path: str
    bytes: int
    sha256: str

    def record(self) -> dict[str, Any]:
        """The entry as the manifest writes it."""
        return {"path": self.path, "bytes": self.bytes, "sha256": self.sha256}


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
    """A session of a bundle: its key and its streams, sorted by stream ID."""

    key: SessionKey
    streams: tuple[StreamEntry, ...]


@dataclass(frozen=True, slots=True)
class Manifest:
    """``bundle.json``. ``forgotten`` is set, and ``sessions`` hold no streams, where a session was forgotten."""

    sessions: tuple[Session, ...]
    blobs: tuple[large.Blob, ...] = ()
    shareable: bool = False
    forgotten: Mapping[str, Any] | None = None
    meta: Mapping[str, Any] = field(default_factory=dict)

    def dump(self) -> bytes:
        """The file: 2-space indented, lists sorted, keys in the order of the profile, one final LF."""
        record: dict[str, Any] = {
            "formatVersion": FORMAT_VERSION,
            "producer": {"name": PRODUCER},
            "shareable": self.shareable,
            "sessions": [
                {
                    "session": session.key.record(),
                    "streams": [s.record() for s in sorted(session.streams, key=lambda s: s.stream)],
                }
                for session in sorted(self.sessions, key=lambda s: s.key)
            ],
            "blobs": [
                {"sha256": blob.sha256, "bytes": blob.bytes, "mediaType": blob.media_type}
                for blob in sorted(self.blobs, key=lambda b: b.sha256)
            ],
        }
        if self.forgotten is not None:
            record["forgotten"] = dict(self.forgotten)
        if self.meta:
            record["_meta"] = dict(self.meta)
        return codec.encode_indented(record)


def load(data: bytes) -> Manifest:
    """Read a manifest.

    Raises:
        AsrError: it is no manifest, names a file that the rules of names do not allow, or holds something else where
            readers count on a text, a number or a list.
    """
    try:
        return _manifest(codec.decode(data).value)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise AsrError(f"a damaged {MANIFEST}: {error}") from error


def _manifest(record: dict[str, Any]) -> Manifest:
    sessions = tuple(
        Session(
            SessionKey(
                _is(str, one["session"]["harness"]),
                _is(str, one["session"]["id"]),
                cast("IdSource", _is(str, one["session"].get("idSource", "native"))),
            ),
            tuple(_entry(entry) for entry in one["streams"]),
        )
        for one in record["sessions"]
    )
    blobs = tuple(
        large.Blob(_is(str, b["sha256"]), _is(int, b["bytes"]), _is(str, b["mediaType"]))
        for b in record["blobs"]
    )
    forgotten = _is(dict, record["forgotten"]) if "forgotten" in record else None
    return Manifest(
        sessions, blobs, bool(record.get("shareable")), forgotten, _is(dict, record.get("_meta", {}))
    )


_ENTRY = ("stream", "files", "records", "contentLevel", "formatVersion", "summary", "blobs")


def _entry(record: dict[str, Any]) -> StreamEntry:
    files = tuple(
        File(_is(str, file["path"]), _is(int, file["bytes"]), _is(str, file["sha256"]))
        for file in record["files"]
    )
    for file in files:
        if not parts.is_stream_file(file.path):
            raise ValueError(f"a file name that is not allowed: {file.path!r}")
    if len({file.path for file in files}) < len(files):
        raise ValueError("a file that is listed twice")
    return StreamEntry(
        _is(str, record["stream"]),
        files,
        _is(int, record["records"]),
        _is(str, record["contentLevel"]),
        _is(str, record["formatVersion"]),
        _checked(_is(dict, record["summary"])),
        {sha: _is(str, media) for sha, media in _is(dict, record["blobs"]).items()}
        if "blobs" in record
        else None,
        {key: value for key, value in record.items() if key not in _ENTRY},
    )


def _checked(summary: dict[str, Any]) -> dict[str, Any]:
    """A summary whose known fields are of their types; absent ones and unknown ones may be."""
    for name in ("agent", "startedAt", "endedAt", "firstPrompt"):
        _is(str, summary.get(name, ""))
    for name in ("models", "commits"):
        for item in _is(list, summary.get(name, [])):
            _is(str, item)
    for number in _is(dict, summary.get("counts", {})).values():
        _is(int, number)
    _is(dict, summary.get("usage", {}))
    return summary


def _is(kind: type[_Kind], value: Any) -> _Kind:
    if not isinstance(value, kind):
        raise TypeError(f"{value!r:.40} where a {_WORDS[kind]} should stand")
    return value


@dataclass(frozen=True, slots=True)
class WrittenStream:
    """A stream as it was written: its header and its link records."""

    header: Record
    links: tuple[Record, ...]


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
