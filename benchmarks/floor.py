"""The floor: the least that a full sync costs in one process of Python.

Reads every blob that is needed through ``git cat-file --batch --buffer``, takes every line of the transcripts through
``orjson.loads`` and ``orjson.dumps``, deflates the bytes that a sync writes and hands them to ``git index-pack``.
Nothing is compared, hashed beyond what a pack needs, looked up or remembered.
"""

from __future__ import annotations

import hashlib
import subprocess
import sys
import zlib
from io import BytesIO

import orjson

_KINDS = {b"commit": 1, b"tree": 2, b"blob": 3}


def convert(repository: str, needed: str, metadata: int) -> int:
    """Read the blobs whose IDs stand in a file, one a line; give how many lines were converted.

    ``metadata``: how many of the first blobs are metadata: read and decoded, but not written.
    """
    count = 0
    with (
        open(needed, "rb") as asked,  # noqa: PTH123  (pathlib would be a start of its own)
        subprocess.Popen(
            ["git", f"--git-dir={repository}", "cat-file", "--batch", "--buffer"],
            stdin=asked,
            stdout=subprocess.PIPE,
        ) as child,
    ):
        assert child.stdout is not None
        for number, head in enumerate(iter(child.stdout.readline, b"")):
            if head.endswith(b" missing\n"):
                continue
            data = child.stdout.read(int(head.split()[2]))
            child.stdout.read(1)
            if number < metadata:
                orjson.loads(data)
            else:
                count += rewrite(data)
    if child.returncode:
        raise SystemExit("git cat-file failed")
    return count


def rewrite(data: bytes) -> int:
    """Convert the lines of a transcript; what is no JSON Lines is converted whole, if it is JSON."""
    count = 0
    for line in BytesIO(data):
        try:
            orjson.dumps(orjson.loads(line))
        except ValueError:
            continue
        count += 1
    if not count:
        try:
            orjson.dumps(orjson.loads(data))
        except ValueError:
            return 0
    return count or 1


def store(repository: str, written: str, objects: int, object_format: str) -> None:
    """Put objects into the repository as one pack.

    ``written``: a file with, for each object, a line with its type and size, and its bytes.
    """
    digest = hashlib.new(object_format, usedforsecurity=False)
    with (
        open(written, "rb") as source,  # noqa: PTH123
        subprocess.Popen(
            ["git", f"--git-dir={repository}", "index-pack", "--stdin"],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
        ) as child,
    ):
        assert child.stdin is not None
        pack = b"PACK\0\0\0\2" + objects.to_bytes(4, "big")
        digest.update(pack)
        child.stdin.write(pack)
        for head in source:
            kind, size = head.split()
            pack = _head(_KINDS[kind], int(size)) + zlib.compress(source.read(int(size)))
            digest.update(pack)
            child.stdin.write(pack)
        child.stdin.write(digest.digest())
    if child.returncode:
        raise SystemExit("git index-pack failed")


def _head(kind: int, size: int) -> bytes:
    """Type and size of an object in a pack."""
    byte, size = kind << 4 | size & 15, size >> 4
    head = bytearray()
    while size:
        head.append(byte | 128)
        byte, size = size & 127, size >> 7
    head.append(byte)
    return bytes(head)


if __name__ == "__main__":
    _, repository_, needed_, metadata_, written_, objects_, format_ = sys.argv
    convert(repository_, needed_, int(metadata_))
    store(repository_, written_, int(objects_), format_)
