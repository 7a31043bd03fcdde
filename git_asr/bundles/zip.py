"""Zip archives: read by their directory; nothing in one may be encrypted, a link, of another kind, or share bytes."""

from __future__ import annotations

import stat
import struct
import zipfile
import zlib
from collections.abc import Iterator
from typing import BinaryIO

from git_asr.bundles.base import Member
from git_asr.bundles.limits import PIECE, Gauge
from git_asr.errors import AsrError
from git_asr.values import dataclass

LEVEL = 6
_TIME = (1980, 1, 1, 0, 0, 0)
"""The first time that a zip can say."""
_END = b"PK\x05\x06"
_END_64 = b"PK\x06\x06"
_LOCATOR_64 = b"PK\x06\x07"
_LOCAL_HEADER = 30
_FOR_EACH = 512
"""Bytes of the directory that one file may take on average."""
_ENCRYPTED = 0x1 | 0x40 | 0x2000
_PATCHED = 0x20
_DAMAGE = (
    *(zipfile.BadZipFile, zlib.error, struct.error, EOFError),
    *(NotImplementedError, RuntimeError, ValueError, OverflowError),
)
"""What the library raises for archives that are none."""


@dataclass(frozen=True, slots=True)
class Zip:
    """A zip archive."""

    name: str = "zip"
    suffixes: tuple[str, ...] = (".zip",)

    def recognises(self, start: bytes) -> bool:
        """See ``Archive.recognises``."""
        return start[:4] in (b"PK\x03\x04", _END)

    def members(self, file: BinaryIO, gauge: Gauge) -> Iterator[Member]:
        """See ``Archive.members``."""
        count = _check_directory(file, gauge.limits.files)
        try:
            with zipfile.ZipFile(file) as opened:
                infos = opened.infolist()
                if len(infos) != count:
                    raise AsrError(f"it is damaged: it lists {len(infos):,} files, and says {count:,}")
                _check_overlap(infos, opened.start_dir)
                taken = 0
                for info in infos:
                    _check(info)
                    taken += info.compress_size
                    path = info.orig_filename.removeprefix("./")
                    if path.endswith("/"):
                        _check_folder(info, path)
                        gauge.folder(path[:-1])
                        continue
                    gauge.file(path)
                    yield path, _content(opened, info, gauge, taken)
        except _DAMAGE as error:
            raise AsrError(f"it is damaged: {_reason(error)}") from None

    def packing(self, file: BinaryIO) -> ZipPacking:
        """See ``Archive.packing``."""
        return ZipPacking(file)


def _content(opened: zipfile.ZipFile, info: zipfile.ZipInfo, gauge: Gauge, taken: int) -> Iterator[bytes]:
    done = 0
    try:
        with opened.open(info) as content:
            while data := content.read(PIECE):
                done += len(data)
                gauge.grew(len(data), done, taken)
                yield data
    except _DAMAGE as error:
        raise AsrError(f"{info.orig_filename!r:.80} in it is damaged: {_reason(error)}") from None
    if done != info.file_size:
        raise AsrError(f"{info.orig_filename!r:.80} in it is cut off")


def _check(info: zipfile.ZipInfo) -> None:
    """Refuse what is no ordinary file or folder."""
    shown = f"{info.orig_filename!a:.80}"
    kind = stat.S_IFMT(info.external_attr >> 16)
    if info.flag_bits & _ENCRYPTED:
        raise AsrError(f"{shown} is encrypted")
    if info.flag_bits & _PATCHED or info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise AsrError(f"{shown} is compressed in a way that is not read")
    if stat.S_ISLNK(info.external_attr >> 16):
        raise AsrError(f"{shown} is a symbolic link")
    if kind not in (0, stat.S_IFREG, stat.S_IFDIR):
        raise AsrError(f"{shown} is a device, or of another kind that no bundle holds")
    if info.volume:
        raise AsrError("it is a part of an archive")


def _check_folder(info: zipfile.ZipInfo, path: str) -> None:
    if info.file_size or stat.S_IFMT(info.external_attr >> 16) == stat.S_IFREG:
        raise AsrError(f"the folder {path!a:.80} has content")


def _check_overlap(infos: list[zipfile.ZipInfo], directory: int) -> None:
    """Refuse files that share bytes, which is how a small archive gives much."""
    if infos and min(one.header_offset for one in infos) > 0:
        raise AsrError("something stands before its files")
    end = 0
    for info in sorted(infos, key=lambda one: one.header_offset):
        if info.header_offset < end:
            raise AsrError("files in it share bytes")
        end = info.header_offset + _LOCAL_HEADER + len(info.orig_filename) + info.compress_size
    if end > directory:
        raise AsrError("files in it share bytes")


def _check_directory(file: BinaryIO, files: int) -> int:
    """How many files there should be. Refuses a directory that is too long: the library reads all of it at once."""
    size = file.seek(0, 2)
    file.seek(max(0, size - 22 - 0xFFFF - 76))
    tail = file.read()
    at = tail.rfind(_END)
    if at < 0 or len(tail) - at < 22:
        raise AsrError("it is cut off")
    count, length, _, comment = struct.unpack("<HIIH", tail[at + 10 : at + 22])
    if at + 22 + comment != len(tail):
        raise AsrError("it is cut off, or something stands behind its end")
    if tail[max(0, at - 20) : at][:4] == _LOCATOR_64:
        (place,) = struct.unpack("<Q", tail[at - 12 : at - 4])
        if place > size - 56:
            raise AsrError("it is damaged: its end names no directory")
        file.seek(place)
        end = file.read(56)
        if end[:4] != _END_64:
            raise AsrError("it is damaged: its end names no directory")
        count, length = struct.unpack("<QQ", end[32:48])
    if count > files or length > files * _FOR_EACH:
        raise AsrError(f"it holds more than {files:,} files", hint="--max-files allows more")
    file.seek(0)
    return int(count)


def _reason(error: Exception) -> str:
    return f"{str(error) or type(error).__name__:.200}".splitlines()[0]


class ZipPacking:
    """Writes a zip archive: fixed time and mode."""

    def __init__(self, file: BinaryIO) -> None:
        self._zip = zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=LEVEL)

    def put(self, path: str, data: bytes) -> None:
        """See ``Packing.put``."""
        info = zipfile.ZipInfo(path, _TIME)
        info.create_system = 3  # Unix, on whatever system
        info.external_attr = (stat.S_IFREG | 0o644) << 16
        info.compress_type = zipfile.ZIP_DEFLATED
        self._zip.writestr(info, data, compresslevel=LEVEL)

    def finish(self) -> None:
        """See ``Packing.finish``."""
        self._zip.close()

    def abandon(self) -> None:
        """See ``Packing.abandon``."""
        self._zip.fp = None  # else it would write its directory when it is collected


ZIP = Zip()
