"""What a remote has: its companion ref, and the refs that hold checkpoints."""

from __future__ import annotations

from collections.abc import Mapping

from git_asr.entire.stores import registry
from git_asr.entire.stores.base import Store
from git_asr.git.base import Ref, Repository
from git_asr.git.fetching import Hear, list_remote
from git_asr.values import dataclass


@dataclass(frozen=True, slots=True)
class Listing:
    """A remote as it was just listed. ``companion``: the commit of its companion ref; ``stores``: its checkpoints."""

    companion: str | None
    stores: tuple[Store, ...]


def listed(repo: Repository, address: str, ref: str, hear: Hear) -> Listing:
    """List a remote. ``ref``: the name of its companion ref. Raises AsrError as ``fetching.list_remote``.

    Stores are looked for by all names that they have in a repository: a remote may be a mirror, or somebody's clone.
    """
    found = list_remote(repo, address, hear, lambda name: name == ref or "/entire/" in name)
    return Listing(found.get(ref), _stores(found))


def _stores(found: Mapping[str, str]) -> tuple[Store, ...]:
    return tuple(registry.discover(Ref(name, oid) for name, oid in found.items()))


def quiet(piece: str, is_progress: bool) -> None:
    """Hear nothing of what Git says."""
