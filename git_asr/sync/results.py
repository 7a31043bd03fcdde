"""What a conversion comes to, session by session, beside the objects that it wrote."""

from __future__ import annotations

from dataclasses import field

from git_asr.asr.header import SessionKey
from git_asr.sync.outcome import Tally
from git_asr.values import dataclass
from git_asr.views.drift import Drifting


@dataclass(slots=True)
class Results:
    """What became of sessions.

    ``became``: of each session, in a word. ``removed``: those that the state had and has no more. ``trees``: of each
    session that was looked at its bundle's tree, None where it goes. ``noted``: the commits whose notes may have
    changed. ``drifting``: the streams that were written and have kinds that their converters do not know.
    """

    became: dict[SessionKey, str] = field(default_factory=dict)
    removed: set[SessionKey] = field(default_factory=set)
    trees: dict[SessionKey, str | None] = field(default_factory=dict)
    noted: set[str] = field(default_factory=set)
    drifting: list[Drifting] = field(default_factory=list)

    @property
    def tally(self) -> Tally:
        """What became of the sessions, each counted once."""
        became = list(self.became.values())
        gone = sum(self.became[key] in ("gone", "excluded") for key in self.removed)
        return Tally(became.count("new"), became.count("changed"), gone, became.count("excluded"))

    def add(self, later: Results) -> None:
        """Take in what came of other groups, after these."""
        self.became |= later.became
        self.removed |= later.removed
        self.trees |= later.trees
        self.noted |= later.noted
        self.drifting += later.drifting
