"""What reading and writing a bundle outside Git means, and what each kind of archive offers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import BinaryIO, Protocol, Self

from git_asr.bundles.limits import Gauge


class Source(Protocol):
    """The files of a bundle, of which it is known that nothing about them is unsafe. It serves while it is open."""

    def paths(self) -> Iterable[str]:
        """The path of every file, with slashes, as it is listed in a manifest; not only those that are."""
        ...

    def read(self, path: str) -> bytes:
        """The bytes of a file. Raises AsrError when there is none, or it is larger than the limits allow."""
        ...

    def chunks(self, path: str) -> Iterator[bytes]:
        """The bytes of a file, in pieces of up to 256 KiB. Raises AsrError when there is none."""
        ...


class Target(Protocol):
    """Takes the files of a bundle. Nothing can be seen before ``close``; whoever leaves without it leaves nothing."""

    def put(self, path: str, data: bytes) -> None:
        """Take a file. Raises AsrError when it cannot be written, or a bundle cannot have that path."""
        ...

    def close(self) -> None:
        """Make everything visible, at once. Raises AsrError when that is not possible."""
        ...

    def __enter__(self) -> Self: ...

    def __exit__(self, *exc: object) -> None: ...


class Files(Protocol):
    """Takes files that are no bundle, as they are made. What is said of ``Target`` holds."""

    def put_pieces(self, path: str, pieces: Iterable[bytes]) -> None:
        """Take a file that comes in pieces. Raises AsrError when it cannot be written, or may not have that path."""
        ...

    def close(self) -> None:
        """Make everything visible, at once. Raises AsrError when that is not possible."""
        ...

    def __enter__(self) -> Self: ...

    def __exit__(self, *exc: object) -> None: ...


Member = tuple[str, Iterator[bytes]]
"""A file of an archive: its path, and its bytes in pieces, to be taken before the next member is asked for."""


class Packing(Protocol):
    """An archive that is being written."""

    def put(self, path: str, data: bytes) -> None:
        """Add a file."""
        ...

    def finish(self) -> None:
        """Write what stands behind the last file. The file that is written to stays open."""
        ...

    def abandon(self) -> None:
        """Write nothing more, finished or not."""
        ...


class Packer(Protocol):
    """Makes one file of many."""

    def packing(self, file: BinaryIO) -> Packing:
        """Begin to write: the same files in the same order give the same bytes."""
        ...


class Archive(Packer, Protocol):
    """One kind of archive: one module of this package, one entry in ``registry.ARCHIVES``."""

    @property
    def name(self) -> str:
        """What it is called: ``tar.gz``."""
        ...

    @property
    def suffixes(self) -> tuple[str, ...]:
        """How names of files of this kind end, with the dot."""
        ...

    def recognises(self, start: bytes) -> bool:
        """Tell by its first 512 bytes whether a file is of this kind."""
        ...

    def members(self, file: BinaryIO, gauge: Gauge) -> Iterator[Member]:
        """The files in an archive, in order. ``gauge``: is told of every file and every byte.

        Raises:
            AsrError: the archive is damaged, or holds what no bundle may hold.
        """
        ...
