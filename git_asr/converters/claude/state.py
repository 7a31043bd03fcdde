"""What the converter remembers of one stream while its units pass."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from operator import itemgetter
from typing import Any

from git_asr.converters.building import word
from git_asr.converters.claude.graph import Graph
from git_asr.converters.claude.line import Line
from git_asr.converters.claude.queue import Queue
from git_asr.converters.claude.slots import CONTENT, MODE
from git_asr.converters.learned import Learned

_STANDARD = {"cwd": "cwd", "gitBranch": "branch", "version": "agentVersion", "sessionId": "session"}
_FACTS: tuple[str, ...] = (
    *("cwd", "gitBranch", "version", "sessionId", "session_id", "userType", "entrypoint", "slug"),
    *("isSidechain", "teamName", "agentName", "agentId", "promptId"),
)
"""Keys that stand on every chained line and go to ``git-asr/context`` when they change."""
_LOOSE_FACTS: tuple[str, ...] = ("sessionId",)
"""Of them only the session stands on other lines; there ``agentName``, for instance, is the line's subject."""
PLACE = frozenset({"uuid", "parentUuid", "timestamp"})
"""Keys that say where a line stands, which the envelope of its records tells."""


@lru_cache(maxsize=128)
def _shape(keys: tuple[str, ...]) -> tuple[Callable[[Any], Any], tuple[str, ...]]:
    """What reads the facts of a line with these keys, and which keys have to be told beside facts and place.

    Lines of one kind have the same keys in the same order; there are a few dozen kinds.
    """
    facts = [key for key in _FACTS if key in keys]
    untold = tuple(key for key in keys if key != "type" and key not in facts and key not in PLACE)
    return itemgetter(*facts) if facts else type, untold  # all are dicts


PLACEHOLDER_UNTIL = (2, 1, 59)
"""Versions before this one wrote a placeholder as output tokens (reference section 2.9)."""


def counts_badly(version: str) -> bool:
    """Tell whether an agent of this version wrote a placeholder as output tokens."""
    numbers = version.split("-", maxsplit=1)[0].split(".")
    known = all(one.isascii() and one.isdecimal() and len(one) < 9 for one in numbers)
    return known and tuple(map(int, numbers)) < PLACEHOLDER_UNTIL


@dataclass(slots=True)
class Call:
    """A call that its result is understood by: a question, a plan, a subagent, a task.

    ``record``: the ID of the ``plan`` or ``subagent`` record that the call made.
    """

    id: str
    name: str
    arguments: dict[str, Any]
    record: str | None = None


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a call ended: its status and what the tool returned."""

    status: str
    output: Any


@dataclass(slots=True)
class Inference:
    """A model call so far.

    ``record``: the ID of its latest record. ``said``: what that said, as JSON, and ``taken`` of which keys of a line.
    ``fragments``: the lines seen. ``request``: the first request ID that can be used.
    """

    record: str
    said: bytes
    taken: frozenset[str]
    fragments: int
    output: int
    final: bool
    request: str | None


@dataclass(slots=True)
class Boundary:
    """A compaction that may still get its summary."""

    uuid: str | None
    record: str
    fields: dict[str, Any]


@dataclass(slots=True)
class State(Learned):
    """All that later units depend on.

    ``stream``: the ID of the stream, for the names of embedded ones. ``facts``: the context as last recorded.
    ``said``: the last value, as JSON, of what is written when it changes (modes, titles, the last prompt).
    ``agents``: calls of embedded subagents by agent ID.
    ``version``, ``workspace``: the agent's version and place as first recorded.
    """

    stream: str
    graph: Graph = field(default_factory=Graph)
    queue: Queue = field(default_factory=Queue)
    facts: dict[str, Any] = field(default_factory=dict)
    calls: dict[str, Call] = field(default_factory=dict)
    tasks: dict[str, dict[str, str]] = field(default_factory=dict)
    tasks_cut: bool = False
    """Whether there are more tasks than those."""
    inferences: dict[str, Inference] = field(default_factory=dict)
    snapshots: dict[str, str] = field(default_factory=dict)
    agents: dict[str, dict[str, None]] = field(default_factory=dict)
    boundary: Boundary | None = None
    placeholder: bool = False
    started: bool = False
    """Whether a message of a subagent's file was seen: the first is its prompt."""
    _seen: dict[str, Any] = field(default_factory=dict)
    """The facts of the lines so far, also the empty ones; without those that were of a wrong type."""

    def context(self, line: Line) -> Sequence[str]:
        """See what changed of the facts that stand on every line; the keys that have to be told beside them.

        What changed waits in ``line.context`` until the line has its content.
        """
        value = line.value
        if not line.chained:
            same = value.get("sessionId") == self.facts.get("sessionId")
            known = _LOOSE_FACTS if same else self._changed(line, _LOOSE_FACTS)
            return [key for key in value if key != "type" and key not in known and key not in PLACE]
        facts, untold = _shape(tuple(value))
        seen = self._seen
        try:
            same = facts(value) == facts(seen)
        except KeyError:
            same = False
        if same and value.get("isSidechain") is seen.get("isSidechain"):  # 1 == True
            return untold
        known = self._changed(line, _FACTS)
        return tuple(key for key in value if key != "type" and key not in known and key not in PLACE)

    def _changed(self, line: Line, keys: tuple[str, ...]) -> Collection[str]:
        fields: dict[str, Any] = {}
        meta: dict[str, Any] = {}
        taken = set()
        for key in keys:
            value = line.value.get(key)
            if not isinstance(value, str) and not (key == "isSidechain" and isinstance(value, bool)):
                self._seen.pop(key, None)
                continue
            taken.add(key)
            self._seen[key] = value
            if value == "" or value == self.facts.get(key):
                continue
            self.facts[key] = value
            if key in _STANDARD and isinstance(value, str):
                fields[_STANDARD[key]] = value
            else:
                meta[key] = value
        if fields or meta:
            line.context = (fields, meta)
            self._first(fields)
        return taken

    def _first(self, fields: dict[str, Any]) -> None:
        version = word(fields.get("agentVersion"))
        if version is not None:
            self.version = self.version or version
            self.placeholder = counts_badly(version)
        if "cwd" in fields:
            self.workspace.setdefault("cwd", fields["cwd"])
        if "branch" in fields:
            self.workspace.setdefault("vcs", {"branch": fields["branch"]})

    def mode(self, line: Line, kind: str, value: Any, *, after: bool) -> bool:
        """Record a mode that changed; whether the value was one."""
        if not word(value):
            return False
        if self.changed(f"mode {kind}", value):
            put = line.after if after else line.put
            put(MODE if after else CONTENT, "git-asr/mode", {"kind": kind, "mode": value})
        return True
