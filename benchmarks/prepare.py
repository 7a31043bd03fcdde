"""Finds out what a repository holds, what a sync of it reads, and which objects it writes.

Started as ``python -m benchmarks.prepare``, so that the memory it takes is not that of what is measured.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

SESSIONS = "refs/asr/sessions"
_BRANCH = "entire/checkpoints/v1"
_METADATA = re.compile(r"[^/]+/[^/]+/(?:[0-9]+/)?metadata\.json")
_TRANSCRIPT = re.compile(r"(([^/]+/[^/]+)/[0-9]+)/full\.jsonl(?:\.[0-9]+)?")
_HEADER = re.compile(r"[^/]+/[0-9a-f]{2}/[^/]+/sessions/(?:~[0-9a-f]{64}|[a-z0-9_-]+)\.jsonl")


@dataclass(frozen=True, slots=True)
class Facts:
    """A repository and its sync in numbers; sizes in bytes.

    ``stored``: all transcripts at the tips of the stores. ``read``: those that give a session its units.
    ``largest``: the largest transcript, its parts together. ``metadata``: metadata files. ``objects`` and ``written``:
    what a full sync writes.
    """

    object_format: str
    commits: int
    checkpoints: int
    sessions: int
    stored: int
    read: int
    largest: int
    metadata: int
    objects: int
    written: int


@dataclass(frozen=True, slots=True)
class Entry:
    """One file in a tree: blob, size in bytes (0 where the blob is absent), path."""

    oid: str
    size: int
    path: str


def entries(repository: Path, tree: str) -> Iterator[Entry]:
    """Every file below a tree."""
    with _reader(repository, "ls-tree", "-r", "-l", "-z", tree) as out:
        for line in filter(None, out.read().split(b"\0")):
            facts, _, path = line.partition(b"\t")
            _, _, oid, size = facts.split()
            yield Entry(oid.decode(), int(size) if size.isdigit() else 0, path.decode("utf-8", "replace"))


def stores(repository: Path) -> list[str]:
    """The checkpoint branches, the local one and those of remotes."""
    patterns = (f"refs/heads/{_BRANCH}", f"refs/remotes/*/{_BRANCH}")
    return git(repository, "for-each-ref", "--format=%(refname)", *patterns).split()


def transcripts(repository: Path) -> list[str]:
    """The blobs of all transcripts at the tips of the stores, each once."""
    found = (entry for store in stores(repository) for entry in entries(repository, store))
    return [*dict.fromkeys(entry.oid for entry in found if _TRANSCRIPT.fullmatch(entry.path))]


def read(repository: Path, oids: Iterable[str]) -> Iterator[bytes]:
    """The bytes of blobs; one that is absent is left out."""
    return (data for _, data in _objects(repository, oids))


def headers(repository: Path, companion: str) -> Iterator[dict[str, Any]]:
    """The header of every stream of a companion ref."""
    found = [one.oid for one in entries(repository, companion) if _HEADER.fullmatch(one.path)]
    return (json.loads(data) for _, data in _objects(repository, found))


def prepare(before: Path, after: Path, needed: Path, written: Path) -> Facts:
    """Compare a repository before and after its first sync; write the files that ``floor.py`` reads.

    Raises:
        ValueError: the sync wrote no session.
    """
    metadata: dict[str, None] = {}
    sizes: dict[str, int] = {}
    whole: Counter[str] = Counter()
    checkpoints: set[str] = set()
    for store in stores(before):
        for entry in entries(before, store):
            if _METADATA.fullmatch(entry.path):
                metadata[entry.oid] = None
            if found := _TRANSCRIPT.fullmatch(entry.path):
                sizes[entry.oid] = entry.size
                whole[f"{store}/{found[1]}"] += entry.size
                checkpoints.add(found[2])
    if not git(after, "for-each-ref", "--format=%(refname)", SESSIONS):
        raise ValueError("there is nothing to sync in this repository")
    streams = [*headers(after, SESSIONS)]
    giving = dict.fromkeys(oid for header in streams for oid in sources(header))
    needed.write_text("".join(f"{oid}\n" for oid in [*metadata, *giving]), "ascii")
    new = sorted(_all(after) - _all(before))
    size = 0
    with written.open("wb") as out:
        for kind, data in _objects(after, new):
            out.write(b"%s %d\n" % (kind, len(data)))
            out.write(data)
            size += len(data)
    return Facts(
        object_format=git(before, "rev-parse", "--show-object-format").strip(),
        commits=int(git(before, "rev-list", "--count", f"--exclude=refs/*/{_BRANCH}", "--all")),
        checkpoints=len(checkpoints),
        sessions=len(streams),
        stored=sum(sizes.values()),
        read=sum(sizes.get(oid, 0) for oid in giving),
        largest=max(whole.values(), default=0),
        metadata=len(metadata),
        objects=len(new),
        written=size,
    )


def sources(header: dict[str, Any]) -> Iterator[str]:
    """The blobs that gave a stream its units."""
    for source in header.get("nativeSources", ()):
        oids: Any = source["oid"]
        yield from [oids] if isinstance(oids, str) else oids


def _all(repository: Path) -> set[str]:
    return set(git(repository, "cat-file", "--batch-all-objects", "--batch-check=%(objectname)").split())


def _objects(repository: Path, oids: Iterable[str]) -> Iterator[tuple[bytes, bytes]]:
    """Type and body of each object, in order."""
    wanted = "".join(f"{oid}\n" for oid in oids).encode()
    with _reader(repository, "cat-file", "--batch", "--buffer", asked=wanted) as out:
        while head := out.readline():
            if head.endswith(b" missing\n"):
                continue
            _, kind, size = head.split()
            yield kind, out.read(int(size))
            out.read(1)


@contextmanager
def _reader(repository: Path, *arguments: str, asked: bytes = b"") -> Iterator[Any]:
    with tempfile.TemporaryFile() as source:
        source.write(asked)
        source.seek(0)
        command = ["git", *arguments]
        with subprocess.Popen(command, cwd=repository, stdin=source, stdout=subprocess.PIPE) as child:
            yield child.stdout
        if child.returncode:
            raise subprocess.CalledProcessError(child.returncode, command)


def git(repository: Path, *arguments: str) -> str:
    """What a Git command prints."""
    return subprocess.run(
        ["git", *arguments], cwd=repository, check=True, stdout=subprocess.PIPE, text=True
    ).stdout


if __name__ == "__main__":
    try:
        print(json.dumps(asdict(prepare(*map(Path, sys.argv[1:])))))
    except ValueError as error:
        sys.exit(str(error))
