"""Makes a repository with checkpoints as Entire lays them out on ``entire/checkpoints/v1``.

Started as ``python -m benchmarks.generate``, so that the memory it takes is not that of what is measured.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import math
import random
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from itertools import pairwise
from pathlib import Path
from typing import IO, Any

from benchmarks.text import Author
from benchmarks.transcripts import Transcript

PROFILE = ((0.0, 6e3), (0.5, 105e3), (0.9, 654e3), (0.99, 5.4e6), (1.0, 87e6))
"""Quantiles of the sizes of real transcripts, in bytes; the two ends are guesses."""

_BRANCH = "refs/heads/entire/checkpoints/v1"
_DAY_ONE = 1_767_603_600
_MINUTES = 60 * 17


@dataclass(frozen=True, slots=True)
class Shape:
    """What to make. Sizes follow ``PROFILE`` times ``scale``, or all are ``size`` bytes where that is not 0.

    ``format``: of the object IDs, ``sha1`` or ``sha256``. ``chunk``: bytes after which a transcript goes on in another
    file, 0 for never.
    """

    sessions: int = 100
    checkpoints: int = 240
    commits: int = 480
    scale: float = 1.0
    size: int = 0
    seed: int = 1
    format: str = "sha1"
    chunk: int = 0

    def sizes(self) -> list[int]:
        """The final size of each session, in bytes: an even sample of the profile, so no seed is luckier."""
        if self.size:
            return [self.size] * self.sessions
        return [int(_quantile((n + 0.5) / self.sessions) * self.scale) for n in range(self.sessions)]

    def arguments(self) -> list[str]:
        """The shape as options of this module's command line."""
        return [f"--{one.name}={getattr(self, one.name)}" for one in fields(self)]


@dataclass(frozen=True, slots=True)
class _Checkpoint:
    """One checkpoint, whose files are in Git: marks by path below its folder."""

    id: str
    session: str
    files: dict[str, int]


class _Importer:
    """Writes a stream for ``git fast-import``."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream
        self._mark = 0

    def blob(self, data: bytes) -> int:
        """Add a blob and give its mark."""
        self._mark += 1
        self._stream.write(b"blob\nmark :%d\ndata %d\n%s\n" % (self._mark, len(data), data))
        return self._mark

    def commit(self, ref: str, when: int, message: str, files: dict[str, int]) -> None:
        """Add a commit to a ref; ``files``: marks by path."""
        text = message.encode()
        self._stream.write(
            f"commit {ref}\ncommitter Dev <dev@example.com> {when} +0000\ndata {len(text)}\n".encode() + text
        )
        for path, mark in files.items():
            self._stream.write(f"M 100644 :{mark} {path}\n".encode())


def generate(path: Path, shape: Shape) -> None:
    """Make a bare repository. The same shape gives the same objects.

    Raises:
        ValueError: fewer commits than checkpoints, or fewer checkpoints than sessions.
    """
    if not 1 <= shape.sessions <= shape.checkpoints <= shape.commits:
        raise ValueError("it takes a checkpoint for each session, and a commit for each checkpoint")
    form = f"--object-format={shape.format}"
    _git(path.parent, "init", "--quiet", "--bare", "--initial-branch=main", form, str(path))
    command = ["git", "-c", "fastimport.unpackLimit=0", "-c", "core.compression=1", "fast-import", "--quiet"]
    with subprocess.Popen(command, cwd=path, stdin=subprocess.PIPE) as importer:
        assert importer.stdin is not None
        _write(_Importer(importer.stdin), shape)
    if importer.returncode:
        raise subprocess.CalledProcessError(importer.returncode, command)
    _git(path, "-c", "pack.threads=0", "repack", "-a", "-d", "-f", "-q")  # a clone is packed as well as this
    _git(path, "pack-refs", "--all")


def _write(out: _Importer, shape: Shape) -> None:
    rng = random.Random(shape.seed)
    author = Author(rng)
    sizes = shape.sizes()
    rng.shuffle(sizes)
    planned: list[tuple[float, _Checkpoint]] = []
    for number, (size, count) in enumerate(zip(sizes, _counts(shape, rng), strict=True)):
        moment = float(number)
        for checkpoint in _session(out, rng, author, (number, size, count, shape.chunk)):
            moment += rng.uniform(0.1, 2)  # so that sessions overlap
            planned.append((moment, checkpoint))
    planned.sort(key=lambda item: item[0])
    _commits(out, shape, author, [checkpoint for _, checkpoint in planned])


def _counts(shape: Shape, rng: random.Random) -> list[int]:
    """How many checkpoints each session has: one at least, some many."""
    counts = [1] * shape.sessions
    for _ in range(shape.checkpoints - shape.sessions):
        counts[min(int(rng.expovariate(3 / shape.sessions)), shape.sessions - 1)] += 1
    rng.shuffle(counts)
    return counts


def _session(
    out: _Importer, rng: random.Random, author: Author, wanted: tuple[int, int, int, int]
) -> list[_Checkpoint]:
    """Write the blobs of all checkpoints of a session; each copy is the beginning of the next.

    ``wanted``: the session's number, bytes and checkpoints, and the bytes of a chunk.
    """
    number, size, count, chunk = wanted
    session = author.uuid()
    transcript = Transcript(rng, author, session, number)
    made: list[_Checkpoint] = []
    data = b""
    start = 0
    for step in range(1, count + 1):
        lines = transcript.lines(max(size * step // count - len(data), 1))
        data += b"".join(lines)
        identifier = author.hexadecimal(12)
        root, own = _metadata(identifier, session, transcript.now, start, rng)
        start += len(lines)
        files = {
            "metadata.json": out.blob(_json(root)),
            "0/content_hash.txt": out.blob(f"sha256:{hashlib.sha256(data).hexdigest()}".encode()),
            **{f"0/{name}": out.blob(part) for name, part in _files(data, chunk)},
            "0/metadata.json": out.blob(_json(own)),
            "0/prompt.txt": out.blob("\n\n---\n\n".join(transcript.prompts).encode()),
        }
        transcript.prompts.clear()
        made.append(_Checkpoint(identifier, session, files))
    return made


def _files(transcript: bytes, chunk: int) -> Iterator[tuple[str, bytes]]:
    """The files in which a transcript lies: cut at line ends, without the line feed at the cut (reference, 3.5)."""
    begin = number = 0
    while begin < len(transcript):
        end = len(transcript)
        if chunk and end - begin > chunk:
            end = transcript.rfind(b"\n", begin, begin + chunk)
        yield f"full.jsonl.{number:03}" if number else "full.jsonl", transcript[begin:end]
        begin, number = end + 1, number + 1


def _metadata(
    identifier: str, session: str, now: str, start: int, rng: random.Random
) -> tuple[dict[str, Any], dict[str, Any]]:
    """The metadata of a checkpoint and of its only session folder."""
    common: dict[str, Any] = {
        "cli_version": "0.6.2",
        "checkpoint_id": identifier,
        "strategy": "manual-commit",
    }
    touched = {"branch": "main", "checkpoints_count": 1, "files_touched": [f"src/{identifier[:2]}.py"]}
    tokens = {
        "input_tokens": rng.randint(100, 9000),
        "cache_creation_tokens": rng.randint(1000, 90_000),
        "cache_read_tokens": rng.randint(1000, 9_000_000),
        "output_tokens": rng.randint(500, 50_000),
        "api_call_count": rng.randint(1, 120),
    }
    folder = f"/{identifier[:2]}/{identifier[2:]}/0"
    names = {"metadata": "metadata.json", "transcript": "full.jsonl", "content_hash": "content_hash.txt"}
    pointers = {key: f"{folder}/{name}" for key, name in {**names, "prompt": "prompt.txt"}.items()}
    root = {**common, **touched, "sessions": [pointers], "token_usage": tokens}
    written = rng.randint(1, 400)
    own = {
        **common,
        "session_id": session,
        "created_at": now,
        **touched,
        "agent": "Claude Code",
        "model": "claude-opus-4-8",
        "turn_id": identifier,
        "checkpoint_transcript_start": start,
        "transcript_lines_at_start": start,
        "token_usage": tokens,
        "session_metrics": {"turn_count": rng.randint(1, 9)},
        "initial_attribution": {
            "calculated_at": now,
            "agent_lines": written,
            "total_committed": written,
            "agent_percentage": 100,
            "metric_version": 2,
        },
    }
    return root, own


def _commits(out: _Importer, shape: Shape, author: Author, checkpoints: Sequence[_Checkpoint]) -> None:
    """Write the history of the project and, in step, that of the checkpoint branch."""
    named = {at * shape.commits // len(checkpoints): one for at, one in enumerate(checkpoints)}
    for number in range(shape.commits):
        when = _DAY_ONE + number * _MINUTES
        message = f"{author.prose(50).splitlines()[0]}\n\n{author.prose(200)}\n"
        one = named.get(number)
        if one is not None:
            message += f"\nEntire-Checkpoint: {one.id}\n"
            files = {f"{one.id[:2]}/{one.id[2:]}/{path}": mark for path, mark in one.files.items()}
            said = f"Checkpoint: {one.id}\n\nEntire-Session: {one.session}\nEntire-Strategy: manual-commit\n"
            out.commit(_BRANCH, when, said, files)
        source = out.blob("\n".join(author.code(40)).encode())
        out.commit("refs/heads/main", when, message, {f"src/{number % 97}.py": source})


def _quantile(part: float) -> float:
    for (low, small), (high, large) in pairwise(PROFILE):
        if part <= high:
            along = (part - low) / (high - low)
            return math.exp(math.log(small) + along * (math.log(large) - math.log(small)))
    return PROFILE[-1][1]


def _json(value: dict[str, Any]) -> bytes:
    return json.dumps(value, indent=2).encode() + b"\n"


def _git(cwd: Path, *arguments: str) -> None:
    subprocess.run(["git", *arguments], cwd=cwd, check=True)


def shape_options() -> argparse.ArgumentParser:
    """A parser with an option for each attribute of a shape, to be the parent of another."""
    parser = argparse.ArgumentParser(add_help=False)
    group = parser.add_argument_group("the generated repository")
    default = Shape()
    for one in fields(Shape):
        value = getattr(default, one.name)
        group.add_argument(
            f"--{one.name}", type=type(value), default=value, metavar="N", help=f"default {value}"
        )
    return parser


def main() -> None:
    """Make one repository."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.generate", description=__doc__, parents=[shape_options()]
    )
    parser.add_argument("path", type=Path)
    given = vars(parser.parse_args())
    path = given.pop("path")
    generate(path.absolute(), Shape(**given))


if __name__ == "__main__":
    main()
