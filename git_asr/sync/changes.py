"""From tips that moved to the checkpoints, commits and groups of sessions that changed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from git_asr.companion.state import FolderRow, LocationRow, State, TrailerRow
from git_asr.entire.contents import Checkpoint, SessionFolder, merit, read_checkpoints
from git_asr.entire.links import KEY, checkpoint_ids
from git_asr.entire.sessions import blobs, stored_id
from git_asr.entire.stores import registry
from git_asr.entire.stores.base import Cleared, Location, Removed, Store
from git_asr.errors import AsrError, Diagnostic, Report
from git_asr.git import refs
from git_asr.git.base import Objects, Repository
from git_asr.git.history import walk
from git_asr.sync.look import Seen

ABSENT_TIP = "absent-commit"
"""A ref leads to a commit that is not here."""


@dataclass(slots=True)
class Loaded:
    """Groups of session folders as read: their checkpoints by ID, their folders by group, the transcripts' sizes."""

    checkpoints: dict[str, Checkpoint]
    folders: dict[str, list[SessionFolder]]
    sizes: dict[str, int | None]

    def add(self, other: Loaded) -> None:
        """Take in more groups."""
        self.checkpoints |= other.checkpoints
        self.folders |= other.folders
        self.sizes |= other.sizes


class Changes:
    """Compares the repository with the local state and brings the state up to date, step by step."""

    def __init__(
        self, repo: Repository, objects: Objects, state: State, stores: Sequence[Store], report: Report
    ) -> None:
        self._repo = repo
        self._objects = objects
        self._state = state
        self._stores = stores
        self._order = {one.ref: number for number, one in enumerate(stores)}
        self._tips = {one.ref: one.tip for one in stores}
        self._report = report
        self.left: set[tuple[str, str]] = set()
        """Sessions that checkpoints held before they were rewritten."""

    def in_stores(self) -> set[str]:
        """Take in what changed in the stores; the checkpoints that did, and those that were not complete."""
        state = self._state
        tips = state.tips()
        changed = set(state.incomplete())
        for ref in tips.keys() - self._tips.keys():
            changed.update(state.forget_store(ref))
            state.drop_findings(ref)
        for one in self._stores:
            state.drop_findings(one.ref)
            steps = registry.changes(self._objects, one, tips.get(one.ref), self._report)
            for step in steps or ():
                match step:
                    case Cleared():
                        changed.update(state.forget_store(one.ref))
                    case Removed(checkpoint):
                        state.drop_location(checkpoint, one.ref)
                        changed.add(checkpoint)
                    case Location(checkpoint, ref, kind, tree, path):
                        state.put_location(LocationRow(checkpoint, ref, kind, tree, path))
                        changed.add(checkpoint)
            if steps is not None:
                state.set_tip(one.ref, one.tip)
        if tips != self._tips:
            changed.update(state.contested())  # which copy counts depends on how the tips stand to each other
        return changed

    def in_commits(self, seen: Seen, revisions: Sequence[str] | None) -> set[str]:
        """Walk the commits that are new, or those of ``revisions``; the checkpoints that are newly named by one.

        Raises:
            UsageError: a revision is unknown.
        """
        state = self._state
        deepened = seen.shallow != (state.meta("shallow") or "")
        found = walk(
            self._repo,
            revisions=revisions,
            heads=sorted(seen.tips),
            hidden=[] if deepened else sorted(state.walked()),
            every_ref=False,
            needle=KEY.encode(),
        )
        named = state.add_trailers(
            TrailerRow(one.checkpoint, commit.oid, commit.committed, commit.committed_at, one.place)
            for commit in found
            for one in checkpoint_ids(commit.message)
        )
        if revisions is None:
            self._remember_walk(seen)
        return named

    def _remember_walk(self, seen: Seen) -> None:
        """Remember from where the history was walked; a tip that is not here was not, and is said to be absent."""
        state = self._state
        sizes = self._objects.sizes(seen.tips)
        state.set_walked(tip for tip, size in sizes.items() if size is not None)
        state.set_meta("tips", seen.tips_digest)
        state.set_meta("shallow", seen.shallow)
        state.drop_findings_of(ABSENT_TIP)
        for tip in sorted(tip for tip, size in sizes.items() if size is None):
            self._report(
                Diagnostic(
                    ABSENT_TIP, f"commit {tip}", "a ref leads to it and it is not in this repository", None
                )
            )

    def groups(self, changed: Iterable[str], named: Iterable[str]) -> set[str]:
        """Read the checkpoints that changed; the groups that they and the newly named ones belong to or left."""
        state = self._state
        touched: set[str] = set()
        where: list[Location] = []
        for checkpoint in sorted(changed):
            location = self.location(checkpoint)
            if location is not None and location.tree == state.reading(checkpoint):
                continue
            touched.update(row.stored for row in state.folders(checkpoint))
            if location is None:
                state.drop_findings(f"checkpoint {checkpoint}")
                state.set_reading(checkpoint, None, ())
            else:
                where.append(location)
        for location in where:
            state.drop_findings(f"checkpoint {location.checkpoint}")
        for read in read_checkpoints(self._objects, where, self._report):
            keys = {row.folder: row.key for row in state.folders(read.id)}
            self.left.update(key for key in keys.values() if key is not None)
            rows = [
                FolderRow(read.id, one.folder, stored_id(one), keys.get(one.folder)) for one in read.sessions
            ]
            state.set_reading(read.id, read.tree, rows)
            if read.absent:
                state.set_incomplete(read.id)
            touched.update(row.stored for row in rows)
        for checkpoint in named:
            touched.update(row.stored for row in state.folders(checkpoint))
        return touched

    def location(self, checkpoint: str) -> Location | None:
        """The copy of a checkpoint that counts, of all that the stores hold."""
        rows = self._state.locations(checkpoint)
        found = [Location(row.checkpoint, row.store, row.kind, row.tree, row.path) for row in rows]
        if not found:
            return None
        return registry.unite(
            sorted(found, key=lambda one: self._order[one.store]),
            tips=self._tips,
            is_ancestor=self._is_ancestor,
            merit=lambda one: merit(self._objects, one),
        )

    def _is_ancestor(self, old: str, new: str) -> bool:
        """Whether one tip is behind the other; where a commit between them is absent, that cannot be told."""
        try:
            return refs.is_ancestor(self._repo, old, new)
        except AsrError:
            return False

    def load(self, groups: Sequence[str]) -> Loaded:
        """Read the folders of some groups, and the checkpoints that they lie in."""
        rows = {group: self._state.group(group) for group in groups}
        ids = sorted({row.checkpoint for own in rows.values() for row in own})
        where = [one for one in map(self.location, ids) if one is not None]
        checkpoints = {one.id: one for one in read_checkpoints(self._objects, where, self._report)}
        folders = {
            group: [
                folder
                for row in own
                if row.checkpoint in checkpoints
                for folder in checkpoints[row.checkpoint].sessions
                if folder.folder == row.folder
            ]
            for group, own in rows.items()
        }
        sizes = self._objects.sizes(blobs(folder for own in folders.values() for folder in own))
        return Loaded(checkpoints, folders, sizes)
