"""Which backend reads a repository: decided from its format, never by trial and error."""

from __future__ import annotations

from git_asr.errors import AsrError
from git_asr.git.base import Backend, Objects, Repository
from git_asr.git.plumbing import PlumbingObjects

_KNOWN = frozenset(
    {
        "noop",
        "objectformat",
        "preciousobjects",
        "refstorage",
        "relativeworktrees",
        "worktreeconfig",
        "partialclone",
    }
)
"""Extensions that libgit2 knows, or that change nothing for it; the values of two are judged on their own."""


def open_objects(repo: Repository, wanted: Backend = "auto") -> Objects:
    """Open the objects of a repository.

    Args:
        repo: as ``open_repository`` found it.
        wanted: ``auto`` takes libgit2 where it can read the repository, else Git; the others insist.

    Raises:
        AsrError: libgit2 is insisted on and cannot read this repository.
    """
    obstacle = None if wanted == "git" else libgit2_obstacle(repo)
    if wanted == "libgit2" and obstacle is not None:
        raise AsrError(
            f"libgit2 cannot read this repository: {obstacle}", hint="let Git read it: leave out libgit2"
        )
    if wanted == "git" or obstacle is not None:
        return PlumbingObjects(repo)
    from git_asr.git.libgit2 import LibgitObjects  # noqa: PLC0415  (75 ms that plumbing users do not pay)

    return LibgitObjects(repo)


def libgit2_obstacle(repo: Repository) -> str | None:
    """Say why libgit2 cannot read a repository, or None (reference git-integration, section 6)."""
    if repo.object_format != "sha1":
        return f"its object format is {repo.object_format}"
    if repo.ref_format != "files":
        return f"its ref format is {repo.ref_format}"
    unknown = sorted(set(repo.extensions) - _KNOWN)
    if unknown:
        return f"it uses the extension {unknown[0]}"
    return None
