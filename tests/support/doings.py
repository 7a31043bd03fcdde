"""What a person does in a repository, one after the other, and what a comparison takes of the answer.

Each gives what must be the same in every kind of repository (``tests/support/kinds.py``): what was printed, or what the
companion holds afterwards. IDs of commits are told by their place in the history, so that object formats compare.
"""

from __future__ import annotations

import io
import os
import re
import subprocess
import tarfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from tests.support.hooked import QUIET
from tests.support.kinds import OURS, Place
from tests.support.run import Result, run_cli

_HASH = re.compile(r"\b[0-9a-f]{7,64}\b")

_OF_FORMAT = re.compile(
    r'\\?"oid\\?":\\?"[0-9a-f]+|\\?"objectFormat\\?":\\?"sha\d+|\\?"seq\\?":\d{16}|tree [0-9a-f]+'
)
"""What follows from the IDs of objects: those of blobs and trees, their format, and the slots of links."""


_GONE = re.compile(r'"commit":"[0-9a-f]{40}"')
"""In a link: a commit that is not in the history here."""


def without_ids(answer: object) -> list[str]:
    """The lines of an answer, sorted, without what follows from the IDs of objects and links to no commit here."""
    lines = re.split(r"\\n|': '", str(answer))
    return sorted(_OF_FORMAT.sub("", line) for line in lines if not _GONE.search(line))


def _git(path: Path, env: Mapping[str, str], *args: str) -> bytes:
    ended = subprocess.run(
        ["git", *args], cwd=path, env={**os.environ, **env}, capture_output=True, check=False
    )
    assert ended.returncode == 0, (args, ended.stderr)
    return ended.stdout


class Failed(Exception):
    """A command that did not end well."""

    def __init__(self, result: Result) -> None:
        super().__init__(result.err)
        self.result = result


@dataclass(frozen=True, slots=True)
class At:
    """A place, a remote with a companion of its own, a bundle with a session that is not here, and a folder to write.

    ``bare``: nobody commits here, and no hook runs.
    """

    place: Place
    far: Path
    bundle: Path
    folder: Path
    bare: bool

    def asr(self, *args: str, status: int = 0) -> str:
        """Run git-asr, and give what it printed, with names for what differs from place to place."""
        ended = run_cli(args, self.place.cwd, self.place.env)
        if ended.status != status or "error: " in ended.err or "fault" in ended.err:
            raise Failed(ended)
        return self.told(ended.out)[0]

    def git(self, *args: str) -> str:
        """Git as the person has it, in the same place; the hooks that it runs only fill the queue."""
        said = _git(self.place.cwd, {**self.place.env, **QUIET, "GIT_NO_REPLACE_OBJECTS": "1"}, *args)
        return said.decode("utf-8", "surrogateescape").removesuffix("\n")

    def told(self, *texts: str) -> tuple[str, ...]:
        """Texts with commits by their place in the history."""
        known = {}
        for name, order in (("main", ()), ("refs/asr/sessions", ("--reverse",))):
            listed = self.git("rev-list", "--topo-order", *order, name, "--").split()
            known |= {oid: f"<{name} {at}>" for at, oid in enumerate(listed)}

        def named(hit: re.Match[str]) -> str:
            return next((name for oid, name in known.items() if oid.startswith(hit[0])), hit[0])

        return tuple(_HASH.sub(named, text).replace(str(self.folder), "<folder>") for text in texts)

    def held(self, far: bool = False) -> dict[str, str]:
        """What a companion holds: every file but the manifests, whose digests follow from the others; and its tree."""
        tree, tip = (
            ("archive", "--format=tar", "refs/asr/sessions"),
            ("rev-parse", "refs/asr/sessions^{tree}"),
        )
        packed = _git(self.far, {}, *tree) if far else _git(self.place.cwd, self.place.env, *tree)
        with tarfile.open(fileobj=io.BytesIO(packed)) as files:
            found = {
                one.name: content.read().decode("utf-8", "replace")
                for one in files
                if (content := files.extractfile(one)) and not one.name.endswith("bundle.json")
            }
        told = dict(zip(found, self.told(*found.values()), strict=True))
        return told | {"": f"tree {_git(self.far, {}, *tip).decode().strip() if far else self.git(*tip)}"}

    @property
    def common(self) -> Path:
        """The Git directory that all worktrees share."""
        return Path(self.git("rev-parse", "--path-format=absolute", "--git-common-dir"))


def _sync(at: At) -> object:
    return _counted(at.asr("sync")), at.held()


def _counted(said: str) -> str:
    """What there is, without what of it was new."""
    return re.sub(r" \(.*?\)", "", said)


def _again(at: At) -> object:
    return at.asr("sync"), at.told(at.git("for-each-ref", "refs/asr/sessions"))


def _reading(*args: str) -> Callable[[At], object]:
    return lambda at: at.asr(*args)


def _export_import(at: At) -> object:
    at.asr("export", "--all", "-o", str(at.folder / "all.zip"))
    return at.asr("import", str(at.bundle)), at.held()


def _hooks(at: At) -> object:
    """A commit with a trailer: its hook notes it, and the worker that hooks start takes it in."""
    message = f"more\n\nEntire-Checkpoint: {OURS[0]}\n"
    if at.bare:
        at.asr("status")
        commit = at.git("commit-tree", "-p", "main", "-m", message, "main^{tree}")
        at.git("update-ref", "refs/heads/main", commit)
        return _counted(at.asr("sync")), at.held()
    at.asr("install")
    at.git("commit", "-q", "--allow-empty", "-m", message)
    queue = at.common / "asr" / "queue"
    assert {one.name for one in queue.iterdir()} == {at.git("rev-parse", "main")}
    at.asr("worker", str(at.common / "asr"))
    assert not [*queue.iterdir()]
    return _counted(at.asr("sync").removeprefix("up to date: ")), at.held()


def _fetch(at: At) -> object:
    return at.asr("fetch", "far"), at.held()


def _push(at: At) -> object:
    return at.asr("push", "far").splitlines()[0], at.held(far=True)


@dataclass(frozen=True, slots=True)
class Doing:
    """One column: what is done, and how a person writes it.

    ``turn``: in an ordinary run, of so many kinds the so-maniest has it.
    """

    name: str
    command: str
    do: Callable[[At], object]
    turn: tuple[int, int] = (1, 0)


DOINGS: tuple[Doing, ...] = (
    Doing("sync", "git asr sync", _sync),
    Doing("again", "git asr sync", _again),
    Doing("sessions", "git asr sessions --json", _reading("sessions", "--json"), (5, 0)),
    Doing("log", "git asr log", _reading("log", "--format=%H %s%n%N", "main")),
    Doing("show", "git asr show", _reading("show", "main"), (5, 1)),
    Doing("search", "git asr search", _reading("search", "text of"), (5, 2)),
    Doing("usage", "git asr usage", _reading("usage"), (5, 3)),
    Doing("blame", "git asr blame", _reading("blame", "main", "--", "work.txt"), (5, 4)),
    Doing("hooks", "git asr install; git commit", _hooks, (3, 0)),
    Doing("fetch", "git asr fetch", _fetch, (3, 0)),
    Doing("push", "git asr push", _push, (3, 0)),
    Doing("export, import", "git asr export; git asr import", _export_import, (3, 0)),
    Doing("verify", "git asr verify", lambda at: at.asr("verify", status=1), (3, 0)),
)
"""In this order: what comes later builds on it, from the hooks on all of it."""
