"""Notes that Git reads for one command, and that no repository ever holds.

They lie in a pack in a temporary folder, which Git takes for one more store of objects while that command runs. The
notes are named as `git describe` names a commit, ``asr-g<ID>``, so they need no ref (gitrevisions, *describeOutput*).
"""

from __future__ import annotations

import hashlib
import os
import tempfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from git_asr.git.writing import PACK_HEAD, object_head
from git_asr.values import dataclass

_STORE = "GIT_ALTERNATE_OBJECT_DIRECTORIES"
_WHO = b"git-asr <git-asr@localhost> 0 +0000"
_MOST_STORED = 0xFFFF


@dataclass(frozen=True, slots=True)
class Notes:
    """``ref``: what ``--notes`` takes. ``title``: what Git prints of it. ``environment``: what the child needs."""

    ref: str
    title: bytes
    environment: Mapping[str, str]


@contextmanager
def throwaway_notes(object_format: str, name: str, notes: Mapping[str, bytes]) -> Iterator[Notes]:
    """Make notes; they are there while the block runs.

    ``name``: a word that stands at the beginning of the title. ``notes``: the text of each commit's, by its full ID.

    Raises:
        OSError: there is no room, or no place, for temporary files.
    """
    pack = _Pack(object_format)
    texts = {text: pack.add("blob", text) for text in dict.fromkeys(notes.values())}
    folders: dict[str, list[bytes]] = {}
    for oid in sorted(notes):
        entry = b"100644 %s\0%s" % (oid[2:].encode(), texts[notes[oid]])
        folders.setdefault(oid[:2], []).append(entry)
    root = [b"40000 %s\0%s" % (one.encode(), pack.add("tree", b"".join(of))) for one, of in folders.items()]
    tree = pack.add("tree", b"".join(root)).hex().encode()
    commit = pack.add("commit", b"tree %s\nauthor %s\ncommitter %s\n\nnotes\n" % (tree, _WHO, _WHO)).hex()
    with tempfile.TemporaryDirectory(prefix="git-asr-") as folder:
        pack.write(Path(folder) / "pack")
        stores = [_quoted(folder), *([os.environ[_STORE]] if os.environ.get(_STORE) else [])]
        title = f"{name}-g{commit}"
        yield Notes(f"refs/notes/{title}", title.encode(), {_STORE: os.pathsep.join(stores)})


class _Pack:
    """The objects of a pack, and its index in version 2 (gitformat-pack)."""

    def __init__(self, object_format: str) -> None:
        self._new = getattr(hashlib, object_format)
        self._pieces = [b""]
        self._size = len(PACK_HEAD)
        self._index: dict[bytes, tuple[int, int]] = {}

    def add(self, kind: str, body: bytes) -> bytes:
        """Add an object and give its ID."""
        oid = self._hash(b"%s %d\0%s" % (kind.encode(), len(body), body))
        if oid not in self._index:
            piece = object_head(kind, len(body)) + _deflated(body)
            self._index[oid] = self._size, zlib.crc32(piece)
            self._pieces.append(piece)
            self._size += len(piece)
        return oid

    def write(self, folder: Path) -> None:
        """Write both files into a folder, which is made."""
        head = PACK_HEAD[:8] + len(self._index).to_bytes(4, "big")
        pack = head + b"".join(self._pieces)
        digest = self._hash(pack)
        ordered = sorted(self._index.items())
        counts = [0] * 256
        for oid, _ in ordered:
            counts[oid[0]] += 1
        below, fanout = 0, []
        for count in counts:
            below += count
            fanout.append(below.to_bytes(4, "big"))
        index = b"".join(
            [
                b"\xfftOc\0\0\0\2",
                *fanout,
                *(oid for oid, _ in ordered),
                *(crc.to_bytes(4, "big") for _, (_, crc) in ordered),
                *(offset.to_bytes(4, "big") for _, (offset, _) in ordered),  # the whole is far below 2 GiB
                digest,
            ]
        )
        folder.mkdir()
        name = f"pack-{digest.hex()}"
        (folder / f"{name}.pack").write_bytes(pack + digest)
        (folder / f"{name}.idx").write_bytes(index + self._hash(index))

    def _hash(self, data: bytes) -> bytes:
        digest: bytes = self._new(data, usedforsecurity=False).digest()
        return digest


def _deflated(body: bytes) -> bytes:
    """A zlib stream; a short text is stored as it is, for setting zlib up would cost more than the rest."""
    size = len(body)
    if size > _MOST_STORED:
        return zlib.compress(body, 1)
    sizes = size.to_bytes(2, "little") + (size ^ _MOST_STORED).to_bytes(2, "little")
    return b"\x78\x01\x01" + sizes + body + zlib.adler32(body).to_bytes(4, "big")


def _quoted(folder: str) -> str:
    """A path as a list of paths holds it (git(1), the variable's own entry): in quotes where it holds a separator."""
    if os.pathsep not in folder and not folder.startswith('"'):
        return folder
    escaped = folder.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
