"""Does converting the first n lines give a prefix of converting all, for every n? (profile section 3)

A converter takes units and never sees the next one before it asks, so what it has yielded by then is a beginning
whatever follows. What could go wrong is the end: there it may yield what it held back. So at every line end the process
forks: the child is told that there are no more lines and reports what still comes, the parent goes on. That is one
conversion, and one end for each line, instead of a conversion for each. Works for every converter of lines. Of a long
transcript an ordinary run of the tests tries some ends (``spread``).

A process of pytest is large, so slow to fork: long transcripts go to a small one (``broken_apart``).
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import traceback
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from git_asr.asr import codec
from git_asr.asr.draft import Record
from git_asr.asr.large import describe, line
from git_asr.asr.numbering import number
from git_asr.converters.base import Converter, Unit
from tests.support.effort import CUTS
from tests.support.run import PROJECT


@dataclass(frozen=True, slots=True)
class End:
    """What happens if a transcript ends after a line: ``position`` its number, 0 before the first.

    ``made``: how many records were written before; ``more``: those that come at the end; ``facts``: what the
    converter then says of the stream; ``failure``: the traceback if it raised.
    """

    position: int
    made: int
    more: tuple[bytes, ...] = ()
    facts: tuple[Any, ...] = ()
    failure: str = ""


@dataclass(slots=True)
class _Run:
    """One conversion; ``position`` is that of the last unit given out."""

    converter: Converter
    made: list[bytes] = field(default_factory=list)
    ends: list[End] = field(default_factory=list)
    position: int = 0
    report: int | None = None
    """In a child the file to write its end to."""

    def convert(self, units: Sequence[Unit], stream: str) -> None:
        for record in number(self.converter.convert(self._units(units), None, stream)):
            self.made.append(line(record, describe))

    def _units(self, units: Sequence[Unit]) -> Iterator[Unit]:
        cuts = spread([unit.position for unit in units])
        for unit in units:
            if unit.position != self.position and self.position in cuts and self._ends_here():
                return
            self.position = unit.position
            yield unit

    def _ends_here(self) -> bool:
        """Fork; whether this is the child, for which the transcript ends."""
        reading, writing = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(reading)
            self.report = writing
            self.ends.append(End(self.position, len(self.made)))
            return True
        os.close(writing)
        with os.fdopen(reading, "rb") as pipe:
            self.ends.append(pickle.load(pipe))  # noqa: S301 - of our own child
        os.waitpid(child, 0)
        return False

    def end(self, failure: str = "") -> End:
        made = self.ends[-1].made
        return End(self.position, made, tuple(self.made[made:]), facts(self.converter), failure)


def spread(positions: Sequence[int]) -> set[int]:
    """After which lines a transcript is cut: some from its beginning to its end; all of them in ``make torture``."""
    ends = [0, *dict.fromkeys(positions)]
    return set(ends[:: len(ends) // CUTS + 1 if CUTS else 1])


def facts(converter: Converter) -> tuple[Any, ...]:
    """What a converter says of its stream beside the records, each as a list that may only grow."""
    return (
        [converter.format_version] if converter.format_version is not None else [],
        list((converter.workspace or {}).items()),
        [one.suffix for one in converter.embedded],
    )


def run(make: Callable[[], Converter], units: Sequence[Unit], stream: str) -> tuple[list[bytes], list[End]]:
    """Convert; the records as written, and for lines what happens if one is the last."""
    this = _Run(make())
    failure = ""
    try:
        with warnings.catch_warnings():  # pytest's workers have a thread, of which the child needs nothing
            warnings.simplefilter("ignore", DeprecationWarning)
            this.convert(units, stream)
    except BaseException:
        if this.report is None:
            raise
        failure = traceback.format_exc()
    if this.report is not None:  # the child ends here, whatever stands above it
        try:
            with os.fdopen(this.report, "wb") as pipe:
                pickle.dump(this.end(failure), pipe)
        finally:
            os._exit(0)
    return this.made, [*this.ends, End(this.position, len(this.made), (), facts(this.converter))]


def is_beginning(some: Sequence[bytes], whole: Sequence[bytes]) -> bool:
    """Whether records are the first of all, but for one: the message that is open where they end.

    It is marked as partial; all have it as it is, or one of more fragments instead, further on, that begins with it.
    """
    at = next((n for n, one in enumerate(some) if n >= len(whole) or one != whole[n]), len(some))
    if at == len(some):
        return True
    behind, left = some[at + 1 :], whole[at:]
    return list(behind) == list(left[: len(behind)]) and _has_grown(some[at], left[len(behind) :])


def _has_grown(some: bytes, later: Sequence[bytes]) -> bool:
    """Whether an open message is the beginning of one of these records."""
    message = codec.decode(some).value
    if (message.get("assembly") or {}).get("state") != "partial":
        return False
    return any(_goes_on(message, codec.decode(one).value) for one in later)


def _goes_on(message: Record, other: Record) -> bool:
    names = ("type", "role", "author", "messageId", "inferenceId", "supersedes")
    fragments = (other.get("assembly") or {}).get("fragments", 0)
    same = all(message.get(name) == other.get(name) for name in names)
    return same and fragments > message["assembly"]["fragments"] and _text(other).startswith(_text(message))


def _text(message: Record) -> str:
    """What a message says; of a text that is a blob, which it is."""
    return "".join(part.get("text", "") for part in message["content"])


def broken(make: Callable[[], Converter], units: Iterable[Unit], stream: str) -> list[End]:
    """The ends after which the records are no beginning of all, or the facts are others than at the end of all."""
    made, ends = run(make, list(units), stream)
    last = ends[-1].facts
    return [
        end
        for end in ends
        if end.failure
        or not is_beginning(end.more, made[end.made :])
        or any(part != whole[: len(part)] for part, whole in zip(end.facts, last, strict=True))
    ]


def broken_apart(converter: Converter, units: Sequence[Unit], stream: str) -> list[End]:
    """As ``broken`` for a converter that has converted nothing yet, in a process of its own that nobody measures."""
    ended = subprocess.run(
        [sys.executable, "-c", "from tests.support.beginnings import main; main()"],
        input=pickle.dumps((converter, units, stream)),
        env={name: value for name, value in os.environ.items() if not name.startswith("COVERAGE_")},
        cwd=PROJECT,
        stdout=subprocess.PIPE,
        check=True,
    )
    found: list[End] = pickle.loads(ended.stdout)  # noqa: S301 - of our own child
    return found


def main() -> None:
    """What the process of ``broken_apart`` does."""
    converter, units, stream = pickle.load(sys.stdin.buffer)  # noqa: S301 - of the test
    pickle.dump([*broken(lambda: converter, units, stream)], sys.stdout.buffer)
