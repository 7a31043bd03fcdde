"""Who vouches for the commits of a companion ref (profile section 8: unsigned unless asked).

What one person added is signed by them. A merge that adds nothing of its own follows from its parents, so anybody can
work it out again: it needs no signature, and two people who merge the same tips still get the same commit.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Literal

from git_asr.companion.arrivals import merged
from git_asr.errors import Diagnostic
from git_asr.git import graph, signing
from git_asr.git.base import Objects, Repository
from git_asr.git.writing import ObjectWriter
from git_asr.values import dataclass

State = Literal["signed", "merge", "unsigned", "bad", "doubtful", "unchecked"]


@dataclass(frozen=True, slots=True)
class Verdict:
    """What is known of one commit.

    ``state``: ``merge`` is a commit without a signature that its parents give when they are merged again; the others
    are as in ``git.signing.Signature``. ``signer``: untrusted text. ``why``: what is wrong, in words.
    """

    commit: str
    state: State
    signer: str = ""
    why: str = ""

    @property
    def holds(self) -> bool:
        """Whether somebody vouches for it, or its parents do."""
        return self.state in ("signed", "merge")


@dataclass(frozen=True, slots=True)
class Verifier:
    """Looks at commits of a companion ref. ``writer`` writes what merging again makes, which is mostly there."""

    repo: Repository
    objects: Objects
    writer: ObjectWriter

    def verdicts(self, revisions: Sequence[str]) -> Iterator[Verdict]:
        """A verdict on each commit that revisions and ranges select, newest first.

        Raises:
            UsageError: a revision is unknown.
            AsrError: the history is damaged, or git fails.
        """
        nodes = {node.oid: node for node in graph.selected(self.repo, revisions)}
        for one in signing.signatures(self.repo, nodes):
            if one.held == "good":
                yield Verdict(one.commit, "signed", one.signer)
            elif one.held != "none":
                yield Verdict(one.commit, one.held, one.signer, one.why)
            elif self.follows(one.commit, nodes[one.commit].parents):
                yield Verdict(one.commit, "merge")
            else:
                yield Verdict(one.commit, "unsigned", why=one.why)

    def refusal(self, tip: str, accepted: Iterable[str]) -> Verdict | None:
        """The first commit behind a tip, and not behind those that were accepted, for which nobody vouches."""
        wanted = [tip, *(f"^{one}" for one in accepted)]
        return next((one for one in self.verdicts(wanted) if not one.holds), None)

    def follows(self, commit: str, parents: Sequence[str]) -> bool:
        """Whether merging the parents again gives this very commit."""
        if len(parents) < 2:
            return False
        return merged(self.repo, self.objects, self.writer, parents, _ignore).commit == commit

    def sealed(self, commit: str) -> str:
        """Sign a commit that is not signed yet, unless it follows from its parents; the commit that takes its place.

        Raises:
            AsrError: the user's Git cannot sign.
        """
        self.writer.finish()
        if signing.is_signed(self.repo, commit) or self.follows(commit, self.objects.commit(commit)[1]):
            return commit
        return signing.sign(self.repo, commit)


def _ignore(diagnostic: Diagnostic) -> None:
    """Whoever took the parents in was told of it."""
