"""The commits of a range and of what lies beside it, with their trees; no message is read but its subject."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence

from git_asr.errors import AsrError
from git_asr.git.base import Repository
from git_asr.git.history import checked, logged, refused
from git_asr.git.process import Child, run_git, try_git
from git_asr.git.streaming import asked
from git_asr.values import dataclass

MAX_SUBJECT = 300
"""Characters of a subject that are kept."""

_FORMAT = "--format=%H %T %at %P%n%s"
_OID = re.compile("[0-9a-f]{40}(?:[0-9a-f]{24})?")


@dataclass(frozen=True, slots=True)
class Node:
    """A commit in the graph. ``authored``: the author's time in epoch seconds; ``subject``: its beginning."""

    oid: str
    tree: str
    parents: tuple[str, ...]
    authored: int
    subject: str


def selected(repo: Repository, revisions: Sequence[str]) -> Iterator[Node]:
    """The commits that revisions and ranges select, as ``git log`` takes them, newest first; streamed.

    Raises:
        UsageError: a revision is unknown or looks like an option.
        AsrError: the history is damaged. Commits yielded before are right.
    """
    try:
        yield from _nodes(repo, [checked(one) for one in revisions])
    except AsrError as error:
        raise refused(error) from None


def beside(repo: Repository, heads: Iterable[str], tips: Iterable[str]) -> Iterator[Node]:
    """The commits that ``heads`` reach and ``tips`` do not; IDs that are not here are left out."""
    return _nodes(repo, [*heads, *(f"^{tip}" for tip in tips)], "--ignore-missing")


def listed(repo: Repository, commits: Iterable[str]) -> Iterator[Node]:
    """Just these commits; those that are not here are left out."""
    return _nodes(repo, commits, "--ignore-missing", "--no-walk=unsorted")


def tips(repo: Repository, revisions: Sequence[str]) -> list[str]:
    """The commits from which a walk over revisions and ranges begins."""
    said = run_git(repo, "rev-parse", "--revs-only", *map(checked, revisions)).decode("ascii", "replace")
    return [one for one in said.split() if _OID.fullmatch(one)]


def in_reflogs(repo: Repository) -> list[str]:
    """The commits that reflogs still hold."""
    finished = try_git(repo, "rev-list", "--ignore-missing", "--no-walk=unsorted", "--reflog")
    return finished.out.decode("ascii", "replace").split() if finished.status == 0 else []


def independent(repo: Repository, commits: Collection[str]) -> list[str]:
    """Those of some commits that no other of them reaches."""
    return run_git(repo, "merge-base", "--independent", *sorted(commits)).decode("ascii", "replace").split()


def walk_whole(repo: Repository, heads: Iterable[str]) -> None:
    """Walk all that commits reach, and look at nothing but whether it can be walked.

    Raises:
        AsrError: the history is damaged.
    """
    with asked(heads) as file, Child(repo, "rev-list", "--ignore-missing", "--stdin", stdin=file) as child:
        for _ in child.chunks():
            pass


def reached(repo: Repository, heads: Iterable[str], commits: Collection[str]) -> frozenset[str]:
    """Those of some commits that ``heads`` reach; heads that are not here are left out. Stops where all are found.

    Raises:
        AsrError: the history is damaged.
    """
    missing = {one.encode() for one in commits}
    found: set[str] = set()
    with asked(heads) as file, Child(repo, "rev-list", "--ignore-missing", "--stdin", stdin=file) as child:
        rest = b""
        for chunk in child.chunks() if missing else ():
            *lines, rest = (rest + chunk).split(b"\n")
            found.update(one.decode() for one in missing.intersection(lines))
            if len(found) == len(missing):
                break
    return frozenset(found)


def border(repo: Repository) -> frozenset[str]:
    """The commits of a shallow clone whose parents were not fetched."""
    try:
        return frozenset((repo.common_dir / "shallow").read_text("ascii", "replace").split())
    except OSError:
        return frozenset()


def _nodes(repo: Repository, lines: Iterable[str], *options: str) -> Iterator[Node]:
    return map(_node, logged(repo, lines, _FORMAT, *options))


def _node(entry: bytes) -> Node:
    head, _, subject = entry.partition(b"\n")
    oid, tree, authored, *parents = head.decode("ascii", "replace").split(" ")
    text = subject[: 4 * MAX_SUBJECT].decode("utf-8", "replace")[:MAX_SUBJECT]
    when = int(authored) if authored.isascii() and authored.isdecimal() else 0
    return Node(oid, tree, tuple(filter(None, parents)), when, text)
