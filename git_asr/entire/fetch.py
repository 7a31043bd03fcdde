"""Fetching the refs that hold checkpoints, and what came of it."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Literal

from git_asr.entire.links import KEY, checkpoint_ids
from git_asr.entire.refspecs import LOCAL
from git_asr.entire.source import Source
from git_asr.git.base import Repository
from git_asr.git.fetching import Hear, fetch, fetch_objects, list_remote
from git_asr.git.history import walk
from git_asr.git.process import run_git
from git_asr.git.refs import list_refs
from git_asr.git.remotes import Refspec
from git_asr.git.repository import is_true
from git_asr.values import dataclass

_ROUNDS = 4
"""Folders, then files, and what a filter of the clone's own may leave out besides."""

Status = Literal["new", "updated", "current", "rejected"]


@dataclass(frozen=True, slots=True)
class Arrival:
    """A ref here that stands for one of the remote's. ``old`` and ``new``: where it stood and stands, None for nowhere.

    ``reason``: why Git left a rejected one where it is, in Git's words.
    """

    ref: str
    status: Status
    old: str | None
    new: str | None
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class Fetched:
    """What came: the refs by name, and how many objects that a partial clone had left out."""

    arrivals: tuple[Arrival, ...]
    objects: int = 0


def named_checkpoints(repo: Repository, revisions: Sequence[str]) -> list[str]:
    """The checkpoints that some commits name, each once. Raises UsageError: a revision is unknown."""
    found = walk(repo, revisions=revisions, needle=KEY.encode())
    return [*dict.fromkeys(one.checkpoint for commit in found for one in checkpoint_ids(commit.message))]


def fetch_checkpoints(repo: Repository, source: Source, refspecs: Sequence[Refspec], hear: Hear) -> Fetched:
    """Fetch with one Git; from the promisor of a partial clone also the files that it left out.

    Raises:
        AsrError: the remote cannot be read.
    """
    before = _refs(repo, refspecs)
    told = fetch(repo, source.address, refspecs, hear)
    after = _refs(repo, refspecs)
    arrivals = {
        name: Arrival(name, "updated" if name in before else "new", before.get(name), oid)
        for name, oid in after.items()
        if before.get(name) != oid
    }
    for name in told.current:
        arrivals.setdefault(name, Arrival(name, "current", after.get(name), after.get(name)))
    for name, reason in told.rejected.items():
        arrivals[name] = Arrival(name, "rejected", after.get(name), after.get(name), reason)
    objects = _complete(repo, source, after.values(), hear) if _is_promisor(repo, source) else 0
    return Fetched(tuple(arrivals[name] for name in sorted(arrivals)), objects)


def would_fetch(repo: Repository, source: Source, refspecs: Sequence[Refspec], hear: Hear) -> Fetched:
    """What a fetch would bring; whether a ref may move to where the remote has it is not known before.

    Raises:
        AsrError: the remote cannot be read.
    """
    here = _refs(repo, refspecs)
    arrivals: dict[str, Arrival] = {}
    sources = tuple(one.source for one in refspecs)
    for name, oid in list_remote(repo, source.address, hear).items():
        if name.startswith(sources):
            local = next(mapped for one in refspecs if (mapped := one.mapped(name)) is not None)
            old = here.get(local)
            status: Status = "new" if old is None else "current" if old == oid else "updated"
            arrivals[local] = Arrival(local, status, old, oid)
    return Fetched(tuple(arrivals[name] for name in sorted(arrivals)))


def _refs(repo: Repository, refspecs: Sequence[Refspec]) -> dict[str, str]:
    destinations = tuple(one.destination for one in refspecs)
    return {ref.name: ref.oid for ref in list_refs(repo, *LOCAL) if ref.name.startswith(destinations)}


def _is_promisor(repo: Repository, source: Source) -> bool:
    return source.remote is not None and is_true(
        repo.config.get(f"remote.{source.remote.name}.promisor", ("false",))[-1]
    )


def _complete(repo: Repository, source: Source, tips: Collection[str], hear: Hear) -> int:
    """Fetch what is absent of the trees at the tips, all in one go, never file by file; how many objects that were."""
    fetched = 0
    for _ in range(_ROUNDS):
        if missing := absent(repo, tips):
            fetch_objects(repo, source.address, missing, hear)
            fetched += len(missing)
    return fetched


def absent(repo: Repository, tips: Collection[str]) -> list[str]:
    """The objects that are not here of the trees at some tips, as far as it can be seen without them."""
    asked = "".join(f"{oid}\n" for oid in tips).encode()
    options = ("--objects", "--no-walk=unsorted", "--missing=print", "--stdin")
    listing = run_git(repo, "rev-list", *options, stdin=asked)
    return [line[1:].decode("ascii") for line in listing.split(b"\n") if line.startswith(b"?")]
