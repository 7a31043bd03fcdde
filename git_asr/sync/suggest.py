"""Looks for the sessions of commits that no trailer ties to one: what compares commits, refs and metadata (offline).

``git_asr.views.suggestions`` says what follows from what is found here.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import field

from git_asr.asr import links
from git_asr.companion import store
from git_asr.companion.rewrites import Rewrites, pairs
from git_asr.companion.state import State
from git_asr.companion.tree import read_tip
from git_asr.entire import metadata
from git_asr.entire.claims import LINKED, Claim, claims
from git_asr.entire.contents import Checkpoint
from git_asr.entire.links import KEY, checkpoint_ids
from git_asr.errors import AsrError, Diagnostic, Report
from git_asr.git import graph
from git_asr.git.base import Objects, Repository
from git_asr.git.changes import changes
from git_asr.git.graph import Node
from git_asr.git.history import walk
from git_asr.git.refs import is_ancestor, list_refs
from git_asr.sync.alike import Alike, Tick
from git_asr.sync.branches import Branch, branches, forks, pull_number, pulls
from git_asr.sync.changes import Changes
from git_asr.sync.look import directory, is_walked, look
from git_asr.values import dataclass
from git_asr.views.suggestions import MOST, Evidence, Finding, Suggested, Sure, suggested

NEAR = 3600
"""Seconds between a commit and a checkpoint that may belong together by files and time."""
_NEAREST = 50
"""Checkpoints that are looked at on each side of a commit's time."""
_AT_ONCE = 256
_TOLD: dict[str | None, Sure] = {"recorded": "exact", None: "likely"}


@dataclass(frozen=True, slots=True)
class Question:
    """What to look for.

    ``revisions``: the commits, as ``git log`` takes them. ``weak``: look for weak evidence too. ``checkpoint``: only
    links to this one, also of commits that others are linked to. ``tick``: told how far it is.
    """

    revisions: tuple[str, ...] = ("HEAD",)
    weak: bool = False
    checkpoint: str | None = None
    tick: Tick | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """What was found. ``commits``: how many were looked at; ``merges``, ``without``: those of them that are merges, and
    others without a session; ``suggested``: those for which there is something, in the order of the log.
    """

    commits: int
    merges: int
    without: int
    suggested: tuple[Suggested, ...]


def suggest(repo: Repository, objects: Objects, state: State, question: Question, report: Report) -> Answer:
    """Find suggestions; ``state`` is that of the last sync. What cannot be compared is reported.

    Raises:
        UsageError: a revision is unknown.
    """
    search = _Search(repo, objects, state, question, report)
    search.choose()
    if search.targets:
        search.by_content()
        search.by_rewrites()
        search.by_metadata()
    found = (
        suggested(one.oid, one.subject, search.found.get(one.oid, ())) for one in search.targets.values()
    )
    return Answer(
        search.commits, search.merges, len(search.targets), tuple(one for one in found if one.suggestions)
    )


@dataclass(slots=True)
class _Search:
    """A search under way.

    ``targets``: the commits for which sessions are looked for, by ID. ``order``: the place of every commit of the
    range, the newest first; ``forks``: for each commit beside it the place from which that one grows. ``named``: the
    commits that name checkpoints of a store.
    """

    repo: Repository
    objects: Objects
    state: State
    question: Question
    report: Report
    commits: int = 0
    merges: int = 0
    targets: dict[str, Node] = field(default_factory=dict)
    order: dict[str, int] = field(default_factory=dict)
    forks: Mapping[str, int] = field(default_factory=dict)
    named: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    found: dict[str, list[Finding]] = field(default_factory=dict)

    def choose(self) -> None:
        """Choose the commits of the range that have no session yet."""
        settled = self._settled()
        for node in graph.selected(self.repo, self.question.revisions):
            self.order[node.oid] = self.commits
            self.commits += 1
            if len(node.parents) > 1:
                self.merges += 1
            elif node.oid not in settled:
                self.targets[node.oid] = node

    def _settled(self) -> set[str]:
        """The commits that need no suggestion."""
        asked = self.question.checkpoint
        if asked is not None:
            return {row.commit for row in self.state.trailers(asked)}
        return {commit for commit, _ in self.state.resolved()} | set(self.state.linked())

    def _find(self, commit: str, checkpoints: Iterable[str], evidence: Evidence) -> None:
        asked = self.question.checkpoint
        wanted = tuple(one for one in checkpoints if asked in (None, one))
        if wanted:
            self.found.setdefault(commit, []).append(Finding(wanted, evidence))

    def _is_exact(self, commit: str) -> bool:
        return any(one.evidence.sure == "exact" for one in self.found.get(commit, ()))

    # --- what commits change ------------------------------------------------------------------------------------

    def by_content(self) -> None:
        """Compare with the commits that name checkpoints, and with the branches that hold such commits."""
        named = self.named = self._named()
        if not named:
            return
        refs = [ref for ref in list_refs(self.repo) if is_walked(ref)]
        heads = {ref.oid for ref in refs} | set(named) | set(graph.in_reflogs(self.repo))
        tips = graph.tips(self.repo, self.question.revisions)
        beside = {node.oid: node for node in graph.beside(self.repo, sorted(heads), tips)}
        self.forks = forks(beside, self.order)
        border = graph.border(self.repo)
        ours = [one for one in self.targets if one not in border]
        alike = Alike(self.repo, self.objects, ours, self.report, self.question.tick)
        self._single(alike, named, border)
        at_refs: dict[str, str | None] = {ref.oid: ref.name for ref in refs if ref.oid in beside}
        lines = self._branches(at_refs, beside, named)
        self._squashed(alike, lines)
        by_number = pulls(refs)
        by_tip = {line.tip: line for line in lines}
        for commit, node in self.targets.items():
            pull = by_number.get(pull_number(node.subject) or 0)
            line = by_tip.get(pull.oid) if pull is not None else None
            if pull is not None and line is not None:
                self._find(commit, line.checkpoints, Evidence("pull", "likely", via=pull.oid, ref=pull.name))

    def _named(self) -> dict[str, tuple[str, ...]]:
        """The commits that name checkpoints of a store, those that only reflogs hold included."""
        found: dict[str, set[str]] = {}
        for commit, checkpoint in self.state.resolved():
            found.setdefault(commit, set()).add(checkpoint)
        for one in walk(
            self.repo,
            revisions=None,
            heads=graph.in_reflogs(self.repo),
            hidden=sorted(self.state.walked()),
            every_ref=False,
            needle=KEY.encode(),
        ):
            held = {
                each.checkpoint
                for each in checkpoint_ids(one.message)
                if self.state.locations(each.checkpoint)
            }
            if held:
                found.setdefault(one.oid, set()).update(held)
        asked = self.question.checkpoint
        return {one: tuple(sorted(held)) for one, held in found.items() if asked is None or asked in held}

    def _single(
        self,
        alike: Alike,
        named: Mapping[str, tuple[str, ...]],
        border: Collection[str],
    ) -> None:
        """A commit that names checkpoints and makes the same change: picked, rebased, or with another message."""
        trees = {
            node.oid: node.tree
            for node in graph.listed(self.repo, named)
            if len(node.parents) < 2 and node.oid not in border
        }
        for commit, other in alike.to([(one, None) for one in trees]):
            method = "tree" if self.targets[commit].tree == trees[other] else "patch-id"
            sure: Sure = "exact" if self._may_come_from(commit, other) else "likely"
            self._find(commit, named[other], Evidence(method, sure, via=other))

    def _may_come_from(self, commit: str, other: str) -> bool:
        """Whether a commit may be a rewritten form of another: neither of them builds on the other.

        If one does, the change was reverted between them and applied again.
        """
        if other not in self.forks:
            return False  # it is in the history itself
        if self.order[commit] < self.forks[other]:
            return True
        try:
            return not is_ancestor(self.repo, commit, other)
        except AsrError:
            return False

    def _branches(
        self,
        at_refs: dict[str, str | None],
        beside: Mapping[str, Node],
        named: Mapping[str, tuple[str, ...]],
    ) -> list[Branch]:
        """The branches beside the history, and parts of them that end with the tree of one of our commits."""
        trees = {node.tree for node in self.targets.values() if not self._is_exact(node.oid)}
        ends = dict(at_refs)
        for node in beside.values():
            if node.tree in trees:
                ends.setdefault(node.oid, None)
        found = list(branches(self.repo, beside, ends, named))
        by_tree: dict[str, list[Branch]] = {}
        for line in found:
            by_tree.setdefault(beside[line.tip].tree, []).append(line)
        for commit, node in self.targets.items():
            for line in by_tree.get(node.tree, ())[:_NEAREST]:
                if self._may_come_from(commit, line.tip):
                    evidence = Evidence("branch-tree", "likely", via=line.tip, ref=line.ref)
                    self._find(commit, line.checkpoints, evidence)
        return found

    def _squashed(self, alike: Alike, lines: Sequence[Branch]) -> None:
        """A branch whose changes taken together are those of one commit."""
        several = {line.tip: line for line in lines if line.commits > 1 and line.base is not None}
        for commit, tip in alike.to([(tip, line.base) for tip, line in several.items()]):
            line = several[tip]
            sure: Sure = "exact" if self._may_come_from(commit, tip) else "likely"
            self._find(commit, line.checkpoints, Evidence("squash", sure, via=tip, ref=line.ref))

    # --- what Git told ------------------------------------------------------------------------------------------

    def by_rewrites(self) -> None:
        """The commits that ours were rewritten from, as hooks kept it, and their checkpoints."""
        rewrites, linked = Rewrites(pairs(directory(self.repo))), set(self.state.linked())
        origins = {
            commit: found
            for commit in self.targets
            if (found := rewrites.origins(commit, lambda one: one in self.named or one in linked))
        }
        olds = {old for found in origins.values() for old in found}
        held = {**self._linked(olds - self.named.keys()), **self.named}
        for commit, found in origins.items():
            for old in found:
                self._find(commit, held.get(old, ()), Evidence("rewritten", "exact", via=old))

    def _linked(self, commits: Collection[str]) -> dict[str, tuple[str, ...]]:
        """The checkpoints of commits that only the companion ref knows: no ref and no reflog leads there any more."""
        if not commits:
            return {}
        found: dict[str, set[str]] = {}
        try:
            records = store.link_records(self.objects, read_tip(self.repo, self.objects).tree)
            for checkpoint, commit in links.pairs(records):
                if commit in commits and self.state.locations(checkpoint):
                    found.setdefault(commit, set()).add(checkpoint)
        except AsrError as error:
            self.report(Diagnostic("not-compared", "looking for rewritten commits", error.message))
        return {commit: tuple(sorted(held)) for commit, held in found.items()}

    # --- what checkpoints say -----------------------------------------------------------------------------------

    def by_metadata(self) -> None:
        """Read what the metadata of checkpoints say of commits, and if asked compare files and times."""
        ids = sorted(self.targets)
        dated: list[tuple[int, str, frozenset[str]]] = []
        for checkpoint in self._checkpoints():
            for claim in claims(checkpoint):
                self._claim(claim, ids)
            if self.question.weak and not self.state.is_named(checkpoint.id):
                when, files = _written(checkpoint)
                if when is not None and files:
                    dated.append((when, checkpoint.id, files))
        if dated:
            self._by_files(sorted(dated, key=lambda one: one[:2]))

    def _checkpoints(self) -> Iterator[Checkpoint]:
        asked = self.question.checkpoint
        rows = self.state.folders(asked) if asked is not None else ()
        groups = sorted(self.state.groups() if asked is None else {row.stored for row in rows})
        reader = Changes(self.repo, self.objects, self.state, look(self.repo), _say_nothing)
        met: set[str] = set()
        for begin in range(0, len(groups), _AT_ONCE):
            for checkpoint in reader.load(groups[begin : begin + _AT_ONCE]).checkpoints.values():
                if checkpoint.id not in met:
                    met.add(checkpoint.id)
                    yield checkpoint

    def _claim(self, claim: Claim, ids: Sequence[str]) -> None:
        whole = len(claim.commit) == self.repo.hex_length
        commit = fitting(ids, claim.commit)
        if commit is None or (not whole and claim.repo is not None):
            return  # the beginning of an ID means nothing in another repository
        sure: Sure = "exact" if claim.method == LINKED else _TOLD.get(claim.told, "weak")
        if sure == "exact" and not whole:
            sure = "likely"
        if sure != "weak" or self.question.weak:
            self._find(commit, [claim.checkpoint], Evidence(claim.method, sure, told=claim.told))

    def _by_files(self, dated: Sequence[tuple[int, str, frozenset[str]]]) -> None:
        """Checkpoints that no commit names, and that touched the files of a commit about when it was made."""
        times = [when for when, *_ in dated]
        near: dict[str, Sequence[tuple[int, str, frozenset[str]]]] = {}
        for commit, node in self.targets.items():
            at = bisect_left(times, node.authored)
            some = [
                one
                for one in dated[max(at - _NEAREST, 0) : at + _NEAREST]
                if abs(one[0] - node.authored) <= NEAR
            ]
            if some:
                near[commit] = some
        try:
            for change in changes(self.repo, ((one, None) for one in near), detailed=True):
                own = frozenset(change.files)
                for when, checkpoint, files in near[change.commit]:
                    same, apart = len(own & files), abs(when - self.targets[change.commit].authored)
                    if same * 2 >= len(own):
                        evidence = Evidence("files", "weak", files=(same, len(own)), seconds=apart)
                        self._find(change.commit, [checkpoint], evidence)
        except AsrError as error:
            self.report(
                Diagnostic("not-compared", "comparing files", f"not all could be compared: {error.message}")
            )


def fitting(ids: Sequence[str], beginning: str) -> str | None:
    """The only one of some sorted IDs that begins so; None where there is none, or more than one."""
    at = bisect_left(ids, beginning)
    fits = [one for one in ids[at : at + 2] if one.startswith(beginning)]
    return fits[0] if len(fits) == 1 else None


def _written(checkpoint: Checkpoint) -> tuple[int | None, frozenset[str]]:
    """When a checkpoint was made, in epoch seconds, and the files that it names as touched."""
    times = [one.created // 1_000_000_000 for one in checkpoint.sessions if one.created is not None]
    own = [checkpoint.metadata, *(one.metadata for one in checkpoint.sessions)]
    return max(times, default=None), frozenset(
        name for one in own for name in metadata.texts(one, "files_touched")[: 10 * MOST]
    )


def _say_nothing(diagnostic: Diagnostic) -> None:
    """``git asr sync`` reported it."""
