"""Random damage to the fixtures of all formats, for a given time: ``python -m tests.fuzz --seconds 60``.

Every round takes a transcript, damages it once or a few times as bytes, as lines or as values, and asks the oracle: no
exception, no hang, the same records twice, the first lines' first, every rule between them, nothing lost. A round is
known by the seed and its number, and ``--seed S --round N`` runs it alone. A failure is told once for each place in the
code; the exit status is 1 if there was one.
"""

from __future__ import annotations

import argparse
import functools
import random
import sys
import time
import traceback
from collections.abc import Callable, Sequence
from pathlib import Path

from git_asr.asr import codec
from git_asr.converters.detect import detect
from git_asr.converters.units import read_units
from tests.converters import goldens
from tests.converters.oracle import check, deadline
from tests.support.mutations import replaced

Mutation = Callable[[bytes, random.Random], bytes]

_SECONDS_A_ROUND = 30
_PIECES = (
    *(
        b"\0",
        b"\xff",
        b"\xef\xbb\xbf",
        b"\r",
        b"\n",
        b"{",
        b"}",
        b"[",
        b"]",
        b'"',
        b",",
        b"\\",
        b"{}",
        b"NaN",
        b"null",
    ),
    *(
        b"1e999",
        b"9007199254740993",
        b"18446744073709551616",
        b'"\\ud800"',
        b"[" * 200,
        b"REDACTED",
        b"~1.0",
        b'{"a":1}',
    ),
)


def flipped(text: bytes, choose: random.Random) -> bytes:
    """One byte is another."""
    at = choose.randrange(len(text))
    return text[:at] + bytes([choose.randrange(256)]) + text[at + 1 :]


def with_piece(text: bytes, choose: random.Random) -> bytes:
    """Something stands in between, or in the place of something."""
    start, end = _span(text, choose)
    return text[:start] + choose.choice(_PIECES) + text[choose.choice((start, end)) :]


def without(text: bytes, choose: random.Random) -> bytes:
    """Something is missing, or all from there on."""
    start, end = _span(text, choose)
    return text[:start] + text[choose.choice((end, end, len(text))) :]


def twice(text: bytes, choose: random.Random) -> bytes:
    """Something stands there again."""
    start, end = _span(text, choose)
    return text[:end] + text[start:end] + text[end:]


def lines_moved(text: bytes, choose: random.Random) -> bytes:
    """Lines are missing, repeated, at another place, or glued to the next."""
    lines = text.split(b"\n")
    for _ in range(choose.randint(1, 3)):
        line = lines.pop(choose.randrange(len(lines)))
        for _ in range(choose.randrange(3)):
            lines.insert(choose.randint(0, len(lines)), line)
        if not lines:
            return text
    glued = choose.randrange(len(lines))
    return b"\n".join(lines[:glued]) + choose.choice((b"", b"\n")) + b"\n".join(lines[glued:])


def with_lines_of_another(text: bytes, choose: random.Random) -> bytes:
    """Lines of some transcript, perhaps of another agent, stand in between."""
    lines, others = text.split(b"\n"), choose.choice(sources()).split(b"\n")
    at, start = choose.randint(0, len(lines)), choose.randrange(len(others))
    return b"\n".join([*lines[:at], *others[start : start + choose.randint(1, 5)], *lines[at:]])


def with_other_values(text: bytes, choose: random.Random) -> bytes:
    """In some values something is something else; of text that is no JSON nothing."""
    lines = [text] if _value(text) is not None else text.split(b"\n")
    for at in choose.sample(range(len(lines)), min(len(lines), choose.randint(1, 3))):
        value = _value(lines[at])
        for _ in range(choose.randint(1, 3)):
            value = replaced(value, choose)
        lines[at] = codec.encode(value) if isinstance(value, dict) else lines[at]
    return b"\n".join(lines)


MUTATIONS: Sequence[Mutation] = (
    *(flipped, with_piece, without, twice, lines_moved, with_lines_of_another),
    *[with_other_values] * 3,
)


def _span(text: bytes, choose: random.Random) -> tuple[int, int]:
    start = choose.randrange(len(text))
    return start, min(len(text), start + choose.choice((1, 4, 30, 300)))


def _value(text: bytes) -> object:
    try:
        return codec.strict(text)
    except ValueError:
        return None


@functools.cache
def sources() -> list[bytes]:
    """All transcripts of the fixtures, those of many chunks as one."""
    tokens = goldens.FIXTURES.parent.glob("tokens/*/*.json*")
    found = [b"\n".join(goldens.chunks(case)) for case in goldens.cases()]
    found += [file.read_bytes() for file in sorted(tokens) if file.name != "expected.json"]
    return [text for text in found if text]


def made(seed: int, number: int) -> list[bytes]:
    """The transcript of a round, in its chunks."""
    choose = random.Random(f"{seed}/{number}")  # noqa: S311 - it chooses damage
    text = choose.choice(sources())
    for _ in range(choose.choice((1, 1, 2, 4))):
        text = choose.choice(MUTATIONS)(text, choose) or b"\n"
    at = choose.randrange(len(text)) if choose.random() < 0.2 else len(text)
    return [chunk for chunk in (text[:at], text[at:]) if chunk]


def run(seed: int, number: int) -> str | None:
    """One round; what failed, with the place in the code."""
    chunks = made(seed, number)
    name = "detection"
    try:
        with deadline(_SECONDS_A_ROUND):
            native = detect(chunks)
            name = "unknown" if native is None else native.name
            check(native, list(read_units(chunks, native)))
    except Exception as error:  # whatever it is, it is a finding
        frames = traceback.extract_tb(error.__traceback__)[-3:]
        where = " ".join(f"{Path(frame.filename).name}:{frame.lineno}" for frame in frames)
        return f"{name}, {type(error).__name__} at {where}: {str(error)[:500]}"
    return None


def fuzz(seed: int, seconds: float) -> tuple[int, list[str]]:
    """Rounds until the time is over: how many, and a line for each kind of failure."""
    end = time.monotonic() + seconds
    number, found = 0, {}
    while time.monotonic() < end:
        failure = run(seed, number)
        if failure is not None and (kind := failure.partition(": ")[0]) not in found:
            found[kind] = f"--seed {seed} --round {number}: {failure}"
            print(found[kind], flush=True)  # noqa: T201
        number += 1
    return number, list(found.values())


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tests.fuzz", description=(__doc__ or "").partition("\n")[0]
    )
    parser.add_argument("--seconds", type=float, default=60, help="how long (default: 60)")
    parser.add_argument(
        "--seed", type=int, default=time.time_ns(), help="which rounds (default: others each time)"
    )
    parser.add_argument("--round", type=int, help="run this one alone")
    options = parser.parse_args(arguments)
    if options.round is not None:
        failure = run(options.seed, options.round)
        print(failure or "nothing found")  # noqa: T201
        return 1 if failure else 0
    rounds, found = fuzz(options.seed, options.seconds)
    print(f"{rounds} rounds of seed {options.seed}: {len(found) or 'no'} failures")  # noqa: T201
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
