"""Objects that a partial clone left out, fetched from the remote that promised them: all at once, never one by one."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import TYPE_CHECKING

from git_asr.errors import AsrError
from git_asr.git.base import Objects, Repository
from git_asr.git.repository import is_true

if TYPE_CHECKING:
    from git_asr.git.fetching import Hear


def promisor(repo: Repository) -> str | None:
    """The name of the remote that promised what is not here; None where there is none."""
    old = repo.config.get("extensions.partialclone", ())
    named = (
        key[len("remote.") : -len(".promisor")]
        for key, values in repo.config.items()
        if key.startswith("remote.") and key.endswith(".promisor") and is_true(values[-1])
    )
    return next(iter((*old, *named)), None)


def absent(objects: Objects, oids: Iterable[str]) -> list[str]:
    """Those of some objects that are not here, each once."""
    return [oid for oid, size in objects.sizes(oids).items() if size is None]


def fetch_promised(repo: Repository, oids: Collection[str], hear: Hear) -> None:
    """Fetch objects with one Git.

    Raises:
        AsrError: no remote promised any, or it does not give them.
    """
    from git_asr.git.fetching import fetch_objects  # noqa: PLC0415  (only in partial clones)

    remote = promisor(repo)
    if remote is None:
        raise AsrError(f"{len(oids):,} objects are not here, and no remote has promised them")
    fetch_objects(repo, remote, sorted(oids), hear)
