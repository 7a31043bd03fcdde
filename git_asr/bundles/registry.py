"""Every kind of bundle outside Git: what a name asks for, and what a file is by its content."""

from __future__ import annotations

import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, cast

from git_asr.bundles.base import Archive, Source, Target
from git_asr.bundles.folder import NAME as FOLDER
from git_asr.bundles.folder import FolderSource, FolderTarget
from git_asr.bundles.limits import PIECE, Gauge, Limits, said
from git_asr.bundles.packed import FileTarget, StreamTarget
from git_asr.bundles.spool import Spool
from git_asr.bundles.tar import BLOCK, TAR, TAR_GZ, TAR_ZST
from git_asr.bundles.zip import ZIP
from git_asr.errors import AsrError, UsageError

ARCHIVES: tuple[Archive, ...] = (ZIP, TAR, TAR_GZ, TAR_ZST)
NAMES = (FOLDER, *(one.name for one in ARCHIVES))
"""The kinds by name."""


def kind_of(path: Path) -> str:
    """The kind that the name of a file asks for; a name without a known suffix is a folder's."""
    name = path.name.lower()
    return next((one.name for one in ARCHIVES if name.endswith(one.suffixes)), FOLDER)


def is_archive(path: Path) -> bool:
    """Tell whether a file is an archive, by its content, or wants to be one, by its name. Raises OSError."""
    if kind_of(path) != FOLDER:
        return True
    with path.open("rb") as file:
        start = file.read(BLOCK)
    return any(one.recognises(start) for one in ARCHIVES)


def target(path: Path, kind: str, *, force: bool = False) -> Target:
    """Begin to write a bundle of a kind. Raises UsageError if something is there, AsrError if it cannot be made."""
    if kind == FOLDER:
        return FolderTarget(path, force=force)
    return FileTarget(path, archive(kind), force=force)


def stream_target(stream: BinaryIO, kind: str) -> Target:
    """Begin to write an archive to a stream. Raises UsageError for a folder."""
    if kind == FOLDER:
        raise UsageError("a folder cannot be written to stdout", hint="--format tar")
    return StreamTarget(stream, archive(kind))


def archive(kind: str) -> Archive:
    """The kind of archive of this name. Raises KeyError."""
    return {one.name: one for one in ARCHIVES}[kind]


@contextmanager
def opened(path: Path, limits: Limits | None = None) -> Iterator[Source]:
    """Open a bundle for reading: a folder, or an archive by its content, whatever it is called.

    An archive is unpacked once, into a temporary file, and everything about it is checked then.

    Raises:
        AsrError: it cannot be read, is no archive that is known, is damaged, holds more than the limits allow, or
            something that no bundle may hold.
    """
    gauge = Gauge(limits or Limits())
    with _named(str(path)):
        try:
            mode = path.stat().st_mode
            if stat.S_ISDIR(mode):
                source: Source | Spool = FolderSource(path, gauge)
            elif stat.S_ISREG(mode):
                with path.open("rb") as file:
                    source = unpacked(cast("BinaryIO", file), gauge)
            else:
                raise AsrError("it is neither a file nor a folder")
        except OSError as error:
            raise AsrError(f"cannot read it: {error.strerror or error}") from error
        except ValueError as error:  # a NUL in the name
            raise UsageError(f"no name of a file: {error}") from error
    try:
        yield source
    finally:
        if isinstance(source, Spool):
            source.close()


@contextmanager
def opened_stream(stream: BinaryIO, name: str, limits: Limits | None = None) -> Iterator[Source]:
    """Open an archive that comes through a stream; otherwise as ``opened``."""
    gauge = Gauge(limits or Limits())
    with _named(name), tempfile.TemporaryFile() as file:
        size = 0
        while data := stream.read(PIECE):
            size += len(data)
            if size > gauge.limits.bytes:
                raise AsrError(f"it has more than {said(gauge.limits.bytes)}", hint="--max-size allows more")
            file.write(data)
        file.seek(0)
        source = unpacked(cast("BinaryIO", file), gauge)
    try:
        yield source
    finally:
        source.close()


def unpacked(file: BinaryIO, gauge: Gauge) -> Spool:
    """Unpack an archive. Raises AsrError as ``opened``."""
    start = file.read(BLOCK)
    file.seek(0)
    for one in ARCHIVES:
        if one.recognises(start):
            return Spool(one.members(file, gauge))
    known = ", ".join(one.name for one in ARCHIVES)
    raise AsrError(f"it is no archive of a kind that is read ({known})" if start else "it is empty")


@contextmanager
def _named(name: str) -> Iterator[None]:
    """Put the name of a bundle before what is wrong with it."""
    try:
        yield
    except AsrError as error:
        raise type(error)(f"'{name}': {error.message}", hint=error.hint) from error
