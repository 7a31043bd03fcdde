"""What a timeline consists of: plain values, texts as recorded (whoever prints them makes them neutral)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Any, ClassVar

from git_asr.values import dataclass
from git_asr.views.patches import Edit


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One entry of a timeline.

    ``record``: the ID of the record that it shows, None for what no record says. ``position``: of the unit that gave
    it. ``ts``: its time, RFC 3339 as recorded, None where it is unknown. ``aside``: it stands on a branch that was
    left.
    """

    kind: ClassVar[str] = "item"
    record: str | None
    position: int
    ts: str | None = None
    aside: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A part of a content: ``text``, or what stands in its place (``image``, ``file``, ``json``, or an unknown type).

    ``text``: None where there is none, or where its blob is not there. ``media_type`` and ``bytes`` of what lies in a
    blob; ``value`` of JSON.
    """

    type: str
    text: str | None = None
    media_type: str | None = None
    bytes: int | None = None
    value: Any = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Message(Item):
    """Something said. ``author``: human, agent, harness, unknown, or what else is recorded.

    ``sender``: who, where several may be. ``pending``: it was queued, and nothing says that it was delivered.
    """

    kind: ClassVar[str] = "message"
    role: str
    author: str
    sender: str | None = None
    pending: bool = False
    copied: bool = False
    parts: tuple[Part, ...] = ()
    capture: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Reasoning(Item):
    """What the model thought. ``capture``: why there is no text, where there is none."""

    kind: ClassVar[str] = "reasoning"
    parts: tuple[Part, ...] = ()
    capture: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Subagent:
    """A subagent that a call started. ``status``: how it ended; None where that is unknown.

    ``stream``: the ID of its stream where it has one, and ``items`` what happened in it; none where it is nested too
    deep to be shown. ``usage``: as its result
    tells, in the profile's normal form, with what it covers in words.
    """

    agent_type: str | None
    state: str | None
    status: str | None
    stream: str | None = None
    items: tuple[Item, ...] = ()
    usage: Mapping[str, Any] = field(default_factory=dict)
    scope: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Call(Item):
    """A tool call with its result, and the question, plan or subagent that it was.

    ``name``: None where no call with this ID is recorded. ``status``: ok, error, rejected, cancelled, unknown; None
    where there is no result. ``result``: what the model got. ``ambiguous``: several calls or several results have its
    ID, so no result can be said to be its own. ``earlier``: the call itself stands before what is shown. ``answers``:
    None where a question has none.
    """

    kind: ClassVar[str] = "call"
    call_id: str
    name: str | None
    arguments: Any = None
    edits: tuple[Edit, ...] = ()
    status: str | None = None
    result: tuple[Part, ...] = ()
    output: Any = None
    ended: str | None = None
    ambiguous: bool = False
    earlier: bool = False
    questions: tuple[Any, ...] | None = None
    answers: tuple[Any, ...] | None = None
    plan: tuple[Mapping[str, Any], ...] | None = None
    subagent: Subagent | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange(Item):
    """A question to the user that no call asked. ``answers``: None where none is recorded."""

    kind: ClassVar[str] = "exchange"
    questions: tuple[Any, ...] = ()
    answers: tuple[Any, ...] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan(Item):
    """A plan or a list of tasks that no call made. ``steps``: each with ``text`` and, where recorded, ``status``."""

    kind: ClassVar[str] = "plan"
    steps: tuple[Mapping[str, Any], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Compaction(Item):
    """The context was cut here. ``summary``: the ID of the record with the summary, None where there is none.

    ``unknown``: what it replaced is not known. ``calls``: of how many calls the results were cleared. ``kept``: how
    many records before it stay.
    """

    kind: ClassVar[str] = "compaction"
    trigger: str | None = None
    summary: str | None = None
    unknown: bool = False
    calls: int = 0
    kept: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn(Item):
    """The course of the conversation changes.

    ``what``: ``rewind`` (to the record ``to``, None for its start), ``branch`` (what follows, ``count`` entries, was
    left, and the conversation went on from the record ``to``), ``root`` (it starts anew), ``break`` (its predecessor
    ``to`` is not recorded: what lies between is unknown).
    """

    kind: ClassVar[str] = "turn"
    what: str
    to: str | None = None
    count: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Event(Item):
    """Anything else that is shown: ``label`` names the kind of thing, ``text`` is what it says."""

    kind: ClassVar[str] = "event"
    label: str
    text: str = ""
    level: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark(Item):
    """Here begins the slice of a checkpoint. ``commits``: those that name it, full IDs."""

    kind: ClassVar[str] = "checkpoint"
    checkpoint: str
    commits: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Gap(Item):
    """Lines of the stream that cannot be read: something is missing here.

    ``line``: the number of the first, ``lines``: how many in a row, ``reason``: why, for all of them.
    """

    kind: ClassVar[str] = "gap"
    line: int
    lines: int = 1
    reason: str
