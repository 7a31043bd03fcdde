"""Writes objects: packed outside the repository, handed to Git in one go (reference git-integration, 5.1 and 5.2)."""

from __future__ import annotations

import hashlib
import tempfile
import threading
import zlib
from collections.abc import Iterable, Sequence
from typing import IO, Self

from git_asr.errors import AsrError
from git_asr.git.base import Objects, Repository, TreeEntry
from git_asr.git.process import run_git

FEW = 100
"""Below so many objects they are written loose, as Git does (``transfer.unpackLimit``)."""

MOST = (1 << 32) - 1
"""Objects that one pack can hold."""

DEADLINE = 3600.0
"""Seconds that Git may take to check and store a pack; a first sync of a large repository makes a large one."""

_BATCH_BYTES = 1 << 20
_BATCH_OBJECTS = 2000
_AHEAD = 6
"""Batches that may wait while one is deflated: conversions are fast now and slow then."""
_CHUNK = 1 << 20
_KINDS = {"commit": 1, "tree": 2, "blob": 3}
PACK_HEAD = b"PACK\0\0\0\2\0\0\0\0"  # magic, version 2, the number of objects (filled in at the end)


class ObjectWriter:
    """Collects objects; ``finish`` puts those that are new into the repository, leaving without it writes nothing.

    IDs are computed here and known at once. What the repository has already is never written again. Memory is
    bounded: what waits is deflated to a temporary file every few MiB, in a thread of its own (zlib lets other threads
    run); IDs, and the entries of trees, which editing reads again, are all that is held.
    """

    def __init__(self, repo: Repository, objects: Objects, pack: IO[bytes] | None = None) -> None:
        """``objects``: reads the same repository; only its ``sizes`` is called, also from the thread.

        ``pack``: an empty file for what is deflated, closed with the writer; a temporary one where none is given.
        """
        self._repo = repo
        self._objects = objects
        self._seen: set[str] = set()
        self._trees: dict[str, tuple[TreeEntry, ...]] = {}
        self._waiting: dict[str, tuple[str, bytes]] = {}
        self._waiting_bytes = 0
        self._worker: threading.Thread | None = None
        self._fault: BaseException | None = None
        self._pack: IO[bytes] = pack or tempfile.TemporaryFile()  # noqa: SIM115  (closed in __exit__)
        self._packed: list[tuple[str, int]] = []
        self._begin()

    def blob(self, data: bytes) -> str:
        """Add a blob and give its ID."""
        return self._add("blob", data)

    def tree(self, entries: Iterable[TreeEntry]) -> str:
        """Add a tree and give its ID. The entries, of different names, may come in any order."""
        ordered = tuple(sorted(entries, key=_order))
        body = bytearray()
        for entry in ordered:
            body += b"%o %s\0" % (entry.mode, entry.name.encode("utf-8", "surrogateescape"))
            body += bytes.fromhex(entry.oid)
        oid = self._add("tree", bytes(body))
        self._trees[oid] = ordered
        return oid

    def written(self, tree: str) -> tuple[TreeEntry, ...] | None:
        """Give the entries of a tree that was added here, finished or not; None for any other."""
        return self._trees.get(tree)

    def commit(
        self, tree: str, parents: Sequence[str], message: str, *, identity: tuple[str, str], when: int
    ) -> str:
        """Add a commit and give its ID; the same arguments give the same ID everywhere.

        Args:
            tree: ID of its tree.
            parents: IDs, written in this order.
            message: written as it is, in UTF-8.
            identity: name and mail address of author and committer.
            when: epoch seconds of both, written as UTC.
        """
        name, address = identity
        who = f"{name} <{address}> {when} +0000"
        lines = [
            f"tree {tree}",
            *(f"parent {parent}" for parent in parents),
            f"author {who}",
            f"committer {who}",
        ]
        return self._add("commit", "\n".join([*lines, "", message]).encode())

    def finish(self) -> int:
        """Hand what is new to Git and give the number of objects. May be called again after more was added.

        Git checks contents and, except in a partial clone, where links may rightly lead to nothing, also that all
        that the new objects name is there.

        Raises:
            AsrError: Git refuses them; nothing was made visible.
        """
        self.settle()
        count = len(self._packed)
        if count:
            self._end()
            if self._repo.promisor:
                command = ("index-pack", "--stdin", "--fsck-objects")
            elif count < FEW:
                command = ("unpack-objects", "-q", "--strict")
            else:
                command = ("index-pack", "--stdin", "--strict")
            run_git(self._repo, *command, stdin=self._pack, deadline=DEADLINE)
            self._begin()
        return count

    def settle(self) -> None:
        """Deflate what waits. Until more is added, no thread runs."""
        self._join()
        self._store(self._take())
        self._pack.flush()

    @property
    def packed(self) -> tuple[tuple[str, int], ...]:
        """The objects that were deflated and not finished: ID and bytes of each, in the order of the pack."""
        return tuple(self._packed)

    def adopt(self, pack: IO[bytes], packed: Iterable[tuple[str, int]]) -> None:
        """Take in what another writer for the same repository packed, as its ``packed`` tells; each object once."""
        self._join()
        pack.seek(len(PACK_HEAD))
        for oid, size in packed:
            data = pack.read(size)
            if oid not in self._seen:
                self._seen.add(oid)
                self._pack.write(data)
                self._packed.append((oid, size))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        if self._worker is not None:
            self._worker.join()
        self._pack.close()

    def _add(self, kind: str, body: bytes) -> str:
        digest = hashlib.new(
            self._repo.object_format, b"%s %d\0" % (kind.encode(), len(body)), usedforsecurity=False
        )
        digest.update(body)
        oid = digest.hexdigest()
        if oid not in self._seen:
            self._seen.add(oid)
            self._waiting[oid] = (kind, body)
            self._waiting_bytes += len(body)
            waiting = max(self._waiting_bytes / _BATCH_BYTES, len(self._waiting) / _BATCH_OBJECTS)
            busy = self._worker is not None and self._worker.is_alive()
            if waiting >= (_AHEAD if busy else 1):
                self._join()
                self._worker = threading.Thread(target=self._store_aside, args=(self._take(),), daemon=True)
                self._worker.start()
        return oid

    def _take(self) -> dict[str, tuple[str, bytes]]:
        batch, self._waiting, self._waiting_bytes = self._waiting, {}, 0
        return batch

    def _join(self) -> None:
        """Wait for the thread, of which there is one at most; what went wrong in it goes on here."""
        if self._worker is not None:
            self._worker.join()
            self._worker = None
        if self._fault is not None:
            raise self._fault

    def _store_aside(self, batch: dict[str, tuple[str, bytes]]) -> None:
        try:
            self._store(batch)
        except BaseException as fault:  # raised again by _join
            self._fault = fault

    def _store(self, batch: dict[str, tuple[str, bytes]]) -> None:
        """Deflate what is not in the repository yet."""
        sizes = self._objects.sizes(batch)
        for oid, (kind, body) in batch.items():
            if sizes[oid] is None:
                head, deflated = object_head(kind, len(body)), zlib.compress(body)
                self._pack.write(head)
                self._pack.write(deflated)
                self._packed.append((oid, len(head) + len(deflated)))

    def _begin(self) -> None:
        self._packed = []
        self._pack.seek(0)
        self._pack.truncate()
        self._pack.write(PACK_HEAD)

    def _end(self) -> None:
        """Put the number of objects into the head and the hash of it all at the end."""
        if len(self._packed) > MOST:
            raise AsrError("more new objects than one pack can hold")
        self._pack.seek(8)
        self._pack.write(len(self._packed).to_bytes(4, "big"))
        self._pack.seek(0)
        digest = hashlib.new(self._repo.object_format, usedforsecurity=False)
        while chunk := self._pack.read(_CHUNK):
            digest.update(chunk)
        self._pack.write(digest.digest())
        self._pack.flush()
        self._pack.seek(0)  # Git reads on from here


def _order(entry: TreeEntry) -> bytes:
    """What Git sorts the entries of a tree by: the bytes of the name, a folder's with a slash after it."""
    name = entry.name.encode("utf-8", "surrogateescape")
    return name + b"/" if entry.is_tree else name


def object_head(kind: str, size: int) -> bytes:
    """Type and size before an object in a pack: 4 bits of the size, then 7 a byte, the lowest first."""
    byte = _KINDS[kind] << 4 | size & 0x0F
    size >>= 4
    head = bytearray()
    while size:
        head.append(byte | 0x80)
        byte, size = size & 0x7F, size >> 7
    head.append(byte)
    return bytes(head)
