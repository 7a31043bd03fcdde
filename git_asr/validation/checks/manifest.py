"""Manifests, files and blobs (profile sections 1, 7 and 8)."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from git_asr.asr import links, parts
from git_asr.asr.bundle import MANIFEST
from git_asr.asr.draft import Record
from git_asr.asr.ids import name
from git_asr.asr.summary import COUNTS
from git_asr.asr.version import SUPPORTED_MAJOR, major
from git_asr.validation.base import Check, bundle_check, header_check, quoted, record_check, stream_check
from git_asr.validation.course import MOST_LINKS, Course, Holding, key_pair

Found = Iterator[tuple[str, str]]


@bundle_check(
    "bundle-readable",
    "syntax",
    "A bundle can be opened and all its files read; an archive has nothing in it that extraction refuses.",
    "profile 7, archives",
)
def bundle_readable(holding: Holding) -> Found:
    """What cannot be read is not checked."""
    yield from holding.failed.items()


@bundle_check(
    "bundle-manifest",
    "syntax",
    f"A bundle has a {MANIFEST}, which is one object in JSON.",
    "profile 1, bundle",
)
def bundle_manifest(holding: Holding) -> Found:
    """Without one nothing belongs to the bundle."""
    if MANIFEST not in holding.paths:
        yield MANIFEST, "is missing"
    elif MANIFEST not in holding.failed and holding.major is None and not isinstance(holding.manifest, dict):
        yield MANIFEST, "is no JSON object"


@bundle_check("file-there", "semantics", "Every file that the manifest lists is there.", "profile 7")
def file_there(holding: Holding) -> Found:
    """Of streams, and blobs."""
    for path in holding.listed():
        if path not in holding.paths:
            yield path, "is listed and missing"


@bundle_check(
    "file-same", "semantics", "A file has the size and the SHA-256 that the manifest lists.", "profile 7"
)
def file_same(holding: Holding) -> Found:
    """What differs is not what was written."""
    for path, (size, sha256) in holding.listed().items():
        read = holding.read.get(path)
        if read is None:
            continue
        if read.bytes != size:
            yield path, f"has {read.bytes} bytes, and {size} are listed"
        elif read.sha256 != sha256:
            yield path, "has another SHA-256 than is listed"


@bundle_check(
    "listed-once",
    "semantics",
    "No file, blob, stream or session is listed twice.",
    "profile 2, stream, and 7",
)
def listed_once(holding: Holding) -> Found:
    """A stream's ID is unique in the bundle."""
    paths = Counter(file["path"] for _, entry in holding.entries for file in entry["files"])
    streams = Counter(entry["stream"] for _, entry in holding.entries)
    blobs = Counter(blob["sha256"] for blob in holding.every("blobs"))
    sessions = Counter(key_pair(one["session"]) for one in holding.every("sessions"))
    for what, counted in (("file", paths), ("stream", streams), ("blob", blobs), ("session", sessions)):
        for one, count in counted.items():
            if count > 1:
                yield (
                    MANIFEST,
                    f"lists the {what} {quoted(one if isinstance(one, str) else one[1])} {count} times",
                )


def _read_entries(holding: Holding) -> Iterator[Mapping[str, Any]]:
    """The streams of versions that are read; others may name their files as they like."""
    return (entry for _, entry in holding.entries if major(entry["formatVersion"]) == SUPPORTED_MAJOR)


def _is_of(path: str, stream: str) -> bool:
    """Whether a path is that of a stream's file."""
    return parts.stream_name(path) == name(stream)


@bundle_check(
    "file-name",
    "semantics",
    "The files of a stream are named by its ID.",
    "profile 1, stream files and names",
)
def file_name(holding: Holding) -> Found:
    """A plain ID, else its SHA-256."""
    for entry in _read_entries(holding):
        for file in entry["files"]:
            if not _is_of(file["path"], entry["stream"]):
                yield file["path"], f"is listed for the stream {quoted(entry['stream'])}"


@bundle_check(
    "file-order",
    "semantics",
    "The manifest lists of a stream its header's file, its parts from 1 on, and its links last.",
    "profile 1, stream files",
)
def file_order(holding: Holding) -> Found:
    """The stream is these files joined in that order."""
    for entry in _read_entries(holding):
        stream, listed = entry["stream"], [file["path"] for file in entry["files"]]
        last = listed[-1:] if listed[-1] == parts.links_path(stream) else []
        numbered = (parts.part_path(stream, n) for n in range(1, len(listed) - len(last)))
        named = all(_is_of(path, stream) for path in listed)
        if named and listed != [parts.header_path(stream), *numbered, *last]:
            yield MANIFEST, f"does not list the files of {quoted(stream)} as header, parts from 1 on, links"


@bundle_check(
    "file-size",
    "semantics",
    f"A part has at most {parts.PART_BYTES >> 10} KiB, or a single line.",
    "profile 1, stream files",
)
def file_size(holding: Holding) -> Found:
    """So that what grows changes little."""
    for _, entry in holding.entries:
        for file in entry["files"]:
            read = holding.read.get(file["path"])
            is_part = parts.is_part(file["path"])
            if is_part and read is not None and read.bytes > parts.PART_BYTES and read.lines > 1:
                yield file["path"], f"has {read.bytes} bytes in {read.lines} lines"


@header_check(
    "entry-header",
    "semantics",
    "The manifest says of a stream what its header says: ID, session, content level, version.",
    "profile 7",
)
def entry_header(header: Record, course: Course) -> Iterator[str]:
    """Lists need the manifest alone."""
    if course.entry is None or course.key is None:
        return
    for field in ("stream", "contentLevel", "formatVersion"):
        if header[field] != course.entry[field]:
            yield f"{field} is {quoted(header[field])}, and {quoted(course.entry[field])} in {MANIFEST}"
    if key_pair(header["session"]) != key_pair(course.key):
        yield f"the session is {quoted(header['session']['id'])}, and {quoted(course.key['id'])} in {MANIFEST}"


def _is_read(course: Course) -> bool:
    """Whether all of a stream was read and understood."""
    return course.major is None and course.whole


@stream_check("entry-records", "semantics", "The manifest says how many records a stream has.", "profile 7")
def entry_records(course: Course) -> Iterator[str]:
    """Those of the transcript and the links."""
    if _is_read(course) and course.entry is not None and course.records != course.entry["records"]:
        yield f"has {course.records} records, and {course.entry['records']} are listed"


@stream_check(
    "entry-commits",
    "semantics",
    "The summary of a stream lists the commits of its links, each once, in order.",
    "profile 7, summary",
)
def entry_commits(course: Course) -> Iterator[str]:
    """Of those that were not taken back."""
    if _is_read(course) and course.entry is not None and len(course.link_records) <= MOST_LINKS:
        wanted = links.commits(course.link_records)
        if course.entry["summary"]["commits"] != wanted:
            yield f"its links name {len(wanted)} commits, and the summary lists others"


@stream_check(
    "entry-summary",
    "semantics",
    "Where a summary has counts, usage or times, they are those of the stream's records.",
    "profile 7, summary",
)
def entry_summary(course: Course) -> Iterator[str]:
    """Lists and logs read nothing else; what a summary does not say is unknown."""
    if not _is_read(course) or course.summary is None or course.entry is None:
        return
    told = course.entry["summary"]
    found = course.summary.record(agent="", models=(), first_prompt=lambda: None, commits=())
    for field in ("startedAt", "endedAt", "usage"):
        if field in told and told[field] != found.get(field):
            yield f"{field} is {quoted(told[field])} in the summary, and {quoted(found.get(field))} by its records"
    for what, number in told.get("counts", {}).items():
        if what in COUNTS and number != found.get("counts", {}).get(what, 0):
            known = found.get("counts", {}).get(what, 0)
            yield f"counts {number} {what} in the summary, and {known} by its records"


@stream_check(
    "entry-blobs",
    "semantics",
    "The blobs that the manifest lists of a stream are those that its header and transcript name.",
    "format, manifest",
)
def entry_blobs(course: Course) -> Iterator[str]:
    """With the media types there, so that a stream can be replaced without reading it."""
    told = None if course.entry is None else course.entry.get("blobs")
    if told is None or not _is_read(course):
        return
    for sha256 in sorted(told.keys() ^ course.named.keys()):
        yield f"the blob {sha256} is {'listed of it and not' if sha256 in told else 'not listed of it and'} named in it"
    for sha256 in sorted(told.keys() & course.named.keys()):
        if told[sha256] != course.named[sha256]:
            yield f"the blob {sha256} is {quoted(course.named[sha256])} in it, and {quoted(told[sha256])} in {MANIFEST}"


@record_check(
    "blob-listed",
    "semantics",
    "Every blob that a record names is listed, with the size that the record says.",
    "profile 1, large values, and 7",
)
def blob_listed(record: Record, course: Course) -> str | None:
    """What is not listed is not there."""
    if course.holding is None or b'"blob"' not in course.data:
        return None
    for reference in references(record):
        listed = course.holding.blobs.get(reference["blob"])
        if listed is None:
            return f"names the blob {quoted(reference['blob'])}, which is not listed"
        if reference.get("bytes", listed["bytes"]) != listed["bytes"]:
            return f"says {reference['bytes']} bytes of the blob {reference['blob']}, and {listed['bytes']} are listed"
    return None


def references(record: Record) -> Iterator[dict[str, Any]]:
    """Where a record names a blob."""
    content = record.get("content")
    named = [value for field, value in record.items() if field.endswith("Blob")]
    for one in [*named, *(content if isinstance(content, list) else [])]:
        if isinstance(one, dict) and isinstance(one.get("blob"), str):
            yield one


@bundle_check("manifest-sorted", "semantics", "Sessions, streams and blobs are listed in order.", "profile 7")
def manifest_sorted(holding: Holding) -> Found:
    """By session key, stream ID, SHA-256."""
    listed: dict[str, list[tuple[str, ...]]] = {
        "sessions": [key_pair(one["session"]) for one in holding.every("sessions")],
        "blobs": [(blob["sha256"],) for blob in holding.every("blobs")],
    }
    for one in holding.every("sessions"):
        listed[f"streams of {quoted(one['session']['id'])}"] = [
            (entry["stream"],) for entry in one["streams"]
        ]
    for what, found in listed.items():
        if found != sorted(found):
            yield MANIFEST, f"does not list the {what} in order"


@bundle_check("forgotten-empty", "semantics", "A session that was forgotten has no streams.", "profile 8")
def forgotten_empty(holding: Holding) -> Found:
    """Nothing of it is left."""
    if "forgotten" in (holding.manifest if isinstance(holding.manifest, dict) else {}) and holding.entries:
        yield MANIFEST, "says that the session was forgotten, and lists streams"


@bundle_check(
    "bundle-place",
    "semantics",
    "The companion ref holds one session in each folder, named by its key.",
    "profile 8",
)
def bundle_place(holding: Holding) -> Found:
    """``<harness>/<two digits of the SHA-256 of the ID>/<name>``."""
    if holding.place is None or not isinstance(holding.manifest, dict):
        return
    keys = [one["session"] for one in holding.every("sessions")]
    if holding.sound and len(keys) != 1:
        yield MANIFEST, f"lists {len(keys)} sessions, and the companion ref holds one in each folder"
        return
    for key in keys:
        digest = hashlib.sha256(key["id"].encode("utf-8", "surrogatepass")).hexdigest()
        wanted = f"{name(key['harness'])}/{digest[:2]}/{name(key['id'])}"
        if holding.place != wanted:
            yield MANIFEST, f"is of the session {quoted(key['id'])}, whose folder is {wanted}"


@bundle_check(
    "blob-text",
    "semantics",
    "A blob that stands for a text or for the value of a field is UTF-8.",
    "profile 1, large values",
)
def blob_text(holding: Holding) -> Iterator[tuple[str, str]]:
    """Text, or JSON."""
    for path in holding.garbled:
        yield path, "stands for a text or a value, and is not UTF-8"


CHECKS: tuple[Check, ...] = (
    *(bundle_readable, bundle_manifest, file_there, file_same, listed_once, file_name, file_order, file_size),
    *(entry_header, entry_records, entry_commits, entry_summary, entry_blobs, blob_listed, blob_text),
    *(manifest_sorted, forgotten_empty, bundle_place),
)
