"""Shows a bundle to the checks: its manifest, its streams, its blobs. Each file is read once, in pieces."""

from __future__ import annotations

import re
from codecs import getincrementaldecoder
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from git_asr.asr import codec
from git_asr.asr.bundle import MANIFEST, listed_files
from git_asr.asr.parts import blob_path
from git_asr.asr.summary import Summary
from git_asr.asr.version import SUPPORTED_MAJOR, major
from git_asr.errors import AsrError
from git_asr.validation import shapes
from git_asr.validation.base import BundleCheck, Check, Files, Finding
from git_asr.validation.checks.manifest import bundle_readable
from git_asr.validation.course import Course, Holding, key_pair
from git_asr.validation.findings import cut
from git_asr.validation.lines import Measured
from git_asr.validation.streams import Report, Streams
from git_asr.values import dataclass

_PLACED = re.compile(rf"([^/]+/[0-9a-f]{{2}}/[^/]+)/{re.escape(MANIFEST)}")
"""Where a companion ref holds manifests."""
MOST_MANIFEST = 64 * 1024 * 1024
"""Bytes of a manifest that is read."""


def check_stream(file: str, chunks: Iterable[bytes], checks: Sequence[Check], report: Report) -> int:
    """Check a stream that stands alone in a file; gives the number of its records."""
    course = Course(file)
    Streams(checks, report).check(course, [(file, chunks)])
    return course.records


def check_bundle(files: Files, checks: Sequence[Check], report: Report, place: str | None = None) -> int:
    """Check a bundle; gives the number of its records.

    ``place``: the folder of the companion ref in which it lies. What cannot be read is a finding too.
    """
    holding = Holding(place=place)
    try:
        holding.paths = frozenset(files.paths())
    except AsrError as error:
        unreadable(error.message, checks, report)
        return 0
    holding.manifest = _manifest(files, holding)
    records = 0
    if isinstance(holding.manifest, dict):
        found = major(holding.manifest.get("formatVersion"))
        if found is not None and found != SUPPORTED_MAJOR:
            holding.major = str(holding.manifest["formatVersion"])
            holding.manifest = None
    if isinstance(holding.manifest, dict):
        _fill(holding)
        streams = Streams(checks, report)
        for key, entry in holding.entries:
            records += _stream(files, holding, streams, key, entry)
        texts = {blob_path(sha256) for sha256 in holding.texts}
        for path in holding.listed():
            chunks = _read(files, holding, path)
            if path in texts and not _is_text(chunks):
                holding.garbled.append(path)
            for _ in chunks:
                pass
    _finish(holding, checks, report)
    return records


@dataclass(frozen=True, slots=True)
class _Below:
    """The files below a folder."""

    files: Files
    prefix: str

    def paths(self) -> Iterable[str]:
        return (one.removeprefix(self.prefix) for one in self.files.paths() if one.startswith(self.prefix))

    def chunks(self, path: str) -> Iterator[bytes]:
        return self.files.chunks(self.prefix + path)


def folders(files: Files) -> Iterator[tuple[str | None, Files]]:
    """The bundles among files: one that holds them all, or several as a companion ref has them, with their places."""
    paths = list(files.paths())
    places = sorted({found[1] for one in paths if (found := _PLACED.fullmatch(one))})
    if MANIFEST in paths or not places:
        yield None, files
    else:
        yield from ((place, _Below(files, f"{place}/")) for place in places)


def unreadable(message: str, checks: Sequence[Check], report: Report) -> None:
    """Report a bundle that could not even be opened."""
    holding = Holding()
    holding.failed[""] = message
    _finish(holding, [one for one in checks if one is bundle_readable], report)


def _finish(holding: Holding, checks: Sequence[Check], report: Report) -> None:
    for check in checks:
        if isinstance(check, BundleCheck):
            for path, message in check.find(holding):
                report(Finding(check.name, check.level, path, None, None, cut(message)))


def _is_text(chunks: Iterator[bytes]) -> bool:
    """Tell whether pieces are UTF-8 together; where they are not, the rest of them is not taken."""
    decoder = getincrementaldecoder("utf-8")()
    try:
        for chunk in chunks:
            decoder.decode(chunk)
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return False
    return True


def _manifest(files: Files, holding: Holding) -> Any:
    """The manifest as JSON; None where there is none that can be read."""
    data = bytearray()
    for chunk in _read(files, holding, MANIFEST):
        data += chunk
        if len(data) > MOST_MANIFEST:
            holding.failed[MANIFEST] = f"has more than {MOST_MANIFEST >> 20} MiB, and is not read"
            return None
    try:
        return codec.decode(bytes(data)).value
    except ValueError:
        return None


def _fill(holding: Holding) -> None:
    """What a manifest lists, as far as each entry has its shape."""
    manifest = holding.manifest
    holding.sound = shapes.manifest()(manifest) is None
    stream, key, blob = (shapes.part("bundle", *path) for path in (_STREAM, _KEY, _BLOB))
    for session in _items(manifest, "sessions"):
        if isinstance(session, dict) and "session" in session and key(session["session"]) is None:
            holding.entries += (
                (session["session"], entry) for entry in _items(session, "streams") if stream(entry) is None
            )
    holding.blobs = {one["sha256"]: one for one in _items(manifest, "blobs") if blob(one) is None}
    holding.files = {file.path: (file.bytes, file.sha256) for file in listed_files([manifest])}


_SESSION = ("properties", "sessions", "items", "properties")
_STREAM = (*_SESSION, "streams", "items")
_KEY = (*_SESSION, "session")
_BLOB = ("properties", "blobs", "items")


def _items(found: Mapping[str, Any], name: str) -> list[Any]:
    listed = found.get(name)
    return listed if isinstance(listed, list) else []


def _stream(
    files: Files, holding: Holding, streams: Streams, key: Mapping[str, Any], entry: Mapping[str, Any]
) -> int:
    """Check one stream; its files that were read before, or are not there, are passed over."""
    listed = [file["path"] for file in entry["files"]]
    course = Course(listed[0], entry, key, holding, summary=Summary())
    holding.ids[key_pair(key), entry["stream"]] = course.ids
    readable = [one for one in listed if one in holding.paths and one not in holding.read]
    course.whole = readable == listed
    if listed[0] in readable:
        streams.check(course, ((one, _read(files, holding, one, course)) for one in readable))
    return course.records


def _read(files: Files, holding: Holding, path: str, course: Course | None = None) -> Iterator[bytes]:
    """A file in pieces, measured; nothing for one that is not there. ``course``: of the stream that it is a part of."""
    if path in holding.paths and path not in holding.read and path not in holding.failed:
        measured = Measured()
        try:
            yield from measured(files.chunks(path))
        except AsrError as error:
            holding.failed[path] = error.message
            if course is not None:
                course.whole = False
        else:
            holding.read[path] = measured
