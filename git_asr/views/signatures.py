"""Signatures of texts: which three bytes stand after each other somewhere in them, as bits.

A text may hold a word only if it has the bit of every three bytes of the word. Two that differ may share a bit, so a
signature says "surely not" or "perhaps". Nothing can be read out of it but that.

Texts are cut at line ends into pieces of some 4 KiB, since in a long text nearly everything stands somewhere; a piece
has one or two bits for each of its bytes, of which a fifth are set. A line that is much longer tells little.
"""

from __future__ import annotations

from array import array
from sys import byteorder

from git_asr.views.matching import fold

_PIECE = 4 * 1024
"""Bytes at which a piece ends with its line."""
_LEAST, _MOST = 10, 16
"""Bits of a piece, as powers of 2."""
_CLASSES = bytes((byte * 37 + byte // 64 * 11) % 64 for byte in range(256))
_SECOND, _THIRD = 32, 991
"""With classes below 64, a number made with these has 16 bits at most."""

Words = tuple[tuple[str, ...], ...]
"""Alternatives, each of words that a text must have (``matching.Matcher.literals``)."""


class Signer:
    """Makes the signature of texts as they come, holding no more than one piece, or one longer line."""

    def __init__(self) -> None:
        self._held: list[bytes] = []
        self._size = 0
        self._signed: list[bytes] = []

    def add(self, text: str) -> None:
        """Add a text; what is looked for stands within one of its lines."""
        data = _bytes(fold(text))
        start = 0
        while start < len(data):
            end = data.find(b"\n", start + max(_PIECE - self._size, 0))
            end = len(data) if end < 0 else end
            self._held.append(data[start:end])
            self._size += end - start + 1
            start = end + 1
            if self._size >= _PIECE:
                self._end_piece()

    def signature(self) -> bytes:
        """Of each piece its size, as a power of 2 in bits, and its bits."""
        if self._held:
            self._end_piece()
        return b"".join(self._signed)

    def _end_piece(self) -> None:
        self._signed.append(_piece(b"\n".join(self._held)))
        self._held, self._size = [], 0


class Sieve:
    """Tells which signatures are those of texts that may match."""

    def __init__(self, wanted: Words | None) -> None:
        """``wanted``: None if every text may match, no alternative if none does."""
        found = [
            [number for word in one for number in _numbers(_bytes(word))]
            for one in ([] if wanted is None else wanted)
        ]
        self._wanted = None if wanted is None or not all(found) else found
        self._by_size = {
            size: [sorted({number & (1 << size) - 1 for number in one}) for one in self._wanted or ()]
            for size in range(_LEAST, _MOST + 1)
        }

    @property
    def passes_all(self) -> bool:
        """Whether it tells nothing: what is looked for has no three bytes that must stand together."""
        return self._wanted is None

    def passes(self, found: bytes) -> bool:
        """Whether a text of this signature may match; of what is no signature nothing can be said."""
        if self._wanted is None:
            return True
        at = 0
        while at < len(found):
            size = found[at]
            at += 1
            if not _LEAST <= size <= _MOST or at + (1 << size - 3) > len(found):
                return True
            for one in self._by_size[size]:
                if all(found[at + (number >> 3)] >> (number & 7) & 1 for number in one):
                    return True
            at += 1 << size - 3
        return False


def _piece(data: bytes) -> bytes:
    size = min(max(_LEAST, len(data).bit_length()), _MOST)
    marks = bytearray(b"0") * (1 << size)
    last = (1 << size) - 1
    for number in set(_numbers(data)):
        marks[last - (number & last)] = 0x31  # digits of a number, whose last one is bit 0
    return bytes((size,)) + int(marks, 2).to_bytes(1 << size - 3, "little")


def _numbers(data: bytes) -> array[int]:
    """A number of 16 bits for every three bytes in a row, all at once: arithmetic on one long integer.

    Each lane of 16 bits has the sum for one place, and none overflows.
    """
    numbers = array("H")
    if len(data) < 3:
        return numbers
    lanes = int.from_bytes(data.translate(_CLASSES).decode("latin-1").encode("utf-16-le"), "little")
    whole = lanes + (lanes >> 16) * _SECOND + (lanes >> 32) * _THIRD
    numbers.frombytes(whole.to_bytes(2 * len(data), "little")[: 2 * (len(data) - 2)])
    if byteorder == "big":
        numbers.byteswap()  # pragma: no cover - no such machine at hand
    return numbers


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")
