"""Sessions for commits that no trailer ties to one: evidence in, suggestions out."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Literal

from git_asr.values import dataclass
from git_asr.views.text import duration

Sure = Literal["exact", "likely", "weak"]
METHODS = (
    *("tree", "patch-id", "squash", "rewritten", "branch-tree", "pull"),
    *("linked-commit", "commit-sha", "files"),
)
"""What may speak for a link, the strongest first; ``hand`` is the method of a link for which nothing does."""
HAND = "hand"
MOST = 1000
"""Suggestions that are kept for one commit. The largest squash known names 195 checkpoints."""
_LEVELS: tuple[Sure, ...] = ("exact", "likely", "weak")
_BY_CONTENT = ("tree", "patch-id", "squash")


_WORDS = {
    "tree": "the same tree and the same change as commit {via}, which names it",
    "patch-id": "the same change as commit {via}, which names it",
    "squash": "the changes of {branch} in one commit",
    "rewritten": "rewritten from commit {via}, which has it",
    "branch-tree": "the same tree as {branch}",
    "pull": "the number in its subject is that of {branch}",
    "linked-commit": "the checkpoint's metadata list the commit",
    "commit-sha": "the checkpoint's metadata name the commit ({told})",
    "files": "{same} of {of} files, {apart} apart",
}


@dataclass(frozen=True, slots=True)
class Evidence:
    """One thing that speaks for a link.

    ``via``: the commit by which the checkpoint was found; ``ref``: the branch that it is the tip of. ``told``: how the
    metadata say that they came by the commit. ``files``: how many of the commit's files the checkpoint touched too, of
    how many; ``seconds``: how far apart in time they are.
    """

    method: str
    sure: Sure
    via: str | None = None
    ref: str | None = None
    told: str | None = None
    files: tuple[int, int] | None = None
    seconds: int | None = None

    @property
    def order(self) -> tuple[int, int, bool, str, str]:
        """Sort key: what says most first."""
        place = _LEVELS.index(self.sure), METHODS.index(self.method)
        return *place, self.ref is None, self.ref or "", self.via or ""


@dataclass(frozen=True, slots=True)
class Finding:
    """Evidence that ties a commit to some checkpoints, all of them together."""

    checkpoints: tuple[str, ...]
    evidence: Evidence


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A checkpoint that a commit may belong to, with what speaks for it, the best first."""

    checkpoint: str
    evidence: tuple[Evidence, ...]

    @property
    def sure(self) -> Sure:
        """How sure it is."""
        return self.evidence[0].sure


@dataclass(frozen=True, slots=True)
class Suggested:
    """A commit and what is suggested for it, the surest first; ``more``: suggestions that were left out.

    ``ambiguous``: other commits make just its change and name other checkpoints than one another, so that which one it
    comes from cannot be told.
    """

    commit: str
    subject: str
    suggestions: tuple[Suggestion, ...]
    more: int
    ambiguous: bool

    @property
    def acceptable(self) -> tuple[Suggestion, ...]:
        """The suggestions that may be accepted unseen: those that are exact, none where some were left out."""
        return () if self.more else tuple(one for one in self.suggestions if one.sure == "exact")


def suggested(commit: str, subject: str, findings: Iterable[Finding]) -> Suggested:
    """What to suggest for a commit. Where something is exact, all that is not is left out."""
    found = list(findings)
    exact = [one for one in found if one.evidence.sure == "exact"]
    origins = {frozenset(one.checkpoints) for one in exact if one.evidence.method in _BY_CONTENT}
    ambiguous = len(origins) > 1
    by_checkpoint: dict[str, set[Evidence]] = {}
    for one in exact or found:
        evidence = one.evidence
        if ambiguous and evidence.method in _BY_CONTENT:
            evidence = replace(evidence, sure="likely")
        for checkpoint in one.checkpoints:
            by_checkpoint.setdefault(checkpoint, set()).add(evidence)
    listed = [Suggestion(checkpoint, _best(own)) for checkpoint, own in by_checkpoint.items()]
    listed.sort(key=lambda one: (one.evidence[0].order[:2], one.checkpoint))
    return Suggested(commit, subject, tuple(listed[:MOST]), max(len(listed) - MOST, 0), ambiguous)


def _best(evidence: Iterable[Evidence]) -> tuple[Evidence, ...]:
    """The best evidence of every method, the best first."""
    best: dict[str, Evidence] = {}
    for one in sorted(evidence, key=lambda piece: piece.order):
        best.setdefault(one.method, one)
    return tuple(best.values())


def in_words(evidence: Evidence) -> str:
    """What speaks for a link, as a phrase; it may quote the name of a ref and a text of the metadata."""
    via = (evidence.via or "")[:12]
    branch = evidence.ref or f"the commits up to {via}"
    told = evidence.told or "it is not said how it is known"
    same, of = evidence.files or (0, 0)
    return _WORDS[evidence.method].format(
        via=via, branch=branch, told=told, same=same, of=of, apart=duration(evidence.seconds or 0)
    )
