"""The one JSON codec: what agents wrote comes in as it is, what goes out is strict JSON with one spelling.

orjson does nearly all of it. It refuses lone surrogates, control characters and NaN, and rounds what does
not fit 64 bits; values that it cannot read or write take the standard library's decoder and an encoder of
ours that spells strings and numbers with orjson, so that a value has the same bytes whichever wrote it.
(Profile section 1: text, numbers, determinism. Reference native-transcripts, section 1.8.)
"""

from __future__ import annotations

import json
import math
import re
from array import array
from collections.abc import Iterator
from functools import partial
from itertools import accumulate
from typing import Any

import orjson

from git_asr.values import dataclass

NON_FINITE = "non-finite"
INVALID_UTF8 = "invalid-utf-8"

MAX_LEVELS = 2000
"""Levels of arrays and objects that ``encode`` writes; more is a cycle or a fault, as orjson reads 1024."""

strict = orjson.loads
"""The fast half of ``decode`` for loops that cannot afford a call: strict JSON or a ValueError."""

BLANK = " \t\r\n\x00\ufeff"
"""What may stand around a value: JSON's white space, a byte order mark, and NULs (a file that lost power)."""
_SURROGATES = re.compile("([\ud800-\udfff]+)")
_BEYOND_ASCII = re.compile("[\x7f-\U0010ffff]+")
_STRINGS = re.compile(rb'"(?:[^"\\]++|\\.)*+"?', re.DOTALL)
_STEPS = bytes.maketrans(b"[{]}", b"\x01\x01\xff\xff")
_NOT_BRACKETS = bytes(set(range(256)) - set(b"[]{}"))
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
_OPTIONS = orjson.OPT_PASSTHROUGH_DATACLASS | orjson.OPT_PASSTHROUGH_DATETIME
_LINE_OPTIONS = _OPTIONS | orjson.OPT_APPEND_NEWLINE


class JsonError(ValueError):
    """Text that no decoder reads, or a value that JSON cannot hold."""


@dataclass(frozen=True, slots=True)
class Raw:
    """JSON text that ``encode`` writes verbatim: strict, UTF-8, on one line; its maker answers for that."""

    data: bytes


@dataclass(frozen=True, slots=True)
class NumberText:
    """A JSON number that neither 64 bits nor a double hold, as its literal; ``encode`` writes it back."""

    text: str

    def __post_init__(self) -> None:
        if not _NUMBER.fullmatch(self.text):
            raise JsonError("not a JSON number")


@dataclass(frozen=True, slots=True)
class Decoded:
    """A value, and how it had to be read.

    ``exact``: the text is strict JSON as it stands and can go into a ``Raw`` (on one line if the text is).
    ``flags``: ``invalid-utf-8`` (such bytes are surrogate escapes now), ``non-finite`` (NaN or infinities).
    """

    value: Any
    exact: bool
    flags: tuple[str, ...] = ()


def decode(text: bytes) -> Decoded:
    """Read one JSON value.

    Tolerated beyond JSON: lone surrogates, control characters in strings, NaN and infinities, bytes that are
    not UTF-8, and NULs or a byte order mark around the value. Of equal keys the last one counts. A number
    beyond 64 bits or with more than 17 digits is rounded to a double where the text is strict JSON, else kept
    as NumberText.

    Raises:
        JsonError: no decoder reads it, or it is nested too deeply.
    """
    try:
        return Decoded(strict(text), exact=True)
    except ValueError:
        pass
    decoder = _Lenient()
    characters, flags = as_text(text)
    value, end = decoder.read(characters, _skip(characters, 0))
    if _skip(characters, end) < len(characters):
        raise JsonError("more than one value")
    return Decoded(value, exact=False, flags=flags + decoder.flags)


def decode_at(text: str, position: int) -> tuple[Any, int, tuple[str, ...]]:
    """Read the JSON value that starts at a position, as ``decode`` does: it, where it ends, and its flags.

    Raises:
        JsonError: no decoder reads it, or it is nested too deeply.
    """
    decoder = _Lenient()
    value, end = decoder.read(text, position)
    return value, end, decoder.flags


def decode_values(
    line: bytes, limit: int = 2
) -> tuple[list[tuple[Any, bytes | None, tuple[str, ...]]], bytes | None]:
    """Read the values of one line, for lines onto which a second value was glued (reference section 1.8).

    Returns up to ``limit`` values, each with its stored text (None where that is not strict JSON) and its
    flags, and the bytes that stand after them, None for none. A value that is neither an object nor an array
    counts only if it is alone on its line: ``2026 was a good year`` is no number with something after it. A
    blank line gives nothing.
    """
    values: list[tuple[Any, bytes | None, tuple[str, ...]]] = []
    characters, _ = as_text(line)
    start = position = _skip(characters, 0)
    while position < len(characters) and len(values) < limit:
        try:
            value, end = _Lenient().read(characters, position)
        except JsonError:
            break
        after = _skip(characters, end)
        if not isinstance(value, dict | list) and (position > start or after < len(characters)):
            break
        text = characters[position:end].encode("utf-8", "surrogateescape")
        decoded = decode(text)
        values.append((decoded.value, text if decoded.exact else None, decoded.flags))
        position = after
    rest = characters[position:].encode("utf-8", "surrogateescape")
    return values, rest or None


def encode(value: Any) -> bytes:
    r"""Write a value as compact JSON on one line: keys in their order, UTF-8, lone surrogates as ``\udXXX``.

    Takes what JSON has (tuples count as arrays), ``Raw`` and ``NumberText``. A high surrogate directly before
    a low one comes out as two escapes, which is how JSON spells the character that they make together.

    Raises:
        JsonError: NaN or an infinity, or more than ``MAX_LEVELS`` levels.
        TypeError: something that has no form in JSON.
    """
    try:
        out = orjson.dumps(value, _fragment, _OPTIONS)
    except orjson.JSONEncodeError:
        return _write(value, finite=True)
    if b"null" in out and holds_non_finite(value):
        raise JsonError("NaN and infinities are no JSON")
    return out


def encode_line(record: dict[str, Any]) -> bytes:
    """Write a record as a line with its LF: as ``encode``, but NaN, which no record holds, would become null.

    To look for it would cost a third of the writing. Converters keep a unit with one as text, and so does whoever
    reads metadata.

    Raises:
        TypeError: something that has no form in JSON.
    """
    try:
        return strict_line(record)
    except orjson.JSONEncodeError:
        return _write(record, finite=True) + b"\n"


def identity(value: Any) -> bytes:
    """Bytes to compare a value by, for Python holds true and 1 and 1.0 for equal; NaN may count as null."""
    try:
        return orjson.dumps(value, _fragment, _OPTIONS)
    except orjson.JSONEncodeError:
        return _write(value, finite=False)


def encode_indented(value: Any) -> bytes:
    r"""Write a value for people too: 2 spaces a level, otherwise as ``encode``, and a final LF; no ``Raw`` in it.

    Raises:
        ValueError: NaN or an infinity.
    """
    text = "".join(_indented(value, "\n"))
    return _SURROGATES.sub(lambda run: "".join(f"\\u{ord(one):04x}" for one in run[0]), text).encode() + b"\n"


def _indented(value: Any, line: str) -> Iterator[str]:
    """The pieces of a value; ``line``: a line feed, and the white space before what stands on a line of its own."""
    if isinstance(value, NumberText):
        yield value.text
    elif value and isinstance(value, dict):
        mark = "{"
        for key, item in value.items():
            yield f"{mark}{line}  {json.dumps(key, ensure_ascii=False)}: "
            yield from _indented(item, line + "  ")
            mark = ","
        yield line + "}"
    elif value and isinstance(value, list | tuple):
        mark = "["
        for item in value:
            yield f"{mark}{line}  "
            yield from _indented(item, line + "  ")
            mark = ","
        yield line + "]"
    else:
        yield json.dumps(value, ensure_ascii=False, allow_nan=False)


def escaped(text: bytes) -> bytes:
    r"""The same JSON in ASCII, without DEL: for a terminal, which acts on some other characters."""
    return _BEYOND_ASCII.sub(_escape, text.decode("utf-8")).encode("ascii")


def lenient(value: Any) -> str:
    """The text that ``encode`` writes, but with ``NaN``, ``Infinity`` and ``-Infinity`` where they stand."""
    return _write(value, finite=False).decode("utf-8")


def deeper(text: bytes, levels: int) -> bool:
    """Tell whether JSON text has more than so many levels of arrays and objects; cheap for ordinary lines."""
    if len(text) <= 2 * levels or len(text) - len(text.replace(b"{", b"").replace(b"[", b"")) <= levels:
        return False  # replacing is twice as fast as counting
    steps = _STRINGS.sub(b"", text).translate(_STEPS, _NOT_BRACKETS)
    return max(accumulate(array("b", steps)), default=0) > levels


def holds_non_finite(value: Any) -> bool:
    """Tell whether NaN or an infinity stands somewhere in a value."""
    todo = [value]
    while todo:
        item = todo.pop()
        if isinstance(item, dict):
            todo.extend(item.values())
        elif isinstance(item, list | tuple):
            todo.extend(item)
        elif isinstance(item, float) and not math.isfinite(item):
            return True
    return False


class _Lenient:
    """The standard library's decoder, and what it had to tolerate in one value."""

    def __init__(self) -> None:
        self._non_finite = False
        self._decoder = json.JSONDecoder(
            strict=False, parse_int=_integer, parse_float=_decimal, parse_constant=self._constant
        )

    @property
    def flags(self) -> tuple[str, ...]:
        return (NON_FINITE,) if self._non_finite else ()

    def read(self, text: str, position: int) -> tuple[Any, int]:
        """The value that starts at a position, and where it ends. Raises JsonError."""
        try:
            return self._decoder.raw_decode(text, position)
        except RecursionError:
            raise JsonError("nested too deeply") from None
        except ValueError as error:
            raise JsonError(str(error)) from None

    def _constant(self, name: str) -> float:
        self._non_finite = True
        return float(name)


def as_text(data: bytes) -> tuple[str, tuple[str, ...]]:
    """Bytes as text, those that are not UTF-8 as surrogates, and the flag of the unit that says so."""
    try:
        return data.decode("utf-8"), ()
    except UnicodeDecodeError:
        return data.decode("utf-8", "surrogateescape"), (INVALID_UTF8,)


def _skip(text: str, position: int) -> int:
    return len(text) - len(text[position:].lstrip(BLANK))


def _escape(hit: re.Match[str]) -> str:
    return json.dumps(hit[0])[1:-1].replace("\x7f", "\\u007f")


def _integer(literal: str) -> int | NumberText:
    if len(literal) <= 20:
        value = int(literal)
        if -(1 << 63) <= value < 1 << 64:
            return value
    return NumberText(literal)


def _decimal(literal: str) -> float | NumberText:
    value = float(literal)
    mantissa = literal.lower().partition("e")[0].lstrip("-").replace(".", "").strip("0")
    if len(mantissa) > 17 or math.isinf(value) or (value == 0 and mantissa):
        return NumberText(literal)
    return value


def _fragment(item: Any) -> orjson.Fragment:
    if isinstance(item, Raw):
        return orjson.Fragment(item.data)
    if isinstance(item, NumberText):
        return orjson.Fragment(item.text)
    raise TypeError(f"no JSON for {type(item).__name__}")


strict_line = partial(orjson.dumps, default=_fragment, option=_LINE_OPTIONS)
"""The fast half of ``encode_line`` for loops that cannot afford a call: a line, or a TypeError."""


def _write(value: Any, *, finite: bool) -> bytes:
    """Encode without recursion: one iterator for each level that is open."""
    out: list[bytes] = []
    levels: list[Iterator[Any]] = [iter((value,))]
    while levels:
        for item in levels[-1]:
            if isinstance(item, dict | list | tuple):
                if len(levels) > MAX_LEVELS:
                    raise JsonError("nested too deeply")
                levels.append(_members(item) if isinstance(item, dict) else _elements(item))
                break
            out.append(_leaf(item, finite=finite))
        else:
            levels.pop()
    return b"".join(out)


def _members(value: dict[str, Any]) -> Iterator[Any]:
    mark = b"{"
    for key, item in value.items():
        yield Raw(mark + _string(key) + b":")
        yield item
        mark = b","
    yield Raw(b"}" if value else b"{}")


def _elements(value: list[Any] | tuple[Any, ...]) -> Iterator[Any]:
    mark = b"["
    for item in value:
        yield Raw(mark)
        yield item
        mark = b","
    yield Raw(b"]" if value else b"[]")


def _leaf(item: Any, *, finite: bool) -> bytes:
    if isinstance(item, Raw):
        return item.data
    if isinstance(item, NumberText):
        return item.text.encode()
    if isinstance(item, str):
        return _string(item)
    if isinstance(item, float) and not math.isfinite(item):
        if finite:
            raise JsonError("NaN and infinities are no JSON")
        return json.dumps(item).encode()
    if isinstance(item, int) and not -(1 << 63) <= item < 1 << 64:
        return str(item).encode()
    return orjson.dumps(item, _fragment, _OPTIONS)


def _string(text: str) -> bytes:
    if not isinstance(text, str):
        raise TypeError("a key of a JSON object is text")
    pieces = _SURROGATES.split(text)
    for index, piece in enumerate(pieces):  # the odd ones are surrogates
        pieces[index] = (
            "".join(f"\\u{ord(c):04x}" for c in piece) if index % 2 else orjson.dumps(piece)[1:-1].decode()
        )
    return b'"' + "".join(pieces).encode() + b'"'
