"""A bundle out of a source, whole and checked, and into a target, in an order that is always the same."""

from __future__ import annotations

import hashlib
from collections.abc import Callable

from git_asr.asr.bundle import MANIFEST, Bundle, load
from git_asr.bundles.base import Source, Target
from git_asr.errors import AsrError

MOST_MANIFEST = 64 << 20
"""Bytes of a manifest; some hundred thousand sessions have a larger one."""

Tick = Callable[[int, int], object]
"""Told how many files are done, of how many."""


def read(source: Source, tick: Tick | None = None) -> Bundle:
    """The bundle in a source, every listed file of which is there as it is listed.

    Raises:
        AsrError: there is no manifest, it is damaged, or a file that it lists is missing or another.
    """
    bundle = Bundle(load(manifest_of(source)), source.read)
    listed = bundle.manifest.files()
    there = set(source.paths())
    for done, file in enumerate(listed.values()):
        if tick is not None:
            tick(done, len(listed))
        if file.path not in there:
            raise AsrError(f"the bundle lacks {file.path}, which its manifest lists")
        digest, size = hashlib.sha256(), 0
        for piece in source.chunks(file.path):
            digest.update(piece)
            size += len(piece)
        if (size, digest.hexdigest()) != (file.bytes, file.sha256):
            raise AsrError(f"{file.path} is not the file that the manifest lists")
    return bundle


def manifest_of(source: Source) -> bytes:
    """The manifest's bytes. Raises AsrError if there is none, or a very large one."""
    if MANIFEST not in set(source.paths()):
        raise AsrError(f"it is no bundle: it has no {MANIFEST}")
    data = bytearray()
    for piece in source.chunks(MANIFEST):
        data += piece
        if len(data) > MOST_MANIFEST:
            raise AsrError(f"its {MANIFEST} has more than {MOST_MANIFEST >> 20} MiB")
    return bytes(data)


def unlisted(source: Source, bundle: Bundle) -> list[str]:
    """The files of a source that are no part of the bundle."""
    return sorted(set(source.paths()) - {MANIFEST} - bundle.manifest.files().keys())


def write(bundle: Bundle, target: Target, tick: Tick | None = None, manifest: bytes | None = None) -> None:
    """Give a target all files of a bundle: the manifest first, then by path. The target is not closed.

    ``manifest``: its bytes, where they are not to be written anew.

    Raises:
        AsrError: a listed file is missing or another than the one listed, or the target cannot be written.
    """
    target.put(MANIFEST, bundle.manifest.dump() if manifest is None else manifest)
    listed = sorted(bundle.manifest.files().items())
    for done, (path, file) in enumerate(listed):
        if tick is not None:
            tick(done, len(listed))
        data = bundle.file(path)
        if data is None or len(data) != file.bytes or hashlib.sha256(data).hexdigest() != file.sha256:
            raise AsrError(
                f"{path} is {'missing' if data is None else 'not the file that the manifest lists'}",
                hint="git asr sync --full   makes sessions anew from their checkpoints",
            )
        target.put(path, data)
