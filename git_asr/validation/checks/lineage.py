"""Where streams and records come from (profile sections 2, 3 and 5), and how much of the source is there."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from git_asr.asr.draft import Record
from git_asr.asr.reading import is_of_links
from git_asr.validation.base import Check, bundle_check, header_check, quoted, record_check, stream_check
from git_asr.validation.course import Course, Holding

_FACETS = ("continues", "forkedFrom", "spawnedBy", "executedBy")


def facets(header: Record, *names: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """What a header says of where its stream comes from: each facet with its name; unknown ones may be anything."""
    for name in names or _FACETS:
        found = header.get("lineage", {}).get(name, ())
        for one in [found] if isinstance(found, dict) else found:
            yield name, one


def _pair(key: Any) -> tuple[Any, Any]:
    return key["harness"], key["id"]


@header_check(
    "lineage-other",
    "semantics",
    "A stream does not come from itself.",
    "profile 2, lineage, and 5",
)
def lineage_other(header: Record, _: Course) -> Iterator[str]:
    """Of its own session it names another stream."""
    for name, one in facets(header):
        own = _pair(one["session"]) == _pair(header["session"])
        if own and one.get("stream") == header["stream"]:
            yield f"lineage.{name} names the stream itself"


@header_check(
    "capture-header",
    "semantics",
    "A partial capture says through which position it goes, an omitted one why.",
    "profile 2, capture",
)
def capture_header(header: Record, _: Course) -> Iterator[str]:
    """What is missing is told."""
    capture = header["capture"]
    wanted = {"partial": "through", "omitted": "reason"}.get(capture["state"])
    if wanted is not None and wanted not in capture:
        yield f"capture is {capture['state']} and lacks {wanted}"


@header_check(
    "capture-complete",
    "semantics",
    "A stream that begins within its session is not complete.",
    "profile 2, capture; conformance, converters: never labeled complete",
)
def capture_complete(header: Record, _: Course) -> Iterator[str]:
    """A copy limited to part of the source."""
    own = _pair(header["session"])
    parts = (one for _, one in facets(header, "continues") if _pair(one["session"]) == own)
    if header["capture"]["state"] == "complete" and any(parts):
        yield "capture is complete, and the stream continues another of its session"


@stream_check(
    "capture-through",
    "semantics",
    "No record stands behind the position through which the capture goes.",
    "profile 2, capture",
)
def capture_through(course: Course) -> Iterator[str]:
    """The header knows of all that is there."""
    through = (course.header or {}).get("capture", {}).get("through")
    if through is not None and course.position > through:
        yield f"capture goes through position {through}, and a record stands at {course.position}"


@stream_check(
    "capture-omitted",
    "semantics",
    "A stream whose capture is omitted has no records of a transcript.",
    "profile 2, capture, and 5",
)
def capture_omitted(course: Course) -> Iterator[str]:
    """There was none that could be read."""
    state = (course.header or {}).get("capture", {}).get("state")
    if state == "omitted" and course.position > 0:
        yield f"capture is omitted, and a record stands at position {course.position}"


@header_check(
    "source-positions",
    "semantics",
    "The positions that a native source gave are in order.",
    "profile 2, nativeSources",
)
def source_positions(header: Record, _: Course) -> Iterator[str]:
    """First and last, both included."""
    for one in header.get("nativeSources", ()):
        first, last = one["positions"]
        if first > last:
            yield f"nativeSources gives the positions {first} to {last}"


@record_check(
    "copy-elsewhere",
    "semantics",
    "A record is not a copy of one of its own stream.",
    "profile 3, copiedFrom",
    field="copiedFrom",
)
def copy_elsewhere(record: Record, course: Course) -> str | None:
    """What is repeated within a stream is no copy."""
    found, header = record["copiedFrom"], course.header
    if header is None or _pair(found["session"]) != _pair(header["session"]):
        return None
    return "is a copy from its own stream" if found.get("stream") == header["stream"] else None


@record_check(
    "copy-links",
    "semantics",
    "vcs and checkpoint records are never copies.",
    "profile 6",
    field="copiedFrom",
)
def copy_links(record: Record, _: Course) -> str | None:
    """What was attributed to the ancestor is not attributed again."""
    return f"a {record['type']} record is a copy" if is_of_links(record) else None


@bundle_check(
    "copy-source",
    "semantics",
    "The record that a copy names is there, where the bundle holds its stream.",
    "profile 3, copiedFrom, and 5; conformance, converters: only from positive evidence",
)
def copy_source(holding: Holding) -> Iterator[tuple[str, str]]:
    """A copy can be followed to where it counts."""
    for copy in holding.copies:
        known = holding.ids.get((copy.session, copy.stream))
        if known is not None and copy.id not in known:
            yield (
                copy.file,
                f"{quoted(copy.record)} is a copy of {quoted(copy.id)}, which {quoted(copy.stream)} lacks",
            )


CHECKS: tuple[Check, ...] = (
    *(lineage_other, capture_header, capture_complete, capture_through, capture_omitted),
    *(source_positions, copy_elsewhere, copy_links, copy_source),
)
