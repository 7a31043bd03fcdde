"""What is fetched of a repository in order to convert it: the refs that a sync would look at."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping

from git_asr.entire.stores import registry
from git_asr.git.base import Ref
from git_asr.sync.look import is_walked
from git_asr.values import dataclass


@dataclass(frozen=True, slots=True)
class Selection:
    """The refs of a source that count, by name.

    ``stores``: those that hold checkpoints, needed whole. ``walked``: those that lead to commits, of which the messages
    are needed.
    """

    stores: Mapping[str, str]
    walked: Mapping[str, str]

    @property
    def refs(self) -> dict[str, str]:
        """All of them."""
        return {**self.walked, **self.stores}

    def digest(self, *more: str) -> str:
        """The refs with what they name, and what else decides what is made of them, in a few characters."""
        lines = "\n".join([*(f"{oid} {name}" for name, oid in sorted(self.refs.items())), *more])
        return hashlib.sha256(lines.encode("utf-8", "surrogateescape")).hexdigest()[:32]


def select(listed: Mapping[str, str]) -> Selection:
    """Choose among the refs that a remote lists: what a sync in a mirror would look at."""
    found = [Ref(name, oid) for name, oid in listed.items()]
    stores = {one.ref: one.tip for one in registry.discover(found)}
    walked = {ref.name: ref.oid for ref in found if is_walked(ref) and ref.name not in stores}
    return Selection(stores, walked)


def refspecs(wanted: Iterable[str], listed: Iterable[str]) -> list[str]:
    """Refspecs that fetch these refs to their own names, and no others of those listed: patterns wherever they can be,
    for Git looks through the whole list for each that is none.
    """
    return [f"+{one}:{one}" for one in _patterns("refs/", set(wanted), sorted(listed))]


def _patterns(prefix: str, wanted: set[str], listed: list[str]) -> Iterator[str]:
    """``listed``: sorted, and all with the prefix."""
    if all(name in wanted for name in listed):
        yield f"{prefix}*"
        return
    groups: dict[str, list[str]] = {}
    for name in listed:
        head, slash, _ = name[len(prefix) :].partition("/")
        groups.setdefault(f"{prefix}{head}{slash}", []).append(name)
    for key, names in groups.items():
        if not key.endswith("/"):
            yield from (name for name in names if name in wanted)
        elif any(name in wanted for name in names):
            yield from _patterns(key, wanted, names)
