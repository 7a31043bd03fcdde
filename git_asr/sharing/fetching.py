"""Fetching a companion ref to the ref here that stands for it; merging it is the business of the next sync."""

from __future__ import annotations

from git_asr.companion.names import REMOTES
from git_asr.errors import AsrError
from git_asr.git import refs
from git_asr.git.base import Repository
from git_asr.git.fetching import Hear, fetch
from git_asr.sharing.listing import listed
from git_asr.sharing.target import Target
from git_asr.values import dataclass


@dataclass(frozen=True, slots=True)
class Fetched:
    """What came. ``old``, ``new``: where ``tracking`` stood and stands; ``new``: None where the remote has none."""

    tracking: str
    old: str | None
    new: str | None


def fetch_companion(
    repo: Repository, target: Target, hear: Hear, *, whole: bool = False, dry_run: bool = False
) -> Fetched:
    """Fetch the companion ref of a remote, whatever became of it there; where it has none nothing is changed.

    ``whole``: also the files that a partial clone leaves out. ``dry_run``: only look.

    Raises:
        AsrError: the remote cannot be read, or the ref here cannot be moved.
    """
    tracking = target.tracking
    old = refs.read_ref(repo, tracking)
    new = listed(repo, target.address, target.ref, hear).companion
    whole = whole and repo.promisor
    if new is None or dry_run or (new == old and not whole):
        return Fetched(tracking, old, new)
    options = ("--no-filter", "--refetch") if whole else ()
    told = fetch(repo, target.address, [f"+{target.ref}:{tracking}"], hear, options)
    now = refs.read_ref(repo, tracking)
    if tracking in told.rejected and now == old:  # else another fetch was faster
        raise AsrError(
            f"{tracking} stays where it is: {told.rejected[tracking]}",
            hint=f"git for-each-ref {REMOTES}   shows what is in its way",
        )
    return Fetched(tracking, old, now)
