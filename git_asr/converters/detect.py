"""Which format a transcript has, by its content (reference native-transcripts, sections 1.7 and 14)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from io import BytesIO
from itertools import chain, islice
from typing import Any

from git_asr.asr.codec import JsonError, decode, decode_values, deeper, strict
from git_asr.converters.base import NativeFormat, Sample
from git_asr.converters.registry import FORMATS
from git_asr.converters.torn import beginning
from git_asr.converters.units import MAX_LEVELS

_VALUES = 20
"""Values of JSON Lines that are looked at."""

_LINES = 200
"""Lines that are looked at for them: damaged ones give no value."""

_BEGINNING = 2000
"""Bytes that formats without JSON are judged by."""

_BLANK = b" \t\r\n\x00\xef\xbb\xbf"


def detect(transcript: bytes | Iterable[bytes]) -> NativeFormat | None:
    """The format of a transcript, or None if it is no known one.

    ``transcript``: its bytes, or its files in order (see ``units.read_units``). Of JSON Lines only the head is
    decoded; what may be a document is read as a whole, and if it is none and nothing else either, as far as it can be.
    Never raises, whatever the bytes are.
    """
    chunks = iter([transcript] if isinstance(transcript, bytes) else transcript)
    start = next((start for chunk in chunks if (start := chunk.lstrip(_BLANK))), b"")
    lines: Sample | None
    if start[:1] in (b"{", b"["):
        lines, document = _json_samples(start, chunks)
    else:
        lines, document = Sample(_mostly(start, chunks), document=False, text=_beginning(start)), None
    found = _first(lines, document)
    return found or _first(None, _torn_sample(start))


def _first(lines: Sample | None, document: Sample | None) -> NativeFormat | None:
    """The first format that recognises what a transcript is, seen as lines or as a document."""
    for native in FORMATS:
        sample = lines if native.array is None else document
        if sample is not None and native.recognises(sample):
            return native
    return None


def _json_samples(start: bytes, rest: Iterator[bytes]) -> tuple[Sample | None, Sample | None]:
    """The transcript seen as JSON Lines and as a document; None where it cannot be that.

    ``start``: its first file from the first character on; ``rest``: the files after it. One value on the only line
    of the first file may be both: a document with further slices, or a first line.
    """
    text = _beginning(start)
    present = _present([start])
    values, damage = decode_values(next(present))
    document = None
    if not values:
        files = [start, *rest]
        whole = _whole(files)
        if whole is not None:
            return None, Sample(whole, document=True, text=text)
        rest = iter(files[1:])
    elif len(values) == 1 and damage is None and next(present, None) is None:
        document = Sample((values[0][0],), document=True, text=text)
    return Sample(_head(chain([start], rest)), document=False, text=text), document


def _torn_sample(start: bytes) -> Sample | None:
    """The beginning of a document that is damaged or ends too early, from its first file."""
    torn = None if start[:1] != b"{" or deeper(start, MAX_LEVELS) else beginning(start)
    return None if torn is None else Sample((torn.value,), document=True, text="")


def _mostly(start: bytes, rest: Iterator[bytes]) -> tuple[Any, ...]:
    """The first values of what does not begin as JSON Lines, if at least two of three lines hold one; else none.

    A damaged first line must not hide a format, and a text that quotes JSON is none.
    """
    found = [_values(line) for line in islice(_present(chain([start], rest)), _LINES)]
    holding = [values for values in found if values]
    return tuple(chain.from_iterable(holding))[:_VALUES] if 3 * len(holding) >= 2 * len(found) else ()


def _head(chunks: Iterable[bytes]) -> tuple[Any, ...]:
    """The first values of JSON Lines."""
    lines = islice(_present(chunks), _LINES)
    return tuple(islice((value for line in lines for value in _values(line)), _VALUES))


def _values(line: bytes) -> list[Any]:
    """The values on a line; nearly always it is one, and strict JSON."""
    with suppress(ValueError):
        return [strict(line)]
    return [value for value, _, _ in decode_values(line)[0]]


def _present(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """The lines that are not blank."""
    return (line for chunk in chunks for line in BytesIO(chunk) if line.strip(_BLANK))


def _whole(files: Sequence[bytes]) -> tuple[Any] | None:
    """The value that the first file is, or all of them together; None if they are none."""
    for data in (files[0], b"\n".join(files))[: len(files)]:
        try:
            return (decode(data).value,)
        except JsonError:
            continue
    return None


def _beginning(start: bytes) -> str:
    return start[:_BEGINNING].decode("utf-8", "replace")
