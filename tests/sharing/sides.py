"""A hub with checkpoints, and clones of it that each know one session: what they share is told by nobody else."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from git_asr.companion.names import SESSIONS
from git_asr.errors import Diagnostic
from git_asr.git.repository import open_repository
from git_asr.sharing import target
from git_asr.sharing.fetching import fetch_companion
from git_asr.sharing.listing import quiet
from git_asr.sharing.pushing import Pushed, Terms, push
from git_asr.sync.flow import Options, sync
from tests.e2e.sample_repos import checkpoint, session
from tests.support.companion import bundles, tip
from tests.support.entire_repo import EntireRepo, Stored, claude, own_ref
from tests.support.repo_builder import git

Format = Literal["sha1", "sha256"]


def hub(path: Path, sessions: int, object_format: Format = "sha1") -> EntireRepo:
    """A bare repository with a ref for each checkpoint; nothing in it can be moved backwards or deleted."""
    repo = EntireRepo(path, object_format, bare=True)
    for number in range(1, sessions + 1):
        stored(repo, number)
        repo.commit(checkpoint(number))
    repo.build()
    for key in ("receive.denyNonFastForwards", "receive.denyDeletes"):
        git(path, "config", key, "true")
    return repo


def stored(repo: EntireRepo, number: int, units: int = 2, ref: str | None = None) -> None:
    """Add the checkpoint of a session, or write it anew."""
    lines = claude(session(number), [f"{number}.{unit}" for unit in range(units)], second=number * 60)
    one = Stored(session(number), lines, created=number * 60)
    repo.checkpoint(checkpoint(number), one, ref=ref or own_ref(checkpoint(number)))


def clone(far: Path, to: Path, *numbers: int, address: str | None = None) -> Path:
    """A clone with the checkpoints of some sessions, synced; all others are unknown to it."""
    git(far.parent, "clone", "-q", "--single-branch", "--branch", "main", str(far), str(to))
    refs = [own_ref(checkpoint(number)) for number in numbers]
    if refs:
        git(to, "fetch", "-q", "origin", *(f"{ref}:{ref}" for ref in refs))
    if address is not None:
        git(to, "remote", "set-url", "origin", address)
    synced(to)
    return to


@dataclass(slots=True)
class Told:
    """Takes diagnostics."""

    found: list[Diagnostic] = field(default_factory=list)

    def __call__(self, diagnostic: Diagnostic) -> None:
        self.found.append(diagnostic)

    @property
    def codes(self) -> set[str]:
        return {one.code for one in self.found}


def synced(path: Path, *, told: Told | None = None) -> None:
    sync(open_repository(path), Options(), told or Told())


def pushed(path: Path, to: str = "origin", terms: Terms = Terms(), told: Told | None = None) -> Pushed:  # noqa: B008
    """Push what a repository has."""
    repo = open_repository(path)
    source = tip(path)
    assert source is not None
    return push(repo, target.named(repo, to), source, terms, hear=quiet, report=told or Told())


def exchanged(path: Path) -> None:
    """Fetch from the hub and merge."""
    repo = open_repository(path)
    fetch_companion(repo, target.named(repo, "origin"), quiet)
    synced(path)


def held(path: Path, revision: str = SESSIONS) -> set[str]:
    """The sessions of a companion ref, each of its bundles checked."""
    return {one.manifest["sessions"][0]["session"]["id"] for one in bundles(path, revision)}


def named(*numbers: int) -> set[str]:
    return {session(number) for number in numbers}


def linked(path: Path, revision: str = SESSIONS) -> set[tuple[str, str]]:
    """Every session with every commit that it is tied to."""
    return {
        (bundle.manifest["sessions"][0]["session"]["id"], record["commit"])
        for bundle in bundles(path, revision)
        for record in bundle.links
        if record["type"] == "vcs"
    }


def copied(paths: Sequence[Path], to: Path) -> list[Path]:
    """Repositories as they are, beside each other in another folder; those that were clones lead to the copy."""
    found = []
    for path in paths:
        new = to / path.name
        shutil.copytree(path, new, symlinks=True)
        found.append(new)
        if (new / ".git").is_dir():
            git(new, "remote", "set-url", "origin", str(to / paths[0].name))
    return found
