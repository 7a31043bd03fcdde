"""Damage: what random choices make of an input, as bytes, as lines, or as JSON values in its lines."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

from git_asr.asr import codec
from tests.support.mutations import replaced

Mutation = Callable[[bytes, random.Random], bytes]

PIECES = (
    *(b"\0", b"\xff", b"\xef\xbb\xbf", b"\r", b"\n", b"{", b"}", b"[", b"]", b'"', b",", b"\\", b"{}"),
    *(b"NaN", b"null", b"1e999", b"9007199254740993", b"18446744073709551616", b"1" * 5000, b'"\\ud800"'),
    *(b"[" * 200, b"REDACTED", b"~1.0", b'{"a":1}', "\u00b2\u0661\u0130\u2028\u202e".encode()),
)
"""What stands in the way of many readers."""


def flipped(text: bytes, choose: random.Random) -> bytes:
    """One byte is another."""
    at = choose.randrange(len(text))
    return text[:at] + bytes([choose.randrange(256)]) + text[at + 1 :]


def with_piece(text: bytes, choose: random.Random, pieces: Sequence[bytes] = PIECES) -> bytes:
    """Something stands in between, or in the place of something."""
    start, end = _span(text, choose)
    return text[:start] + choose.choice(pieces) + text[choose.choice((start, end)) :]


def without(text: bytes, choose: random.Random) -> bytes:
    """Something is missing, or all from there on."""
    start, end = _span(text, choose)
    return text[:start] + text[choose.choice((end, end, len(text))) :]


def twice(text: bytes, choose: random.Random) -> bytes:
    """Something stands there again."""
    start, end = _span(text, choose)
    return text[:end] + text[start:end] + text[end:]


def lines_moved(text: bytes, choose: random.Random) -> bytes:
    """Lines are missing, repeated, at another place, or glued to the next."""
    lines = text.split(b"\n")
    for _ in range(choose.randint(1, 3)):
        line = lines.pop(choose.randrange(len(lines)))
        for _ in range(choose.randrange(3)):
            lines.insert(choose.randint(0, len(lines)), line)
        if not lines:
            return text
    glued = choose.randrange(len(lines))
    return b"\n".join(lines[:glued]) + choose.choice((b"", b"\n")) + b"\n".join(lines[glued:])


def with_lines_of_another(text: bytes, other: bytes, choose: random.Random) -> bytes:
    """Lines of another input stand in between."""
    lines, others = text.split(b"\n"), other.split(b"\n")
    at, start = choose.randint(0, len(lines)), choose.randrange(len(others))
    return b"\n".join([*lines[:at], *others[start : start + choose.randint(1, 5)], *lines[at:]])


def with_other_values(text: bytes, choose: random.Random) -> bytes:
    """In some values something is something else; of text that is no JSON nothing."""
    lines = [text] if _value(text) is not None else text.split(b"\n")
    for at in choose.sample(range(len(lines)), min(len(lines), choose.randint(1, 3))):
        value = _value(lines[at])
        for _ in range(choose.randint(1, 3)):
            value = replaced(value, choose)
        lines[at] = codec.encode(value) if isinstance(value, dict) else lines[at]
    return b"\n".join(lines)


def repeated(text: bytes, choose: random.Random) -> bytes:
    """Something stands there very often: what takes more than its length in time or memory shows."""
    start, end = _span(text, choose)
    return text[:end] + text[start:end] * choose.choice((30, 300)) + text[end:]


MUTATIONS: Sequence[Mutation] = (
    *(flipped, with_piece, without, twice, repeated, lines_moved),
    *[with_other_values] * 3,
)
_LONGEST = 1 << 18
"""Bytes beyond which an input does not grow."""


def damaged(
    text: bytes,
    choose: random.Random,
    others: Sequence[bytes] = (),
    pieces: Sequence[bytes] = (),
    times: Sequence[int] = (1, 1, 2, 4),
) -> bytes:
    """An input with some damage. ``others``: inputs of which lines may come in; ``pieces``: words of its language."""
    for _ in range(choose.choice(times)):
        text = text or b"\n"
        kind = choose.random()
        if others and kind < 0.1:
            changed = with_lines_of_another(text, choose.choice(others), choose)
        elif pieces and kind < 0.3:
            changed = with_piece(text, choose, pieces)
        else:
            changed = choose.choice(MUTATIONS)(text, choose)
        text = changed if len(changed) <= max(_LONGEST, len(text)) else text
    return text


def _span(text: bytes, choose: random.Random) -> tuple[int, int]:
    start = choose.randrange(len(text))
    return start, min(len(text), start + choose.choice((1, 4, 30, 300)))


def _value(text: bytes) -> object:
    try:
        return codec.strict(text)
    except ValueError:
        return None
