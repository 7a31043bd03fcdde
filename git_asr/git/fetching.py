"""Talking to a remote on the user's behalf: Git may prompt for credentials, shows its progress, and can be interrupted.

Git's own words are read from its standard error (``LC_ALL=C``), since ``--porcelain`` came with Git 2.41 only: the
table of refs tells which stood there already and which were refused. What came is told by the refs themselves.
"""

from __future__ import annotations

import os
import queue
import re
import shlex
import subprocess
import tempfile
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import field
from typing import IO

from git_asr.errors import AsrError
from git_asr.git.base import Repository
from git_asr.git.credentials import without_credentials
from git_asr.git.phases import child
from git_asr.git.process import command_line, environment, not_started, too_slow, verb_of
from git_asr.git.refs import PATIENCE, locked
from git_asr.git.remotes import Refspec
from git_asr.git.streaming import asked
from git_asr.values import dataclass

SILENCE = 600.0
"""Seconds for which a Git that talks to a remote may say nothing, its progress included."""
_GRACE = 0.5
"""Seconds to wait for the last words of a Git that has ended: a helper that it left behind may hold the pipe."""
_STOPPING = 5.0
"""Seconds that a Git gets to remove its lock files when it is stopped."""
_HELD = 100
"""Lines of which the last may explain a failure."""
MOST_REFS = 100_000
"""Refs of a remote that are looked at; more are an error. The largest real repository has some 30,000 of Entire's."""
_LONGEST = 1 << 16
"""Bytes of one line; what is longer is cut in pieces."""

_ROW = re.compile(r" ([ +\-t*!=]) (?:\[[^]]+\]|\S+) +\S+ +-> (\S+)(?: +\((.*)\))?")
_PROGRESS = re.compile(r"(?:remote: )?(?:[A-Z][a-z]+ [a-z ]+: +\d|Total \d|Delta compression using )")
_LISTED = re.compile(rb"([0-9a-f]{40}(?:[0-9a-f]{24})?)\t(refs/[^\x00-\x20\x7f]+)\n")
_ERRORS = ("fatal: ", "error: ")
_NOISE = ("From ", "POST git-upload-pack")
_SAID_AGAIN = re.compile(r"ssh: |\S+: Permission denied|git: '")
_VAGUE = "Could not read from remote repository."
_ADVICE = (
    *("Please make sure you have the correct access rights", "and the repository exists."),
    # of a lock that stood in its way
    *(
        "Another git process seems to be running in this repository",
        "an editor opened by 'git commit'. Please",
    ),
    *("are terminated then try again. If it still", "may have crashed in this repository earlier:"),
    "remove the file manually to continue.",
    " 'git remote prune ",  # of names that stand in the way of others
)

Hear = Callable[[str, bool], object]
"""Takes what Git says for the user: a piece of text with its line end, and whether it is progress."""


@dataclass(frozen=True, slots=True)
class Told:
    """What Git said of the refs that it looked at.

    ``current``: local refs that stood there already. ``rejected``: those that it did not move, with its reason.
    """

    current: tuple[str, ...]
    rejected: Mapping[str, str]


@dataclass(slots=True)
class Said:
    """What a Git said that is not passed on: rows of its table (flag, local ref, reason), and its last lines."""

    rows: list[tuple[str, str, str]] = field(default_factory=list)
    lines: deque[str] = field(default_factory=lambda: deque(maxlen=_HELD))


def fetch(
    repo: Repository,
    address: str,
    refspecs: Iterable[Refspec | str],
    hear: Hear,
    options: tuple[str, ...] = (),
    *,
    config: Mapping[str, str] = {},
) -> Told:
    """Fetch refs with one Git, whatever their number.

    No other ref moves, nothing is pruned, no tag and no submodule is fetched, and neither FETCH_HEAD nor the
    configuration is written, whatever the configuration says. A refspec that fits nothing at the remote is no error.
    ``address``: the name of a remote, a URL or an absolute path. ``hear`` takes what Git says for the user. A refspec
    without a destination brings the objects alone. ``options``: more of ``git fetch``, such as ``--no-filter``.
    ``config``: settings for this call.

    Raises:
        AsrError: the remote cannot be read, or a lock kept Git from moving a ref here.
    """
    options = ("--refmap=", "--verbose", *options)
    status, said = _fetch(repo, address, options, map(str, refspecs), hear, config={**PATIENCE, **config})
    rows = [
        (flag, name if name.startswith("refs/") else f"refs/remotes/{name}", why)
        for flag, name, why in said.rows
    ]
    rejected = {name: why or "rejected" for flag, name, why in rows if flag == "!"}
    if status and not rejected:
        raise _unreadable(address, status, said)
    if rejected and (error := locked("\n".join(said.lines).encode())):
        raise error
    return Told(tuple(name for flag, name, _ in rows if flag == "="), rejected)


def fetch_objects(
    repo: Repository, address: str, oids: Iterable[str], hear: Hear, *, config: Mapping[str, str] = {}
) -> None:
    """Fetch objects that a partial clone lacks, all at once and no others, as Git's own lazy fetch asks for them.

    Raises AsrError as ``fetch``, also where the remote does not give single objects.
    """
    status, said = _fetch(repo, address, ("--quiet", "--filter=blob:none"), oids, hear, config=config)
    if status:
        raise _unreadable(address, status, said)


def list_remote(
    repo: Repository | None, address: str, hear: Hear, wanted: Callable[[str], bool] = lambda _: True
) -> dict[str, str]:
    """Give the refs that a remote offers, with what they name. A line that is none of a ref is passed over.

    ``repo``: whose configuration counts, None outside of every repository. ``wanted``: whether a ref is looked at,
    by its name.

    Raises:
        AsrError: the remote cannot be read, or offers more than ``MOST_REFS`` of those.
    """
    found: dict[str, str] = {}
    with tempfile.TemporaryFile() as listing:
        command = command_line(repo, ("ls-remote", "--quiet", "--refs", "--", address), {})
        status, said = listen(repo, command, None, listing, hear)
        if status:
            raise _unreadable(address, status, said)
        listing.seek(0)
        for line in listing:
            row = _LISTED.fullmatch(line)
            if row is None or not wanted(name := os.fsdecode(row[2])):
                continue
            if len(found) == MOST_REFS:
                raise AsrError(
                    f"{without_credentials(address)} offers more than {MOST_REFS:,} refs of this kind"
                )
            found[name] = row[1].decode("ascii")
    return found


def _fetch(
    repo: Repository,
    address: str,
    options: tuple[str, ...],
    wanted: Iterable[str],
    hear: Hear,
    *,
    config: Mapping[str, str] = {},
) -> tuple[int, Said]:
    kept_off = ("--no-tags", "--no-prune", "--no-recurse-submodules", "--no-write-fetch-head")
    rest = ("--no-auto-maintenance", "--progress", "--stdin", "--", address)
    command = command_line(repo, ("fetch", *options, *kept_off, *rest), {"fetch.output": "full", **config})
    with asked(wanted) as file:
        return listen(repo, command, file, None, hear)


def _environment() -> dict[str, str]:
    """As for every network child, but with the caller's ``git -c`` settings, and Git may ask for a password.

    In a partial clone the pack that comes may lean on objects which Git must fetch first.
    """
    given = {name: value for name, value in os.environ.items() if name.startswith("GIT_CONFIG_")}
    prompt = os.environ.get("GIT_TERMINAL_PROMPT", "1")
    return environment({**given, "GIT_TERMINAL_PROMPT": prompt, "GIT_NO_LAZY_FETCH": "0"}, network=True)


def listen(
    repo: Repository | None, command: list[str], stdin: IO[bytes] | None, stdout: IO[bytes] | None, hear: Hear
) -> tuple[int, Said]:
    """Run a Git to its end and pass on what it says to the user; its exit status, and what was kept back.

    It stays in the terminal's foreground, where it can ask for a password and where an interrupt reaches it too.
    """
    verb = verb_of(command)
    try:
        process = subprocess.Popen(
            command,
            stdin=stdin or subprocess.DEVNULL,
            stdout=stdout or subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            cwd=None if repo is None else repo.top,
            env=_environment(),
        )
    except OSError as error:
        raise not_started(error) from None
    said = Said()
    with child(command) as statuses:
        try:
            for piece in _pieces(_chunks(process, verb)):
                _sort(piece, said, hear)
            return process.wait(SILENCE), said
        except subprocess.TimeoutExpired:
            raise too_slow(verb, SILENCE) from None
        finally:
            _end(process)
            statuses.append(process.returncode)


def _chunks(process: subprocess.Popen[bytes], verb: str) -> Iterator[bytes]:
    """What a child writes to its standard error, until it ends."""
    arrived: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    pipe = process.stderr
    assert pipe is not None  # noqa: S101  (a pipe was asked for)

    def read() -> None:
        with pipe:
            while chunk := os.read(pipe.fileno(), _LONGEST):
                arrived.put(chunk)
        arrived.put(b"")

    threading.Thread(target=read, name=f"git {verb} reader", daemon=True).start()
    heard = time.monotonic()
    while True:
        ended = process.poll() is not None
        try:
            chunk = arrived.get(timeout=_GRACE)
        except queue.Empty:
            if ended:
                return
            if time.monotonic() - heard > SILENCE:
                raise too_slow(verb, SILENCE) from None
            continue
        if not chunk:
            return
        heard = time.monotonic()
        yield chunk


def _pieces(chunks: Iterator[bytes]) -> Iterator[str]:
    """Cut what comes after each line feed and carriage return."""
    rest = b""
    for chunk in chunks:
        *whole, rest = re.split(rb"(?<=[\r\n])", rest + chunk)
        if len(rest) > _LONGEST:
            whole, rest = [*whole, rest], b""
        yield from (piece.decode("utf-8", "replace") for piece in whole)
    if rest:
        yield rest.decode("utf-8", "replace")


def _sort(piece: str, said: Said, hear: Hear) -> None:
    """Keep the table and the errors back, pass on the rest."""
    line = piece.rstrip("\r\n")
    if row := _ROW.fullmatch(line):
        said.rows.append((row[1], row[2], row[3] or ""))
        return
    if _PROGRESS.match(line):
        hear(piece, True)
    elif line.strip():
        said.lines.append(line)
        if not line.startswith((*_ERRORS, *_NOISE, *_ADVICE)) and not _SAID_AGAIN.match(line):
            hear(f"{line}\n", False)


def explanation(said: Said, status: int) -> str:
    """The line that says most of why a Git failed; no credentials are in it."""
    errors = [line.partition(": ")[2] for line in said.lines if line.startswith(_ERRORS)]
    others = [line for line in said.lines if not line.startswith((*_ERRORS, *_NOISE, *_ADVICE))]
    if errors and errors[0] != _VAGUE:
        reason = errors[0]
    else:  # what ssh, or the server, said before Git gave up
        reason = others[-1] if others else (errors[0] if errors else f"Git ended with status {status}")
    return without_credentials(reason)


def _unreadable(address: str, status: int, said: Said) -> AsrError:
    """The error for a remote that gave nothing."""
    shown = without_credentials(address)
    return AsrError(
        f"cannot fetch from {shown}: {explanation(said, status)}",
        hint=f"what Git itself says of it: git ls-remote {shlex.quote(shown)}",
    )


def _end(process: subprocess.Popen[bytes]) -> None:
    """Stop a child that still runs."""
    if process.poll() is None:
        process.terminate()
        try:
            process.wait(_STOPPING)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
