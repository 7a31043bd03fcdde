"""What was fetched from remotes, merged into the companion by every sync, whoever fetched it (profile section 8)."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import partial

from git_asr.companion import compaction, store
from git_asr.companion.arrivals import REDACTED, UNREAD, UNSIGNED, UNSOUND, Fill, Known, Merged, merged
from git_asr.companion.forgetting import Forget, buried
from git_asr.companion.merging import merge_trees
from git_asr.companion.redacted import holds_full, twins
from git_asr.companion.signatures import Verifier
from git_asr.companion.soundness import Spend
from git_asr.companion.state import State
from git_asr.companion.store import StoredSession
from git_asr.companion.tree import Tip, changed_sessions, read_tip
from git_asr.entire.exclusion import excluded
from git_asr.errors import Diagnostic, Report
from git_asr.git.base import Objects, Repository
from git_asr.git.trees import edit_tree
from git_asr.git.writing import ObjectWriter
from git_asr.sync.conversion import Conversion
from git_asr.sync.look import Seen
from git_asr.sync.publication import is_leftover
from git_asr.values import dataclass


@dataclass(frozen=True, slots=True)
class Arrived:
    """The companion with all that remotes have: ``tip``. ``own``: the tree of the ref as it stands.

    ``again``: whether the next sync merges once more though no tip of a remote moved, since something is not here.
    """

    objects: Objects
    tip: Tip
    own: str | None
    again: bool = False

    def remember(self, state: State, remotes: str) -> None:
        """Remember what was merged, so that the next sync does not if neither remotes nor the companion moved.

        ``remotes``: the tips of remotes in a few characters. The companion must have been remembered.
        """
        one, companion = self.tip, state.meta("companion")
        known = companion is not None and one.base is not None and not self.again
        fields = [companion, one.base, one.base_commit, one.parents, one.date, sorted(one.replaced)]
        state.set_meta("remotes", remotes)
        state.set_meta("arrived", json.dumps(fields) if known else None)

    def adopt(self, conversion: Conversion) -> None:
        """Take what merging changed into the state, when all conversions are done."""
        for _, old, new in self._changed():
            before, now = self._loaded(old), self._loaded(new)
            if now is None:
                if new is None and before is not None and before.state.key not in conversion.results.trees:
                    conversion.let_go(before.state.key)
                continue
            key = now.state.key
            became = "new" if before is None or before.state.forgotten is not None else "changed"
            if key in conversion.results.trees:
                if conversion.results.trees[key] not in (None, old):
                    conversion.results.became[key] = became
            elif now.state.forgotten is not None:
                conversion.let_go(key)
            elif excluded(conversion.exclusions, key, store.metadata_of(self.objects, now)):
                conversion.remove(key, "excluded")
            elif before is None and is_leftover(conversion.state, now.state):
                conversion.remove(key)
            else:
                conversion.note(now.state)
                conversion.results.became[key] = became

    def _changed(self) -> Iterator[tuple[str, str | None, str | None]]:
        return changed_sessions(self.objects, self.own, self.tip.tree)

    def _loaded(self, tree: str | None) -> StoredSession | None:
        return store.readable(self.objects, tree)


@dataclass(frozen=True, slots=True)
class Arriving:
    """Merges the companion refs of remotes into the companion, which ``seen`` found where they are.

    ``spend``, ``fill``: as for ``arrivals.Known``.
    """

    repo: Repository
    objects: Objects
    writer: ObjectWriter
    state: State
    seen: Seen
    spend: Spend
    fill: Fill | None = None

    def arrive(
        self, report: Report, forget: Forget | None = None, *, compact: bool = False, anew: bool = False
    ) -> Arrived:
        """Check and merge the tips of remotes, and fold the companion as it stands into that.

        What leads to the companion's own parents counts as exchanged where no remote has anything sound. ``forget``:
        sessions that are forgotten first. ``compact``: the next commit has no parents; so it is, too, as long as no
        remote has another tip than those that a compacted companion stands in place of. ``anew``: whatever the last
        sync merged, since other rules may leave more of it here now.

        Raises:
            AsrError: the companion is damaged, or what ``spend`` raises.
        """
        if not (anew or forget or compact) and (remembered := self._remembered()) is not None:
            return remembered
        tip = read_tip(self.repo, self.objects)
        own = tip.tree
        if forget is not None:
            tip = replace(tip, tree=buried(self.objects, self.writer, own, forget))
        for code in (UNSOUND, UNREAD, UNSIGNED, REDACTED):
            self.state.findings.drop_kind(code)
        known = Known(
            tip.tree, self.state.sound(), self.spend, self.fill, partial(self._holds_full, tip.tree)
        )
        found = self._merged(self._vouched(report), known, report)
        self.state.set_sound(found.sound)
        if found.apart:
            tip = replace(tip, tree=self._without(tip.tree, found.apart))
        if not found.parents:
            tip = store.with_parents(self.repo, self.objects, tip)
            left = frozenset(tip.parents).difference(found.apart)
            found = self._merged(left, known, report)
        before = compaction.replaced(self.objects, tip.commit)
        gone = frozenset(found.parents) if compact else before
        if before and not found.parents:  # what was exchanged is no more than in the companion itself
            return Arrived(self.objects, replace(tip, base=tip.tree, replaced=before), own)
        if found.tree is None:
            return Arrived(self.objects, tip, own, found.unread)
        tree = found.tree
        if tip.tree not in (None, tree):
            tree = merge_trees(self.objects, self.writer, tree, str(tip.tree), report) or tree
            self.writer.finish()
        exchanged = replace(
            tip,
            tree=tree,
            parents=found.parents,
            date=found.date,
            base=found.tree,
            base_commit=found.commit,
        )
        if gone and gone >= set(found.parents):
            exchanged = replace(exchanged, parents=(), base_commit=None, replaced=gone | before)
        return Arrived(self.objects, exchanged, own, found.unread)

    def _without(self, own: str | None, apart: Iterable[str]) -> str | None:
        """The own tree without what redacted tips gave it when there was nothing else; what was forgotten stays so."""
        if own is None:
            return None
        given = {one for tip in apart for one in twins(self.objects, self.objects.commit_tree(tip))}
        gone = given.intersection(twins(self.objects, own))
        left = edit_tree(self.objects, self.writer, own, dict.fromkeys(path for path, _ in gone))
        self.writer.finish()
        return left

    def _holds_full(self, own: str | None) -> bool:
        """Whether sessions are here as they were recorded, or can be made of checkpoints."""
        return bool(self.seen.stores) or (own is not None and holds_full(self.objects, own) is True)

    def _remembered(self) -> Arrived | None:
        """What the last sync merged; None where it is to be done anew."""
        said, companion = self.state.meta("arrived"), self.seen.companion
        if said is None or companion is None or self.state.meta("remotes") != self.seen.remotes_digest:
            return None
        merged_into, base, base_commit, parents, date, replaced = json.loads(said)
        wanted = [one for one in (companion, base, base_commit) if one is not None]
        if merged_into != companion or None in self.objects.sizes(wanted).values():
            return None
        own = self.objects.commit_tree(companion)
        tip = Tip(companion, own, tuple(parents), date, base, base_commit, frozenset(replaced))
        return Arrived(self.objects, tip, own)

    def _vouched(self, report: Report) -> frozenset[str]:
        """The tips of remotes, where ``asr.requireSigned`` is set only those for whose commits somebody vouches."""
        if not self.seen.requires_signed:
            return self.seen.remotes
        verifier = Verifier(self.repo, self.objects, self.writer)
        merged_before = [] if self.seen.companion is None else [self.seen.companion]
        refused: set[str] = set()
        for tip in sorted(self.seen.remotes):
            found = verifier.refusal(tip, merged_before)
            if found is not None:
                refused.add(tip)
                why = f"commit {found.commit[:12]}: {found.why}"
                report(Diagnostic(UNSIGNED, f"companion {tip[:12]}", why, f"git asr verify {tip[:12]}"))
        return self.seen.remotes - refused

    def _merged(self, tips: frozenset[str], known: Known, report: Report) -> Merged:
        if not tips:
            return Merged(None, None, (), 0, ())
        return merged(self.repo, self.objects, self.writer, tips, report, known=known)
