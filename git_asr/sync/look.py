"""A cheap look at the refs: is there anything that the last sync did not see?"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from fnmatch import translate
from pathlib import Path

from git_asr.companion.names import NOTES, REMOTES, SESSIONS
from git_asr.companion.state import State
from git_asr.companion.state_file import DamagedState, read_state
from git_asr.entire.links import WALK_EXCLUDES
from git_asr.entire.stores import registry
from git_asr.entire.stores.base import Store
from git_asr.git import refs
from git_asr.git.base import Ref, Repository
from git_asr.git.repository import worktrees
from git_asr.sync.settings import REQUIRE_SIGNED, SIGN, is_set
from git_asr.values import dataclass

TAKEN = "taken"
"""What the state remembers of orphans after a sync that took them all."""

_NOT_WALKED = re.compile("|".join(translate(glob) for glob in WALK_EXCLUDES))


@dataclass(frozen=True, slots=True)
class Seen:
    """The refs of a repository, as one look gives them.

    ``stores``: the preferred ones first. ``tips``: the objects from which the default walk begins. ``companion`` and
    ``notes``: where our own refs stand. ``remotes``: where the companion refs of remotes do. ``shallow``: what tells
    one border of a shallow clone from another, empty in a complete one. ``signs``, ``requires_signed``: what
    ``asr.sign`` and ``asr.requireSigned`` say.
    """

    stores: tuple[Store, ...]
    tips: frozenset[str]
    companion: str | None
    notes: str | None
    shallow: str
    remotes: frozenset[str] = frozenset()
    signs: bool = False
    requires_signed: bool = False

    @property
    def tips_digest(self) -> str:
        """The tips in a few characters."""
        return _digest("\n".join(sorted(self.tips)).encode())

    @property
    def remotes_digest(self) -> str:
        """The tips of remotes, and what must be signed, in a few characters."""
        rules = [f"{self.signs} {self.requires_signed}"] if self.signs or self.requires_signed else []
        return _digest("\n".join([*sorted(self.remotes), *rules]).encode())

    @property
    def stores_digest(self) -> str:
        """The stores and their tips in a few characters: there may be tens of thousands."""
        lines = "\n".join(f"{one.tip} {one.ref}" for one in self.stores)
        return _digest(lines.encode("utf-8", "surrogateescape"))


def directory(repo: Repository) -> Path:
    """Where local state lies."""
    return repo.common_dir / "asr"


def look(repo: Repository) -> Seen:
    """List all refs and the worktrees' heads; no object is read."""
    found = refs.list_refs(repo)
    heads = {tree.head for tree in worktrees(repo) if tree.head is not None}
    by_name = {ref.name: ref.oid for ref in found}
    return Seen(
        tuple(registry.discover(found)),
        frozenset(ref.oid for ref in found if is_walked(ref)) | heads,
        by_name.get(SESSIONS),
        by_name.get(NOTES),
        _border(repo.common_dir / "shallow"),
        frozenset(ref.oid for ref in found if _is_of_remote(ref)),
        signs=is_set(repo, SIGN),
        requires_signed=is_set(repo, REQUIRE_SIGNED),
    )


def is_walked(ref: Ref) -> bool:
    """Tell whether a ref holds work of the user's own, so that its commits are looked at."""
    return not _NOT_WALKED.match(ref.name)


def _is_of_remote(ref: Ref) -> bool:
    """Tell whether a ref is the companion ref of a remote, as it was fetched."""
    return ref.name.startswith(f"{REMOTES}/") and ref.name.endswith("/sessions")


def _border(path: Path) -> str:
    """The digest of the file that Git keeps in a shallow clone."""
    try:
        return _digest(path.read_bytes())
    except OSError:
        return ""


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:32]


def is_current(state: State, seen: Seen, exclusions: Iterable[str], *, orphans: bool) -> bool:
    """Tell whether the last sync saw just this, with these values of ``asr.exclude``, and took orphans if wanted."""
    return (
        state.meta("stores") == seen.stores_digest
        and state.meta("tips") == seen.tips_digest
        and (state.meta("shallow") or "") == seen.shallow
        and state.meta("companion") == seen.companion
        and state.meta("notes") == seen.notes
        and state.meta("remotes") == seen.remotes_digest
        and state.meta("exclusions") == joined(exclusions)
        and (not orphans or state.meta("orphans") == TAKEN)
    )


def joined(exclusions: Iterable[str]) -> str:
    """The values of ``asr.exclude`` as one text to compare."""
    return "\n".join(sorted(set(exclusions)))


def has_news(repo: Repository, exclusions: Iterable[str] = (), *, orphans: bool = False) -> bool:
    """Tell whether a sync would have something to look at (a new version of a converter aside)."""
    try:
        with read_state(directory(repo)) as state:
            return state is None or not is_current(state, look(repo), exclusions, orphans=orphans)
    except DamagedState:
        return True
