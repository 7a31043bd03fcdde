"""Where the companion ref stands, and where its tree holds what (profile section 8).

What lists or asks whether something is new needs no more than this, which imports nothing that merges or writes.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator

from git_asr.asr.header import SessionKey
from git_asr.asr.ids import is_name, name
from git_asr.companion.names import SESSIONS
from git_asr.errors import AsrError
from git_asr.git import refs, trees
from git_asr.git.base import Objects, Repository
from git_asr.values import dataclass

_DEPTH = 3
"""Levels from the root to a session: harness, shard, name."""
_SHARD = re.compile("[0-9a-f]{2}")


def session_path(key: SessionKey) -> str:
    """Where the tree holds a session: ``<harness>/<two digits of the SHA-256 of the ID>/<name>``."""
    digest = hashlib.sha256(key.id.encode("utf-8", "surrogatepass")).hexdigest()
    return f"{name(key.harness)}/{digest[:2]}/{name(key.id)}"


@dataclass(frozen=True, slots=True)
class Tip:
    """Where the companion ref stands.

    ``commit``: None where there is no companion ref yet. ``tree``: its tree. ``parents``: the parents of the next
    commit: exchanged commits only, since one that was never exchanged is replaced. ``date``: the date of the newest
    of those parents, 0 without any. ``base``: the tree of what was exchanged, merged, and ``base_commit`` the commit
    for just that tree; None where nothing was. ``replaced``: the exchanged commits in whose place the next commit
    stands, without parents (``companion.compaction``).
    """

    commit: str | None
    tree: str | None
    parents: tuple[str, ...]
    date: int
    base: str | None = None
    base_commit: str | None = None
    replaced: frozenset[str] = frozenset()


def read_tip(repo: Repository, objects: Objects) -> Tip:
    """Look where the companion ref stands; what the next commit builds on is not asked (``with_parents``)."""
    commit = refs.read_ref(repo, SESSIONS)
    if commit is None:
        return Tip(None, None, (), 0)
    try:
        tree = objects.commit_tree(commit)
        _check_layout(objects, tree)
    except AsrError as error:
        raise AsrError(
            f"{SESSIONS} is damaged: {error.message}", hint=f"git update-ref -d {SESSIONS}"
        ) from error
    return Tip(commit, tree, (), 0)


def _check_layout(objects: Objects, tree: str) -> None:
    """Refuse a tree that is none of ours: no folder of it has a shard of two digits. More may lie beside those.

    Raises:
        AsrError: it holds other things only.
    """
    listed = objects.entries(tree)
    folders = (one.oid for one in listed if one.is_tree and is_name(one.name))
    shards = (one for folder in folders for one in objects.entries(folder))
    if listed and not any(one.is_tree and _SHARD.fullmatch(one.name) for one in shards):
        raise AsrError(f"it holds {listed[0].name!r}, and no sessions")


def session_folders(objects: Objects, tree: str) -> Iterator[tuple[str, str]]:
    """The path and the tree of everything that stands where sessions do."""
    for harness in objects.entries(tree):
        for shard in objects.entries(harness.oid) if harness.is_tree and is_name(harness.name) else ():
            for session in objects.entries(shard.oid) if shard.is_tree else ():
                if session.is_tree:
                    yield f"{harness.name}/{shard.name}/{session.name}", session.oid


def changed_sessions(
    objects: Objects, old: str | None, new: str | None
) -> Iterator[tuple[str, str | None, str | None]]:
    """The sessions that differ between two companion trees: path, and the trees (see ``trees.changed_trees``)."""
    return trees.changed_trees(objects, old, new, _DEPTH)
