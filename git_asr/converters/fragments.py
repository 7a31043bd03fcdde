"""Messages that come in fragments: one record, where the last of them stands (profile section 3, *increments*).

A fragment that comes after the record was given out replaces it by one with all of the message; how often that may be
has a bound, for each such record repeats what was said before.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from git_asr.asr.draft import Draft
from git_asr.converters.building import Standing

MAX_RESTATED = 64
"""How often a message is recorded anew because something stood between its fragments."""
MAX_WEIGHT = 1 << 20
"""Bytes of content that may be recorded anew for that."""


@dataclass(slots=True)
class Growing:
    """A message that may still grow.

    ``fragments``: how many it has. ``meta``: what no field takes, and ``others`` where a later fragment says otherwise;
    ``standing``: what was said last. ``flags``: how its units had to be read. ``record``: its last record.
    ``restated``: how often it was recorded anew; ``size``: the bytes of its content, ``weight``: of that which was
    recorded anew.
    """

    fragments: int = field(default=0, kw_only=True)
    meta: dict[str, Any] = field(default_factory=dict, kw_only=True)
    others: list[dict[str, Any]] = field(default_factory=list, kw_only=True)
    standing: Standing = field(default_factory=Standing, kw_only=True)
    flags: dict[str, None] = field(default_factory=dict, kw_only=True)
    record: Draft | None = field(default=None, kw_only=True)
    restated: int = field(default=0, kw_only=True)
    size: int = field(default=0, kw_only=True)
    weight: int = field(default=0, kw_only=True)

    def note(self, left: dict[str, Any]) -> None:
        """Take in what no field takes of one more fragment; what an earlier one said as well is not said again."""
        new = {key: item for key, item in left.items() if self.standing.changed(key, item)}
        if any(key in self.meta for key in new):
            self.others.append(new)
        else:
            self.meta |= new

    def noted(self) -> dict[str, Any]:
        """What was taken in since the last time."""
        meta, others = self.meta, self.others
        self.meta, self.others = {}, []
        name = "chunks"
        while name in meta:
            name += "_"
        return {**meta, name: others} if others else meta

    def assembly(self, *, final: bool) -> dict[str, Any]:
        """How the record was put together."""
        return {"state": "final" if final else "partial", "fragments": self.fragments}

    def restates(self) -> bool:
        """Whether the message may be recorded anew once more, which counts then."""
        if self.restated >= MAX_RESTATED or self.weight > MAX_WEIGHT:
            return False
        self.restated += 1
        self.weight += self.size
        return True
