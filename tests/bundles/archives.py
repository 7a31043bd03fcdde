"""Makes archives that no honest tool makes, each for one reason to refuse it."""

from __future__ import annotations

import gzip
import io
import struct
import sys
import tarfile
import zipfile
from collections.abc import Callable, Iterator

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

MANIFEST = b'{"formatVersion":"0.1","producer":{"name":"x"},"shareable":false,"sessions":[],"blobs":[]}\n'
Entry = tuple[str | tarfile.TarInfo, bytes]


def tar(*entries: Entry, form: int = tarfile.PAX_FORMAT, pax: dict[str, str] | None = None) -> bytes:
    """A tar archive with a manifest and these entries."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=form, pax_headers=pax) as archive:
        for name, data in (("bundle.json", MANIFEST), *entries):
            info = tarfile.TarInfo(name) if isinstance(name, str) else name
            info.size = len(data) if info.isreg() else 0
            archive.addfile(info, io.BytesIO(data))
    return out.getvalue()


def member(name: str, kind: bytes, link: str = "") -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.type, info.linkname = kind, link
    return info


def raw_header(name: bytes, size: bytes, kind: bytes, magic: bytes = b"ustar\x0000") -> bytes:
    """A tar header with a right checksum, whatever is in it."""
    block = name.ljust(100, b"\0") + b"0000644\0" + 16 * b"0" + size.ljust(12, b"\0") + b"00000000000\0"
    block += b" " * 8 + kind + bytes(100) + magic
    block = block.ljust(512, b"\0")
    return block[:148] + b"%06o\0 " % sum(block) + block[156:]


def padded(data: bytes) -> bytes:
    return data + bytes(-len(data) % 512)


def extended(kind: bytes, data: bytes) -> bytes:
    return raw_header(b"x", b"%011o" % len(data), kind) + padded(data)


def pax(**fields: str) -> bytes:
    out = b""
    for key, value in fields.items():
        rest = f" {key}={value}\n".encode("utf-8", "surrogateescape")
        size = len(rest) + 1
        while len(str(size)) + len(rest) != size:
            size += 1
        out += str(size).encode() + rest
    return out


def files(*raw: bytes) -> bytes:
    """A tar archive of a manifest and raw blocks."""
    own = raw_header(b"bundle.json", b"%011o" % len(MANIFEST), b"0") + padded(MANIFEST)
    return own + b"".join(raw) + bytes(1024)


def plain(name: bytes, data: bytes = b"x") -> bytes:
    return raw_header(name, b"%011o" % len(data), b"0") + padded(data)


def zipped(*entries: tuple[str | zipfile.ZipInfo, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    """A zip archive with a manifest and these entries."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        for name, data in (("bundle.json", MANIFEST), *entries):
            archive.writestr(name, data)
    return out.getvalue()


def info(name: str, mode: int = 0o100644, **other: int) -> zipfile.ZipInfo:
    made = zipfile.ZipInfo(name)
    made.external_attr = mode << 16
    made.compress_type = zipfile.ZIP_DEFLATED
    for key, value in other.items():
        setattr(made, key, value)
    return made


def patched(data: bytes, old: bytes, new: bytes, count: int = -1) -> bytes:
    assert old in data
    assert len(old) == len(new)
    return data.replace(old, new, count)


def flagged(data: bytes, flag: int) -> bytes:
    """A zip archive whose second file has a flag, in both of its headers."""
    out = bytearray(data)
    local = out.index(b"PK\x03\x04", 4)
    central = out.index(b"PK\x01\x02", out.index(b"PK\x01\x02") + 4)
    for at in (local + 6, central + 8):
        out[at] |= flag & 0xFF
        out[at + 1] |= flag >> 8
    return bytes(out)


def counted(data: bytes, count: int) -> bytes:
    """A zip that says that it has so many files."""
    at = data.rindex(b"PK\x05\x06") + 8
    return data[:at] + 2 * count.to_bytes(2, "little") + data[at + 4 :]


def overlapping() -> bytes:
    """A zip archive two files of which share their bytes, as one of the known bombs has them."""
    data = zipped(("a", b"same" * 100), ("b", b"same" * 100))
    first = data.index(b"PK\x03\x04", 4)
    entry = data.rindex(b"PK\x01\x02")
    return data[: entry + 42] + struct.pack("<I", first) + data[entry + 46 :]


def endless(count: int) -> Callable[[], Iterator[bytes]]:
    def pieces() -> Iterator[bytes]:
        for _ in range(count):
            yield bytes(1 << 20)

    return pieces


def bomb_gz(mebibytes: int) -> bytes:
    out = io.BytesIO()
    head = raw_header(b"big", b"%011o" % (mebibytes << 20), b"0")
    with gzip.GzipFile(fileobj=out, mode="wb", mtime=0) as packed:
        packed.write(head)
        for piece in endless(mebibytes)():
            packed.write(piece)
    return out.getvalue()


def bomb_zst(mebibytes: int) -> bytes:
    packed = zstd.ZstdCompressor()
    out = packed.compress(raw_header(b"big", b"%011o" % (mebibytes << 20), b"0"))
    return out + b"".join(map(packed.compress, endless(mebibytes)())) + packed.flush()


def bomb_zip(mebibytes: int) -> bytes:
    return zipped(("big", bytes(mebibytes << 20)))


def bomb_header(mebibytes: int) -> bytes:
    """An extended header that claims, and has, much more than a header needs."""
    out = io.BytesIO()
    with gzip.GzipFile(fileobj=out, mode="wb", mtime=0) as packed:
        packed.write(raw_header(b"x", b"%011o" % (mebibytes << 20), b"x"))
        for piece in endless(mebibytes)():
            packed.write(piece)
    return out.getvalue()


def window_zst() -> bytes:
    """A zstd frame that asks for 2 GiB of memory."""
    return b"\x28\xb5\x2f\xfd\x00" + bytes([(31 - 10) << 3]) + b"\x01\x00\x00"
