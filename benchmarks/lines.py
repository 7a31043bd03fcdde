"""How much more than reading and writing it as JSON a transcript costs to convert.

Started as ``python -m benchmarks.lines``: one process, which prints, for each agent, one number for each round. A round
takes every transcript, one after the other, in three ways:

- ``orjson.loads`` and ``orjson.dumps`` of every line, or of the whole document;
- reading it into decoded units;
- reading it, and units → drafts → numbered records → what a summary needs of them → encoded lines, blobs hashed.

What the third takes longer than the second is the converting; units go in batches, as in a sync. The clock counts the
time that the process has the processor, so that what else runs counts little.
"""

from __future__ import annotations

import argparse
import json
import random
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from time import process_time

import orjson

from benchmarks.floor import rewrite
from benchmarks.measure import PROJECT
from benchmarks.prepare import read, transcripts
from benchmarks.text import Author
from benchmarks.transcripts import Transcript
from git_asr.asr import large
from git_asr.asr.kinds import Drift
from git_asr.asr.numbering import number
from git_asr.asr.summary import Summary
from git_asr.converters.base import NativeFormat
from git_asr.converters.batches import Batches
from git_asr.converters.detect import detect
from git_asr.converters.known import known
from git_asr.converters.registry import CONVERTERS, converter_for
from git_asr.converters.units import read_units

_MADE = 40
_MADE_BYTES = 400_000
_STREAM = "stream"
_FIXTURES = PROJECT / "fixtures" / "transcripts"
_ENOUGH = 2_000_000
"""Bytes of small transcripts that a round takes at least; they are taken as often as it needs."""


def made() -> Iterator[bytes]:
    """Generated transcripts of Claude Code; the same each time."""
    rng = random.Random(1)
    author = Author(rng)
    for session in range(_MADE):
        yield b"".join(Transcript(rng, author, author.uuid(), session).lines(_MADE_BYTES))


def of(repository: Path) -> list[bytes]:
    """The transcripts of a repository; one that is the beginning of another is left out."""
    longest: dict[bytes, bytes] = {}
    for data in sorted(read(repository, transcripts(repository)), key=len):
        longest[data[:1000]] = data
    return list(longest.values())


def fixtures() -> list[bytes]:
    """The test cases of one file that are strict JSON. They are small, and odd: sessions cost less."""
    found = (file.read_bytes() for file in sorted(_FIXTURES.glob("*/*/input.*")))
    return [text for text in found if _is_strict(text)]


def _is_strict(text: bytes) -> bool:
    for one in [text] if text.startswith(b"{\n") else text.splitlines():
        try:
            orjson.dumps(orjson.loads(one))
        except (ValueError, TypeError):  # TypeError: nested too deeply
            return False
    return True


def by_agent(texts: Iterable[bytes]) -> dict[str, list[tuple[bytes, NativeFormat]]]:
    """Transcripts by the converter that they have, if any."""
    found: dict[str, list[tuple[bytes, NativeFormat]]] = {}
    for text in texts:
        native = detect([text])
        if native is not None and native.name in CONVERTERS:
            found.setdefault(converter_for(native).name, []).append((text, native))
    return found


def measure(texts: Sequence[tuple[bytes, NativeFormat]], rounds: int) -> list[float]:
    """The ratio of converting to reading and writing, for each round."""
    times = 1 + _ENOUGH // sum(len(text) for text, _ in texts)
    ratios = []
    for _ in range(rounds):
        mine = floor = 0.0
        for text, native in [*texts] * times:
            begin = process_time()
            _rewrite(text, native)
            rewritten = process_time()
            for _ in read_units([text], native):
                pass
            only_read = process_time()
            convert(text, native)
            mine += (process_time() - only_read) - (only_read - rewritten)
            floor += rewritten - begin
        ratios.append(mine / floor)
    return ratios


def _rewrite(text: bytes, native: NativeFormat) -> None:
    if native.array is None:
        rewrite(text)
        return
    orjson.dumps(orjson.loads(text))


def convert(text: bytes, native: NativeFormat) -> int:
    """Convert one transcript as a sync does; the bytes of the lines of its stream."""
    converter = converter_for(native)
    kinds = known(converter.name)
    summary = Summary(None if kinds is None else Drift(kinds))
    batches = Batches()
    units = batches.units(read_units([text], native))
    records = batches.step(number(batches.step(converter.convert(units, native, _STREAM))))
    size = sum(len(large.line(record, large.describe)) for record in summary.watch(records))
    summary.record(agent="", models=(), first_prompt=lambda: None, commits=())
    return size


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repo", type=Path, help="its transcripts instead of generated ones")
    parser.add_argument("--fixtures", action="store_true", help="the test cases instead of generated ones")
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    texts = fixtures() if options.fixtures else made() if options.repo is None else of(options.repo)
    found = {name: measure(some, options.rounds) for name, some in sorted(by_agent(texts).items())}
    print(json.dumps(found))


if __name__ == "__main__":
    main()
