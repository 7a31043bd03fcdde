"""What commits change, in a few bytes each: for telling that two commits make the same change.

All is streamed: commits go to one Git in a file, answers come over a pipe, and nothing of a patch is kept.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence

from git_asr.git.base import Objects, Repository
from git_asr.git.process import Child, run_git
from git_asr.git.streaming import asked, entries
from git_asr.values import dataclass

Pair = tuple[str, str | None]
"""A commit and what it is compared with; None for its parent, a root with nothing."""

_ALIKE = ("--stdin", "-r", "--root", "--no-renames", "--ignore-submodules=none", "--no-color")
_NO_BLOBS = ("000000", "160000")
"""Modes of what is not there, and of a submodule."""
MOST_LOOKED_AT = 10_000
"""Commits in which removals are looked for: a few seconds' work in the largest trees."""
_FEW = 32
"""Up to so many folders Git itself compares nothing else; of more, the comparing takes longer than what it saves."""
_PATCH = ("-p", "--full-index", "--no-ext-diff", "--no-textconv")


@dataclass(frozen=True, slots=True)
class Change:
    """What a commit changes. ``paths``: a digest of the names of its files; ``content``: of these with their content
    before and after. In detail: its ``files`` (UTF-8 with surrogate escapes) and the ``blobs`` on both sides.
    """

    commit: str
    paths: bytes
    content: bytes
    files: tuple[str, ...]
    blobs: tuple[str, ...]


def changes(repo: Repository, pairs: Iterable[Pair], *, detailed: bool = False) -> Iterator[Change]:
    """What commits change, in the order asked. One that changes nothing, and a merge, are left out.

    Raises:
        AsrError: a tree is not here, or damaged. What was yielded before is right.
    """
    current: _Gathering | None = None
    tokens = entries(repo, map(_line, pairs), "diff-tree", *_ALIKE, "--raw", "-z")
    for token in tokens:
        if not token.startswith(b":"):
            if current is not None:
                yield current.change()
            current = _Gathering(token.decode("ascii", "replace"), detailed=detailed)
        elif current is not None:
            current.add(token, next(tokens, b""))
    if current is not None:
        yield current.change()


def patch_ids(repo: Repository, pairs: Iterable[Pair]) -> Iterator[tuple[str, str]]:
    """Commits with their stable patch IDs, in the order asked; those without a patch are left out.

    Equal patch IDs: the same lines in the same surroundings, wherever in the files (``git help patch-id``). What
    binary files hold counts since Git 2.39.

    Raises:
        AsrError: an object is not here, or damaged. What was yielded before is right.
    """
    with (
        asked(map(_line, pairs)) as file,
        Child(repo, "diff-tree", *_ALIKE, *_PATCH, stdin=file) as patches,
        Child(repo, "patch-id", "--stable", stdin=patches.output) as ids,
    ):
        last: tuple[str, str] | None = None
        rest = b""
        for chunk in ids.chunks():
            *lines, rest = (rest + chunk).split(b"\n")
            for line in lines:
                patch, _, commit = line.decode("ascii", "replace").partition(" ")
                if last is not None:
                    yield last
                last = commit, patch
        patches.finish()  # the last patch was cut off if this fails
        if last is not None:
            yield last


def removals(repo: Repository, tip: str, folders: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Which commit removed a file below which of some folders (paths with slashes), newest first.

    Only the newest commits behind a tip are looked at, ``MOST_LOOKED_AT`` of them.

    Raises:
        AsrError: the history or a tree is not here. What was yielded before is right.
    """
    wanted = frozenset(folders)
    depths = {one.count("/") + 1 for one in wanted}
    newest = (
        run_git(repo, "rev-list", f"--max-count={MOST_LOOKED_AT}", tip).decode("ascii", "replace").split()
    )
    few = folders if len(folders) <= _FEW else ()
    options = (*_ALIKE, "-m", "--raw", "-z", "--diff-filter=D", "--", *few)
    commit = ""
    tokens = entries(repo, newest, "--literal-pathspecs", "diff-tree", *options)
    for token in tokens:
        if not token.startswith(b":"):
            commit = token.decode("ascii", "replace")
            continue
        parts = next(tokens, b"").decode("utf-8", "surrogateescape").split("/")
        for folder in {"/".join(parts[:depth]) for depth in depths} & wanted:
            yield commit, folder


def readable(repo: Repository, objects: Objects, pairs: Iterable[Pair]) -> list[Pair]:
    """Those of some commits whose changed files are all in this repository, in a partial clone; elsewhere all.

    Raises:
        AsrError: a tree is not here, or damaged.
    """
    wanted = list(pairs)
    if not repo.promisor:
        return wanted
    found = {one.commit: one.blobs for one in changes(repo, wanted, detailed=True)}
    sizes = objects.sizes({oid for own in found.values() for oid in own})
    absent = {oid for oid, size in sizes.items() if size is None}
    return [pair for pair in wanted if absent.isdisjoint(found.get(pair[0], ()))]


class _Gathering:
    """Gathers one commit's raw entries, which Git gives in the order of their names."""

    def __init__(self, commit: str, *, detailed: bool) -> None:
        self._commit = commit
        self._detailed = detailed
        self._paths, self._content = hashlib.sha256(), hashlib.sha256()
        self._files: list[str] = []
        self._blobs: list[str] = []

    def add(self, entry: bytes, path: bytes) -> None:
        """Take in a raw entry, ``:<mode> <mode> <ID> <ID> <letter>``, and its path."""
        self._paths.update(path + b"\0")
        self._content.update(entry + b"\0" + path + b"\0")
        if self._detailed:
            self._files.append(path.decode("utf-8", "surrogateescape"))
            before, after, old, new, _ = entry[1:].decode("ascii", "replace").split(" ", 4)
            self._blobs += [oid for mode, oid in ((before, old), (after, new)) if mode not in _NO_BLOBS]

    def change(self) -> Change:
        digests = self._paths.digest()[:16], self._content.digest()[:16]
        return Change(self._commit, *digests, tuple(self._files), tuple(self._blobs))


def _line(pair: Pair) -> str:
    """What ``diff-tree --stdin`` reads."""
    commit, base = pair
    return commit if base is None else f"{commit} {base}"
