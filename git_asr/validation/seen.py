"""Which of very many texts were seen, in little memory."""

from __future__ import annotations

from array import array
from bisect import bisect_left

_BUCKET_BITS = 12
_MASK = (1 << 64) - 1
_TAG_BITS = 8
MOST_TAGS = 1 << _TAG_BITS


class Seen:
    """Texts with a small number each: 8 bytes a text, so that ten million records fit into 90 MB.

    Of a text its 64-bit hash is kept (Python's, keyed by chance, so that nobody can aim at one): among ten million
    texts two have the same once in 400,000 streams.
    """

    __slots__ = ("_buckets", "count")

    def __init__(self) -> None:
        self._buckets: list[array[int] | None] = [None] * (1 << _BUCKET_BITS)
        self.count = 0

    def add(self, text: str, tag: int = 0) -> bool:
        """Note a text; False if it was there already, and keeps its number."""
        number = hash(text) & _MASK
        bucket = self._buckets[number & ((1 << _BUCKET_BITS) - 1)]
        rest = number >> _BUCKET_BITS << _TAG_BITS
        if bucket is None:
            self._buckets[number & ((1 << _BUCKET_BITS) - 1)] = array("Q", (rest | tag,))
            self.count += 1
            return True
        place = bisect_left(bucket, rest)
        if place < len(bucket) and bucket[place] >> _TAG_BITS == rest >> _TAG_BITS:
            return False
        bucket.insert(place, rest | tag)
        self.count += 1
        return True

    def get(self, text: str) -> int | None:
        """The number of a text; None where it was not seen."""
        number = hash(text) & _MASK
        bucket = self._buckets[number & ((1 << _BUCKET_BITS) - 1)]
        if bucket is None:
            return None
        rest = number >> _BUCKET_BITS << _TAG_BITS
        place = bisect_left(bucket, rest)
        if place < len(bucket) and bucket[place] >> _TAG_BITS == rest >> _TAG_BITS:
            return bucket[place] & (MOST_TAGS - 1)
        return None

    def mark(self, text: str, bits: int) -> int | None:
        """Set bits of the number of a text; the number before, None where the text was not seen."""
        number = hash(text) & _MASK
        bucket = self._buckets[number & ((1 << _BUCKET_BITS) - 1)]
        rest = number >> _BUCKET_BITS << _TAG_BITS
        place = 0 if bucket is None else bisect_left(bucket, rest)
        if bucket is None or place >= len(bucket) or bucket[place] >> _TAG_BITS != rest >> _TAG_BITS:
            return None
        found = bucket[place]
        bucket[place] = found | bits
        return found & (MOST_TAGS - 1)

    def __contains__(self, text: str) -> bool:
        return self.get(text) is not None
