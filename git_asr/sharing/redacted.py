"""The redacted companion: of each session that may go the twin that a policy makes, in a history of its own.

What was made is remembered below the common directory's ``asr/``, by policy and session, so that a session is redacted
again only when it changed. The file can be deleted at any time.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

from git_asr.asr.bundle import MANIFEST, REDACTION, Manifest, Session
from git_asr.asr.header import SessionKey
from git_asr.asr.links import unite
from git_asr.companion import store
from git_asr.companion.exporting import bundle_of
from git_asr.companion.merge import SessionState, StreamState, sources, with_links
from git_asr.companion.private import make_folder, opener
from git_asr.companion.redacted import policy_of
from git_asr.companion.tree import session_path
from git_asr.errors import AsrError, Diagnostic, Report
from git_asr.git.base import TREE, Objects
from git_asr.git.fetching import Hear
from git_asr.git.trees import edit_tree, walk_files
from git_asr.git.writing import ObjectWriter
from git_asr.redaction.policy import Policy
from git_asr.redaction.redactor import Redactor
from git_asr.sharing.selection import Selection
from git_asr.values import dataclass

_FILE = "redacted.json"


@dataclass(slots=True)
class Redaction:
    """A policy at work on a companion. ``directory``: ``<common directory>/asr``; ``hear`` is told how far it is."""

    objects: Objects
    writer: ObjectWriter
    policy: Policy
    directory: Path
    hear: Hear
    report: Report

    def twins(self, chosen: Selection) -> dict[str, str]:
        """The twin of each session that was chosen, by its own path: an ID may be masked."""
        digest = _digest(self.policy)
        remembered = _remembered(self.directory / _FILE, digest)
        redactor = Redactor(self.policy)
        made: dict[str, tuple[str, str]] = {}
        for number, (path, session) in enumerate(chosen.trees.items(), start=1):
            found = remembered.get(session)
            if found is None or not self._is_here(found[1]):
                found = self._twin(redactor, path, session)
                self.hear(f"Redacting sessions: {number}/{len(chosen.trees)}\r", True)
            if found is not None:
                made[session] = found
        self.writer.finish()
        _remember(self.directory / _FILE, digest, made)
        return dict(made.values())

    def over(self, mine: str, theirs: str) -> str | None:
        """The tree of a twin that takes the place of an earlier one, whose links to other commits it keeps.

        None where the earlier one has more, or either was forgotten: then they are merged. A merge of two that say as
        much may keep the one in which the policy, before its file was edited, found less.
        """
        try:
            new, old = (store.load_bundle(self.objects, one) for one in (mine, theirs))
        except AsrError:
            return None
        if new.state.forgotten or old.state.forgotten or not _covers(new.state, old.state):
            return None
        streams = {
            name: _with_commits(one, old.state.streams.get(name)) for name, one in new.state.streams.items()
        }
        made = store.assemble(self.writer, replace(new.state, streams=streams), new.pool)
        return store.write_session(self.writer, self.objects, made.files)

    def _is_here(self, tree: str) -> bool:
        if self.objects.sizes([tree])[tree] is None:
            return False
        try:
            files = {entry.oid for _, entry in walk_files(self.objects, tree)}
        except AsrError:
            return False
        return None not in self.objects.sizes(files).values()

    def _twin(self, redactor: Redactor, path: str, session: str) -> tuple[str, str] | None:
        """Path and tree of a session's twin; None, and told, where nothing of it can be redacted."""
        stored = store.load_bundle(self.objects, session)
        key = stored.state.key
        if stored.state.forgotten is not None:
            return self._forgotten(redactor, key, stored.state.forgotten)
        around = edit_tree(self.objects, self.writer, None, {path: (TREE, session)})
        self.writer.finish()
        files: dict[str, str] = {}
        told = redactor.bundle(
            bundle_of(self.objects, str(around), [key]),
            lambda name, data: files.__setitem__(name, self.writer.blob(data)),
        )
        for one in told.left_out:
            self.report(Diagnostic("not-shared", one.what, f"left out: {one.reason}"))
        if not told.manifest.sessions:
            return None
        tree = store.write_session(self.writer, self.objects, files)
        return session_path(told.manifest.sessions[0].key), tree

    def _forgotten(
        self, redactor: Redactor, key: SessionKey, forgotten: Mapping[str, Any]
    ) -> tuple[str, str]:
        """The twin of a forgotten session says that it is forgotten, until when, and why."""
        masker = redactor.masker()
        own = SessionKey(masker.identifier(key.harness), masker.identifier(key.id), key.id_source)
        kept = {"reason": masker.text(str(forgotten.get("reason"))), "through": forgotten.get("through", 0)}
        meta = {REDACTION: {"policy": self.policy.record()}}
        manifest = Manifest((Session(own, ()),), shareable=True, forgotten=kept, meta=meta)
        tree = store.write_session(self.writer, self.objects, {MANIFEST: self.writer.blob(manifest.dump())})
        return session_path(own), tree


def _covers(new: SessionState, old: SessionState) -> bool:
    """Whether a session goes as far as an earlier version of it, and was made of all its checkpoints."""
    held = {checkpoint for checkpoint, _ in sources(new)}
    return all(checkpoint in held for checkpoint, _ in sources(old)) and all(
        name in new.streams and one.reach <= new.streams[name].reach for name, one in old.streams.items()
    )


def _with_commits(new: StreamState, old: StreamState | None) -> StreamState:
    """A stream with the links to commits that an earlier version has beside."""
    known = {record["id"] for record in new.links}
    more = (
        [] if old is None else [one for one in old.links if one["type"] == "vcs" and one["id"] not in known]
    )
    return with_links(new, unite(new.links, more)) if more else new


def made_otherwise(objects: Objects, tree: str, policy: Policy) -> Iterator[str]:
    """The paths of the sessions of a redacted companion that another policy made, or another version of it."""
    for path, manifest in store.manifests(objects, tree):
        if not isinstance(manifest, Manifest) or manifest.forgotten is not None:
            continue  # merging leaves the one out, and the other wins
        if policy_of(manifest) != policy.record():
            yield path


def _digest(policy: Policy) -> str:
    """Names all that a policy says: a file that was edited is another policy, whatever version it gives itself."""
    said = {one.name: getattr(policy, one.name) for one in fields(policy) if one.name != "patterns"}
    rules = [
        (one.name, one.kind, str(getattr(one.pattern, "pattern", one.pattern))) for one in policy.patterns
    ]
    return hashlib.sha256(json.dumps([said, rules], sort_keys=True).encode()).hexdigest()


def _remembered(path: Path, digest: str) -> dict[str, tuple[str, str]]:
    """The twins that were made by a policy, by the tree of the session."""
    try:
        said = json.loads(path.read_bytes())
        found = said["twins"] if said["policy"] == digest else {}
        return {tree: (str(at), str(twin)) for tree, (at, twin) in found.items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return {}


def _remember(path: Path, digest: str, made: Mapping[str, tuple[str, str]]) -> None:
    """Remember them; a file that cannot be written only costs time."""
    with suppress(OSError):
        make_folder(path.parent)
        part = path.with_suffix(".part")
        with open(part, "w", encoding="utf-8", opener=opener) as file:
            json.dump({"policy": digest, "twins": made}, file)
        part.replace(path)
