"""From what a person types to the sessions of the companion ref: a commit, a checkpoint, a session or a stream."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Set
from typing import Literal

from git_asr.asr import stream
from git_asr.asr.bundle import Manifest
from git_asr.asr.draft import Record
from git_asr.asr.header import SessionKey
from git_asr.asr.links import CHECKPOINT, checkpoint_of, is_link, standing
from git_asr.asr.parts import LINKS_END
from git_asr.companion import store
from git_asr.companion.tree import session_path
from git_asr.errors import Diagnostic, Report
from git_asr.git.base import Objects
from git_asr.values import dataclass
from git_asr.views.session_format import Tie

Kind = Literal["commit", "checkpoint", "session", "stream"]


@dataclass(frozen=True, slots=True, order=True)
class Candidate:
    """Something that a text may mean. ``id``: in full; ``sessions``: those that it is or that stand behind it."""

    kind: Kind
    id: str
    sessions: tuple[SessionKey, ...]


def manifests(objects: Objects, tree: str | None, report: Report) -> list[Manifest]:
    """The manifests of a companion tree, those of forgotten sessions too; what cannot be read is reported."""
    found = []
    for path, manifest in store.manifests(objects, tree) if tree is not None else ():
        if isinstance(manifest, Manifest):
            found.append(manifest)
        else:
            report(Diagnostic("damaged-bundle", path, manifest.message, "git asr sync --full"))
    return found


def of_commit(manifests: Iterable[Manifest], commit: str) -> Candidate:
    """The sessions that a commit links; none where no record names it."""
    return Candidate("commit", commit, of_commits(manifests, {commit}))


def of_commits(manifests: Iterable[Manifest], commits: Set[str]) -> tuple[SessionKey, ...]:
    """The sessions that one of some commits links, sorted."""
    found = {
        session.key
        for manifest in manifests
        for session in manifest.sessions
        for one in session.streams
        if not commits.isdisjoint(one.summary.get("commits") or ())
    }
    return tuple(sorted(found))


def linked(manifests: Iterable[Manifest]) -> set[str]:
    """Every commit that a session is tied to."""
    return {
        commit
        for manifest in manifests
        for session in manifest.sessions
        for one in session.streams
        for commit in one.summary.get("commits") or ()
    }


def sessions(manifests: Iterable[Manifest], text: str) -> list[Candidate]:
    """The sessions whose ID begins with a text."""
    return _candidates("session", ((key, key.id) for key in _keys(manifests)), text)


def streams(manifests: Iterable[Manifest], text: str) -> list[Candidate]:
    """The streams whose ID begins with a text and is not their session's: of subagents, and of lines of a history."""
    named = (
        (session.key, one.stream)
        for manifest in manifests
        for session in manifest.sessions
        for one in session.streams
        if one.stream != session.key.id
    )
    return _candidates("stream", named, text)


def checkpoints(objects: Objects, tree: str, manifests: Iterable[Manifest], text: str) -> list[Candidate]:
    """The checkpoints whose ID begins with a text. Reads the link records of every session."""
    return _candidates("checkpoint", _checkpoints(objects, tree, _keys(manifests)), text)


def _candidates(kind: Kind, named: Iterable[tuple[SessionKey, str]], text: str) -> list[Candidate]:
    found: dict[str, set[SessionKey]] = {}
    for key, identifier in named:
        if identifier.startswith(text):
            found.setdefault(identifier, set()).add(key)
    return [Candidate(kind, one, tuple(sorted(held))) for one, held in sorted(found.items())]


def _keys(manifests: Iterable[Manifest]) -> list[SessionKey]:
    return [session.key for manifest in manifests for session in manifest.sessions]


def ties(objects: Objects, tree: str | None, key: SessionKey) -> dict[str, Tie]:
    """What ties a session to each of its commits, from its link records."""
    found: dict[str, list[Record]] = {}
    for _, record in _links(objects, tree, [key]) if tree is not None else ():
        found.setdefault(record["type"], []).append(record)
    links: dict[str, list[Record]] = {}
    for record in standing(found.get("vcs", ())):
        links.setdefault(record["commit"], []).append(record)
    return {
        commit: Tie(
            tuple(sorted({checkpoint_of(one) for one in own})),
            tuple(sorted({one["evidence"] for one in own if isinstance(one.get("evidence"), str)})),
        )
        for commit, own in links.items()
    }


def _checkpoints(objects: Objects, tree: str, keys: Iterable[SessionKey]) -> Iterator[tuple[SessionKey, str]]:
    """Every checkpoint of every session, from their link records."""
    return ((key, one["id"]) for key, one in _links(objects, tree, keys) if one["type"] == CHECKPOINT)


def _links(objects: Objects, tree: str, keys: Iterable[SessionKey]) -> Iterator[tuple[SessionKey, Record]]:
    """The link records of some sessions that are of use."""
    oids: list[tuple[SessionKey, str]] = []
    for key in keys:
        folder = objects.lookup(tree, f"{session_path(key)}/sessions")
        if folder is not None and folder.is_tree:
            oids += ((key, one.oid) for one in objects.entries(folder.oid) if one.name.endswith(LINKS_END))
    for (key, _), data in zip(oids, objects.blobs(oid for _, oid in oids), strict=True):
        for record in stream.read([data or b""]):
            if isinstance(record, dict) and is_link(record):
                yield key, record
