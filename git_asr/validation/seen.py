"""Which of very many texts were seen, in little memory."""

from __future__ import annotations

from array import array
from bisect import bisect_left

_MASK = (1 << 64) - 1
_TAG_BITS = 8
_FIRST_BITS = 8
_STEP_BITS = 4
_MOST = 256
"""Texts in a bucket, on average, before there are more buckets."""
MOST_TAGS = 1 << _TAG_BITS


class Seen:
    """Texts with a small number each: 8 bytes a text, so that ten million records fit into 90 MB.

    Of a text its 64-bit hash is kept (Python's, keyed by chance, so that nobody can aim at one): among ten million
    texts two have the same once in 400,000 streams. Its lowest bits tell the bucket, the others stand there with the
    number, in order.
    """

    __slots__ = ("_bits", "_buckets", "count")

    def __init__(self) -> None:
        self._bits = _FIRST_BITS
        self._buckets: list[array[int] | None] = [None] * (1 << _FIRST_BITS)
        self.count = 0

    def add(self, text: str, tag: int = 0) -> bool:
        """Note a text; False if it was there already, and keeps its number."""
        index, bucket, place, known = self._find(text)
        if known:
            return False
        value = (hash(text) & _MASK) >> self._bits << _TAG_BITS | tag
        if bucket is None:
            self._buckets[index] = array("Q", (value,))
        else:
            bucket.insert(place, value)
        self.count += 1
        if self.count > _MOST << self._bits:
            self._grow()
        return True

    def get(self, text: str) -> int | None:
        """The number of a text; None where it was not seen."""
        _, bucket, place, known = self._find(text)
        return bucket[place] & (MOST_TAGS - 1) if known and bucket is not None else None

    def mark(self, text: str, bits: int) -> int | None:
        """Set bits of the number of a text; the number before, None where the text was not seen."""
        _, bucket, place, known = self._find(text)
        if not known or bucket is None:
            return None
        found = bucket[place]
        bucket[place] = found | bits
        return found & (MOST_TAGS - 1)

    def __contains__(self, text: str) -> bool:
        return self._find(text)[3]

    def _find(self, text: str) -> tuple[int, array[int] | None, int, bool]:
        """The bucket of a text with its index, the place in it, and whether the text is there."""
        number = hash(text) & _MASK
        index = number & ((1 << self._bits) - 1)
        bucket = self._buckets[index]
        if bucket is None:
            return index, None, 0, False
        rest = number >> self._bits
        place = bisect_left(bucket, rest << _TAG_BITS)
        return index, bucket, place, place < len(bucket) and bucket[place] >> _TAG_BITS == rest

    def _grow(self) -> None:
        """Part each bucket by the lowest bits of what stands in it: each part is in order, as the whole was."""
        buckets: list[array[int] | None] = [None] * (len(self._buckets) << _STEP_BITS)
        for index, bucket in enumerate(self._buckets):
            for value in bucket or ():
                rest, tag = value >> _TAG_BITS, value & (MOST_TAGS - 1)
                place = (rest & ((1 << _STEP_BITS) - 1)) << self._bits | index
                part = buckets[place]
                if part is None:
                    part = buckets[place] = array("Q")
                part.append(rest >> _STEP_BITS << _TAG_BITS | tag)
        self._buckets = buckets
        self._bits += _STEP_BITS
