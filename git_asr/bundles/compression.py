"""Streams that are compressed: gzip by zlib, zstd by the standard library or its backport (docs/decisions/0012)."""

from __future__ import annotations

import struct
import sys
import zlib
from collections.abc import Iterator
from typing import BinaryIO, Protocol

from git_asr.bundles.limits import PIECE
from git_asr.errors import AsrError

GZIP_LEVEL = 6
ZSTD_LEVEL = 9
_GZIP_HEAD = b"\x1f\x8b\x08\x00" + bytes(4) + b"\x00\xff"
"""No name, no time, no system: what zlib itself would write depends on the system."""
_MOST_WINDOW = 27
"""Of zstd: 2 to this power bytes are remembered at most, 128 MiB; the program allows the same."""


class Compressor(Protocol):
    """Takes bytes in turn and gives the compressed ones when it likes."""

    def compress(self, data: bytes, /) -> bytes:
        """Take bytes."""
        ...

    def flush(self) -> bytes:
        """End: the rest."""
        ...


class Gzip:
    """Makes a gzip file whose bytes depend on what goes in and on the version of zlib alone."""

    def __init__(self) -> None:
        self._deflate = zlib.compressobj(GZIP_LEVEL, zlib.DEFLATED, -zlib.MAX_WBITS)
        self._head, self._crc, self._size = _GZIP_HEAD, 0, 0

    def compress(self, data: bytes, /) -> bytes:
        """See ``Compressor.compress``."""
        self._crc, self._size = zlib.crc32(data, self._crc), self._size + len(data)
        head, self._head = self._head, b""
        return head + self._deflate.compress(data)

    def flush(self) -> bytes:
        """See ``Compressor.flush``."""
        return self._head + self._deflate.flush() + struct.pack("<II", self._crc, self._size & 0xFFFFFFFF)


def zstd() -> Compressor:
    """Makes a zstd file, with a checksum."""
    if sys.version_info >= (3, 14):
        from compression import zstd as library  # noqa: PLC0415
    else:
        from backports import zstd as library  # noqa: PLC0415  (5 ms that only zstd pays)
    parameter = library.CompressionParameter
    return library.ZstdCompressor(
        options={parameter.compression_level: ZSTD_LEVEL, parameter.checksum_flag: 1}
    )


Inflated = Iterator[tuple[bytes, int]]
"""Pieces of what was compressed, each with the number of compressed bytes that were taken up to there."""


def plain(file: BinaryIO) -> Inflated:
    """The pieces of a file that is not compressed."""
    taken = 0
    while data := file.read(PIECE):
        taken += len(data)
        yield data, taken


def ungzipped(file: BinaryIO) -> Inflated:
    """The pieces of a gzip file. Raises AsrError if it is damaged or cut off."""
    taken = 0
    engine = zlib.decompressobj(zlib.MAX_WBITS | 16)
    try:
        while data := file.read(PIECE):
            taken += len(data)
            while data:
                if engine.eof:  # several files may stand one after the other
                    engine = zlib.decompressobj(zlib.MAX_WBITS | 16)
                piece = engine.decompress(data, PIECE)
                data = engine.unused_data if engine.eof else engine.unconsumed_tail
                yield piece, taken
    except zlib.error as error:
        raise AsrError(f"its gzip data are damaged: {_reason(error)}") from None
    if not engine.eof:
        raise AsrError("it is cut off")


def unzstd(file: BinaryIO) -> Inflated:
    """The pieces of a zstd file. Raises AsrError if it is damaged or cut off, or needs too much memory."""
    if sys.version_info >= (3, 14):
        from compression import zstd as library  # noqa: PLC0415
    else:
        from backports import zstd as library  # noqa: PLC0415
    options = {int(library.DecompressionParameter.window_log_max): _MOST_WINDOW}
    taken = 0
    engine = library.ZstdDecompressor(options=options)
    try:
        while data := file.read(PIECE):
            taken += len(data)
            while data or not (engine.needs_input or engine.eof):
                if engine.eof:
                    engine = library.ZstdDecompressor(options=options)
                piece = engine.decompress(data, PIECE)
                data = engine.unused_data if engine.eof else b""
                yield piece, taken
    except library.ZstdError as error:
        raise AsrError(f"its zstd data are damaged: {_reason(error)}") from None
    if not engine.eof:
        raise AsrError("it is cut off")


def _reason(error: Exception) -> str:
    """What a library said, in one line."""
    return str(error).splitlines()[0].rstrip(".") if str(error) else type(error).__name__
