"""Refs: listing them, and moving several in one compare-and-swap transaction (reference git-integration, 5.4)."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Sequence
from pathlib import Path

from git_asr.errors import AsrError
from git_asr.git.base import Ref, RefRaced, RefUpdate, Repository
from git_asr.git.process import Finished, run_git, try_git

LOCK_WAIT = 2000
"""Milliseconds that Git waits for a lock file of somebody else."""
PATIENCE = dict.fromkeys(
    ("core.filesRefLockTimeout", "core.packedRefsTimeout", "reftable.lockTimeout"), str(LOCK_WAIT)
)
"""The settings by which it waits so long."""

_LOCKED = re.compile(rb"Unable to create '(.+?)': File exists")
_RACED = re.compile(
    rb"is at [0-9a-f]+ but expected|reference already exists|reference is missing but expected"
)


def list_refs(repo: Repository, *prefixes: str) -> list[Ref]:
    """List refs by name with the objects that they name, not peeled; one process whatever their number.

    ``prefixes``: complete names, or their beginning up to a slash (``refs/entire/checkpoints``); none for all.
    Refs whose content is no object ID are left out, as Git does; whether the object exists is not looked at.
    """
    listing = run_git(repo, "for-each-ref", "--format=%(objectname) %(refname)", *prefixes)
    refs = []
    for line in os.fsdecode(listing).split("\n")[:-1]:
        oid, _, name = line.partition(" ")
        refs.append(Ref(name, oid))
    return refs


def read_ref(repo: Repository, name: str) -> str | None:
    """Give the object that one ref names, or None where there is no such ref."""
    return next((ref.oid for ref in list_refs(repo, name) if ref.name == name), None)


def update_refs(repo: Repository, updates: Sequence[RefUpdate], message: str | None = None) -> None:
    """Move refs, all or none, each only from where it is expected to be. No reflog is begun.

    Symbolic refs are not followed, so that no ref but those named can move. ``message`` goes to reflogs that the user
    keeps anyway. Git itself waits for locks of others, up to two seconds.

    Raises:
        RefRaced: a ref was elsewhere; nothing was changed.
        AsrError: a lock stayed (it is named, with its age, and never removed), or Git refused.
    """
    if not updates:
        return
    commands = ["start", *(_command(update, repo.zero) for update in updates), "prepare", "commit", ""]
    finished = try_git(
        repo,
        "update-ref",
        *([] if message is None else ["-m", message]),
        "--no-deref",
        "--stdin",
        "-z",
        stdin=os.fsencode("\0".join(commands)),
        config={"core.logAllRefUpdates": "false", **PATIENCE},
        apart=True,  # a Git that is killed now would leave the locks of the refs in everybody's way
    )
    if finished.status:
        raise _why(repo, updates, finished)


def is_ancestor(repo: Repository, ancestor: str, descendant: str) -> bool:
    """Tell whether a commit is reachable from another; each is its own ancestor. Raises AsrError if one is absent."""
    finished = try_git(repo, "merge-base", "--is-ancestor", ancestor, descendant)
    if finished.status not in (0, 1):
        raise finished.failure()
    return finished.status == 0


def _command(update: RefUpdate, zero: str) -> str:
    """One line of ``update-ref --stdin -z``; an old value is always given, zeros for "must not exist"."""
    old = update.old or zero
    if update.new is None:
        return f"verify {update.name}\0{old}" if update.old is None else f"delete {update.name}\0{old}"
    return f"update {update.name}\0{update.new}\0{old}"


def _why(repo: Repository, updates: Sequence[RefUpdate], finished: Finished) -> AsrError:
    """Tell a lost race from the rest. Git's words differ between versions and ref formats, so the refs decide too."""
    error = finished.failure()
    if found := locked(finished.err):
        return found
    if _RACED.search(finished.err):
        return RefRaced(error.message)
    now = {ref.name: ref.oid for ref in list_refs(repo, *(update.name for update in updates))}
    if any(now.get(update.name) != update.old for update in updates):
        return RefRaced(error.message)
    return error


def locked(said: bytes) -> AsrError | None:
    """The error for a lock of somebody else that was in the way of a Git, by what it ``said``; None if none was."""
    named = _LOCKED.search(said)
    if named is None:
        return None
    lock = Path(os.fsdecode(named[1]))
    try:
        age = f"{max(0, int(time.time() - lock.stat().st_mtime))} seconds old"
    except OSError:
        age = "gone meanwhile"
    return AsrError(
        f"another process holds the lock {lock} ({age})",
        hint=f"if no Git process runs in this repository any more: rm '{lock}'",
    )
