"""Writes the companion commit and the notes, then moves both refs in one transaction."""

from __future__ import annotations

from git_asr.asr.links import pairs
from git_asr.companion import compaction, notes, store
from git_asr.companion.merge import SessionState, sources
from git_asr.companion.names import NOTES, SESSIONS
from git_asr.companion.signatures import Verifier
from git_asr.companion.state import State
from git_asr.entire.exclusion import excluded
from git_asr.git import refs
from git_asr.git.base import RefUpdate
from git_asr.git.phases import timed
from git_asr.git.trees import edit_tree
from git_asr.sync.conversion import Conversion
from git_asr.sync.look import Seen
from git_asr.values import dataclass


@dataclass(frozen=True, slots=True)
class Publication:
    """What a conversion made, ready to be seen.

    ``seen``: where the refs stood when the sync began. ``exclusions``: the values of ``asr.exclude``, joined.
    """

    conversion: Conversion
    seen: Seen
    exclusions: str

    def publish(self) -> None:
        """Write what is new and move the refs.

        Raises:
            RefRaced: somebody moved one of them meanwhile; nothing was changed.
        """
        conversion = self.conversion
        tip, state = conversion.tip, conversion.state
        if state.meta("companion") != self.seen.companion or state.meta("exclusions") != self.exclusions:
            self._look_over()
        tree = edit_tree(
            conversion.objects, conversion.writer, tip.tree, store.place(conversion.results.trees)
        )
        when = max(state.newest(), tip.date)
        companion = self._commit(tree, when)
        if self.seen.signs and companion not in (None, tip.base_commit):
            companion = Verifier(conversion.repo, conversion.objects, conversion.writer).sealed(
                str(companion)
            )
        noted = timed("notes", self._notes, when)
        moves = ((SESSIONS, companion, self.seen.companion), (NOTES, noted, self.seen.notes))
        updates = [RefUpdate(name, new, old) for name, new, old in moves if new != old]
        if updates:
            conversion.writer.finish()
            refs.update_refs(conversion.repo, updates)
        state.set_meta("companion", companion)
        state.set_meta("notes", noted)

    def _commit(self, tree: str | None, when: int) -> str | None:
        """The commit for a tree: what was exchanged if it has no more, the one that is there if it is just that."""
        tip, objects = self.conversion.tip, self.conversion.objects
        if tree is None:
            return None
        if tree == tip.base and tip.base_commit is not None:
            return tip.base_commit
        if tip.commit is not None:
            present, parents, _ = objects.commit(tip.commit)
            is_right = tip.base is None or sorted(parents) == sorted(tip.parents)
            if present == tree and is_right and compaction.replaced(objects, tip.commit) == tip.replaced:
                return tip.commit
        if tip.replaced:
            return compaction.commit(self.conversion.writer, tree, when, tip.replaced)
        return store.commit(self.conversion.writer, tree, tip.parents, when)

    def _look_over(self) -> None:
        """Look at the sessions of the companion ref that this sync did not make.

        Those that are excluded now go, and so do leftovers: sessions whose checkpoints are all here and hold others.
        Somebody else's are taken into the state.
        """
        conversion = self.conversion
        known = conversion.state.sessions()
        there = list(store.keys(conversion.objects, conversion.tip.tree))
        written = {key.pair for key, tree in conversion.results.trees.items() if tree is not None}
        for pair in known - {key.pair for key in there} - written:
            conversion.results.noted.update(conversion.state.commits_of(pair))
            conversion.state.drop_session(pair)
        for key in there:
            found = None if key in conversion.results.trees else conversion.stored(conversion.tip.tree, key)
            if found is None or found.state.forgotten is not None:
                continue
            if excluded(conversion.exclusions, key, store.metadata_of(conversion.objects, found)):
                conversion.remove(key, "excluded")
            elif key.pair in known:
                continue
            elif is_leftover(conversion.state, found.state):
                conversion.remove(key)
            else:
                conversion.note(found.state)

    def _notes(self, when: int) -> str | None:
        """Write the notes of the commits that were touched, or all where the notes are not as we left them."""
        conversion = self.conversion
        state, objects, present = conversion.state, conversion.objects, self.seen.notes
        whole = present is None or present != state.meta("notes")
        lines = {
            commit: state.notes_of(commit)
            for commit in (state.linked() if whole else conversion.results.noted)
        }
        old = None if present is None else notes.tree(objects, present)
        tree = notes.write(conversion.writer, objects, None if whole else old, lines)
        if tree is None:
            return None
        return present if tree == old else notes.commit(conversion.writer, tree, when)


def is_leftover(state: State, stored: SessionState) -> bool:
    """Whether the checkpoints that commits name were all read whole, and none of them holds the session now."""
    named = {checkpoint for checkpoint, _ in sources(stored) if state.is_named(checkpoint)}
    linked = {checkpoint for one in stored.streams.values() for checkpoint, _ in pairs(one.links)}
    held = [row.key for checkpoint in named for row in state.folders(checkpoint)]
    return (
        named.isdisjoint(state.incomplete())
        and linked <= named
        and bool(held)
        and all(state.locations(checkpoint) for checkpoint in named)
        and None not in held
        and stored.key.pair not in held
    )
