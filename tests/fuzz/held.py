"""Objects of Git in memory, made of files: what a reader of checkpoints is given thousands of times a minute."""

from __future__ import annotations

import hashlib
from collections.abc import Generator, Iterable, Mapping

from git_asr.git.base import FILE, TREE, Ref
from git_asr.git.reading import Reading, blob_of
from git_asr.git.writing import object_head

Files = dict[bytes, bytes]
_DEEPEST = 200
"""Folders in a folder; what stands deeper is left out, since trees are made by recursion here."""


class Held(Reading):
    """Reads what was put in; nothing else is there."""

    def __init__(self) -> None:
        super().__init__(40)
        self._objects: dict[str, tuple[str, bytes]] = {}

    def put(self, kind: str, body: bytes) -> str:
        """Add an object; its ID."""
        oid = hashlib.sha1(object_head(kind, len(body)) + body, usedforsecurity=False).hexdigest()
        self._objects[oid] = (kind, body)
        return oid

    def tree(self, files: Mapping[bytes, bytes]) -> str:
        """Add files with all their folders; the ID of the tree."""
        entries: dict[bytes, tuple[int, str]] = {}
        below: dict[bytes, Files] = {}
        for path, data in files.items():
            name, slash, rest = path.partition(b"/")
            if slash and path.count(b"/") < _DEEPEST:
                below.setdefault(name, {})[rest] = data
            elif name and not slash:
                entries[name] = (FILE, self.put("blob", data))
        entries |= {name: (TREE, self.tree(inner)) for name, inner in below.items() if name}
        body = b"".join(
            b"%o %s\0%s" % (mode, name, bytes.fromhex(oid)) for name, (mode, oid) in sorted(entries.items())
        )
        return self.put("tree", body)

    def ref(self, name: str, files: Mapping[bytes, bytes]) -> Ref:
        """Add a commit of files; a ref that leads to it."""
        person = b"A <a@example.com> 1767225600 +0000"
        body = b"tree %s\nauthor %s\ncommitter %s\n\nCheckpoint\n" % (
            self.tree(files).encode(),
            person,
            person,
        )
        return Ref(name, self.put("commit", body))

    def read(self, oid: str) -> tuple[str, bytes] | None:
        return self._objects.get(self.checked(oid))

    def blobs(self, oids: Iterable[str]) -> Generator[bytes | None, None, None]:
        yield from (blob_of(self.read(oid)) for oid in oids)

    def sizes(self, oids: Iterable[str]) -> dict[str, int | None]:
        found = {oid: self.read(oid) for oid in oids}
        return {oid: None if one is None else len(one[1]) for oid, one in found.items()}

    def close(self) -> None:
        """Nothing is open."""
