"""Lines of commits beside a history that may have been squashed into it."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping

from git_asr.git import graph
from git_asr.git.base import Ref, Repository
from git_asr.git.graph import Node
from git_asr.values import dataclass

LONGEST = 2000
"""Commits of a line; a longer one is no branch that was squashed."""

_PULL = re.compile(r"refs/(?:remotes/[^/]+/)?(?:pull|pulls|pr|merge-requests|mr)/([0-9]{1,9})(?:/head)?")
_NUMBER = re.compile(r"\((?:pull request )?[#!]([0-9]{1,9})\)\s*$")


@dataclass(frozen=True, slots=True)
class Branch:
    """A line of commits beside a history.

    ``tip``: its last commit; ``ref``: the name of the ref that leads there, if one does. ``base``: where it leaves the
    history, None where that is no single place. ``checkpoints``: those that its commits name. ``commits``: how many.
    """

    tip: str
    ref: str | None
    base: str | None
    checkpoints: tuple[str, ...]
    commits: int


def branches(
    repo: Repository,
    beside: Mapping[str, Node],
    tips: Mapping[str, str | None],
    named: Mapping[str, Collection[str]],
) -> Iterator[Branch]:
    """The lines that end at ``tips`` and have a commit that names a checkpoint.

    ``beside``: the commits that are not in the history. ``tips``: with the name of a ref that leads there. ``named``:
    the checkpoints that commits name.
    """
    for tip, ref in tips.items():
        line, left = _line(beside, tip)
        found = {checkpoint for one in line for checkpoint in named.get(one, ())}
        if found and len(line) <= LONGEST:
            base = graph.independent(repo, left) if len(left) > 1 else [*left]
            yield Branch(tip, ref, base[0] if len(base) == 1 else None, tuple(sorted(found)), len(line))


def _line(beside: Mapping[str, Node], tip: str) -> tuple[set[str], set[str]]:
    """The commits that a tip reaches beside the history, and those of the history where they leave it."""
    line, left = {tip}, set()
    todo = [tip]
    while todo and len(line) <= LONGEST:
        for parent in beside[todo.pop()].parents:
            if parent not in beside:
                left.add(parent)
            elif parent not in line:
                line.add(parent)
                todo.append(parent)
    return line, left


def forks(beside: Mapping[str, Node], order: Mapping[str, int]) -> dict[str, int]:
    """For each commit beside a history the place of the newest commit of the history that it builds on.

    ``order``: the places of the history's commits, the newest first; one without a place is older than all.
    """
    found: dict[str, int] = {}
    for oid in beside:
        todo = [oid]
        while todo:
            parents = beside[todo[-1]].parents
            if unknown := [one for one in parents if one in beside and one not in found]:
                todo += unknown
                continue
            places = (found[one] if one in beside else order.get(one, len(order)) for one in parents)
            found[todo.pop()] = min(places, default=len(order))
    return found


def pulls(refs: Collection[Ref]) -> dict[int, Ref]:
    """The refs of pull requests by their number; the nearest one where several have it."""
    found: dict[int, Ref] = {}
    for ref in sorted(refs, key=lambda one: (one.name.count("/"), one.name), reverse=True):
        if number := _PULL.fullmatch(ref.name):
            found[int(number[1])] = ref
    return found


def pull_number(subject: str) -> int | None:
    """The number of the pull request that ends a subject, as ``(#12)``."""
    found = _NUMBER.search(subject)
    return int(found[1]) if found else None
