"""The commits of a range with who made them and when, for views that list all of them."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from git_asr.errors import AsrError
from git_asr.git.base import Repository
from git_asr.git.history import checked, refused, split
from git_asr.git.process import Child

_OPTIONS = (
    "-z",
    "--no-show-signature",
    "--no-notes",
    "--no-color",
    "--no-patch",
    "--encoding=UTF-8",
    "--format=%H %P%n%aN%n%cI%n%s%n%B",
)


@dataclass(frozen=True, slots=True)
class Ranged:
    """A commit. ``parents``: full IDs. ``author``: name, by the mailmap. ``committed_at``: RFC 3339.

    ``message``: as it is in the commit, in UTF-8.
    """

    oid: str
    parents: tuple[str, ...]
    author: str
    committed_at: str
    subject: str
    message: bytes


def commits(repo: Repository, revisions: Sequence[str]) -> Iterator[Ranged]:
    """Yield the commits that ``revisions`` select (as for ``git log``), newest first; streamed.

    Raises:
        UsageError: a revision is unknown or looks like an option.
        AsrError: the history is damaged, or git fails.
    """
    lines = [checked(revision) for revision in revisions]
    with tempfile.TemporaryFile() as asked:
        asked.write(os.fsencode("".join(f"{line}\n" for line in lines)))
        asked.seek(0)
        with Child(repo, "log", *_OPTIONS, "--stdin", stdin=asked) as child:
            try:
                for entry in split(child.chunks()):
                    yield _commit(entry)
            except AsrError as error:
                raise refused(error) from None


def _commit(entry: bytes) -> Ranged:
    ids, author, committed_at, subject, message = entry.split(b"\n", 4)
    oid, *parents = ids.decode("ascii", "replace").split()
    who, when, said = (one.decode("utf-8", "surrogateescape") for one in (author, committed_at, subject))
    return Ranged(oid, tuple(parents), who, when, said, message)
