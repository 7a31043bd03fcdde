"""The bundles of a companion ref, as whoever checks them reads them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field

from git_asr.companion.tree import session_folders
from git_asr.errors import AsrError
from git_asr.git import trees
from git_asr.git.base import Objects
from git_asr.values import dataclass

PIECE = 1 << 20
"""Bytes of a file that are given at once."""


@dataclass(frozen=True, slots=True)
class StoredFiles:
    """The files of one bundle. ``place``: its folder in the tree; ``files``: Git blobs by path."""

    place: str
    files: Mapping[str, str] = field(repr=False)
    objects: Objects = field(repr=False)

    def paths(self) -> Iterable[str]:
        """Every file of the folder."""
        return self.files.keys()

    def chunks(self, path: str) -> Iterator[bytes]:
        """A file in pieces. Raises AsrError if its object is not here."""
        data = self.objects.blob(self.files[path])
        if data is None:
            raise AsrError(f"the object of {path} is not in this repository")
        view = memoryview(data)
        return (bytes(view[at : at + PIECE]) for at in range(0, len(data), PIECE))


def stored_files(objects: Objects, tree: str) -> Iterator[tuple[str, StoredFiles | AsrError]]:
    """Every folder of a companion tree that stands where sessions do, with its path; an error for what has no files."""
    for place, folder in session_folders(objects, tree):
        try:
            files = {path: one.oid for path, one in trees.walk_files(objects, folder) if one.is_blob}
        except AsrError as error:
            yield place, error
        else:
            yield place, StoredFiles(place, files, objects)
