"""Commits that make the same change as others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence

from git_asr.errors import AsrError, Diagnostic, Report
from git_asr.git.base import Objects, Repository
from git_asr.git.changes import Change, Pair, changes, patch_ids, readable

Tick = Callable[[str, int, int], object]
"""Told what is compared, how many of it, and of how many."""
MOST = 200
"""Others that are found for one commit."""
_WHERE = "comparing changes"


class Alike:
    """Compares some commits with any others by what they change.

    First by digests of whole trees' differences, which cost little; patches are only made of commits that change the
    same files as one of the others. What cannot be compared is reported, and the rest is.
    """

    def __init__(
        self, repo: Repository, objects: Objects, commits: Iterable[str], report: Report, tick: Tick | None
    ) -> None:
        self._repo = repo
        self._objects = objects
        self._report = report
        self._tick = tick
        self._counts: Counter[str] = Counter()
        self._by_content: dict[bytes, dict[str, None]] = {}
        self._by_paths: dict[bytes, list[str]] = {}
        self._patches: dict[str, str] = {}
        self._asked: set[str] = set()
        for one in self._changes([(commit, None) for commit in commits]):
            self._by_content.setdefault(one.content, {})[one.commit] = None
            self._by_paths.setdefault(one.paths, []).append(one.commit)

    def to(self, pairs: Sequence[Pair]) -> Iterator[tuple[str, str]]:
        """Yield which of our commits makes the same change as which of these, each pair once."""
        met: set[tuple[str, str]] = set()
        near: dict[str, Change] = {}
        for one in self._changes(pairs):
            yield from self._met(one.commit, self._by_content.get(one.content, {}), met)
            if one.paths in self._by_paths:
                near[one.commit] = one
        self._patch(
            {commit for paths in {one.paths for one in near.values()} for commit in self._by_paths[paths]}
        )
        by_patch: dict[str, dict[str, None]] = {}
        for commit, patch in self._patches.items():
            by_patch.setdefault(patch, {})[commit] = None
        for commit, patch in self._patch_ids([pair for pair in pairs if pair[0] in near]):
            yield from self._met(commit, by_patch.get(patch, {}), met)

    def _met(
        self, other: str, commits: dict[str, None], met: set[tuple[str, str]]
    ) -> Iterator[tuple[str, str]]:
        for commit in list(commits):
            if self._counts[commit] >= MOST:
                del commits[commit]
            elif commit != other and (commit, other) not in met:
                met.add((commit, other))
                self._counts[commit] += 1
                yield commit, other

    def _patch(self, commits: set[str]) -> None:
        """Make the patch IDs of some of our commits, once."""
        self._patches.update(self._patch_ids([(one, None) for one in sorted(commits - self._asked)]))
        self._asked |= commits

    def _changes(self, pairs: Sequence[Pair]) -> Iterator[Change]:
        try:
            for done, one in enumerate(changes(self._repo, pairs), start=1):
                self._told("commits", done, len(pairs))
                yield one
        except AsrError as error:
            self._say(f"not all commits could be compared: {error.message}")

    def _patch_ids(self, pairs: Sequence[Pair]) -> Iterator[tuple[str, str]]:
        try:
            here = readable(self._repo, self._objects, pairs)
            if left := len(pairs) - len(here):
                self._say(f"{left} commits were compared by their trees alone: their files are not all here")
            for done, one in enumerate(patch_ids(self._repo, here), start=1):
                self._told("patches", done, len(here))
                yield one
        except AsrError as error:
            self._say(f"not all patches could be compared: {error.message}")

    def _told(self, stage: str, done: int, total: int) -> None:
        if self._tick is not None:
            self._tick(stage, done, total)

    def _say(self, message: str) -> None:
        self._report(Diagnostic("not-compared", _WHERE, message))
