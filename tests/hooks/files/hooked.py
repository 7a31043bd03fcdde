"""A repository whose hooks are the rendered files, and a git-asr that only writes down how it was started."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from git_asr.hooks import script

CHECKPOINT = "a1b2c3d4e5f6"
TRAILER = f"Entire-Checkpoint: {CHECKPOINT}"
SHELLS = tuple(filter(shutil.which, ("dash", "bash", "busybox"))) or ("sh",)
"""Those that are here."""

TIMEOUT = 20

_TO_THE_END = 200
"""A descriptor that no hook closes: what waits for its end waits for every process of a command."""

_LAUNCHER = r"""#!/bin/sh
at=$ASR_CALLS/$(date +%s%N)-$$
nice >"$at.nice"
if [ -d /proc/$$/fd ]; then ls -l /proc/$$/fd >"$at.fds"; fi
printf '%s\0' "$PWD" "$@" >"$at.part"
mv "$at.part" "$at.args"
if [ -n "$ASR_WAIT" ]; then read -r _ <"$ASR_WAIT"; fi
echo "said on stdout"
echo "said on stderr" >&2
exit 7
"""


@dataclass(frozen=True, slots=True)
class Ended:
    """How a command ended, once all its descendants had too."""

    status: int
    out: str
    err: str


@dataclass(frozen=True, slots=True)
class Call:
    """How git-asr was started: its arguments, in which folder, how nice."""

    args: tuple[str, ...]
    cwd: str
    nice: int


class Hooked:
    """A repository with one commit. ``hooks`` is its hooks path, ``bin`` comes first in ``PATH``."""

    def __init__(self, folder: Path, shell: str = "dash", *init: str, at: str = "repo") -> None:
        self.repo = folder / at
        self.hooks = folder / "hooks"
        self.bin = folder / "bin"
        self._calls = folder / "calls"
        for made in (self.repo, self.hooks, self.bin, self._calls):
            made.mkdir(parents=True)
        self.sh = self.bin / "as" / "sh"
        self.sh.parent.mkdir()
        self.sh.symlink_to(shutil.which(shell) or "/bin/sh")
        self.launcher = self.bin / "git-asr"
        write(self.launcher, _LAUNCHER)
        self.git("init", "-q", "-b", "main", *init)
        self.git("config", "core.hooksPath", str(self.hooks))
        self.git("commit", "-q", "--allow-empty", "-m", "first")
        for hook in script.HOOKS:
            self.install(hook)

    def install(self, hook: str, *launch: str, name: str = "") -> Path:
        """Write one hook file, run by the shell that is tried."""
        path = self.hooks / (name or hook)
        data = script.render(hook, launch)
        write(path, data.replace(b"#!/bin/sh\n", b"#!%s\n" % os.fsencode(self.sh), 1))
        return path

    @property
    def env(self) -> dict[str, str]:
        """The environment of a user: no other git-asr in the ``PATH``, no CI."""
        kept = {name: value for name, value in os.environ.items() if name != "CI"}
        places = [part for part in kept["PATH"].split(os.pathsep) if not (Path(part) / "git-asr").exists()]
        return {**kept, "PATH": os.pathsep.join([str(self.bin), *places]), "ASR_CALLS": str(self._calls)}

    def run(
        self,
        *command: str | Path,
        cwd: Path | None = None,
        env: Mapping[str, str | None] = {},
        stdin: bytes = b"",
    ) -> Ended:
        """Run a command and wait until the last process that it started has ended. None in ``env`` takes out."""
        merged = {**self.env, **env}
        read, write_end = os.pipe()
        os.dup2(write_end, _TO_THE_END)
        os.close(write_end)
        try:
            ended = subprocess.run(
                command,
                cwd=cwd or self.repo,
                env={name: value for name, value in merged.items() if value is not None},
                input=stdin,
                capture_output=True,
                timeout=TIMEOUT,
                pass_fds=[_TO_THE_END],
                check=False,
            )
        finally:
            os.close(_TO_THE_END)
        with os.fdopen(read, "rb") as end:
            end.read()
        return Ended(ended.returncode, *(os.fsdecode(said) for said in (ended.stdout, ended.stderr)))

    def git(
        self, *args: str, cwd: Path | None = None, env: Mapping[str, str | None] = {}, stdin: bytes = b""
    ) -> str:
        """Run git, which must succeed, and give what it printed, without the last line feed."""
        ended = self.run("git", *args, cwd=cwd, env=env, stdin=stdin)
        assert ended.status == 0, ended
        return ended.out.removesuffix("\n")

    def commit(
        self, message: str = TRAILER, cwd: Path | None = None, env: Mapping[str, str | None] = {}
    ) -> str:
        """Commit with this in the message, see that nobody says a word, and give the ID."""
        words = ("git", "commit", "-q", "--allow-empty", "-m", f"subject\n\n{message}")
        assert self.run(*words, cwd=cwd, env=env) == Ended(0, "", "")
        return self.head(cwd)

    def head(self, cwd: Path | None = None) -> str:
        return self.git("rev-parse", "HEAD", cwd=cwd)

    def tree(self) -> str:
        """An empty tree, for commits that Git itself would not make."""
        return self.git("mktree")

    @property
    def asr(self) -> Path:
        """Where local state lies."""
        return self.repo / ".git" / "asr"

    @property
    def queue(self) -> list[str]:
        """What is noted, by name."""
        return sorted(path.name for path in (self.asr / "queue").iterdir()) if self.asr.exists() else []

    @property
    def calls(self) -> list[Call]:
        """How git-asr was started so far, in order."""
        return [_call(path) for path in sorted(self._calls.glob("*.args"))]

    def started(self) -> int:
        """How often git-asr was started for this repository, as it should be; forgets them."""
        calls = self.calls
        for call in calls:
            assert call.args == ("worker", str(self.asr.resolve())), call
        self.forget()
        return len(calls)

    def forget(self) -> None:
        """Forget what was started and noted."""
        for path in self._calls.iterdir():
            path.unlink()
        shutil.rmtree(self.asr / "queue", ignore_errors=True)

    def descriptors(self) -> str:
        """What the last one started had open, as ``ls -l`` lists it; empty without ``/proc``."""
        last = max(self._calls.glob("*.nice")).with_suffix(".fds")
        return last.read_text() if last.exists() else ""

    def processes(self) -> list[int]:
        """The numbers of those started, once they run."""
        for _ in range(TIMEOUT * 100):
            if found := [int(path.stem.rsplit("-", 1)[1]) for path in self._calls.glob("*.args")]:
                return found
            time.sleep(0.01)
        raise AssertionError("git-asr does not run")

    @contextmanager
    def busy(self, folder: Path) -> Iterator[dict[str, str]]:
        """The environment in which git-asr runs until the block is left, and see that it was still running then."""
        fifo = folder / "wait"
        os.mkfifo(fifo)
        yield {"ASR_WAIT": str(fifo)}
        with open(fifo, "w", opener=_opened_by_a_reader) as end:
            end.write("\n")


def _opened_by_a_reader(path: str, flags: int) -> int:
    """Open a pipe that somebody reads; none does once the reader is gone."""
    for _ in range(TIMEOUT * 100):
        try:
            return os.open(path, flags | os.O_NONBLOCK)
        except OSError:
            time.sleep(0.01)
    raise AssertionError("git-asr does not run")


def _call(path: Path) -> Call:
    cwd, *args = path.read_bytes().split(b"\0")[:-1]
    return Call(tuple(map(os.fsdecode, args)), os.fsdecode(cwd), int(path.with_suffix(".nice").read_text()))


def write(path: Path, text: str | bytes, mode: int = 0o755) -> None:
    """Write a program."""
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    path.chmod(mode)


def recorder(log: Path, status: int = 0, *, reads: bool = False) -> str:
    """A hook that adds its name, its arguments and, if it reads, its input to a log, and ends with a status."""
    taken = f"cat >>{shlex.quote(str(log))}\n" if reads else ""
    return f"""#!/bin/sh
printf '%s' "${{0##*/}}" >>{shlex.quote(str(log))}
for word; do printf ' <%s>' "$word" >>{shlex.quote(str(log))}; done
echo >>{shlex.quote(str(log))}
{taken}exit {status}
"""
