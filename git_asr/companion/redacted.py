"""Which companions are redacted: they never mix with full ones (profile section 8, *push*)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

from git_asr.asr.bundle import MANIFEST, REDACTION, Manifest, load
from git_asr.companion.tree import session_folders
from git_asr.errors import AsrError
from git_asr.git.base import Objects

_MOST_COMMITS = 1000
"""Commits of a companion that are looked at for one that tells whether it is redacted."""


def is_redacted(objects: Objects, commit: str) -> bool | None:
    """Whether a companion commit is of a redacted companion: all its sessions are; None where none can be read.

    A session that was forgotten says nothing of it; where there are no others an earlier commit does.
    """
    seen = {commit}
    todo = [commit]
    while todo and len(seen) < _MOST_COMMITS:
        try:
            tree, parents, _ = objects.commit(todo.pop(0))
            full = holds_full(objects, tree)
        except AsrError:
            continue
        if full is not None:
            return not full
        todo += [one for one in parents if one not in seen]
        seen.update(parents)
    return None


def holds_full(objects: Objects, tree: str) -> bool | None:
    """Whether a session of a companion tree is as it was recorded; None where none can be read that is not forgotten.

    Raises:
        AsrError: the tree cannot be read.
    """
    full: bool | None = None
    for _, _, manifest in _unforgotten(objects, tree):
        full = policy_of(manifest) is None
        if full:
            break
    return full


def twins(objects: Objects, tree: str) -> Iterator[tuple[str, str]]:
    """The path and the tree of each session of a companion tree that is redacted."""
    for path, session, manifest in _unforgotten(objects, tree):
        if policy_of(manifest) is not None:
            yield path, session


def policy_of(manifest: Manifest) -> object:
    """The policy that a manifest says to be redacted by; None where it does not."""
    found = manifest.meta.get(REDACTION)
    return found.get("policy") if manifest.shareable and isinstance(found, dict) else None


def _unforgotten(objects: Objects, tree: str) -> Iterator[tuple[str, str, Manifest]]:
    """The path, the tree and the manifest of each session that can be read and is not forgotten."""
    for path, session in session_folders(objects, tree):
        entry = objects.lookup(session, MANIFEST)
        with suppress(AsrError):
            manifest = load((entry and objects.blob(entry.oid)) or b"")
            if manifest.forgotten is None:
                yield path, session, manifest
