"""The commands that write, each with repositories in which it has something to do."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from tests.e2e.sample_repos import SESSIONS, add, checkpoint, repository, session
from tests.sharing.sides import clone, hub
from tests.support.entire_repo import EntireRepo, Stored, claude
from tests.support.faults import Command
from tests.support.repo_builder import git
from tests.support.run import run_cli


@dataclass(frozen=True, slots=True)
class Case:
    """``make`` fills a folder; the words are run in ``cwd`` below it. ``again``: what a second run may
    end with, after the first did it all. ``quiet``: what goes wrong is told to a log alone.
    ``end``: the folder whose end state is always the same, by default all.
    """

    make: Callable[[Path], object]
    words: tuple[str, ...]
    cwd: str = "r"
    again: tuple[int, ...] = (0,)
    env: Mapping[str, str] = field(default_factory=dict)
    stdin: bytes = b""
    quiet: bool = False
    end: str = ""

    def command(self, folder: Path) -> Command:
        """What is run in a folder that was filled, or in a copy of it."""
        words = [word.replace("@", str(folder)) for word in self.words]
        env = {name: value.replace("@", str(folder)) for name, value in self.env.items()}
        return Command(words, folder / self.cwd, folder, env, self.stdin)


def asr(*words: str) -> tuple[str, ...]:
    return ("-m", "git_asr", *words)


def done(path: Path, *words: str) -> None:
    """A command that ends well."""
    ended = run_cli(words, path)
    assert ended.status == 0, ended.err


def first(folder: Path) -> EntireRepo:
    """Three sessions, none synced."""
    return repository(folder / "r", 3)


def following(folder: Path) -> EntireRepo:
    """Two sessions are synced; one grew, and one is new."""
    repo = repository(folder / "r", 2)
    done(repo.path, "sync")
    add(repo, 2, 5)
    add(repo, 3)
    repo.build()
    return repo


def many(folder: Path) -> None:
    """So many sessions that several processes convert them."""
    repository(folder / "r", 40, units=1)


def bundle(folder: Path) -> None:
    """A bundle in a file, and a repository that does not know its session."""
    repo = repository(folder / "other", 1)
    done(repo.path, "sync")
    done(repo.path, "export", session(1), "--output", str(folder / "one.zip"))
    done(repository(folder / "r", 2, units=2).path, "sync")


def fetched(folder: Path) -> None:
    """Somebody else's companion was fetched, with sessions of its own; ours is another."""
    far = hub(folder / "hub", 2).path
    clone(far, folder / "other", 2)
    done(folder / "other", "push")
    clone(far, folder / "r", 1)
    relative(folder)
    git(folder / "r", "fetch", "-q", "origin", f"{SESSIONS}:refs/asr/remotes/origin/sessions")


def shared(folder: Path) -> None:
    """A companion at a hub that was not fetched."""
    fetched(folder)
    git(folder / "r", "update-ref", "-d", "refs/asr/remotes/origin/sessions")


def relative(folder: Path) -> None:
    """Let clones find their hub in copies of the folder, too."""
    for one in ("r", "other"):
        git(folder / one, "remote", "set-url", "origin", "../hub")


def queued(folder: Path) -> None:
    """What the hook left in the queue."""
    repo = following(folder)
    waiting = repo.path / ".git" / "asr" / "queue"
    waiting.mkdir(exist_ok=True)
    commit = git(repo.path, "rev-parse", "main")
    (waiting / commit).touch()
    (waiting / "scan").touch()
    (waiting / "rw-1700000000-1").write_text(f"amend\n{'1' * 40} {commit}\n")


def synced(folder: Path) -> None:
    """Two synced sessions, of which lists and caches were made."""
    repo = repository(folder / "r", 2)
    done(repo.path, "sync")
    for words in (("sessions",), ("usage",), ("search", "1.1")):
        done(repo.path, *words)


def grown(folder: Path) -> None:
    """The companion was exchanged twice, and caches tell of an older state."""
    synced(folder)
    repo = EntireRepo(folder / "r")
    git(repo.path, "update-ref", "refs/asr/remotes/origin/sessions", SESSIONS)
    lines = claude(session(2), [f"2.{unit}" for unit in range(6)], second=120)
    repo.checkpoint(checkpoint(3), Stored(session(2), lines, created=200))
    repo.commit(checkpoint(3))
    repo.build()
    done(repo.path, "sync")
    git(repo.path, "update-ref", "refs/asr/remotes/origin/sessions", SESSIONS)


_PUSH = f"capabilities\nlist for-push\npush {SESSIONS}:{SESSIONS}\n\n\n".encode()

CASES = {
    "first sync": Case(first, asr("sync")),
    "next sync": Case(following, asr("sync")),
    "sync in two processes": Case(many, asr("sync", "--jobs", "2")),
    "merge": Case(fetched, asr("sync")),
    "import": Case(bundle, asr("import", "../one.zip")),
    "fetch": Case(shared, asr("fetch")),
    "push": Case(shared, asr("push"), end="hub"),
    "push to a bundle file": Case(shared, asr("push", "--as-is", "../sessions.bundle"), end="hub"),
    "push through Git": Case(
        shared, ("-m", "git_asr.remote", "remote", "../hub"), end="hub", env={"GIT_DIR": ".git"}, stdin=_PUSH
    ),
    "worker": Case(queued, asr("worker", "@/r/.git/asr"), quiet=True),
    "forget": Case(synced, asr("forget", session(2)), again=(0, 1)),
    "compact": Case(grown, asr("compact")),
    "sessions": Case(grown, asr("sessions")),
    "usage": Case(grown, asr("usage")),
    "search": Case(grown, asr("search", "1.1")),
}


def copy(made: Path, to: Path) -> Path:
    """A copy of a folder that was filled, links and all."""
    return Path(shutil.copytree(made, to, symlinks=True))
