"""From what a person types to the sessions of the companion ref: a commit, a checkpoint or a session."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from git_asr.asr import stream
from git_asr.asr.bundle import Manifest
from git_asr.asr.header import SessionKey
from git_asr.asr.links import CHECKPOINT, is_link
from git_asr.companion import store
from git_asr.git.base import Objects

Kind = Literal["commit", "checkpoint", "session"]


@dataclass(frozen=True, slots=True, order=True)
class Candidate:
    """Something that a text may mean. ``id``: in full; ``sessions``: those that it is or that stand behind it."""

    kind: Kind
    id: str
    sessions: tuple[SessionKey, ...]


def of_commit(objects: Objects, tree: str | None, commit: str) -> Candidate:
    """The sessions that a commit links; none where no record names it."""
    found = {
        session.key
        for manifest in _manifests(objects, tree)
        for session in manifest.sessions
        for one in session.streams
        if commit in (one.summary.get("commits") or ())
    }
    return Candidate("commit", commit, tuple(sorted(found)))


def beginning(objects: Objects, tree: str | None, text: str) -> list[Candidate]:
    """The checkpoints and sessions whose ID begins with a text; only those of this very ID where there are such."""
    found: dict[tuple[Kind, str], set[SessionKey]] = {}
    keys = [session.key for manifest in _manifests(objects, tree) for session in manifest.sessions]
    for key in keys:
        if key.id.startswith(text):
            found.setdefault(("session", key.id), set()).add(key)
    for key, checkpoint in _checkpoints(objects, tree, keys):
        if checkpoint.startswith(text):
            found.setdefault(("checkpoint", checkpoint), set()).add(key)
    exact = {one: held for one, held in found.items() if one[1] == text}
    return sorted(Candidate(*one, tuple(sorted(held))) for one, held in (exact or found).items())


def _manifests(objects: Objects, tree: str | None) -> Iterator[Manifest]:
    """The manifests that can be read, those of forgotten sessions too."""
    for _, manifest in store.manifests(objects, tree) if tree is not None else ():
        if isinstance(manifest, Manifest):
            yield manifest


def _checkpoints(
    objects: Objects, tree: str | None, keys: Iterable[SessionKey]
) -> Iterator[tuple[SessionKey, str]]:
    """Every checkpoint of every session, from their link records."""
    oids: list[tuple[SessionKey, str]] = []
    for key in keys:
        folder = None if tree is None else objects.lookup(tree, f"{store.session_path(key)}/sessions")
        if folder is not None and folder.is_tree:
            oids += (
                (key, one.oid) for one in objects.entries(folder.oid) if one.name.endswith("~links.jsonl")
            )
    for (key, _), data in zip(oids, objects.blobs(oid for _, oid in oids), strict=True):
        for record in stream.read([data or b""]):
            if isinstance(record, dict) and record["type"] == CHECKPOINT and is_link(record):
                yield key, record["id"]
