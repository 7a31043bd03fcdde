"""From tips that moved to the checkpoints, commits and groups of sessions that changed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from operator import itemgetter

from git_asr.companion.state import FolderRow, State, TrailerRow
from git_asr.entire.contents import Checkpoint, SessionFolder, merits, read_checkpoints
from git_asr.entire.links import KEY, checkpoint_ids
from git_asr.entire.sessions import blobs, stored_id
from git_asr.entire.stores import registry
from git_asr.entire.stores.base import Cleared, Location, Removed
from git_asr.errors import AsrError, Diagnostic, Report
from git_asr.git import refs
from git_asr.git.base import Objects, Repository
from git_asr.git.history import walk
from git_asr.sync.look import Seen
from git_asr.values import dataclass

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

    def __init__(self, repo: Repository, objects: Objects, state: State, seen: Seen, report: Report) -> None:
        self._repo = repo
        self._objects = objects
        self._state = state
        self._seen = seen
        self._stores = {one.ref: (order, one) for order, one in enumerate(seen.stores)}
        self._tips = {one.ref: one.tip for one in seen.stores if one.layout.descends}
        self._ancestry: dict[tuple[str, str], bool] = {}
        self._report = report
        self.left: set[tuple[str, str]] = set()
        """Sessions that checkpoints held before they were rewritten."""

    def beside(self, objects: Objects, state: State, report: Report) -> Changes:
        """The same for what is read, written and reported elsewhere."""
        return Changes(self._repo, objects, state, self._seen, report)

    def in_stores(self) -> set[str]:
        """Take in what changed in the stores; the checkpoints that did, and those that were not complete."""
        state, stores = self._state, self._seen.stores
        tips = state.tips()
        changed = set(state.incomplete())
        for ref in tips.keys() - self._stores.keys():
            changed.update(state.forget_store(ref))
            state.findings.drop(ref)
        state.findings.drop_kind(registry.UNREADABLE)  # what is still unreadable is not remembered as read
        unread = False
        for one in stores:
            if tips.get(one.ref) == one.tip:
                continue
            state.findings.drop(one.ref)
            steps = registry.changes(self._objects, one, tips.get(one.ref), self._report)
            for step in steps or ():
                match step:
                    case Cleared():
                        changed.update(state.forget_store(one.ref))
                    case Removed(checkpoint):
                        state.drop_location(checkpoint, one.ref)
                        changed.add(checkpoint)
                    case Location(checkpoint, ref, _, (tree,)):
                        state.put_location(checkpoint, ref, tree)
                        changed.add(checkpoint)
            if steps is None:
                unread = True
            else:
                state.set_tip(one.ref, one.tip)
        state.set_meta("stores", None if unread else self._seen.stores_digest)
        return changed | self._contested(tips)

    def _contested(self, before: Mapping[str, str]) -> set[str]:
        """The checkpoints of which another copy may count because of how the tips of their stores stand now."""
        moved = any(before.get(ref) != tip for ref, tip in self._tips.items())
        if len(self._tips) < 2 or not (moved or self._deepened()):
            return set()
        trees: dict[str, set[str]] = {}
        for ref in self._tips:
            for checkpoint, tree in self._state.held(ref):
                trees.setdefault(checkpoint, set()).add(tree)
        return {checkpoint for checkpoint, some in trees.items() if len(some) > 1}

    def _deepened(self) -> bool:
        """Whether the border of a shallow clone is another than it was."""
        return self._seen.shallow != (self._state.meta("shallow") or "")

    def in_commits(self, revisions: Sequence[str] | None) -> set[str]:
        """Walk the commits that are new, or those of ``revisions``; the checkpoints that are newly named by one.

        Raises:
            UsageError: a revision is unknown.
        """
        state, seen = self._state, self._seen
        found = walk(
            self._repo,
            revisions=revisions,
            heads=sorted(seen.tips),
            hidden=[] if self._deepened() else sorted(state.walked()),
            every_ref=False,
            needle=KEY.encode(),
        )
        named = state.add_trailers(
            TrailerRow(one.checkpoint, commit.oid, commit.committed, commit.committed_at, one.place)
            for commit in found
            for one in checkpoint_ids(commit.message)
        )
        if revisions is None:
            self._remember_walk()
        return named

    def _remember_walk(self) -> None:
        """Remember from where the history was walked; a tip that is not here was not, and is said to be absent."""
        state, seen = self._state, self._seen
        sizes = self._objects.sizes(seen.tips)
        state.set_walked(tip for tip, size in sizes.items() if size is not None)
        state.set_meta("tips", seen.tips_digest)
        state.set_meta("shallow", seen.shallow)
        state.findings.drop_kind(ABSENT_TIP)
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
        for checkpoint, location in self.chosen(sorted(changed)).items():
            if location is not None and location.trees == state.reading(checkpoint):
                continue
            touched.update(row.stored for row in state.folders(checkpoint))
            if location is None:
                state.findings.drop(f"checkpoint {checkpoint}")
                state.set_reading(checkpoint, (), ())
            else:
                where.append(location)
        for location in where:
            state.findings.drop(f"checkpoint {location.checkpoint}")
        for read in read_checkpoints(self._objects, where, self._report):
            keys = {row.folder: row.key for row in state.folders(read.id)}
            self.left.update(key for key in keys.values() if key is not None)
            rows = [
                FolderRow(read.id, one.folder, stored_id(one), keys.get(one.folder)) for one in read.sessions
            ]
            state.set_reading(read.id, read.trees, rows)
            if read.absent:
                state.set_incomplete(read.id)
            touched.update(row.stored for row in rows)
        for checkpoint in named:
            touched.update(row.stored for row in state.folders(checkpoint))
        return touched

    def _copies(self, checkpoint: str) -> list[Location]:
        """The copies of a checkpoint that the stores hold, those of the preferred stores first."""
        trees = self._state.locations(checkpoint)
        found = [self._stores[ref] for ref in trees]
        return registry.copies(
            Location(checkpoint, one.ref, one.layout.kind, (trees[one.ref],))
            for _, one in sorted(found, key=itemgetter(0))
        )

    def chosen(self, checkpoints: Iterable[str]) -> dict[str, Location | None]:
        """The copy of each checkpoint that counts; None where no store holds it."""
        left = {one: registry.rivals(self._copies(one), self._tips, self._is_ancestor) for one in checkpoints}
        worth = merits(self._objects, [one for some in left.values() if len(some) > 1 for one in some])
        return {
            checkpoint: max(some, key=lambda one: worth.get(one, (0, 0, 0)), default=None)
            for checkpoint, some in left.items()
        }

    def _read_before(self, checkpoints: Iterable[str]) -> list[Location]:
        """The copy of each checkpoint that was read; chosen again where it is to be read once more."""
        known = {
            one: next((copy for copy in self._copies(one) if copy.trees == self._state.reading(one)), None)
            for one in checkpoints
        }
        known |= self.chosen([one for one, copy in known.items() if copy is None])
        return [copy for copy in known.values() if copy is not None]

    def _is_ancestor(self, old: str, new: str) -> bool:
        """Whether one tip is behind the other; where a commit between them is absent, that cannot be told."""
        pair = old, new
        if pair not in self._ancestry:
            try:
                self._ancestry[pair] = refs.is_ancestor(self._repo, old, new)
            except AsrError:
                self._ancestry[pair] = False
        return self._ancestry[pair]

    def load(self, groups: Sequence[str]) -> Loaded:
        """Read the folders of some groups, and the checkpoints that they lie in."""
        rows = {group: self._state.group(group) for group in groups}
        ids = sorted({row.checkpoint for own in rows.values() for row in own})
        found = list(read_checkpoints(self._objects, self._read_before(ids), self._report))
        checkpoints = {one.id: one for one in found}
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
        wanted = blobs(folder for own in folders.values() for folder in own)
        for one in found:
            wanted.update(one.beside)
        sizes = self._objects.sizes(wanted)
        return Loaded(checkpoints, folders, sizes)
