"""What is said of a commit without a session where one that it was rewritten from, or into, has one."""

from __future__ import annotations

from collections.abc import Iterable

from git_asr.asr.bundle import Manifest
from git_asr.companion.lookup import linked
from git_asr.companion.rewrites import Rewrites, pairs
from git_asr.errors import AsrError
from git_asr.git.base import Repository
from git_asr.sync.look import directory

_MOST = 5
"""Commits that are named one by one."""
_SHORTEST = 4
"""Digits of an ID that may be the beginning of that of a commit, as in Git."""


def relatives(repo: Repository, manifests: Iterable[Manifest], commit: str) -> tuple[str, list[str]] | None:
    """The end of a sentence about a commit, and hints; None where no commit with a session is known to be akin."""
    rewrites, known = Rewrites(pairs(directory(repo))), linked(manifests)
    for way, found in (
        ("from", rewrites.origins(commit, known.__contains__)),
        ("into", rewrites.outcomes(commit, known.__contains__)),
    ):
        if found:
            which = (
                f"commit {found[0][:12]}, which has" if len(found) == 1 else f"{len(found)} commits that have"
            )
            return f"it was rewritten {way} {which} one", [
                f"git asr show {one[:12]}" for one in found[:_MOST]
            ]
    return None


def gone(repo: Repository, manifests: Iterable[Manifest], what: str) -> AsrError | None:
    """The error for the beginning of an ID, or all of it, of a commit that was rewritten and is not here any more."""
    olds = Rewrites(pairs(directory(repo))).olds(what) if len(what) >= _SHORTEST else []
    found = relatives(repo, manifests, olds[0]) if len(olds) == 1 else None
    if found is None:
        return None
    return AsrError(f"commit {olds[0][:12]} is not here any more; {found[0]}", hint="\n".join(found[1]))
