"""The types with which everything above talks about Git: objects, refs, commits. Two backends serve them."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Mapping
from dataclasses import field
from pathlib import Path
from typing import Literal, Protocol, Self

from git_asr.errors import AsrError
from git_asr.values import dataclass

Backend = Literal["auto", "libgit2", "git"]
"""How objects are read."""

FILE = 0o100644
TREE = 0o040000


@dataclass(frozen=True, slots=True)
class Repository:
    """A repository as the probe found it; paths are absolute.

    ``extensions``: the ``extensions.*`` keys of its configuration, lower case, with their values.
    ``promisor``: objects may be absent by promise (partial clone). ``config``: the whole resolved configuration as
    it was when the repository was opened (`repository.configuration` reads it); kept out of ``repr``, since values
    may hold credentials.
    """

    git_dir: Path
    common_dir: Path
    work_tree: Path | None
    object_format: str
    ref_format: str
    extensions: Mapping[str, str]
    shallow: bool
    promisor: bool
    config: Mapping[str, tuple[str, ...]] = field(default_factory=dict, repr=False, compare=False)

    @property
    def hex_length(self) -> int:
        """Digits of an object ID: 40 or 64."""
        return 64 if self.object_format == "sha256" else 40

    @property
    def zero(self) -> str:
        """The object ID that means "no object"."""
        return "0" * self.hex_length

    @property
    def top(self) -> Path:
        """Where relative paths of the configuration count from: the worktree, or the git directory without one."""
        return self.work_tree if self.work_tree is not None and self.work_tree.is_dir() else self.git_dir


@dataclass(frozen=True, slots=True)
class TreeEntry:
    """One entry of a tree. ``name``: UTF-8 with surrogate escapes; ``mode``: the number in the object."""

    name: str
    mode: int
    oid: str

    @property
    def is_tree(self) -> bool:
        """Whether the entry is itself a tree."""
        return self.mode == TREE

    @property
    def is_blob(self) -> bool:
        """Whether the entry is an ordinary or executable file (no link, no submodule)."""
        return self.mode in (0o100644, 0o100755, 0o100664)


class ObjectAbsent(AsrError):
    """An object that is needed is not in the repository."""

    def __init__(self, oid: str) -> None:
        super().__init__(f"object {oid} is not in this repository")
        self.oid = oid


class Objects(Protocol):
    """Reads objects. Object IDs are full lower-case hex. Absence is an answer (None), damage an AsrError."""

    def entries(self, tree: str) -> tuple[TreeEntry, ...]:
        """The entries of one tree, in Git's order. Raises ObjectAbsent; AsrError if it is no tree."""
        ...

    def lookup(self, tree: str, path: str) -> TreeEntry | None:
        """The entry at a path with slashes below a tree, or None."""
        ...

    def blob(self, oid: str) -> bytes | None:
        """The content of one blob; None when it is absent here or no blob."""
        ...

    def blobs(self, oids: Iterable[str]) -> Generator[bytes | None, None, None]:
        """The contents of many blobs, streamed in the order asked; None as in ``blob``.

        Who leaves the stream early closes it.
        """
        ...

    def sizes(self, oids: Iterable[str]) -> dict[str, int | None]:
        """The sizes in bytes of many objects, without reading them; None when absent."""
        ...

    def commit_tree(self, commit: str) -> str:
        """The tree of a commit (tags are peeled). Raises ObjectAbsent; AsrError if it leads to no commit."""
        ...

    def commit(self, commit: str) -> tuple[str, tuple[str, ...], int]:
        """Tree, parents and committer time (epoch seconds) of a commit."""
        ...

    def titled(self, commit: str) -> tuple[str, tuple[str, ...], str]:
        """Tree, parents and subject (its first line, as UTF-8 with replacements) of a commit."""
        ...

    def rest(self) -> None:
        """End child processes, and the threads that watch them: a later question starts others."""
        ...

    def close(self) -> None:
        """End child processes for good."""
        ...

    def __enter__(self) -> Self: ...

    def __exit__(self, *exc: object) -> None: ...


@dataclass(frozen=True, slots=True)
class Ref:
    """A ref and the object that it names (not peeled)."""

    name: str
    oid: str


@dataclass(frozen=True, slots=True)
class RefUpdate:
    """Move ``name`` from ``old`` to ``new``; None for "does not exist"."""

    name: str
    new: str | None
    old: str | None


class RefRaced(AsrError):
    """A ref was not where the update expected it: read it again and retry."""


@dataclass(frozen=True, slots=True)
class Commit:
    """A commit as the history walk gives it. ``committed_at``: RFC 3339 with the committer's own offset.

    ``committed``: the same as epoch seconds. ``message`` is the raw message, re-encoded to UTF-8 by Git where the
    commit names an encoding.
    """

    oid: str
    committed_at: str
    committed: int
    message: bytes


@dataclass(frozen=True, slots=True)
class Worktree:
    """A worktree of the repository: its folder and the commit of its HEAD (None while unborn).

    ``branch``: the full name of the branch that is checked out, None while HEAD is detached.
    """

    path: Path
    head: str | None
    branch: str | None = None
