"""What the converter remembers of one rollout while its lines pass."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from git_asr.asr.draft import Draft
from git_asr.asr.ids import usable_session
from git_asr.converters.codex.line import Line
from git_asr.converters.fields import part, text
from git_asr.converters.learned import Learned

MAX_RESULTS = 256
"""Results that may still be told anew, by the event or the item that belongs to them."""

_UUID7 = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}")
_TIME = slice(0, 13)
"""The part of a UUID of version 7 that is a time in milliseconds."""
_METADATA = ("internal_chat_message_metadata_passthrough", "metadata")


@dataclass(slots=True)
class Said:
    """A text of the turn: the record that has it, and whether that is of an item, which goes before events."""

    draft: Draft
    item: bool


@dataclass(slots=True)
class Call:
    """A call that its result is understood by, and the ``subagent`` record that it made."""

    name: str
    arguments: Any
    record: Draft | None = None


@dataclass(slots=True)
class State(Learned):
    """All that later lines depend on.

    ``used``: native IDs given to records. ``last``: the ID of the last record that carries the context.
    ``turn``: the turn that runs, as last recorded. ``thread``: the thread of the first header. ``said``: the texts of
    this turn. ``messages``: the first record of each message of texts, by role and texts, for compactions.
    ``prompts``: for each turn of the user the ID of the record before it. ``calls``: the IDs of all calls.
    """

    used: set[str] = field(default_factory=set)
    last: str | None = None
    turn: str | None = None
    thread: str | None = None
    created: str | None = None
    """When the thread was made, as its header says."""
    origin: str | None = None
    """The thread whose history this one's file may begin with."""
    start: int | None = None
    """The first ordinal that is the thread's own."""
    copying: bool | None = None
    """Whether the last turn was copied; None before the first."""
    subagent: str | None = None
    """What kind of subagent the thread is."""
    path: str | None = None
    started: bool = False
    """Whether a message under the user's role was seen that no harness wrote."""
    ordinal: int | None = None
    provider: str | None = None
    model: str | None = None
    said: dict[tuple[str, str], Said] = field(default_factory=dict)
    answer: str | None = None
    """The last text of the agent."""
    messages: dict[tuple[str, ...], Draft] = field(default_factory=dict)
    prompts: list[str | None] = field(default_factory=list)
    calls: set[str] = field(default_factory=set)
    known: dict[str, Call] = field(default_factory=dict)
    agents: dict[str, str] = field(default_factory=dict)
    """The calls that started subagents, by the ID or path of the agent."""
    results: dict[str, Draft] = field(default_factory=dict)
    ended: set[str] = field(default_factory=set)
    """The calls of which an event told how they ended."""
    returned: set[str] = field(default_factory=set)
    """The calls for which an item has what the model got."""
    compacted: bool = False
    """Whether the last thing was a compaction, of which an event may tell again."""
    counters: dict[str, int] | None = None
    """The last cumulative usage."""
    counted: dict[str, int] | None = None
    """The usage of the last counter step."""
    steps: dict[tuple[tuple[str, int], ...], Draft] = field(default_factory=dict)
    """Counter steps for which no record of the response was seen, by their usage."""
    responses: dict[tuple[tuple[str, int], ...], int] = field(default_factory=dict)
    """How many records of responses there were for which no counter step was seen, by their usage."""
    response_ids: set[str] = field(default_factory=set)

    def known_turn(self, payload: Mapping[str, Any]) -> set[str]:
        """The keys of a payload that only say again which turn this is."""
        found: set[str] = set()
        if self.turn is None:
            return found
        if payload.get("turn_id") == self.turn:
            found.add("turn_id")
        for key in _METADATA:
            if payload.get(key) == {"turn_id": self.turn}:
                found.add(key)
        return found

    def begins(self, payload: Mapping[str, Any]) -> None:
        """Note the turn that a line begins."""
        turn = text(payload, "turn_id")
        if turn is not None:
            self.turn = turn

    def is_copied(self, line: Line) -> bool:
        """Tell whether a line is of another thread, from which this one was forked (reference section 3.8).

        By the ordinal where the thread says with which its own begin, else by the turn: turns and threads have IDs
        that begin with a time, and a turn that is older than the thread is not its own. What stands before the first
        turn is told by its own time.
        """
        if self.origin is None:
            return False
        ordinal = line.value.get("ordinal")
        if self.start is not None and type(ordinal) is int:
            return ordinal < self.start
        if line.type == "session_meta":
            return text(line.payload, "id") != self.thread
        for turn in _turns(line.payload):
            older = _is_older(turn, self.thread)
            if older is not None:
                self.copying = older
                break
        if self.copying is not None:
            return self.copying
        return self.created is not None and line.ts is not None and line.ts < self.created

    def keep_result(self, call: str, draft: Draft) -> None:
        """Note the latest record of a result, which may be told anew."""
        self.results.pop(call, None)
        if len(self.results) >= MAX_RESULTS:
            del self.results[next(iter(self.results))]
        self.results[call] = draft

    def reference(self) -> dict[str, str] | None:
        """The thread from which this one has its first lines, as records refer to it."""
        if self.origin is None or not usable_session(self.origin):
            return None
        return {"harness": "codex", "id": self.origin}


def _turns(payload: Mapping[str, Any]) -> Iterator[str]:
    """The turn that a payload names."""
    named = [text(payload, "turn_id"), *(text(part(payload, key), "turn_id") for key in _METADATA)]
    return (one for one in named if one is not None)


def _is_older(turn: str, thread: str | None) -> bool | None:
    """Whether a turn began before its thread; None where the IDs do not tell."""
    if thread is None or not _UUID7.fullmatch(turn) or not _UUID7.fullmatch(thread):
        return None
    return turn[_TIME] < thread[_TIME]
