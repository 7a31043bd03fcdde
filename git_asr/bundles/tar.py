"""Tar archives, plain or compressed: a strict reader and a writer of our own.

The standard library's reader takes whatever size a header claims into memory and follows every extension of the format,
and its older versions have faults that are known; here only what a bundle needs is read: files, folders, long names.
(POSIX.1-2024, pax: the ustar and pax interchange formats.)
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import BinaryIO

from git_asr.bundles.base import Member
from git_asr.bundles.compression import Compressor, Gzip, Inflated, plain, ungzipped, unzstd, zstd
from git_asr.bundles.limits import PIECE, Gauge
from git_asr.errors import AsrError
from git_asr.values import dataclass

BLOCK = 512
_RECORD = 20 * BLOCK
_TIME = 315_532_800
"""1980-01-01T00:00:00Z, the time of every file: the first that a zip can say too."""
_MOST_EXTENSION = 64 * 1024
"""Bytes of an extended header or of a long name."""
_REFUSED = {
    b"1": "a hard link",
    b"2": "a symbolic link",
    b"3": "a device",
    b"4": "a device",
    b"6": "a named pipe",
    b"S": "a sparse file",
    b"K": "a link with a long name",
    b"V": "a volume label",
    b"M": "a file that goes on elsewhere",
}
_GLOBAL = frozenset({"comment", "mtime", "atime", "ctime", "charset"})
"""Keys that may be said of all files: `git archive` tells its commit so."""
_PAX = re.compile(rb"([1-9][0-9]{0,8}) ([^=\0\n]+)=")


@dataclass(slots=True)
class _Stream:
    """Reads exactly as many bytes as asked from pieces, never more than a block or a piece at once."""

    pieces: Inflated
    gauge: Gauge
    taken: int = 0
    _rest: bytes = b""
    _at: int = 0

    def some(self, most: int) -> bytes:
        """At least a byte and at most so many; nothing at the end."""
        while self._at >= len(self._rest):
            found = next(self.pieces, None)
            if found is None:
                return b""
            self._rest, self.taken = found
            self._at = 0
        data = self._rest[self._at : self._at + most]
        self._at += len(data)
        return data

    def exactly(self, count: int) -> bytes:
        """So many bytes; fewer at the end."""
        out = bytearray()
        while len(out) < count and (data := self.some(count - len(out))):
            out += data
        return bytes(out)


@dataclass(frozen=True, slots=True)
class _Header:
    name: bytes
    size: int
    type: bytes


@dataclass(frozen=True, slots=True)
class Tar:
    """A tar archive; ``inflate`` and ``compressor`` make it a compressed one."""

    name: str
    suffixes: tuple[str, ...]
    magic: bytes
    offset: int
    inflate: Callable[[BinaryIO], Inflated]
    compressor: Callable[[], Compressor] | None

    def recognises(self, start: bytes) -> bool:
        """See ``Archive.recognises``."""
        return start[self.offset : self.offset + len(self.magic)] == self.magic

    def members(self, file: BinaryIO, gauge: Gauge) -> Iterator[Member]:
        """See ``Archive.members``."""
        stream = _Stream(self.inflate(file), gauge)
        for kind, path, size in _entries(stream):
            if kind == b"5":
                if size:
                    raise AsrError(f"the folder {path!a:.80} has content")
                if path:
                    gauge.folder(path)
                continue
            if kind not in (b"0", b"\0"):
                raise AsrError(f"{path!a:.80} is {_REFUSED.get(kind, 'of a kind that no bundle holds')}")
            gauge.file(path)
            yield path, _content(stream, size)
        while data := stream.some(PIECE):
            gauge.grew(len(data), 0, stream.taken)
            if data.strip(b"\0"):
                raise AsrError("something stands behind its end")

    def packing(self, file: BinaryIO) -> TarPacking:
        """See ``Archive.packing``."""
        return TarPacking(file, None if self.compressor is None else self.compressor())


def _content(stream: _Stream, size: int) -> Iterator[bytes]:
    """The bytes of a file, and then what fills its last block."""
    done = 0
    while done < size:
        data = stream.some(size - done)
        if not data:
            raise AsrError("it is cut off")
        done += len(data)
        stream.gauge.grew(len(data), done, stream.taken)
        yield data
    missing = -size % BLOCK
    if len(stream.exactly(missing)) < missing:
        raise AsrError("it is cut off")


def _entries(stream: _Stream) -> Iterator[tuple[bytes, str, int]]:
    """Kind, path and size of each entry; its content is to be taken before the next is asked for."""
    extended: dict[str, str] = {}
    while (header := _header(stream)) is not None:
        if header.type in (b"x", b"g", b"L"):
            _extend(extended, header, _extension(stream, header))
            continue
        path, size = _named(header, extended)
        extended = {}
        yield header.type, path, size
    if extended:
        raise AsrError("it ends with a header of nothing")


def _header(stream: _Stream) -> _Header | None:
    """The next header; None where the archive ends."""
    block = stream.exactly(BLOCK)
    stream.gauge.grew(len(block), 0, stream.taken)
    if len(block) < BLOCK:
        raise AsrError("it is cut off")
    if not block.strip(b"\0"):
        return None
    if block[257:262] != b"ustar":
        raise AsrError("it is no tar archive, or one that is damaged")
    counted = sum(block[:148]) + 8 * ord(" ") + sum(block[156:])
    if _number(block[148:156]) != counted:
        raise AsrError("one of its headers is damaged: another checksum")
    name, prefix = block[:100].partition(b"\0")[0], block[345:500].partition(b"\0")[0]
    if block[257:263] == b"ustar\0" and prefix:
        name = prefix + b"/" + name
    return _Header(name, _number(block[124:136]), block[156:157])


def _number(field: bytes) -> int:
    """A number in octal digits, or in GNU's binary form."""
    if field[:1] == b"\x80":
        return int.from_bytes(field[1:], "big")
    text = field.strip(b" \0")
    if not re.fullmatch(rb"[0-7]*", text):
        raise AsrError("one of its headers is damaged: a number that is none")
    return int(text or b"0", 8)


def _extension(stream: _Stream, header: _Header) -> bytes:
    """The content of a header that tells more of the file that follows."""
    if header.size > _MOST_EXTENSION:
        raise AsrError("one of its extended headers is too long")
    return b"".join(_content(stream, header.size))


def _extend(extended: dict[str, str], header: _Header, data: bytes) -> None:
    """Take what an extended header says: of the next file its path and its size, of all files nothing that matters."""
    found = {"path": _text(data.rstrip(b"\0"))} if header.type == b"L" else dict(_pax(data))
    odd = [key for key in found if key.startswith("GNU.sparse") or key == "linkpath"]
    if header.type == b"g":
        odd += [key for key in found if key not in _GLOBAL]
        found = {}
    if odd:
        raise AsrError(f"one of its extended headers says {odd[0]!r:.60}, which no bundle needs")
    if header.type != b"g" and extended:
        raise AsrError("two extended headers stand before one file")
    extended |= found


def _pax(data: bytes) -> Iterator[tuple[str, str]]:
    at = 0
    while at < len(data):
        head = _PAX.match(data, at)
        end = at + int(head[1]) if head is not None else 0
        if head is None or not head.end() < end <= len(data) or data[end - 1 : end] != b"\n":
            raise AsrError("one of its extended headers is damaged")
        yield _text(head[2]), _text(data[head.end() : end - 1])
        at = end


def _text(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")


def _named(header: _Header, extended: dict[str, str]) -> tuple[str, int]:
    """The path and the size of a file or folder: ``./`` before it goes, and the slash behind a folder."""
    size = extended.get("size", str(header.size))
    if not re.fullmatch(r"[0-9]{1,18}", size):
        raise AsrError("one of its extended headers is damaged: a size that is none")
    path = extended.get("path", _text(header.name))
    if header.type == b"5":
        path = path.removesuffix("/")
        path = "" if path == "." else path
    return path.removeprefix("./"), int(size)


class TarPacking:
    """Writes a tar archive: fixed time, owner and mode."""

    def __init__(self, file: BinaryIO, compressor: Compressor | None) -> None:
        self._file = file
        self._compressor = compressor
        self._size = 0

    def put(self, path: str, data: bytes) -> None:
        """See ``Packing.put``."""
        name = path.encode("ascii")
        extension = {"path": path} if len(name) > 100 else {}
        if len(data) >= 1 << 33:
            extension["size"] = str(len(data))
        if extension:
            said = b"".join(_pax_record(key, value) for key, value in extension.items())
            self._write(_block(b"././@PaxHeader", len(said), b"x"), said)
        self._write(_block(name[:100], len(data) % (1 << 33), b"0"), data)

    def finish(self) -> None:
        """See ``Packing.finish``."""
        self._out(bytes(2 * BLOCK + -(self._size + 2 * BLOCK) % _RECORD))
        if self._compressor is not None:
            self._file.write(self._compressor.flush())

    def abandon(self) -> None:
        """See ``Packing.abandon``."""

    def _write(self, head: bytes, data: bytes) -> None:
        self._out(head)
        view = memoryview(data)
        for at in range(0, len(data), PIECE):
            self._out(bytes(view[at : at + PIECE]))
        self._out(bytes(-len(data) % BLOCK))

    def _out(self, data: bytes) -> None:
        self._size += len(data)
        self._file.write(data if self._compressor is None else self._compressor.compress(data))


def _block(name: bytes, size: int, kind: bytes) -> bytes:
    fields = b"".join(
        [
            name.ljust(100, b"\0"),
            b"0000644\0" + 2 * b"0000000\0",
            b"%011o\0%011o\0" % (size, _TIME),
            8 * b" " + kind + bytes(100) + b"ustar\00000",
            bytes(64) + 2 * b"0000000\0" + bytes(167),
        ]
    )
    return fields[:148] + b"%06o\0 " % sum(fields) + fields[156:]


def _pax_record(key: str, value: str) -> bytes:
    rest = f" {key}={value}\n".encode()
    size = len(rest)
    while len(str(size)) + len(rest) != size:
        size = len(str(size)) + len(rest)
    return str(size).encode() + rest


TAR = Tar("tar", (".tar",), b"ustar", 257, plain, None)
TAR_GZ = Tar("tar.gz", (".tar.gz", ".tgz"), b"\x1f\x8b", 0, ungzipped, Gzip)
TAR_ZST = Tar("tar.zst", (".tar.zst", ".tzst"), b"\x28\xb5\x2f\xfd", 0, unzstd, zstd)
