"""Lines and their shapes: what can be told of a line without the others."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import NoReturn

from git_asr.asr.bundle import MANIFEST
from git_asr.asr.draft import Record
from git_asr.validation import shapes
from git_asr.validation.base import Check, bundle_check, header_check, line_check, record_check, stream_check
from git_asr.validation.course import Course, Holding
from git_asr.validation.lines import MOST_BYTES, Line


@line_check("line-utf-8", "syntax", "Every line is UTF-8.", "profile 1, stream")
def utf_8(line: Line) -> str | None:
    """Bytes that are no text."""
    try:
        line.data.decode("utf-8")
    except UnicodeDecodeError as error:
        return (
            None if line.cut and error.start > len(line.data) - 4 else f"byte {error.start + 1} is not UTF-8"
        )
    return None


@line_check(
    "line-json", "syntax", "Every line is one object in strict JSON (RFC 8259).", "profile 1, stream and text"
)
def is_json(line: Line) -> str | None:
    """No JSON, or what only lenient decoders read; a last line without its LF was being written."""
    if line.cut or not line.ended:
        return None
    if not line.data.strip():
        return "is blank"
    try:
        text = line.data.decode("utf-8", "replace")
        found = json.loads(text, parse_constant=_refuse, parse_int=str, parse_float=str)
    except RecursionError:
        return "is nested too deeply"
    except ValueError as error:
        return f"is not JSON: {error}"
    return None if isinstance(found, dict) else "is no object"


def _refuse(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON")


@line_check("line-end", "syntax", "Every line ends with a line feed, the last one too.", "profile 1, stream")
def ends(line: Line) -> str | None:
    """A write that was cut off."""
    return None if line.ended else "has no line feed: readers ignore it as a write that was cut off"


@line_check(
    "file-cut", "syntax", "The files of a stream are cut at the ends of lines.", "profile 1, stream files"
)
def cut(line: Line) -> str | None:
    """A line that begins in one file and ends in another."""
    return None if line.whole else "goes on in the next file"


@line_check(
    "line-size",
    "unsupported",
    f"No line is longer than {MOST_BYTES >> 20} MiB: no more is read.",
    "this validator",
)
def size(line: Line) -> str | None:
    """A line that is not looked at."""
    return "is too long to be read" if line.cut else None


@stream_check(
    "header-first",
    "syntax",
    "The first line of a stream is its header.",
    "conformance, readers: check the version",
)
def header_first(course: Course) -> Iterator[str]:
    """A stream of which nobody can tell the version."""
    if course.header is None and course.major is None and not course.unsound:
        yield "does not begin with a header"


@header_check(
    "header-shape",
    "syntax",
    "A header has the fields and kinds that its schema asks for.",
    "profile 2, schemas/header.schema.json",
)
def header_shape(header: Record, _: Course) -> Iterator[str]:
    """The first fault of a header."""
    if (fault := shapes.header()(header)) is not None:
        yield fault.removeprefix(": ")


@record_check(
    "record-shape",
    "syntax",
    "A record has the fields and kinds that its schema asks for.",
    "profile 3 and 4, schemas/record.schema.json",
)
def record_shape(record: Record, _: Course) -> str | None:
    """The first fault of a record."""
    fault = shapes.record()(record)
    return fault and fault.removeprefix(": ")


@bundle_check(
    "manifest-shape",
    "syntax",
    "A manifest has the fields and kinds that its schema asks for.",
    "profile 7, schemas/bundle.schema.json",
)
def manifest_shape(holding: Holding) -> Iterator[tuple[str, str]]:
    """The first fault of a manifest."""
    if holding.sound or not isinstance(holding.manifest, dict):
        return
    fault = shapes.manifest()(holding.manifest)
    if fault is not None:
        yield MANIFEST, fault.removeprefix(": ")


CHECKS: tuple[Check, ...] = (
    *(utf_8, is_json, ends, cut, size),
    *(header_first, header_shape, record_shape, manifest_shape),
)
