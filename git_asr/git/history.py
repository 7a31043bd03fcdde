"""The walk over commits, for the trailers in their messages (reference git-integration, 3.3), and revisions by name."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta

from git_asr.errors import AsrError, UsageError
from git_asr.git.base import Commit, Repository
from git_asr.git.process import try_git
from git_asr.git.reading import LAST_SECOND
from git_asr.git.streaming import entries

PLAIN = (
    "-z",
    "--no-show-signature",
    "--no-notes",
    "--no-color",
    "--no-patch",
    "--no-mailmap",
    "--encoding=UTF-8",
)
"""Options of ``git log`` that keep the configuration from changing what it prints, or what it reads: Git would look for
``HEAD:.mailmap`` in a bare repository, and fail in a partial clone that has not got it.
"""
_FORMAT = "--format=%H %ct %cI%n%B"
_BAD_REVISION = re.compile(r"^git log: bad (?:revision|object) '?(.+?)'?$")
_OTHER_REVISION = re.compile(
    r"^git log: (log for .* only has.*|(?:no upstream|no such branch|HEAD does not point).*)"
)
_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)")
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def walk(
    repo: Repository,
    *,
    revisions: Sequence[str] | None,
    exclude_refs: Sequence[str] = (),
    heads: Sequence[str] = (),
    hidden: Sequence[str] = (),
    every_ref: bool = True,
    needle: bytes,
) -> Iterator[Commit]:
    """Yield the commits whose message contains ``needle`` (bytes, as they are), newest first; streamed.

    Args:
        repo: the repository.
        revisions: what the user typed: names, ranges, ``^exclusions``; only these are walked. None walks every ref
            and the HEAD of every worktree.
        exclude_refs: globs of complete ref names left out of "every ref" (``refs/heads/entire/*`` with all below it).
        heads: IDs of commits to walk besides "every ref".
        hidden: IDs of commits to leave out of "every ref" with all that they reach. IDs in ``heads`` and ``hidden``
            that no longer exist are left out.
        every_ref: False walks ``heads`` alone where ``revisions`` is None.
        needle: looked for in the raw message. Git ends a message at a NUL byte.

    Raises:
        UsageError: a revision is unknown or looks like an option.
        AsrError: the history is damaged, or git fails. Commits yielded before are right.
    """
    if revisions is None:
        # --ignore-missing must come first: options count in order, and a broken ref would end the walk
        refs = [*(f"--exclude={glob}" for glob in exclude_refs), "--all"] if every_ref else []
        selection = ["--ignore-missing", *refs]
        lines = [*heads, *(f"^{oid}" for oid in hidden)]
    else:
        selection = []
        lines = [checked(revision) for revision in revisions]
    try:
        for entry in logged(repo, lines, _FORMAT, *selection):
            if needle in entry and needle in (commit := _commit(entry)).message:
                yield commit
    except AsrError as error:
        raise refused(error) from None


def listed(repo: Repository, commits: Iterable[str]) -> Iterator[Commit]:
    """Yield commits by their IDs, in that order; one that is not here is left out. Raises AsrError if git fails."""
    return map(_commit, logged(repo, commits, _FORMAT, "--ignore-missing", "--no-walk=unsorted"))


def logged(
    repo: Repository, lines: Iterable[str], *options: str, config: Mapping[str, str] = {}
) -> Iterator[bytes]:
    """Yield what ``git log`` with ``PLAIN`` prints, an entry for each commit; streamed.

    ``lines``: names, ranges, ``^exclusions``; checked, or made here. Without any, and without ``--all`` among the
    options, there is no entry. ``config``: settings for this call. Raises AsrError as ``git.streaming.entries``.
    """
    asked = list(lines)
    if asked or "--all" in options:  # else git would walk HEAD
        yield from entries(repo, asked, "log", *PLAIN, *options, "--stdin", config=config)


def refused(error: AsrError) -> AsrError:
    """What Git says about a revision that the user typed, as wrong usage; any other error stays."""
    if bad := _BAD_REVISION.search(error.message):
        return _unknown(bad[1])
    if other := _OTHER_REVISION.search(error.message):
        return UsageError(other[1])
    return error


def resolve(repo: Repository, revision: str) -> str:
    """Give the ID of the commit that a revision names, tags peeled. Raises UsageError if it names none."""
    finished = try_git(repo, "rev-parse", "--verify", "--quiet", f"{checked(revision)}^{{commit}}")
    if finished.status:
        raise _unknown(revision)
    return finished.out.decode("ascii").strip()


def checked(revision: str) -> str:
    """Refuse what Git would read as an option or as several revisions."""
    if revision.startswith("-"):
        raise UsageError(
            f"'{revision}' is no revision", hint="name commits, branches, tags or ranges: `main~20..main`"
        )
    if not revision or re.search(r"[\n\0]", revision):
        raise _unknown(revision)
    return revision


def _unknown(revision: str) -> UsageError:
    if revision == "HEAD":
        return UsageError("HEAD leads to no commit", hint="name a branch that does: git branch --all")
    return UsageError(f"unknown revision '{revision}'", hint="list what there is: git log --oneline --all")


def _commit(entry: bytes) -> Commit:
    head, _, message = entry.partition(b"\n")
    oid, _, times = head.decode("ascii", "replace").partition(" ")
    committed, committed_at = when(times)
    return Commit(oid, committed_at, committed, message)


def expanded(value: str, placeholder: str) -> str:
    """What Git wrote for a placeholder: nothing where it left that as it is, since the commit has no such line."""
    return "" if value == placeholder else value


def when(times: str) -> tuple[int, str]:
    """A commit's time (of ``%ct %cI``) as epoch seconds, 0 where the commit has none, and as RFC 3339.

    The latter as Git wrote it, or in UTC where the commit has none, or an offset or year that RFC 3339 cannot say.
    Git writes UTC as ``+00:00`` before 2.45 and as ``Z`` since: it is the former here, so that records do not differ.
    """
    seconds, _, written = times.partition(" ")
    committed = min(int(seconds), LAST_SECOND) if seconds.isascii() and seconds.isdigit() else 0
    if _TIME.fullmatch(written):
        return committed, f"{written[:-1]}+00:00" if written.endswith("Z") else written
    return committed, (_EPOCH + timedelta(seconds=committed)).isoformat()
