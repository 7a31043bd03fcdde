"""What the converter remembers of one session while its entries pass."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from git_asr.asr.draft import Draft
from git_asr.asr.ids import usable_session
from git_asr.converters.learned import Learned
from git_asr.converters.pi.entry import Entry
from git_asr.converters.pi.tree import Tree

_TIME = len("2026-01-01T00:00:00.000Z")


@dataclass(slots=True)
class Call:
    """A call. ``arguments`` only of tools that are more than a call. ``record``: its ``subagent`` record."""

    id: str
    name: str
    arguments: dict[str, Any]
    record: str | None = None


@dataclass(slots=True)
class State(Learned):
    """All that later entries depend on.

    ``session``: the session's ID, ``started``: when its file was begun. ``origin``: the session from which it comes.
    ``child``: another agent started it. ``version``: that of the format. ``api``: the one last spoken to.
    ``responses``: by the provider's ID of a response the entry that it came with.
    """

    harness: str
    tree: Tree = field(default_factory=Tree)
    session: str | None = None
    started: str | None = None
    origin: str | None = None
    child: bool = False
    api: str | None = None
    calls: dict[str, Call] = field(default_factory=dict)
    responses: dict[str, str | None] = field(default_factory=dict)

    @property
    def source(self) -> dict[str, str] | None:
        """The key of the session from which this one comes."""
        if self.origin is None or self.origin == self.session or not usable_session(self.origin):
            return None
        return {"harness": self.harness, "id": self.origin}

    def is_copied(self, entry: Entry) -> bool:
        """Whether an entry is older than its file, which was forked: it keeps its ID and its time.

        Both times are as the agent writes them, so that they compare as texts.
        """
        if self.started is None or entry.ts is None or not entry.chained or self.source is None:
            return False
        usual = len(entry.ts) == len(self.started) == _TIME and entry.ts.endswith("Z")
        return usual and self.started.endswith("Z") and entry.ts < self.started

    def copy(self, drafts: list[Draft]) -> None:
        """Say of drafts that they are copies."""
        for draft in drafts:
            same = {"id": draft.id} if draft.id_source is None else {}
            draft.copied_from = {"session": self.source, **same, "evidence": "native_structure"}
