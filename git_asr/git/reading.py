"""What both backends share: trees, commits and tags are parsed here, from the bytes that a backend reads.

Parsing them ourselves keeps the two alike (libgit2 rounds odd file modes and refuses names that are not UTF-8) and
works for both hash lengths.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections import OrderedDict
from typing import Self

from git_asr.errors import AsrError
from git_asr.git.base import ObjectAbsent, TreeEntry

LAST_SECOND = 253402300799
"""Epoch seconds of the end of the year 9999, the last time that RFC 3339 can write; later ones are cut to it."""

_HELD_ENTRIES = 20_000
_TAGS = 64

_ENTRY = {
    20: re.compile(rb"([0-7]{1,7}) ([^\0]+)\0(.{20})", re.DOTALL),
    32: re.compile(rb"([0-7]{1,7}) ([^\0]+)\0(.{32})", re.DOTALL),
}
_COMMIT = re.compile(rb"tree ([0-9a-f]{40,64})\n((?:parent [0-9a-f]{40,64}\n)*)")
_COMMITTER = re.compile(rb"^committer [^\n]*> *(\d+)", re.MULTILINE)
_TAG = re.compile(rb"object ([0-9a-f]{40,64})\ntype ")
_HEX = {40: re.compile(r"[0-9a-f]{40}"), 64: re.compile(r"[0-9a-f]{64}")}


def parse_tree(oid: str, data: bytes) -> tuple[TreeEntry, ...]:
    """Parse the body of a tree object; ``oid`` tells the hash length. Raises AsrError if the tree is damaged."""
    match = _ENTRY[len(oid) // 2].match
    entries = []
    at, end = 0, len(data)
    while at < end:
        found = match(data, at)
        if found is None:
            raise AsrError(f"tree {oid} is damaged")
        mode, name, raw = found.groups()
        entries.append(TreeEntry(name.decode("utf-8", "surrogateescape"), int(mode, 8), raw.hex()))
        at = found.end()
    return tuple(entries)


def parse_commit(oid: str, data: bytes) -> tuple[str, tuple[str, ...], int]:
    """Parse a commit object into tree, parents and committer time.

    The time is epoch seconds, at most ``LAST_SECOND``, and 0 where the commit holds none, as in ``history.walk``.
    Parents are those in the object, also where a shallow clone ends. Raises AsrError if the commit is damaged.
    """
    header = data.partition(b"\n\n")[0] + b"\n"
    links = _COMMIT.match(header)
    if links is None:
        raise AsrError(f"commit {oid} is damaged")
    parents = tuple(line.removeprefix("parent ") for line in links[2].decode("ascii").splitlines())
    committer = _COMMITTER.search(header, links.end())
    return links[1].decode("ascii"), parents, min(int(committer[1][:20]), LAST_SECOND) if committer else 0


def blob_of(found: tuple[str, bytes] | None) -> bytes | None:
    """Give the body of what ``read`` found, if it is a blob."""
    return found[1] if found is not None and found[0] == "blob" else None


class Reading(ABC):
    """The part of ``Objects`` that needs nothing but ``read``. A few trees are held, because look-ups repeat them."""

    def __init__(self, hex_length: int) -> None:
        self._id = _HEX[hex_length].fullmatch
        self._held: OrderedDict[str, tuple[TreeEntry, ...]] = OrderedDict()
        self._held_entries = 0

    @abstractmethod
    def read(self, oid: str) -> tuple[str, bytes] | None:
        """Read one object whole: its type and body, or None when it is absent. Raises AsrError if it is damaged."""

    def blob(self, oid: str) -> bytes | None:
        """See ``Objects.blob``."""
        return blob_of(self.read(oid))

    @abstractmethod
    def close(self) -> None:
        """Let go of processes and files."""

    def entries(self, tree: str) -> tuple[TreeEntry, ...]:
        """See ``Objects.entries``."""
        held = self._held.get(tree)
        if held is not None:
            self._held.move_to_end(tree)
            return held
        kind, data = self._must_read(tree)
        if kind != "tree":
            raise AsrError(f"object {tree} is a {kind}, not a tree")
        entries = parse_tree(tree, data)
        self._hold(tree, entries)
        return entries

    def lookup(self, tree: str, path: str) -> TreeEntry | None:
        """See ``Objects.lookup``. Raises ObjectAbsent or AsrError for a tree on the way that cannot be read."""
        found: TreeEntry | None = None
        for name in path.split("/"):
            if found is not None:
                if not found.is_tree:
                    return None
                tree = found.oid
            found = next((entry for entry in self.entries(tree) if entry.name == name), None)
            if found is None:
                return None
        return found

    def commit_tree(self, commit: str) -> str:
        """See ``Objects.commit_tree``."""
        return self.commit(commit)[0]

    def commit(self, commit: str) -> tuple[str, tuple[str, ...], int]:
        """See ``Objects.commit``; tags are peeled."""
        return parse_commit(*self._peeled(commit))

    def titled(self, commit: str) -> tuple[str, tuple[str, ...], str]:
        """See ``Objects.titled``; tags are peeled."""
        oid, data = self._peeled(commit)
        tree, parents, _ = parse_commit(oid, data)
        message = data.partition(b"\n\n")[2].lstrip(b"\n")
        return tree, parents, message.partition(b"\n")[0].decode("utf-8", "replace")

    def _peeled(self, commit: str) -> tuple[str, bytes]:
        """The ID and the body of the commit to which an object leads."""
        oid = commit
        for _ in range(_TAGS):
            kind, data = self._must_read(oid)
            if kind == "commit":
                return oid, data
            target = _TAG.match(data) if kind == "tag" else None
            if target is None:
                raise AsrError(f"object {commit} leads to a {kind}, not to a commit")
            oid = target[1].decode("ascii")
        raise AsrError(f"tag {commit} leads to more than {_TAGS} tags")

    def checked(self, oid: str) -> str:
        """Give an object ID back if it is one: full, lower-case hex. Raises AsrError otherwise."""
        if not self._id(oid):
            raise AsrError(f"no object ID of this repository: {oid!r}")
        return oid

    def _must_read(self, oid: str) -> tuple[str, bytes]:
        found = self.read(oid)
        if found is None:
            raise ObjectAbsent(oid)
        return found

    def _hold(self, tree: str, entries: tuple[TreeEntry, ...]) -> None:
        self._held[tree] = entries
        self._held_entries += len(entries)
        while self._held_entries > _HELD_ENTRIES:
            self._held_entries -= len(self._held.popitem(last=False)[1])

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()
