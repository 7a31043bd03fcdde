"""Companion commits that came from elsewhere → one, of what is sound in them (profile section 8, *merge*).

What is given depends on the tips alone: whoever has the same ones gets the same commit, whatever the order in which
they came.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import field

from git_asr.asr.bundle import MANIFEST
from git_asr.asr.ids import is_name
from git_asr.companion import store
from git_asr.companion.merging import merge_trees
from git_asr.companion.redacted import is_redacted
from git_asr.companion.soundness import Spend, TooMuch, bounded_entries, lacking, unsound
from git_asr.companion.tree import session_folders
from git_asr.errors import AsrError, Diagnostic, Report
from git_asr.git import graph
from git_asr.git.base import Objects, Repository, TreeEntry
from git_asr.git.promised import absent
from git_asr.git.trees import Edit, edit_tree
from git_asr.git.writing import ObjectWriter
from git_asr.values import dataclass

MOST_TIPS = 1000
"""Tips that are merged."""
MOST_SESSIONS = 1_000_000
"""Sessions of one tip."""
MOST_STRANGE = 10_000
"""What else may stand in one tip."""
MOST_TOLD = 5
"""Refusals of one tip that are reported one by one."""
FEW = 10
"""So many sessions a tip may always forget."""
UNSOUND = "unsound-session"
REDACTED = "redacted-companion"
UNSIGNED = "unsigned-companion"
UNREAD = "unread-companion"
"""A partial clone lacks what merging reads."""

_WHOLE = "git asr fetch --no-filter"
_APART = "it is redacted and not merged: the sessions here are not"
_APART_HINT = "to read it, fetch it into a repository without checkpoints"


@dataclass(frozen=True, slots=True)
class Refused:
    """What was left out. ``path``: the session's in the tree of the tip, None for the whole tip; ``why`` in words."""

    tip: str
    path: str | None
    why: str


@dataclass(frozen=True, slots=True)
class Merged:
    """What came of merging tips.

    ``commit``: one of the tips where its tree is all that there is, else a commit of ``tree`` whose parents are
    ``parents``; None where nothing is left. ``tree``: the companion tree, without what was refused; None where nothing
    is left. ``parents``: the tips that count and that no other of them reaches, sorted. ``date``: of the newest of
    them, 0 without any. ``refused``: what was left out. ``sound``: the trees of the sessions that were found sound, now
    or before, and that the own tree does not have. ``unread``: whether a partial clone lacks what merging reads.
    ``apart``: the redacted tips that were left alone beside full ones.
    """

    commit: str | None
    tree: str | None
    parents: tuple[str, ...]
    date: int
    refused: tuple[Refused, ...]
    sound: frozenset[str] = field(default=frozenset(), repr=False)
    unread: bool = False
    apart: tuple[str, ...] = ()


Fill = Callable[[Collection[str]], object]


def _spend(_: int) -> None:
    """As much as it takes."""


def _nothing() -> bool:
    """Only the tips count."""
    return False


@dataclass(frozen=True, slots=True)
class Known:
    """What need not be checked again, and how much may be read for the rest.

    ``tree``: a companion tree of one's own. A tip that would forget most of its sessions is refused: whoever wants that
    forgets them here first. ``sessions``: trees of sessions that were found sound. ``spend``: told how many bytes are
    about to be read; it may raise TooMuch. ``fill``: brings Git blobs that a partial clone left out, all at once;
    it may raise AsrError. None where nothing may be asked of the network. ``holds_full``: whether there are sessions
    here that are not redacted; then, or where another tip has some, redacted tips are left alone.
    """

    tree: str | None = None
    sessions: Set[str] = frozenset()
    spend: Spend = _spend
    fill: Fill | None = None
    holds_full: Callable[[], bool] = _nothing


def merged(
    repo: Repository,
    objects: Objects,
    writer: ObjectWriter,
    tips: Iterable[str],
    report: Report,
    *,
    known: Known | None = None,
) -> Merged:
    """Check companion commits and merge what is sound in them; nothing is moved, objects are written and finished.

    A tip that is none, or whose tree is none of ours, counts as not there; so does one of which a partial clone lacks
    what merging reads (``unread-companion``), and a redacted one beside full ones (``redacted-companion``). A session
    that fails a check is left out of its tip. Each is reported (``unsound-session``), of one tip only some one by one.
    The same tips give the same commit, whoever merges them and in whatever order, as long as nobody's ``known.tree``
    and ``known.holds_full`` make a difference.

    Raises:
        TooMuch: there is more to read than ``known.spend`` allows.
        AsrError: the repository is damaged, or Git refuses the new objects.
    """
    known = known or Known()
    wanted = sorted(set(tips))
    arrival = _Arrival(repo, objects, writer, known, report)
    trees: dict[str, str | None] = {}
    commits = _commits(repo, wanted[:MOST_TIPS])
    unread = arrival.fill(commits) if repo.promisor else {}
    if len(wanted) > MOST_TIPS:
        why = f"there are {len(wanted):,} tips, and {MOST_TIPS:,} are merged"
        arrival.refused.extend(Refused(tip, None, why) for tip in wanted[MOST_TIPS:])
        report(Diagnostic(UNSOUND, "companions", why))
    for tip in wanted[:MOST_TIPS]:
        if tip not in commits:
            arrival.refuse(tip, [(None, "it is no commit that is here")])
        elif tip in unread:
            hint = _WHOLE if absent(objects, [commits[tip]]) else "git asr sync"
            report(Diagnostic(UNREAD, f"companion {tip[:12]}", unread[tip], hint))
        else:
            try:
                trees[tip] = arrival.sound(tip, commits[tip])
            except TooMuch:
                raise
            except AsrError as error:
                arrival.refuse(tip, [(None, error.message)], error.hint)
    apart = arrival.keep_apart(trees)
    parents = tuple(sorted(arrival.independent(trees)))
    refused = tuple(arrival.refused)
    date = store.newest_date(objects, parents)
    tree = arrival.united([trees[tip] for tip in parents])
    if tree is None:
        return Merged(None, None, parents, date, refused, frozenset(arrival.passed), bool(unread), apart)
    same = [tip for tip in parents if commits[tip] == tree]
    commit = same[0] if same else store.commit(writer, tree, parents, date)
    writer.finish()
    return Merged(commit, tree, parents, date, refused, frozenset(arrival.passed), bool(unread), apart)


def _commits(repo: Repository, tips: Sequence[str]) -> dict[str, str]:
    """The tree of each tip that is a commit."""
    try:
        return {node.oid: node.tree for node in graph.listed(repo, tips)}
    except AsrError:  # one of them is damaged
        if len(tips) == 1:
            return {}
        half = len(tips) // 2
        return _commits(repo, tips[:half]) | _commits(repo, tips[half:])


@dataclass(frozen=True, slots=True)
class _Arrival:
    """Tips under way. ``passed``: sessions that were found sound; ``whole``: trees of tips in which all is."""

    repo: Repository
    objects: Objects
    writer: ObjectWriter
    known: Known
    report: Report
    refused: list[Refused] = field(default_factory=list)
    passed: set[str] = field(default_factory=set)
    whole: set[str] = field(default_factory=set)

    def refuse(self, tip: str, faults: Iterable[tuple[str | None, str]], hint: str | None = None) -> None:
        """Take note of what is left out of a tip, and report it."""
        count = 0
        for count, (path, why) in enumerate(faults, start=1):
            self.refused.append(Refused(tip, path, why))
            if count <= MOST_TOLD:
                where = f"companion {tip[:12]}" + (f", {path}" if path else "")
                self.report(Diagnostic(UNSOUND, where, why, hint))
        if count > MOST_TOLD:
            more = f"{count - MOST_TOLD:,} more of its sessions are left out"
            self.report(Diagnostic(UNSOUND, f"companion {tip[:12]}", more))

    def sound(self, tip: str, tree: str) -> str | None:
        """The tree of a tip without what fails; None where nothing is left. Raises AsrError for a tree of others."""
        if tree in self.whole:
            return tree
        folders = _folders(self.objects, tree, self.known.tree)
        known = self.known.sessions | self.passed
        checked = {path: oid for path, oid in folders.sessions if oid not in known}
        is_partial = self.repo.promisor
        faults = dict(unsound(self.objects, checked.items(), self.known.spend, partial=is_partial))
        passed = [(path, oid) for path, oid in folders.sessions if path not in faults]
        self._guard(passed)
        self.passed.update(oid for _, oid in passed)
        gone: dict[str, Edit] = dict.fromkeys((*folders.strange, *faults))
        result = edit_tree(self.objects, self.writer, tree, gone)
        if result is None and gone:
            path, why = min({**folders.strange, **faults}.items())
            raise AsrError(f"it holds no session that is sound: {path!r:.80}: {why}")
        self.refuse(tip, sorted({**folders.strange, **faults}.items()))
        self.writer.finish()
        if not gone:
            self.whole.add(tree)
        return result

    def keep_apart(self, trees: dict[str, str | None]) -> tuple[str, ...]:
        """Leave redacted companions out where there is a full one, for they share no history; those left out."""
        kinds = {tip: is_redacted(self.objects, tip) for tip in trees}
        redacted = tuple(sorted(tip for tip, kind in kinds.items() if kind))
        if not redacted or not (False in kinds.values() or self.known.holds_full()):
            return ()
        for tip in redacted:
            del trees[tip]
            self.report(Diagnostic(REDACTED, f"companion {tip[:12]}", _APART, _APART_HINT))
        return redacted

    def independent(self, tips: Iterable[str]) -> list[str]:
        """The tips that no other of them reaches; one whose history cannot be walked is refused."""
        wanted = sorted(tips)
        try:
            graph.walk_whole(self.repo, wanted)
        except AsrError:
            wanted = [tip for tip in wanted if self._is_walked(tip)]
        return graph.independent(self.repo, wanted) if wanted else []

    def _is_walked(self, tip: str) -> bool:
        try:
            graph.walk_whole(self.repo, [tip])
        except AsrError as error:
            self.refuse(tip, [(None, f"its history is damaged: {error.message}")])
            return False
        return True

    def fill(self, commits: Mapping[str, str]) -> dict[str, str]:
        """Bring what merging reads of all tips and a partial clone left out; in words why that of a tip is not here."""
        wanted = {tip: self._lacking(tree) for tip, tree in commits.items()}
        every = {oid for oids in wanted.values() for oid in oids}
        why = f"a partial clone left out {len(every):,} files that merging reads"
        if every and self.known.fill is not None:
            try:
                self.known.fill(every)
            except AsrError as error:
                why = error.message
            every = set(absent(self.objects, every))
        gone = set(absent(self.objects, commits.values()))
        none = {tip: "a clone without trees cannot read it" for tip, tree in commits.items() if tree in gone}
        return none | {tip: why for tip, oids in wanted.items() if not every.isdisjoint(oids)}

    def _lacking(self, tree: str) -> list[str]:
        try:
            return list(lacking(self.objects, _folders(self.objects, tree, self.known.tree).sessions))
        except AsrError:  # it is refused, then
            return []

    def united(self, trees: Sequence[str | None]) -> str | None:
        """The trees of some tips as one."""
        tree: str | None = None
        for other in trees:
            tree = other if tree is None else tree
            if tree is not None and other is not None and tree != other:
                tree = merge_trees(self.objects, self.writer, tree, other, self.report)
                self.writer.finish()  # the next one is compared with it
        return tree

    def _guard(self, sessions: Sequence[tuple[str, str]]) -> None:
        """Refuse a tip that forgets most of the sessions that are here. Raises AsrError."""
        if self.known.tree is None:
            return
        here = dict(session_folders(self.objects, self.known.tree))
        both = [(path, oid) for path, oid in sessions if path in here]
        gone = [path for path, is_gone in self._forgotten(both) if is_gone]
        lost = sum(not is_gone for _, is_gone in self._forgotten((path, here[path]) for path in gone))
        if lost > max(FEW, len(here) // 2):
            raise AsrError(
                f"it forgets {lost:,} of the {len(here):,} sessions that are here",
                hint="if that is right: git asr forget --before DATE   forgets them here too",
            )

    def _forgotten(self, sessions: Iterable[tuple[str, str]]) -> Iterator[tuple[str, bool]]:
        """Whether each of some sessions was forgotten, by its path."""
        found = [(path, self.objects.lookup(tree, MANIFEST)) for path, tree in sessions]
        listed = [(path, entry.oid) for path, entry in found if entry is not None]
        for (path, _), data in zip(listed, self.objects.blobs(oid for _, oid in listed), strict=True):
            yield path, store.says_forgotten(data)


@dataclass(frozen=True, slots=True)
class _Folders:
    """The sessions of a tree that a known one does not have just so, and what else stands there, with what it is."""

    sessions: list[tuple[str, str]]
    strange: dict[str, str]


def _folders(objects: Objects, tree: str, own: str | None) -> _Folders:
    """Look through a companion tree, by levels, where it is another than ``own``. Raises AsrError if it is none."""
    strange: dict[str, str] = {}
    level: list[tuple[str, str, str | None]] = [("", tree, own)]
    named = (is_name, _is_shard, is_name)
    for depth, is_right in enumerate(named):
        level = [(prefix, oid, mine) for prefix, oid, mine in level if oid != mine]
        entries_of = bounded_entries(objects, [oid for _, oid, _ in level])
        below: list[tuple[str, str, str | None]] = []
        for prefix, oid, mine in level:
            entries = entries_of(oid)
            if isinstance(entries, str):
                if not prefix:
                    raise AsrError(entries)
                strange[prefix[:-1]] = entries
                continue
            own_folders = _own(objects, mine)
            for entry in entries:
                path = prefix + entry.name
                if entry.is_tree and is_right(entry.name):
                    end = "" if depth + 1 == len(named) else "/"
                    below.append((path + end, entry.oid, own_folders.get(entry.name)))
                else:
                    strange[path] = "it is no session"
            if len(below) > MOST_SESSIONS:
                raise AsrError(f"it holds more than {MOST_SESSIONS:,} sessions")
            if len(strange) > MOST_STRANGE:
                raise AsrError(f"it holds more than {MOST_STRANGE:,} files and folders that are no sessions")
        level = below
    return _Folders([(path, oid) for path, oid, mine in level if oid != mine], strange)


def _own(objects: Objects, tree: str | None) -> dict[str, str]:
    entries: tuple[TreeEntry, ...] = () if tree is None else objects.entries(tree)
    return {entry.name: entry.oid for entry in entries if entry.is_tree}


def _is_shard(name: str) -> bool:
    return len(name) == 2 and all(digit in "0123456789abcdef" for digit in name)
