"""Reads the files of a stream: tolerant of damage, and saying where it was (profile section 9)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from git_asr.asr import codec
from git_asr.asr.draft import Record
from git_asr.asr.version import SUPPORTED_MAJOR, major
from git_asr.errors import AsrError
from git_asr.values import dataclass


@dataclass(frozen=True, slots=True)
class Gap:
    """A line that is no record. ``line`` counts from 1 over the joined files; ``reason`` is one short phrase."""

    line: int
    reason: str


class UnknownMajor(AsrError):
    """A stream of a format version that this package does not read."""


def read(files: Iterable[bytes]) -> Iterator[Record | Gap]:
    """Yield the records of a stream's joined files, the header first, with a gap where a line is no record.

    A last line without its LF is a write that was cut off: it is ignored unless it is whole.
    """
    for number, (line, ended) in enumerate(_lines(files), start=1):
        if not line.strip():
            yield Gap(number, "blank line")
            continue
        try:
            decoded = codec.decode(line)
        except ValueError:
            if ended:
                yield Gap(number, "not JSON")
            continue
        value = decoded.value
        if codec.NON_FINITE in decoded.flags:
            yield Gap(number, "not JSON: NaN or an infinity")
            continue
        if isinstance(value, dict) and isinstance(value.get("type"), str):
            yield value
        else:
            yield Gap(number, "not a record")


def header(data: bytes) -> Record:
    """The header in a header file.

    Raises:
        UnknownMajor: the stream has a format version that is not supported.
        AsrError: there is no header.
    """
    for record in read([data]):
        if isinstance(record, Gap) or record["type"] != "header":
            break
        version = record.get("formatVersion")
        if major(version) != SUPPORTED_MAJOR:
            raise UnknownMajor(f"stream of format version {version!r}, and only 0 is read")
        return record
    raise AsrError("a stream without a header")


def _lines(files: Iterable[bytes]) -> Iterator[tuple[bytes, bool]]:
    """Lines without their LF, and whether they had one; a line may go on in the next file."""
    rest = b""
    for data in files:
        lines = (rest + data).split(b"\n")
        rest = lines.pop()
        for line in lines:
            yield line, True
    if rest:
        yield rest, False
