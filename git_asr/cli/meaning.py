"""What a text means that a person typed: a commit, a checkpoint or a session, or nothing, or several things."""

from __future__ import annotations

import re
from collections.abc import Sequence

from git_asr.asr.bundle import Manifest
from git_asr.cli.rewritten import gone, relatives
from git_asr.companion import lookup
from git_asr.companion.lookup import Candidate
from git_asr.entire.links import checkpoint_ids
from git_asr.errors import AsrError, Report, UsageError
from git_asr.git.base import Objects, Repository
from git_asr.git.history import PLAIN, resolve
from git_asr.git.process import run_git

_MOST = 5
"""Candidates that are named one by one."""


_CHECKPOINT = re.compile("[0-9a-f]{1,12}|[0-7][0-9A-Z]{0,25}")
"""What may be the beginning of a checkpoint's ID (``entire.links``)."""


def meant(
    repo: Repository, objects: Objects, tree: str | None, what: str, report: Report, *, streams: bool = False
) -> Candidate:
    """The commit, checkpoint or session that a text means; ``tree``: the companion's.

    ``streams``: what means none of these may be the beginning of a stream's ID, as of a subagent's.

    Raises:
        UsageError: none, or several.
        AsrError: a commit that no session is tied to.
    """
    try:
        commit = resolve(repo, what)
    except UsageError:
        commit = None
    if not what:
        raise _unknown(what)
    manifests = lookup.manifests(objects, tree, report)
    begun = _begun(objects, tree, manifests, what, named=commit is not None)
    if streams and commit is None and not begun:
        begun = _exact(lookup.streams(manifests, what), what)
    if commit is not None and all(one.id != what for one in begun):
        if begun and commit.startswith(what):  # an abbreviation, not the name of a branch or a tag
            raise _ambiguous(what, [Candidate("commit", commit, ()), *begun])
        found = lookup.of_commit(manifests, commit)
        if not found.sessions:
            raise _nothing_for(repo, commit, manifests)
        return found
    if not begun:
        raise gone(repo, manifests, what) or _unknown(what)
    if len(begun) > 1:
        raise _ambiguous(what, begun)
    return begun[0]


def _begun(
    objects: Objects, tree: str | None, manifests: Sequence[Manifest], what: str, *, named: bool
) -> list[Candidate]:
    """The checkpoints and sessions whose ID begins so; only those of this very ID where there are such.

    Which checkpoints there are is asked only if this may be one, or if it is nothing else: ``named`` tells whether it
    is a commit.
    """
    begun = lookup.sessions(manifests, what)
    if tree is not None and (_CHECKPOINT.fullmatch(what) or not (begun or named)):
        begun = lookup.checkpoints(objects, tree, manifests, what) + begun
    return _exact(begun, what)


def _exact(begun: list[Candidate], what: str) -> list[Candidate]:
    """Only what has this very ID, where there is such."""
    return [one for one in begun if one.id == what] or begun


def _unknown(what: str) -> AsrError:
    """Nothing has this name."""
    return UsageError(
        f"'{what}' is no commit, and no checkpoint or session begins so",
        hint="git asr sessions   lists the sessions, git asr log the commits",
    )


def _ambiguous(what: str, candidates: Sequence[Candidate]) -> AsrError:
    """Several things have a name that begins so."""
    listed = [f"  {one.kind} {one.id}" for one in candidates[:_MOST]]
    if (more := len(candidates) - _MOST) > 0:
        listed.append(f"  and {more} more")
    return UsageError(
        f"'{what}' is ambiguous", hint="\n".join(["more characters tell these apart:", *listed])
    )


def _nothing_for(repo: Repository, commit: str, manifests: Sequence[Manifest]) -> AsrError:
    """No session is tied to a commit: because it names no checkpoint, or one that is not here."""
    error = _why_nothing(repo, commit)
    if (akin := relatives(repo, manifests, commit)) is None:
        return error
    return AsrError(f"{error.message}; {akin[0]}", hint="\n".join([*akin[1], error.hint or ""]))


def _why_nothing(repo: Repository, commit: str) -> AsrError:
    said = run_git(repo, "log", "-1", *PLAIN, "--format=%P%n%B", commit, "--")
    parents, _, message = said.partition(b"\n")
    named = [one.checkpoint for one in checkpoint_ids(message)]
    lost = f"git asr link --suggest {commit[:12]}^!   looks for one that it may belong to"
    if not named:
        is_merge = len(parents.split()) > 1
        return AsrError(
            f"commit {commit[:12]} names no checkpoint, so no session is tied to it",
            hint="git asr log   shows which commits have sessions" if is_merge else lost,
        )
    ids = ", ".join([*named[:_MOST], *(["…"] if len(named) > _MOST else [])])
    why = (
        f"names checkpoint {ids}, and no session of it is here"
        if len(named) == 1
        else f"names {len(named)} checkpoints ({ids}), and no session of them is here"
    )
    return AsrError(f"commit {commit[:12]} {why}", hint=f"git asr sync   looks for them again\n{lost}")
