"""Transcripts → units: JSON Lines, documents and plain text, damaged or not, one at a time.

Positions are physical lines or elements of the document's array (profile section 3, *position*). Nothing that
stands in a transcript is left out, except what carries nothing: blank lines, and white space, NULs and byte order
marks around a value. (Reference native-transcripts, sections 1.3 and 1.8; entire-checkpoints, section 3.5.)
"""

from __future__ import annotations

import re
from collections.abc import Generator, Iterable, Iterator
from io import BytesIO
from itertools import chain
from typing import Any

from git_asr.asr import codec
from git_asr.asr.codec import (
    BLANK,
    INVALID_UTF8,
    NON_FINITE,
    Decoded,
    JsonError,
    as_text,
    decode,
    decode_values,
    deeper,
    strict,
)
from git_asr.converters.base import NativeFormat, Unit
from git_asr.converters.plain_text import PlainText
from git_asr.converters.torn import beginning

MAX_LEVELS = 500
"""Levels of arrays and objects in one unit; deeper ones count as malformed.

A record wraps its unit in a few more, and orjson reads 1024 of them.
"""

SPACE = b" \t\r\n"
_ESCAPED_BYTE = re.compile(r"\\udc[89a-f]")


def read_units(chunks: Iterable[bytes], native: NativeFormat | None) -> Iterator[Unit]:
    """The units of a transcript, in order.

    ``chunks``: its files in order; each but the last ends at a line end whose newline may have been removed, or
    is a whole document with a slice of the array. An unknown format (None) is read as JSON Lines if its first line
    that is not blank holds JSON, else as plain text.
    """
    if native is not None and native.array is not None:
        return _read_documents(chunks, native.array)
    if isinstance(native, PlainText):
        return read_text(chunks)
    if native is not None:
        return read_lines(chunks)
    return _read_unknown(chunks)


def read_lines(chunks: Iterable[bytes]) -> Iterator[Unit]:
    """The units of JSON Lines. Of the lines one is held at a time, of the chunks one.

    A second value on a line has index 1. What no decoder reads, and what stands after a second value, is a unit of
    kind ``malformed``: with index 0 if it is the line, else with that of the value that should stand there.
    """
    position = 0
    for chunk in chunks:
        for line in BytesIO(chunk):
            position += 1
            text = line.strip(SPACE)
            if not text:
                continue
            try:
                value = strict(text)
            except ValueError:
                yield from _damaged(text, position)
                continue
            if len(text) > 2 * MAX_LEVELS and deeper(text, MAX_LEVELS):
                yield _malformed(text, position)
            else:
                yield Unit(position, 0, value, text)


def read_text(chunks: Iterable[bytes]) -> Iterator[Unit]:
    """The lines of a transcript that is not JSON, without their line ends; blank lines keep their number."""
    position = 0
    for chunk in chunks:
        for line in BytesIO(chunk):
            position += 1
            text, flags = as_text(line.rstrip(b"\r\n"))
            text = text.lstrip("\ufeff") if position == 1 else text
            if text.strip(BLANK):
                yield Unit(position, 0, text, None, "text", flags)


def _read_unknown(chunks: Iterable[bytes]) -> Iterator[Unit]:
    rest = iter(chunks)
    seen: list[bytes] = []
    for chunk in rest:
        seen.append(chunk)
        for line in BytesIO(chunk):
            values, damage = decode_values(line)
            if values or damage:
                return (read_lines if values else read_text)(chain(seen, rest))
    return iter(())


def _damaged(text: bytes, position: int) -> Iterator[Unit]:
    """The units of a line that is not just one strict value."""
    if deeper(text, MAX_LEVELS):
        yield _malformed(text, position)
        return
    values, rest = decode_values(text)
    for index, (value, stored, flags) in enumerate(values):
        yield Unit(position, index, value, stored, "value", flags)
    if rest is not None:
        yield _malformed(rest, position, len(values))


def _malformed(text: bytes, position: int, index: int = 0) -> Unit:
    characters, flags = as_text(text)
    return Unit(position, index, characters, None, "malformed", flags)


def _read_documents(chunks: Iterable[bytes], array: str) -> Iterator[Unit]:
    """Documents with slices of one array, or one document that was cut at line ends.

    The units of a document: what it says beside its array (position 0), then the elements (1, 2, …). ``text`` is None
    for all of them, and the flags of the document are those of each unit that they concern. Of a document that is
    damaged or ends too early the units before that are read, and one malformed unit behind them has the rest of the
    text; one that is nested too deeply is such a unit as a whole. A document without the array is one unit, at 0.
    """
    rest = iter(chunks)
    first = next((chunk for chunk in rest if chunk.strip(SPACE)), b"")
    decoded = _document(first)
    if decoded is None:
        files = [first, *rest]
        whole = b"".join(piece if piece.endswith(b"\n") else piece + b"\n" for piece in files)
        decoded = _document(whole)
        cut = decoded is not None or not any(map(_is_document, files[1:]))
        first, rest = (whole, iter(())) if cut else (first, iter(files[1:]))
    last = yield from _elements(decoded, first, array, -1)
    for chunk in rest:
        last = yield from _elements(_document(chunk), chunk, array, last)


def _is_document(data: bytes) -> bool:
    decoded = _document(data)
    return decoded is not None and isinstance(decoded.value, dict)


def _document(data: bytes) -> Decoded | None:
    if deeper(data, MAX_LEVELS):
        return None
    try:
        return decode(data)
    except JsonError:
        return None


def _elements(decoded: Decoded | None, data: bytes, array: str, last: int) -> Generator[Unit, None, int]:
    """The units of one document; ``last``: the last position before it, -1 if it is the first. Returns its own."""
    rest: str | None = None
    if decoded is not None:
        value, flags = decoded.value, decoded.flags
    else:
        torn = None if deeper(data, MAX_LEVELS) else beginning(data)
        if torn is None or not isinstance(torn.value.get(array), list):
            text = data.strip(SPACE)
            if text:
                yield _malformed(text, last + 1)
            return last + bool(text)
        value, flags, rest = torn.value, torn.flags, torn.rest
    elements = value.get(array) if isinstance(value, dict) else None
    if not isinstance(elements, list):
        yield Unit(last + 1, 0, value, None, "value", flags)
        return last + 1
    if last < 0:  # what later slices say beside the array repeats the first
        last = 0
        beside = {key: item for key, item in value.items() if key != array}
        if beside:
            yield Unit(0, 0, beside, None, "value", _flags(beside, flags))
    for element in elements:
        last += 1
        yield Unit(last, 0, element, None, "value", _flags(element, flags))
    if rest is not None:
        last += 1
        yield Unit(last, 0, rest, None, "malformed", _flags(rest, flags))
    return last


def _flags(value: Any, flags: tuple[str, ...]) -> tuple[str, ...]:
    """Those flags of a document that concern a part of it."""
    concerned = []
    if INVALID_UTF8 in flags and _ESCAPED_BYTE.search(codec.lenient(value)):
        concerned.append(INVALID_UTF8)
    if NON_FINITE in flags and codec.holds_non_finite(value):
        concerned.append(NON_FINITE)
    return tuple(concerned)
