"""Writes a bundle to an archive: a file that is renamed when it is whole, or a stream that begins when it is."""

from __future__ import annotations

import os
import shutil
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO, Self, cast

from git_asr.bundles.base import Packer
from git_asr.bundles.beside import beside, refuse_existing, unwritable
from git_asr.bundles.limits import PIECE, check_path
from git_asr.errors import UsageError


class FileTarget:
    """Writes an archive to a file beside the one that is wanted, and renames it."""

    def __init__(self, path: Path, packer: Packer, *, force: bool) -> None:
        """``force``: an existing file is replaced.

        Raises:
            UsageError: something is there already.
            AsrError: the file cannot be made.
        """
        refuse_existing(path, force=force)
        if path.is_dir():
            raise UsageError(f"'{path}' is a folder", hint="name a file, or let --format say folder")
        self._path, self._force = path, force
        self._made = beside(path, lambda made: made.open("xb").close())
        self._file = self._made.open("wb")
        self._packing = packer.packing(cast("BinaryIO", self._file))

    def put(self, path: str, data: bytes) -> None:
        """See ``Target.put``."""
        check_path(path)
        with unwritable(self._path):
            self._packing.put(path, data)

    def close(self) -> None:
        """See ``Target.close``."""
        with unwritable(self._path):
            self._packing.finish()
            self._file.flush()
            os.fsync(self._file.fileno())
            self._file.close()
            if self._force:
                self._made.replace(self._path)
            else:
                self._place()

    def _place(self) -> None:
        """Give the file its name, unless something has it meanwhile."""
        try:
            self._path.hardlink_to(self._made)
        except FileExistsError:
            refuse_existing(self._path, force=False)
        except OSError:  # a file system without hard links
            self._made.replace(self._path)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self._packing.abandon()
        with suppress(OSError):
            self._file.close()
        self._made.unlink(missing_ok=True)


class StreamTarget:
    """Writes an archive to a stream: nothing of it before all is known, and the same bytes as to a file."""

    def __init__(self, stream: BinaryIO, packer: Packer) -> None:
        self._stream = stream
        self._file = tempfile.TemporaryFile()  # noqa: SIM115  (closed in __exit__)
        self._packing = packer.packing(cast("BinaryIO", self._file))

    def put(self, path: str, data: bytes) -> None:
        """See ``Target.put``."""
        check_path(path)
        self._packing.put(path, data)

    def close(self) -> None:
        """See ``Target.close``."""
        self._packing.finish()
        self._file.seek(0)
        shutil.copyfileobj(self._file, self._stream, PIECE)
        self._stream.flush()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self._packing.abandon()
        self._file.close()
