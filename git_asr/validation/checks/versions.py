"""What more than this version of the format there is (conformance, readers: versions; every enum is open)."""

from __future__ import annotations

from collections.abc import Iterator

from git_asr.asr.bundle import MANIFEST
from git_asr.asr.draft import Record
from git_asr.asr.version import SUPPORTED_MAJOR
from git_asr.validation import shapes
from git_asr.validation.base import Check, bundle_check, quoted, record_check, stream_check
from git_asr.validation.course import Course, Holding


@stream_check(
    "unknown-major",
    "unsupported",
    f"A stream has the major version {SUPPORTED_MAJOR}; of others only the files are checked.",
    "conformance, readers: check the version; profile 2",
)
def unknown_major(course: Course) -> Iterator[str]:
    """A stream of which nothing more can be said."""
    if course.major is not None:
        yield f"has the format version {quoted(course.major)}"


@record_check(
    "record-type",
    "unsupported",
    "A record's type is one of the specification's, or has the prefix of who made it up.",
    "profile 3, type, and 4",
)
def record_type(record: Record, _: Course) -> str | None:
    """A type that a later version may have."""
    kind = record["type"]
    if "/" in kind or kind in shapes.record_types():
        return None
    return f"type {quoted(kind)} is not known"


@bundle_check(
    "bundle-major",
    "unsupported",
    f"A manifest has the major version {SUPPORTED_MAJOR}; nothing is known of others.",
    "conformance, readers: check the version; profile 7",
)
def bundle_major(holding: Holding) -> Iterator[tuple[str, str]]:
    """A bundle of which nothing more can be said."""
    if holding.major is not None:
        yield MANIFEST, f"has the format version {quoted(holding.major)}"


CHECKS: tuple[Check, ...] = (unknown_major, bundle_major, record_type)
