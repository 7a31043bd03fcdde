"""Git as a child process: a scrubbed environment, a deadline, and one-line errors.

The environment follows reference git-integration, section 7.3: whatever Git exports to a hook, and whatever a caller
set for *its* repository, must not reach a child that works on ours.
"""

from __future__ import annotations

import contextlib
import os
import re
import subprocess
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO, NoReturn, Self

from git_asr.errors import AsrError
from git_asr.git.base import Repository
from git_asr.git.phases import child
from git_asr.values import dataclass

DEADLINE = 300.0
"""Seconds: a short command may run, and a long-lived child may keep silent when asked, no longer than this."""

_CHUNK = 1 << 16

_PROMISED = re.compile("could not fetch ([0-9a-f]{40,64}) from promisor remote")
"""What Git says in a partial clone of an object that is absent, where we did not allow it to fetch."""
_HOLE = re.compile("Failed to traverse parents of commit|is not in this repository")

LOCAL_VARIABLES = frozenset(
    {
        # what `git rev-parse --local-env-vars` lists (2.39 to 2.55)
        "GIT_ALTERNATE_OBJECT_DIRECTORIES",
        "GIT_CONFIG",
        "GIT_CONFIG_PARAMETERS",
        "GIT_CONFIG_COUNT",
        "GIT_OBJECT_DIRECTORY",
        "GIT_DIR",
        "GIT_WORK_TREE",
        "GIT_IMPLICIT_WORK_TREE",
        "GIT_GRAFT_FILE",
        "GIT_INDEX_FILE",
        "GIT_NO_REPLACE_OBJECTS",
        "GIT_REPLACE_REF_BASE",
        "GIT_PREFIX",
        "GIT_INTERNAL_SUPER_PREFIX",
        "GIT_SHALLOW_FILE",
        "GIT_COMMON_DIR",
        "GIT_REFERENCE_BACKEND",
        # what a hook finds besides, and what would change the meaning of our own calls
        "GIT_EDITOR",
        "GIT_NAMESPACE",
        "GIT_QUARANTINE_PATH",
    }
)
_LOCAL_PREFIXES = ("GIT_AUTHOR_", "GIT_COMMITTER_", "GIT_CONFIG_KEY_", "GIT_CONFIG_VALUE_", "GIT_TRACE")

_FIXED = {
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_TERMINAL_PROMPT": "0",
    "LC_ALL": "C",
}
_LOCAL_WORK = {
    # An object ID means the bytes it was computed from: libgit2 knows no replacements, gc and fsck ignore them,
    # and all readers of one companion must see the same. The walk finds replacements by their own IDs (refs/replace).
    "GIT_NO_REPLACE_OBJECTS": "1",
    # Git before 2.45 knows no GIT_NO_LAZY_FETCH; without transports a lazy fetch fails and the network stays unasked.
    "GIT_ALLOW_PROTOCOL": "",
}


def environment(extra: Mapping[str, str] = {}, *, network: bool = False) -> dict[str, str]:
    """Give the environment for a child that works on a repository named by ``--git-dir``.

    ``network``: the child is meant to talk to a remote, so transports stay allowed.
    """
    kept = {
        name: value
        for name, value in os.environ.items()
        if name not in LOCAL_VARIABLES and not name.startswith(_LOCAL_PREFIXES)
    }
    kept.update(_FIXED)
    if not network:
        kept.update(_LOCAL_WORK)
    kept.update(extra)
    return kept


@dataclass(frozen=True, slots=True)
class Finished:
    """A git that has ended: its subcommand, exit status (negative: the signal) and what it wrote."""

    verb: str
    status: int
    out: bytes
    err: bytes

    def failure(self) -> AsrError:
        """Give the error for it: Git's first line that says ``fatal:`` or ``error:``, else its first line."""
        return _failure(self.verb, self.status, self.err)


def run_git(
    repo: Repository | None,
    *args: str,
    stdin: bytes | IO[bytes] | None = None,
    deadline: float = DEADLINE,
    cwd: Path | None = None,
    config: Mapping[str, str] = {},
    network: bool = False,
) -> bytes:
    """Run one git to its end and give its standard output.

    Args:
        repo: the repository it works on; None for commands that need none.
        args: the subcommand and its arguments, passed as they are (no shell).
        stdin: bytes, or an open file, for its standard input; None for an empty one.
        deadline: seconds until it is killed.
        cwd: where it runs; the git directory by default, which exists even where the worktree is gone.
        config: settings for this call (``-c``).
        network: it may use a transport (``fetch``, ``push``, ``ls-remote``); otherwise Git is told to refuse them.

    Raises:
        AsrError: git is missing, cannot start, fails, or takes too long.
    """
    finished = try_git(repo, *args, stdin=stdin, deadline=deadline, cwd=cwd, config=config, network=network)
    if finished.status:
        raise finished.failure()
    return finished.out


def try_git(
    repo: Repository | None,
    *args: str,
    stdin: bytes | IO[bytes] | None = None,
    deadline: float = DEADLINE,
    cwd: Path | None = None,
    config: Mapping[str, str] = {},
    network: bool = False,
    env: Mapping[str, str] = {},
    apart: bool = False,
) -> Finished:
    """Run one git to its end, whatever its exit status. Arguments and errors as for ``run_git``, but a failing git is
    no error; ``env`` is added to the scrubbed environment. ``apart``: in a session of its own, so that an interrupt
    from the terminal, or the end of our process group, does not stop it in the middle.
    """
    return execute(
        command_line(repo, args, config),
        stdin=stdin,
        deadline=deadline,
        cwd=cwd or (repo.git_dir if repo else None),
        env=environment(env, network=network),
        apart=apart,
    )


def execute(
    command: list[str],
    *,
    env: Mapping[str, str],
    stdin: bytes | IO[bytes] | None = None,
    deadline: float = DEADLINE,
    cwd: Path | None = None,
    apart: bool = False,
) -> Finished:
    """Run a complete command line in exactly this environment (``repository`` alone needs the caller's own)."""
    verb = verb_of(command)
    given, source = (stdin, None) if isinstance(stdin, bytes) else (None, stdin or subprocess.DEVNULL)
    try:
        with child(command) as statuses:
            ended = subprocess.run(
                command,
                input=given,
                stdin=source,
                capture_output=True,
                timeout=deadline,
                cwd=cwd,
                env=dict(env),
                check=False,
                start_new_session=apart,
            )
            statuses.append(ended.returncode)
    except subprocess.TimeoutExpired:
        raise too_slow(verb, deadline) from None
    except OSError as error:
        raise not_started(error) from None
    except ValueError:  # a NUL in an argument
        raise AsrError(f"git {verb}: an argument holds a NUL byte") from None
    return Finished(verb, ended.returncode, ended.stdout, ended.stderr)


class Child:
    """A long-lived git that is asked over pipes. Standard error goes to a file, so it can never block.

    A watcher kills it when it keeps us waiting longer than the deadline; time in which nobody waits does not count.
    Every reading or writing method raises AsrError when the child is gone.
    """

    def __init__(
        self,
        repo: Repository,
        *args: str,
        stdin: IO[bytes] | None = None,
        deadline: float = DEADLINE,
        config: Mapping[str, str] = {},
        env: Mapping[str, str] = {},
        cwd: Path | None = None,
        network: bool = False,
    ) -> None:
        """Start it. ``stdin``: an open file to read from instead of what ``ask`` writes; else as ``try_git``."""
        import tempfile  # noqa: PLC0415  (5 ms that short commands do not pay)

        command = command_line(repo, args, config)
        self._verb = verb_of(command)
        self._deadline = deadline
        self._since: float | None = None
        self._expired = False
        self._closed = threading.Event()
        self._errors = tempfile.TemporaryFile("a+b")  # noqa: SIM115  (closed with the child; appended to, read anywhere)
        try:
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE if stdin is None else stdin,
                stdout=subprocess.PIPE,
                stderr=self._errors,
                cwd=cwd or repo.git_dir,
                env=environment(env, network=network),
            )
        except OSError as error:
            self._errors.close()
            raise not_started(error) from None
        assert self._process.stdout is not None  # noqa: S101  (a pipe was asked for)
        self._out = self._process.stdout
        self._traced = contextlib.ExitStack()
        self._statuses = self._traced.enter_context(child(command))
        self._watcher = threading.Thread(target=self._watch, name=f"git {self._verb} watcher", daemon=True)
        self._watcher.start()

    def ask(self, question: bytes) -> None:
        """Write to its standard input. Keep questions smaller than a pipe, or read the answers meanwhile."""
        assert self._process.stdin is not None  # noqa: S101
        self._since = time.monotonic()
        try:
            self._process.stdin.write(question)
            self._process.stdin.flush()
        except OSError:
            self._fail()
        self._since = None

    def line(self) -> bytes:
        """Read one line, without its line feed."""
        self._since = time.monotonic()
        line = self._out.readline()
        self._since = None
        if not line.endswith(b"\n"):
            self._fail()
        return line[:-1]

    def exactly(self, size: int) -> bytes:
        """Read so many bytes."""
        self._since = time.monotonic()
        try:
            data = self._out.read(size)
        except (MemoryError, OverflowError):
            self.close()
            raise AsrError(f"git {self._verb}: no memory for {size} bytes") from None
        self._since = None
        if len(data) < size:
            self._fail()
        return data

    def chunks(self) -> Iterator[bytes]:
        """Read all there is in pieces; the end is only accepted from a git that ended well."""
        while True:
            self._since = time.monotonic()
            chunk = self._out.read1(_CHUNK)  # type: ignore[attr-defined]
            self._since = None
            if not chunk:
                break
            yield chunk
        if self._wait():
            self._fail()

    @property
    def output(self) -> IO[bytes]:
        """Its standard output, for another child to read from."""
        return self._out

    def finish(self) -> None:
        """Wait for its end after somebody else read its output to the end; a failure is an error."""
        if self._wait():
            self._fail()

    def complaints(self) -> bytes:
        """Give what it has written to standard error so far (at most 64 KiB)."""
        self._errors.seek(0)
        return self._errors.read(_CHUNK)

    def close(self) -> None:
        """End it, whatever it is doing, and leave no zombie. Never raises; may be called again."""
        self._closed.set()
        if self._process.stdin is not None:
            with contextlib.suppress(OSError):  # it was gone before the last question was flushed
                self._process.stdin.close()
        self._out.close()
        if self._process.returncode is None:
            self._process.kill()
            self._process.wait()
        self._errors.close()
        self._watcher.join()
        if not self._statuses:
            self._statuses.append(self._process.returncode)
        self._traced.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def _wait(self) -> int:
        self._since = time.monotonic()
        status = self._process.wait()
        self._since = None
        return status

    def _fail(self) -> NoReturn:
        self._out.close()  # a child that still writes gets a broken pipe instead of blocking
        status = self._wait()
        err = self.complaints()
        self.close()
        if self._expired:
            raise too_slow(self._verb, self._deadline)
        raise _failure(self._verb, status, err)

    def _watch(self) -> None:
        while not self._closed.wait(self._deadline / 8):
            since = self._since
            if since is not None and time.monotonic() - since > self._deadline:
                self._expired = True
                self._process.kill()
                return


def command_line(repo: Repository | None, args: Sequence[str], config: Mapping[str, str]) -> list[str]:
    """The complete command line of one git; arguments as for ``run_git``."""
    command = ["git"]
    if repo is not None:
        command.append(f"--git-dir={repo.git_dir}")
    for name, value in config.items():
        command += ["-c", f"{name}={value}"]
    return [*command, *args]


def verb_of(command: list[str]) -> str:
    """Give the subcommand of a command line: the first word that is neither an option nor the value of ``-c``."""
    words = iter(command[1:])
    for word in words:
        if word == "-c":
            next(words, None)
        elif not word.startswith("-"):
            return word
    return ""


def _first_error(err: bytes) -> str | None:
    lines = [line.strip() for line in err.decode("utf-8", "replace").splitlines() if line.strip()]
    for mark in ("fatal: ", "error: "):
        for line in lines:
            if line.startswith(mark):
                return line.removeprefix(mark)
    return lines[0] if lines else None


def _failure(verb: str, status: int, err: bytes) -> AsrError:
    ended = f"ended by signal {-status}" if status < 0 else f"ended with status {status}"
    said = _first_error(err) or ended
    if promised := _PROMISED.search(said):
        said = f"object {promised[1]} is not in this repository"
    hint = "part of the history is not here: git fetch   may bring it" if _HOLE.search(said) else None
    return AsrError(f"git {verb}: {said}", hint=hint)


def too_slow(verb: str, deadline: float) -> AsrError:
    """Give the error for a git that was killed at its deadline."""
    return AsrError(f"git {verb} gave no answer within {deadline:g} seconds and was stopped")


def not_started(error: OSError) -> AsrError:
    """Give the error for a git that could not be started."""
    if isinstance(error, FileNotFoundError) and error.filename == "git":
        return AsrError("git is not on PATH", hint="install Git 2.39 or newer, or put it on PATH")
    return AsrError(f"cannot start git: {error.strerror}: {error.filename}")
