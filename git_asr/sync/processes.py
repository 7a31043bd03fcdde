"""The processes that convert sessions: each a fork that takes lots from a common list (``sync.parallel``)."""

from __future__ import annotations

import os
import pickle
import signal
import sys
import tempfile
import traceback
from collections.abc import Generator, Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import field, replace
from multiprocessing.connection import Connection, Pipe, wait
from typing import IO, NoReturn, cast

from git_asr.companion.tables import Change
from git_asr.errors import AsrError, Diagnostic
from git_asr.git.backend import open_objects
from git_asr.git.base import Backend
from git_asr.git.tolerant import TolerantObjects
from git_asr.git.writing import ObjectWriter
from git_asr.sync.conversion import Conversion
from git_asr.sync.results import Results
from git_asr.values import dataclass

_NUMBER = 4
"""Bytes of a number in the list of what is to be done."""


@dataclass(frozen=True, slots=True)
class Lot:
    """What became of one lot of groups.

    ``number``: its place among all lots. ``groups``: those that were looked at, and those in which the same sessions
    turned up. ``found``: what was wrong. ``changes``: of the state.
    """

    number: int
    groups: set[str] = field(default_factory=set)
    results: Results = field(default_factory=Results)
    found: list[Diagnostic] = field(default_factory=list)
    changes: list[Change] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Packed:
    """All lots of a process are done: what lies in its pack."""

    objects: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class _Failed:
    """A process could not go on."""

    why: BaseException


def converted(
    conversion: Conversion, lots: Sequence[Sequence[str]], jobs: int, backend: Backend
) -> Generator[Lot, None, None]:
    """Run the processes; the lots in their order, each as soon as it and all before it are done."""
    early: dict[int, Lot] = {}
    following = 0
    with _Processes(conversion, lots, jobs, backend) as processes:
        for lot in processes:
            early[lot.number] = lot
            while following in early:
                yield early.pop(following)
                following += 1


class _Processes:
    """The processes, from their start until what they packed is taken in. Whoever leaves early kills them."""

    def __init__(
        self, conversion: Conversion, lots: Sequence[Sequence[str]], jobs: int, backend: Backend
    ) -> None:
        self._conversion = conversion
        self._running: dict[Connection, tuple[int, IO[bytes]]] = {}
        changes: list[Change] = []
        with (
            tempfile.TemporaryFile() as queue,
            closing(conversion.state.copy(changes)) as state,
        ):
            queue.write(b"".join(number.to_bytes(_NUMBER, "big") for number in range(len(lots))))
            queue.seek(0)  # where a process reads on is where all read on: they share this
            sys.stdout.flush()
            sys.stderr.flush()
            for _ in range(jobs):
                mine, theirs = Pipe(duplex=False)
                pack = tempfile.TemporaryFile()  # noqa: SIM115  (closed when its process has ended)
                try:
                    pid = os.fork()
                except OSError:  # no more processes are to be had
                    pack.close()
                    break
                if pid == 0:
                    mine.close()
                    _Process(replace(conversion, state=state), lots, changes, theirs).run(
                        queue, pack, backend
                    )
                theirs.close()
                self._running[mine] = pid, pack

    def __enter__(self) -> _Processes:
        return self

    def __iter__(self) -> Iterator[Lot]:
        """Lots as they are done. Raises AsrError, and whatever stopped a process."""
        while self._running:
            for connection in cast("list[Connection]", wait(list(self._running))):
                try:
                    said = pickle.loads(connection.recv_bytes())  # noqa: S301  (our own fork)
                except (EOFError, OSError) as error:
                    raise AsrError(
                        "a process that converts sessions was killed", hint="git asr sync --jobs 1"
                    ) from error
                match said:
                    case Lot():
                        yield said
                    case _Packed(objects):
                        pid, pack = self._running.pop(connection)
                        with connection, pack:
                            self._conversion.writer.adopt(pack, objects)
                        os.waitpid(pid, 0)
                    case _Failed(why):
                        raise why

    def __exit__(self, *exc: object) -> None:
        for connection, (pid, pack) in self._running.items():
            with connection, pack, suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)


@dataclass(frozen=True, slots=True)
class _Process:
    """What one of the processes does. ``conversion``: with a copy of the state, that notes in ``changes``."""

    conversion: Conversion
    lots: Sequence[Sequence[str]]
    changes: list[Change]
    answers: Connection

    def run(self, queue: IO[bytes], pack: IO[bytes], backend: Backend) -> NoReturn:
        """Convert lots until none is left; never returns."""
        status = 1
        try:
            signal.signal(signal.SIGINT, signal.SIG_DFL)
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
            self._convert(queue, pack, backend)
            status = 0
        except BrokenPipeError:
            pass  # nobody waits for us any more
        except BaseException as error:
            self._fail(error)
        finally:
            os._exit(status)

    def _convert(self, queue: IO[bytes], pack: IO[bytes], backend: Backend) -> None:
        repo = self.conversion.repo
        with open_objects(repo, backend) as objects, ObjectWriter(repo, objects, pack) as writer:
            while number := os.read(queue.fileno(), _NUMBER):
                lot = Lot(int.from_bytes(number, "big"))
                upstream = TolerantObjects(objects, lot.found.append)
                conversion = replace(
                    self.conversion,
                    objects=objects,
                    upstream=upstream,
                    writer=writer,
                    changes=self.conversion.changes.beside(upstream, self.conversion.state, lot.found.append),
                    report=lot.found.append,
                    results=lot.results,
                    looked_at=lot.groups,
                )
                for _ in conversion.convert(self.lots[lot.number]):
                    pass
                lot.changes.extend(self.changes)
                self.changes.clear()
                self._say(lot)
            writer.settle()
            self._say(_Packed(writer.packed))

    def _say(self, what: Lot | _Packed | _Failed) -> None:
        self.answers.send_bytes(pickle.dumps(what))

    def _fail(self, why: BaseException) -> None:
        """Say why it does not go on: with the exception itself, or, where that cannot be sent, with its text."""
        why.add_note(traceback.format_exc())
        from git_asr.companion import crash  # noqa: PLC0415  (only a fault needs it)

        crash.carry(why, why)
        try:
            self._say(_Failed(why))
        except (pickle.PicklingError, TypeError, AttributeError):
            other = RuntimeError("".join(traceback.format_exception_only(why)))
            crash.carry(other, why)
            self._say(_Failed(other))
