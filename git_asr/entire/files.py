"""Small files of checkpoints, read as they are asked for; the hash of a transcript is one (reference, section 3.5)."""

from __future__ import annotations

import re
from collections.abc import Mapping

from git_asr.entire.contents import SessionFolder
from git_asr.entire.copies import absent_blob
from git_asr.errors import Diagnostic, Report
from git_asr.git.base import Objects

_HASH = re.compile(rb"\s*(?:sha256:)?([0-9a-f]{64})\s*")
_MAX_HASH = 4096


class SmallFiles:
    """Reads the files of checkpoints that stand beside transcripts, and none that is larger than it should be.

    ``sizes``: those that are known already; what is asked beyond them is added. ``known``: the SHA-256 of blobs that a
    bundle of the session has, by their IDs: they need not be read again. ``absent``: the checkpoints with a file that
    is not in this repository, so that the same trees may say more at another time.
    """

    def __init__(
        self,
        objects: Objects,
        sizes: dict[str, int | None],
        report: Report,
        known: Mapping[str, str] | None = None,
    ) -> None:
        self._objects = objects
        self._sizes = sizes
        self.report = report
        self.known = known or {}
        self.absent: set[str] = set()

    def size(self, oid: str) -> int | None:
        """The bytes of a blob; None where it is absent."""
        if oid not in self._sizes:
            self._sizes |= self._objects.sizes([oid])
        return self._sizes[oid]

    def read(self, oid: str, limit: int) -> bytes | None:
        """A blob of up to ``limit`` bytes; None where it is larger or cannot be read."""
        size = self.size(oid)
        return None if size is None or size > limit else self._objects.blob(oid)

    def lack(self, checkpoint: str, path: str) -> None:
        """Tell that a file of a checkpoint is not here: ``absent-blob``."""
        self.absent.add(checkpoint)
        self.report(absent_blob(f"checkpoint {checkpoint}, {path}", "it cannot be read in this repository"))


def check_hash(files: SmallFiles, folder: SessionFolder, digest: str) -> None:
    """Compare a folder's transcript with the hash that Entire stored beside it.

    ``digest``: SHA-256 in hex of the whole transcript. Another one is reported as ``content-hash``: old data were
    rewritten without it, so it is no reason to leave anything out. An absent hash says nothing, and of a transcript
    that lacks a part it is known.
    """
    if folder.content_hash is None or folder.missing_parts:
        return
    data = files.read(folder.content_hash, _MAX_HASH)
    if data is None:
        return
    found = _HASH.fullmatch(data)
    if found is None or found[1].decode() != digest:
        said = (
            "the transcript is another than the hash beside it says"
            if found
            else "the hash beside it is none"
        )
        files.report(Diagnostic("content-hash", f"checkpoint {folder.checkpoint}{folder.place}", said))
