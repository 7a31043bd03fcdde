"""The commits of a range with who made them and when, for views that list all of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from git_asr.errors import AsrError
from git_asr.git.base import Repository
from git_asr.git.history import checked, expanded, logged, refused, when
from git_asr.git.process import try_git
from git_asr.values import dataclass

_FORMAT = "--format=%H %P%n%ct %cI%n%aN%n%s%n%B"


@dataclass(frozen=True, slots=True)
class Ranged:
    """A commit. ``parents``: full IDs. ``author``: name, by the mailmap; empty where there is none.

    ``committed``, ``committed_at``: as in ``git.base.Commit``. ``message``: as it is in the commit, in UTF-8.
    """

    oid: str
    parents: tuple[str, ...]
    author: str
    committed: int
    committed_at: str
    subject: str
    message: bytes


def commits(repo: Repository, revisions: Sequence[str]) -> Iterator[Ranged]:
    """Yield the commits that ``revisions`` select (as for ``git log``; without any, none), newest first; streamed.

    Raises:
        UsageError: a revision is unknown or looks like an option.
        AsrError: the history is damaged, or git fails.
    """
    lines = [checked(revision) for revision in revisions]
    try:
        yield from map(_commit, logged(repo, lines, _FORMAT, config=_mailmap(repo)))
    except AsrError as error:
        raise refused(error) from None


def listed(repo: Repository, oids: Iterable[str]) -> Iterator[Ranged]:
    """Yield commits by their IDs, in that order; one that is not here is left out. Raises AsrError if git fails."""
    options = ("--ignore-missing", "--no-walk=unsorted")
    return map(_commit, logged(repo, oids, _FORMAT, *options, config=_mailmap(repo)))


def _mailmap(repo: Repository) -> dict[str, str]:
    """Where Git, which runs outside the work tree, finds the mailmap; none that a partial clone has not got.

    Links are not followed, as Git does not in a work tree.
    """
    config = {}
    if repo.work_tree is not None and "mailmap.file" not in repo.config:
        file = repo.work_tree / ".mailmap"
        if file.is_file() and not file.is_symlink():
            config["mailmap.file"] = str(file)
    if repo.promisor:
        blob = repo.config.get("mailmap.blob", ("HEAD:.mailmap",))[-1]
        if try_git(repo, "cat-file", "-e", blob).status:
            config["mailmap.blob"] = ""
    return config


def _commit(entry: bytes) -> Ranged:
    ids, times, author, subject, message = entry.split(b"\n", 4)
    oid, *parents = ids.decode("ascii", "replace").split()
    committed, committed_at = when(times.decode("ascii", "replace"))
    who, said = (one.decode("utf-8", "surrogateescape") for one in (author, subject))
    return Ranged(oid, tuple(parents), expanded(who, "%aN"), committed, committed_at, said, message)
