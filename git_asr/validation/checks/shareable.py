"""What may be shared (conformance, exporters and storage tools; profile section 7)."""

from __future__ import annotations

from collections.abc import Iterator

from git_asr.asr.bundle import MANIFEST
from git_asr.asr.draft import Record
from git_asr.asr.header import REDACTED
from git_asr.asr.parts import blob_path
from git_asr.validation.base import Check, bundle_check, header_check, quoted, stream_check
from git_asr.validation.course import Course, Holding


@header_check(
    "shareable-policy",
    "semantics",
    "Every stream of a shareable bundle is derived, and says by which policy.",
    "conformance, exporters: apply a redaction policy and record which one",
)
def shareable_policy(header: Record, course: Course) -> Iterator[str]:
    """A new stream, made by redaction."""
    if course.holding is not None and course.holding.shareable and "derivedFrom" not in header:
        yield "the bundle is shareable, and the stream does not say by which policy it was redacted"


@header_check(
    "shareable-level",
    "semantics",
    "What is derived by redaction has the content level redacted.",
    "conformance, exporters: redaction produces a new stream; profile 2, contentLevel",
)
def shareable_level(header: Record, _: Course) -> Iterator[str]:
    """So that readers know."""
    if "derivedFrom" in header and header["contentLevel"] != REDACTED:
        yield f"is derived by redaction, and contentLevel is {quoted(header['contentLevel'])}"


@header_check(
    "derived-other",
    "semantics",
    "A derived stream names the one it was made from by another ID or by its digest.",
    "conformance, exporters: a new stream that carries derivedFrom",
)
def derived_other(header: Record, _: Course) -> Iterator[str]:
    """What cannot be told apart cannot be compared."""
    derived = header.get("derivedFrom", {})
    if derived.get("stream") == header["stream"] and "sha256" not in derived:
        yield "is derived from a stream of its own ID, and no digest tells the two apart"


@stream_check(
    "shareable-major",
    "semantics",
    "A shareable bundle has no stream of a version that is not read.",
    "conformance, storage tools and exporters; what cannot be read cannot be redacted",
)
def shareable_major(course: Course) -> Iterator[str]:
    """Opaque bytes may hold anything."""
    if course.major is not None and course.holding is not None and course.holding.shareable:
        yield f"the bundle is shareable, and the stream has the format version {quoted(course.major)}"


@bundle_check(
    "shareable-native",
    "semantics",
    "A shareable bundle has no native transcripts.",
    "conformance, storage tools: never include native/ files in a shareable bundle",
)
def shareable_native(holding: Holding) -> Iterator[tuple[str, str]]:
    """They are not redacted by the policy."""
    if holding.shareable and holding.manifest.get("native"):
        yield MANIFEST, "the bundle is shareable, and lists native files"


@bundle_check(
    "shareable-listed",
    "semantics",
    "A shareable bundle holds no file that its manifest does not list.",
    "profile 7: an unlisted file is not part of the bundle",
)
def shareable_listed(holding: Holding) -> Iterator[tuple[str, str]]:
    """What is not part of it travels with it all the same."""
    if holding.shareable:
        for path in sorted(holding.paths - holding.listed().keys() - {MANIFEST}):
            yield path, "is in a shareable bundle, and not listed"


@bundle_check(
    "shareable-reached",
    "semantics",
    "A shareable bundle lists no file but those of its streams and the blobs that they name.",
    "conformance, exporters: redaction covers reachable blobs; what no stream names it does not reach",
)
def shareable_reached(holding: Holding) -> Iterator[tuple[str, str]]:
    """A policy goes through streams."""
    if not holding.shareable:
        return
    for sha256 in sorted(holding.blobs.keys() - holding.reached):
        yield blob_path(sha256), "is in a shareable bundle, and no stream names it"
    of_streams = {file["path"] for _, entry in holding.entries for file in entry["files"]}
    of_native = {file["path"] for file in holding.manifest.get("native") or ()}
    for path in sorted(holding.files.keys() - of_streams - of_native):
        yield path, "is in a shareable bundle, and belongs to no stream"


CHECKS: tuple[Check, ...] = (
    *(shareable_policy, shareable_level, derived_other),
    *(shareable_major, shareable_native, shareable_listed, shareable_reached),
)
