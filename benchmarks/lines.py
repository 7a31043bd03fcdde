"""How much more than reading and writing it as JSON a line of Claude Code costs to convert.

Started as ``python -m benchmarks.lines``: one process, which prints one number for each round. A round takes every
transcript, one after the other, in three ways:

- ``orjson.loads`` and ``orjson.dumps`` of every line;
- reading it into decoded units;
- reading it, and units → drafts → numbered records → what a summary needs of them → encoded lines, blobs hashed.

What the third takes longer than the second is the converting; units go one by one, as in a sync. The clock counts the
time that the process has the processor, so that what else runs counts little.
"""

from __future__ import annotations

import argparse
import json
import random
from collections.abc import Iterator, Sequence
from pathlib import Path
from time import process_time

from benchmarks.floor import rewrite
from benchmarks.prepare import read, transcripts
from benchmarks.text import Author
from benchmarks.transcripts import Transcript
from git_asr.asr import large
from git_asr.asr.numbering import number
from git_asr.asr.summary import Summary
from git_asr.converters.base import NativeFormat
from git_asr.converters.claude.converter import Claude
from git_asr.converters.claude.format import ClaudeCode
from git_asr.converters.detect import detect
from git_asr.converters.units import read_units

_MADE = 40
_MADE_BYTES = 400_000
_STREAM = "stream"


def made() -> Iterator[bytes]:
    """Generated transcripts; the same each time."""
    rng = random.Random(1)
    author = Author(rng)
    for session in range(_MADE):
        yield b"".join(Transcript(rng, author, author.uuid(), session).lines(_MADE_BYTES))


def of(repository: Path) -> list[bytes]:
    """The transcripts of Claude Code in a repository; one that is the beginning of another is left out."""
    found = [data for data in read(repository, transcripts(repository)) if _is_claude(data)]
    longest: dict[bytes, bytes] = {}
    for data in sorted(found, key=len):
        longest[data[:1000]] = data
    return list(longest.values())


def _is_claude(data: bytes) -> bool:
    return isinstance(detect([data]), ClaudeCode)


def measure(texts: Sequence[bytes], rounds: int) -> list[float]:
    """The ratio of converting to reading and writing, for each round."""
    native = ClaudeCode()
    ratios = []
    for _ in range(rounds):
        mine = floor = 0.0
        for text in texts:
            begin = process_time()
            rewrite(text)
            rewritten = process_time()
            for _ in read_units([text], native):
                pass
            only_read = process_time()
            convert(text, native)
            mine += (process_time() - only_read) - (only_read - rewritten)
            floor += rewritten - begin
        ratios.append(mine / floor)
    return ratios


def convert(text: bytes, native: NativeFormat) -> int:
    """Convert one transcript as a sync does; the bytes of the lines of its stream."""
    summary = Summary()
    records = number(Claude().convert(read_units([text], native), native, _STREAM))
    size = sum(len(large.line(record, large.describe)) for record in summary.watch(records))
    summary.record(agent="", models=(), first_prompt=lambda: None, commits=())
    return size


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repo", type=Path, help="its transcripts instead of generated ones")
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    texts = [*made()] if options.repo is None else of(options.repo)
    print(json.dumps(measure(texts, options.rounds) if texts else []))


if __name__ == "__main__":
    main()
