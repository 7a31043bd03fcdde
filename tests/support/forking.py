"""Starts git-asr many times without paying for Python's start and its imports each time.

A process that has imported what git-asr imports, and has run nothing of it, waits; each start is a fork of it. The fork
gets its own standard streams, environment, folder and arguments, and ends as an interpreter ends. What decides things
while Python starts must be as it was for the process that waits (see ``FIXED``): whoever wants it otherwise starts an
interpreter. ``tests/test_startup.py`` looks at what is imported when.
"""

from __future__ import annotations

import atexit
import json
import os
import selectors
import signal
import socket
import struct
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import ClassVar, NoReturn, TextIO

from tests.support.measuring import MEASURED

PROJECT = Path(__file__).parents[2]
FIXED = ("PYTHON", "LC_", "LANG", "HOME", "XDG_", "TZ", "TMPDIR")
"""How the names of variables begin that must have the values which they had when the waiting process started."""
_STATUS = struct.Struct("=q")
_MOST = 100_000
"""Bytes of one request; the socket takes about twice that."""


class CannotFork(Exception):
    """An interpreter must be started for this."""


class Waiting:
    """The processes that wait, as seen from the tests: one that coverage measures, one that it does not."""

    _all: ClassVar[dict[bool, Waiting]] = {}
    _fixed: ClassVar[dict[str, str]] = {}

    def __init__(self, environment: Mapping[str, str]) -> None:
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "tests.support.forking", str(theirs.fileno())],
                cwd=PROJECT,
                env=dict(environment),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                pass_fds=(theirs.fileno(),),
            )
        self._socket = ours

    @classmethod
    def of(cls, environment: Mapping[str, str]) -> Waiting:
        """The one for an environment. Raises CannotFork: it differs in something fixed from the usual one."""
        if _fixed(environment) != cls._fixed:
            raise CannotFork
        measured = MEASURED in environment
        if measured not in cls._all:
            cls._all[measured] = cls(environment)
        return cls._all[measured]

    @classmethod
    def begin(cls, environment: Mapping[str, str]) -> None:
        """Let this be the usual environment; whoever waits is started when the first fork is wanted."""
        cls._fixed = _fixed(environment)

    @classmethod
    def end(cls) -> None:
        """Let all end, and wait for them: what they measured is saved then."""
        for one in cls._all.values():
            one._socket.close()
            one._process.wait()
        cls._all.clear()

    def start(self, request: Mapping[str, object], streams: Sequence[int]) -> tuple[int, int]:
        """Fork; the ID of the new process, and where its status will come."""
        data = json.dumps(request).encode()
        if len(data) > _MOST:
            raise CannotFork
        arrives, leaves = os.pipe()
        with os.fdopen(leaves, "wb"):
            socket.send_fds(self._socket, [data], [*streams, leaves])
        (pid,) = _STATUS.unpack(os.read(arrives, _STATUS.size))
        return pid, arrives


def _fixed(environment: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in environment.items() if name.startswith(FIXED)}


def run(
    args: Sequence[str], cwd: Path, environment: Mapping[str, str], stdin: bytes, timeout: float
) -> tuple[int, bytes, bytes]:
    """Run git-asr as ``subprocess.run`` would: status, output, errors.

    Raises:
        CannotFork: an interpreter must be started for this.
        subprocess.TimeoutExpired: it took too long, and was killed.
    """
    waiting = Waiting.of(environment)
    (out, said), (err, told), (given, question) = os.pipe(), os.pipe(), os.pipe()
    request = {"args": list(args), "cwd": str(cwd), "environment": dict(environment)}
    try:
        pid, status = waiting.start(request, (given, said, told))
    except CannotFork:
        for one in (out, err, question):
            os.close(one)
        raise
    finally:
        for one in (given, said, told):
            os.close(one)
    texts: dict[int, bytes] = {}

    def read(pipe: int) -> None:
        with os.fdopen(pipe, "rb") as file:
            texts[pipe] = file.read()

    def write() -> None:
        with suppress(BrokenPipeError), os.fdopen(question, "wb") as file:
            file.write(stdin)

    threads = [threading.Thread(target=read, args=(pipe,), daemon=True) for pipe in (out, err)]
    threads.append(threading.Thread(target=write, daemon=True))
    for one in threads:
        one.start()
    with os.fdopen(status, "rb") as file:
        for one in threads:
            one.join(timeout)
        if any(one.is_alive() for one in threads):
            os.kill(pid, signal.SIGKILL)
            raise subprocess.TimeoutExpired(["git-asr", *args], timeout)
        (ended,) = _STATUS.unpack(file.read(_STATUS.size))
    return ended, texts[out], texts[err]


def _serve(connection: socket.socket) -> None:
    """Fork for each request, and pass on how the forks ended, until the tests hang up."""
    waker, alarm = os.pipe()
    os.set_blocking(alarm, False)
    signal.set_wakeup_fd(alarm, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    running: dict[int, int] = {}
    with selectors.DefaultSelector() as both:
        both.register(connection, selectors.EVENT_READ)
        both.register(waker, selectors.EVENT_READ)
        while True:
            for key, _ in both.select():
                if key.fd == waker:
                    os.read(waker, 4096)
                    _reap(running)
                    continue
                data, streams, _, _ = socket.recv_fds(connection, _MOST, 4)
                if not data:
                    return
                *streams, status = streams
                pid = os.fork()
                if not pid:
                    for one in (waker, alarm, status, connection.fileno(), both.fileno(), *running.values()):
                        os.close(one)
                    _become(json.loads(data), streams)
                os.write(status, _STATUS.pack(pid))
                running[pid] = status
                for one in streams:
                    os.close(one)


def _reap(running: dict[int, int]) -> None:
    while True:
        try:
            pid, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return
        if not pid:
            return
        with os.fdopen(running.pop(pid), "wb") as file:
            file.write(_STATUS.pack(os.waitstatus_to_exitcode(status)))


def _become(request: dict[str, object], streams: Sequence[int]) -> NoReturn:
    """Be a git-asr that was just started, and end as an interpreter ends."""
    status = 1
    try:
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        for number, stream in enumerate(streams):
            os.dup2(stream, number)
            os.close(stream)
        sys.stdin, sys.stdout, sys.stderr = (_opened(one) for one in (sys.stdin, sys.stdout, sys.stderr))
        os.environ.clear()
        os.environ.update(request["environment"])
        os.chdir(str(request["cwd"]))
        sys.argv = [str(PROJECT / "git_asr" / "__main__.py"), *request["args"]]
        sys.path[0] = str(request["cwd"])
        _measured()
        status = _main()
    except BaseException:
        sys.excepthook(*sys.exc_info())
    finally:
        os._exit(status)


def _opened(stream: TextIO) -> TextIO:
    """A stream like this one: it asks what its descriptor can do when it is made."""
    mode = "r" if stream is sys.stdin else "w"
    return open(stream.fileno(), mode, encoding=stream.encoding, errors=stream.errors, closefd=False)


def _measured() -> None:
    """Let coverage begin again with an empty hand, and save at the end what this process did."""
    atexit._clear()
    coverage = sys.modules.get("coverage")
    if coverage is not None and (inherited := coverage.Coverage.current()) is not None:
        inherited.stop()
        coverage.process_startup(force=True)


def _main() -> int:
    from git_asr.cli.main import main

    try:
        status = main(sys.argv[1:])
    except SystemExit as ended:
        status = ended.code if isinstance(ended.code, int) else int(ended.code is not None)
    except BaseException:
        sys.excepthook(*sys.exc_info())
        status = 1
    threading._shutdown()
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        _flush(stream)
    return status


def _flush(stream: TextIO | None) -> None:
    with suppress(OSError, ValueError):
        if stream is not None:
            stream.flush()


if __name__ == "__main__":
    import gc
    import importlib
    import pkgutil

    import git_asr

    for _module in pkgutil.walk_packages(git_asr.__path__, "git_asr."):
        if not _module.name.endswith("__main__"):
            importlib.import_module(_module.name)
    gc.collect()
    gc.freeze()  # what is there now is shared with every fork
    _serve(socket.socket(fileno=int(sys.argv[1])))
