"""Makes a repository with a ref for each checkpoint, as Entire does since 0.8.0: many refs, small transcripts.

Started as ``python -m benchmarks.many_refs``, so that the memory it takes is not that of what is measured.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

_CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_DAY_ONE = 1_783_900_800
_PER_SESSION = 20
"""Checkpoints of one session."""


def generate(path: Path, refs: int, commits: int) -> None:
    """Make a bare repository, packed like a clone. The same numbers give the same objects.

    Raises:
        ValueError: fewer commits than refs.
    """
    if not 1 <= refs <= commits:
        raise ValueError("it takes a commit for each checkpoint")
    _git(path.parent, "init", "--quiet", "--bare", "--initial-branch=main", str(path))
    add(path, 0, refs, commits // refs)
    _git(path, "repack", "-a", "-d", "-q")
    _git(path, "pack-refs", "--all")
    _git(path, "commit-graph", "write", "--reachable", "--no-progress")


def add(path: Path, first: int, count: int, every: int = 1) -> None:
    """Add checkpoints by number to a repository, each with a commit that names it, and ``every - 1`` before that."""
    command = ["git", "-c", "fastimport.unpackLimit=0", "fast-import", "--quiet", "--force"]
    with subprocess.Popen(command, cwd=path, stdin=subprocess.PIPE) as importer:
        assert importer.stdin is not None
        importer.stdin.writelines(_stream(first, count, every))
    if importer.returncode:
        raise subprocess.CalledProcessError(importer.returncode, command)


def ulid(number: int) -> str:
    """The ID of a checkpoint: minted one minute after the one before, its random part a hash."""
    value = (_DAY_ONE + number * 60) * 1000 << 80
    value |= int.from_bytes(hashlib.sha256(b"%d" % number).digest()[:10], "big")
    return "".join(_CROCKFORD[value >> shift & 31] for shift in range(125, -1, -5))


def _stream(first: int, count: int, every: int) -> Iterator[bytes]:
    for number in range(first, first + count):
        yield _checkpoint(number)
        for step in range(every):
            message = "One more change\n"
            if step == every - 1:
                message += f"\nEntire-Checkpoint: {ulid(number)}\n"
            when = _DAY_ONE + number * 60 + step
            start = b"from refs/heads/main^0\n" if number == first and step == 0 and first else b""
            line = f"{number}.{step}\n".encode()
            yield _commit("refs/heads/main", when, message) + start
            yield b"M 100644 inline src/%d.txt\ndata %d\n%s\n" % (number % 97, len(line), line)


def _checkpoint(number: int) -> bytes:
    """The commit of one checkpoint, whose tree is the checkpoint."""
    identifier, (session, length) = ulid(number), divmod(number, _PER_SESSION)
    lines = [_line(f"session-{session}", n) for n in range(length + 1)]
    common: dict[str, Any] = {
        "cli_version": "0.9.0",
        "checkpoint_id": identifier,
        "strategy": "manual-commit",
    }
    pointers = {"metadata": "/0/metadata.json", "transcript": "/0/full.jsonl"}
    own = {
        **common,
        "session_id": f"session-{session}",
        "created_at": _time(number * 60),
        "agent": "Claude Code",
        "checkpoint_transcript_start": length,
    }
    files = {
        "metadata.json": json.dumps({**common, "sessions": [pointers]}, indent=2).encode(),
        "0/metadata.json": json.dumps(own, indent=2).encode(),
        "0/full.jsonl": b"".join(lines),
    }
    ref = f"refs/entire/checkpoints/{identifier[-2:]}/{identifier}"
    stream = bytearray(_commit(ref, _DAY_ONE + number * 60, f"Checkpoint: {identifier}\n"))
    for name, data in files.items():
        stream += b"M 100644 inline %s\ndata %d\n%s\n" % (name.encode(), len(data), data)
    return bytes(stream)


def _line(session: str, number: int) -> bytes:
    line = {
        "parentUuid": f"{session}.{number - 1}" if number else None,
        "sessionId": session,
        "type": "user" if number % 2 == 0 else "assistant",
        "message": {"role": "user" if number % 2 == 0 else "assistant", "content": f"text {number}"},
        "uuid": f"{session}.{number}",
        "timestamp": _time(number * 60),
    }
    return json.dumps(line, separators=(",", ":")).encode() + b"\n"


def _time(seconds: int) -> str:
    days, rest = divmod(seconds, 86_400)
    return (
        f"2026-{7 + days // 28:02}-{1 + days % 28:02}T{rest // 3600:02}:{rest // 60 % 60:02}:{rest % 60:02}Z"
    )


def _commit(ref: str, when: int, message: str) -> bytes:
    return (
        f"commit {ref}\ncommitter Dev <dev@example.com> {when} +0000\ndata {len(message)}\n{message}".encode()
    )


def _git(cwd: Path, *arguments: str) -> None:
    subprocess.run(["git", *arguments], cwd=cwd, check=True)


def main() -> None:
    """Make one repository, or add a checkpoint to one that this made."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.many_refs", description=__doc__)
    parser.add_argument("path", type=Path)
    parser.add_argument("refs", type=int)
    parser.add_argument("commits", type=int, help="0: add one checkpoint after that many refs")
    given = parser.parse_args()
    if given.commits:
        generate(given.path.absolute(), given.refs, given.commits)
    else:
        add(given.path.absolute(), given.refs, 1)


if __name__ == "__main__":
    main()
