"""What the converter remembers of one session while its events pass."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import Any

from git_asr.asr import codec
from git_asr.asr.draft import Draft
from git_asr.asr.ids import usable
from git_asr.converters.copilot.chunks import MAX_HELD, Held, Key, Spoken
from git_asr.converters.copilot.event import Event
from git_asr.converters.fields import text
from git_asr.converters.learned import Learned
from git_asr.converters.revisions import carries

MAX_STREAMS = 100
"""Subagents of one file that get a stream: each costs another pass; the events of the others stay as they are."""


class Agents:
    """Tells the events of subagents from those of the agent itself, which stand in one file (reference section 7.5)."""

    def __init__(self) -> None:
        self._callers: dict[str, str] = {}

    def of(self, value: dict[str, Any]) -> str | None:
        """The subagent whose event this is; old versions name the call that started it. Asked for every event once.

        That a subagent starts and ends is told by whoever called it.
        """
        kind, data = value["type"], value["data"]
        found = text(value, "agentId") or text(data, "parentToolCallId")
        if not found:
            return None
        if kind.startswith("subagent.") and data.get("toolCallId") == found:
            return self._callers.get(found)
        asked = data.get("toolRequests")
        for one in asked if isinstance(asked, list) else ():
            if (call := text(one, "toolCallId")) is not None:
                self._callers[call] = found
        return found


@dataclass(slots=True)
class Turn:
    """Where an agent is: the interaction and the turn in it as last recorded, the model that answered last."""

    interaction: str | None = None
    number: str | None = None
    model: str | None = None
    thought: str | None = None
    """What it thought, as last recorded."""


@dataclass(slots=True)
class Inference:
    """A model call so far: its ID and its latest record."""

    id: str
    draft: Draft


@dataclass(slots=True)
class State(Learned):
    """All that later events depend on.

    ``used``: native IDs given to records. ``last``: the ID of the last record that carries a context. ``seen``: of each
    event the IDs of the last such records before and behind it. ``previous``: the event before. ``apart``: the
    predecessors of the next record that carries a context, where it does not follow the one before it.
    """

    stream: str
    used: set[str] = field(default_factory=set)
    last: str | None = None
    seen: dict[str, tuple[str | None, str | None]] = field(default_factory=dict)
    previous: str | None = None
    apart: list[str] | None = None
    agents: Agents = field(default_factory=Agents)
    streams: dict[str, None] = field(default_factory=dict)
    """The subagents that have a stream of their own."""
    turns: dict[str | None, Turn] = field(default_factory=dict)
    inferences: dict[tuple[str | None, ...], Inference] = field(default_factory=dict)
    spoken: dict[Key, Spoken] = field(default_factory=dict)
    """The responses of which chunks are to come."""
    said: Spoken | None = None
    """The response of which the event that is being converted is a chunk with text."""
    held: Held | None = None
    """The message of which the next chunk may come."""
    calls: dict[str, bytes | None] = field(default_factory=dict)
    """The calls that were asked for, with a digest of how until they begin."""
    begun: dict[str, str] = field(default_factory=dict)
    """The records of calls of which only their beginning told."""
    denied: set[str] = field(default_factory=set)
    typed: set[str] = field(default_factory=set)
    """The calls that the person asked for."""
    requests: dict[str, str] = field(default_factory=dict)
    """The calls about which the person was asked for permission, by the request."""
    asked: dict[str, tuple[str, str | None]] = field(default_factory=dict)
    """The questions that were asked, by the request, each with the call that asked."""
    opened: int | None = None
    """The position at which the process that runs began."""
    closed: int = 0
    """The position at which the process before it ended."""
    boundary: str | None = None
    """The last record before a compaction that runs."""

    def turn(self, event: Event) -> Turn:
        """The turn of the event's agent; notes what the event says of it, and what of that is nothing new."""
        turn = self.turns.setdefault(event.agent, Turn())
        data = event.data
        interaction, number = text(data, "interactionId"), text(data, "turnId")
        if interaction is not None:
            if interaction == turn.interaction:
                event.again.add("interactionId")
            else:
                turn.interaction, turn.number = interaction, None
        if number is not None:
            if number == turn.number and event.type != "assistant.turn_start":
                event.again.add("turnId")
            turn.number = number
        return turn

    def follow(self, event: Event) -> None:
        """See whether an event follows the one before it; each names the one before (reference section 7.1)."""
        if "parentId" not in event.value:
            return
        parent = event.value["parentId"]
        if not isinstance(parent, str) or parent == self.previous or not usable(parent):
            if parent is not None and parent != self.previous:
                event.left["parentId"] = parent
            return
        known = self.seen.get(parent)
        if known is None:
            event.left["parentId"] = parent
            self.apart = [parent]
        else:
            self.apart = [] if known[1] is None else [known[1]]

    def stands(self, native: str | None, before: str | None) -> None:
        """Note where an event stands; ``native``: its ID, ``before``: the last record before it."""
        self.previous = native
        if native is not None and usable(native):
            self.seen.setdefault(native, (before, self.last))
            if self.held is not None:
                self.held.events.append(native)

    def hold(self, made: list[Draft], before: str | None) -> list[Draft]:
        """What is to be given out of the records of an event; ``before``: the last record before them."""
        said, self.said = self.said, None
        if said is not None:
            at = next(number for number, draft in enumerate(made) if draft is said.draft)
            said.settle(leads=at == 0)
            if said.ended or said.draft.predecessors is not None:
                said.close()
                return made
            before = next((one.id for one in reversed(made[:at]) if carries(one)), before)
            self.held = Held(said, made[at:], before)
            return made[:at]
        if self.held is None:
            return made
        self.held.drafts += made
        return self.release() if len(self.held.drafts) > MAX_HELD else []

    def release(self) -> list[Draft]:
        """Give out the message that is held as it is, if there is one, and what stands behind it."""
        if self.held is None:
            return []
        held, self.held = self.held, None
        held.spoken.close()
        return held.drafts

    def move(self, held: Held) -> list[Draft]:
        """Give out what was held behind a message, which will stand behind it."""
        self.held = None
        held.spoken.move()
        gone, left = held.drafts[0].id, held.drafts[1:]
        for event in held.events:
            before, last = self.seen[event]
            self.seen[event] = (
                held.before if before == gone else before,
                held.before if last == gone else last,
            )
        if self.last == gone:
            self.last = held.before
        return left


def digest(name: Any, arguments: Any) -> bytes:
    """What a call asks for, to be compared."""
    return hashlib.sha256(codec.identity([name, arguments])).digest()
