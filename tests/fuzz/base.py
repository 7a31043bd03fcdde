"""What a target is, and what becomes of one input: its time, its memory, and what may be raised."""

from __future__ import annotations

import hashlib
import random
import resource
import signal
import traceback
import tracemalloc
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from git_asr.errors import AsrError
from tests.fuzz.damage import damaged
from tests.support.run import PROJECT

LEAST_SECONDS = 5.0
"""Processor time that any input may take: a small one may be the first, for which something is made ready."""
MOST_GROWTH = 1 << 30
"""Bytes of address space that one input may take."""
LEAST_PEAK, PEAK_A_BYTE = 64 << 20, 2000
"""Bytes that Python may hold at once for any input, and for each byte of a large one."""


@dataclass(frozen=True, slots=True)
class Target:
    """One reader. ``run``: calls it as the program does; raises what it may raise, or an AssertionError.

    ``says``: what that is, for the list. ``seeds``: inputs to begin with. ``allowed``: what it may raise. ``pieces``:
    words of its language. ``foreign``: inputs of other readers of which lines may come in.
    """

    name: str
    says: str
    run: Callable[[bytes], object]
    seeds: Callable[[], Sequence[bytes]]
    allowed: tuple[type[Exception], ...] = (AsrError,)
    pieces: tuple[bytes, ...] = ()
    foreign: Callable[[], Sequence[bytes]] = tuple

    def is_meant(self, name: str) -> bool:
        """Whether it is the target of that name, or one of those that begin so, where that ends with a hyphen."""
        return self.name == name or (name.endswith("-") and self.name.startswith(name))

    def made(self, seed: int, number: int) -> bytes:
        """The input of a round."""
        choose = random.Random(f"{self.name}/{seed}/{number}")  # noqa: S311 - it chooses damage
        text = choose.choice(self.seeds())
        return damaged(text, choose, self.foreign() or self.seeds(), self.pieces)


@dataclass(frozen=True, slots=True)
class Failure:
    """What went wrong. ``kind``: what was raised, and where; two of a kind are told once."""

    target: str
    kind: str
    message: str
    data: bytes

    @property
    def digest(self) -> str:
        """Names the input."""
        return hashlib.sha256(self.data).hexdigest()[:12]


class Overtime(BaseException):
    """An input took longer than its length allows; nothing that catches errors catches it."""


def run(target: Target, data: bytes, *, measured: bool = False) -> Failure | None:
    """Give a target one input. ``measured``: count what Python holds, too, which takes several times as long."""
    try:
        with _bounded(len(data), 8 if measured else 1), suppress(*target.allowed):
            if measured:
                _measured(target, data)
            else:
                target.run(data)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        frames = [one for one in traceback.extract_tb(error.__traceback__) if _is_told(one.filename)]
        frames = frames[:3] if isinstance(error, RecursionError) else frames[-3:]
        where = " ".join(f"{Path(frame.filename).name}:{frame.lineno}" for frame in frames)
        said = str(error).encode("ascii", "backslashreplace").decode()[:500]
        return Failure(target.name, f"{type(error).__name__} at {where}", said, data)
    return None


def _is_told(file: str) -> bool:
    """Whether a place in the code is ours, and not the fuzzer's own."""
    return file.startswith(str(PROJECT)) and file != __file__


def _measured(target: Target, data: bytes) -> None:
    tracemalloc.start()
    try:
        with suppress(*target.allowed):
            target.run(data)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak <= LEAST_PEAK + PEAK_A_BYTE * len(data), f"{peak} bytes held for an input of {len(data)}"


@contextmanager
def _bounded(size: int, times: int) -> Iterator[None]:
    """Bound the processor time, one second a KiB, which what else a machine does leaves alone, and the memory."""

    def stop(*_: object) -> None:
        raise Overtime(f"more than {seconds:.0f} s for {size} bytes")

    seconds = times * max(LEAST_SECONDS, size / 1024)
    handler = signal.signal(signal.SIGPROF, stop)
    limits = resource.getrlimit(resource.RLIMIT_AS)
    with suppress(OSError):
        pages = int(Path("/proc/self/statm").read_bytes().split()[0])
        most = pages * resource.getpagesize() + MOST_GROWTH
        if limits[0] == resource.RLIM_INFINITY or limits[0] > most:
            resource.setrlimit(resource.RLIMIT_AS, (most, limits[1]))
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, handler)
        resource.setrlimit(resource.RLIMIT_AS, limits)
