"""Lines of an Entire transcript → drafts, one line at a time and without looking ahead.

Entire made these lines of the native ones. The reference (entire-checkpoints, section 4.4) says what it left out, and
the companion specification what an importer declares as lost.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from git_asr.asr import codec
from git_asr.asr.codec import NON_FINITE
from git_asr.asr.draft import Draft
from git_asr.asr.ids import derived, usable
from git_asr.asr.numbering import identify
from git_asr.converters import opaque
from git_asr.converters.base import Embedded, NativeFormat, Unit
from git_asr.converters.building import (
    BLOCK,
    CONTENT,
    MAX_BLOCKS,
    Building,
    Standing,
    rest,
    vendor_type,
    word,
)
from git_asr.converters.etf import usage
from git_asr.converters.etf.content import part
from git_asr.converters.etf.format import slug, stamp
from git_asr.converters.etf.slots import INFERENCE, REST, RESULT
from git_asr.converters.fields import text
from git_asr.converters.secret_answers import entire_secret_answers
from git_asr.converters.versions import VERSIONS

VENDOR = "io.entire.transcript"
"""Prefix of vendor types and key of ``_meta``; types of ``io.entire`` are those of the companion specification."""

_AUTHORS = {"user": "unknown", "assistant": "agent"}
"""Who speaks on lines of a type: the source does not mark what the harness wrote under the user's role."""
_PRODUCER = ("agent", "cli_version")
_CALL = frozenset({"type", "id", "name", "input", "result"})
_RESULT = frozenset({"output", "status"})
_STATUS = {"success": "ok", "error": "error"}
_FAILS_AS_SUCCESS = frozenset({"codex"})
"""Agents whose failed calls Entire calls a success too."""

LOSSES = (
    *opaque.CONVERTED_LINE_LOSSES,
    {"feature": "reasoning", "reason": "Entire's transcript drops it"},
    {"feature": "tool_result.content", "reason": "it has the output of a tool, not what reached the model"},
    {"feature": "tool_result.ts", "reason": "a result stands in the line of its call"},
    {"feature": "timestamps", "reason": "not every line has one"},
    {"feature": "authors", "reason": "what the harness wrote under the user's role is not marked"},
    {"feature": "exchanges", "reason": "questions, plans and subagents are calls like any other"},
    {
        "feature": "native_lines",
        "reason": "lines, branches and results that its converters skip are not there",
    },
    {"feature": "empty_values", "reason": "null, empty text, arrays and objects are not kept as fields"},
    {
        "feature": "repeated_values",
        "reason": "the agent, the version of Entire and the counters of a response are recorded when they change",
    },
)


@dataclass(slots=True)
class State(Standing):
    """All that later lines depend on.

    ``used``: native IDs given to records. ``named``: IDs that messages have. ``calls``: of each model
    call its last record, and its usage as JSON.
    """

    used: set[str] = field(default_factory=set)
    named: set[str] = field(default_factory=set)
    calls: dict[str, tuple[Draft, bytes]] = field(default_factory=dict)


class Line(Building):
    """A line while its records are made.

    ``value``: the native object. ``native``: its own ID as stored. ``call``: the model call that it tells of.
    ``masked``: a secret answer was taken out of it.
    """

    __slots__ = ("call", "masked", "native", "value")

    def __init__(self, unit: Unit, value: dict[str, Any], *, masked: bool) -> None:
        super().__init__(unit, VENDOR, stamp(value))
        self.value = value
        self.native = text(value, "id")
        self.call: str | None = None
        self.masked = masked


class EntireLines:
    """The converter of one stream."""

    name = "entire-transcript"
    version = VERSIONS["entire-transcript"]
    lossy = LOSSES
    format_version: str | None = "1"
    workspace: dict[str, Any] | None = None
    embedded: Sequence[Embedded] = ()

    def convert(self, units: Iterator[Unit], _: NativeFormat | None, __: str = "") -> Iterator[Draft]:
        """Yield the drafts of the units; a malformed last one is held back.

        Secret answers are taken out before anything else sees them.
        """
        state = State()
        for unit in opaque.settled(units):
            if unit.kind == "malformed":
                draft = opaque.notice(unit)
                identify(draft, state.used)
                yield draft
                continue
            value = entire_secret_answers(unit.value)
            if value is None:
                yield from drafts(unit, state)
            else:
                yield from drafts(replace(unit, value=value, text=None), state, masked=True)


def drafts(unit: Unit, state: State, *, masked: bool = False) -> list[Draft]:
    """The drafts of one unit, in order; ``masked``: a secret answer was taken out of it."""
    value = unit.value if isinstance(unit.value, dict) else {}
    line = Line(unit, value, masked=masked)
    if NON_FINITE in unit.flags or not _is_message(value):
        draft = line.whole(unit, value.get("type"))
        draft.capture = {"state": "masked"} if masked else draft.capture
        left: dict[str, Any] = {}
    else:
        left = _message(line, state)
    made = line.finish(unit, left)
    made[0].native_id = line.native
    for draft in made:
        identify(draft, state.used)
    return made


def _is_message(value: dict[str, Any]) -> bool:
    """Whether a line is one that this version of the format defines."""
    kind, content = value.get("type"), value.get("content")
    return (
        type(value.get("v")) is int
        and value["v"] == 1
        and isinstance(kind, str)
        and kind in _AUTHORS
        and (content is None or isinstance(content, str | list))
    )


def _message(line: Line, state: State) -> dict[str, Any]:
    """Make the records of a message; what of its line they do not hold."""
    value, content = line.value, line.value.get("content")
    blocks = [content] if isinstance(content, str) else content or []
    line.blocks = len(blocks)
    counted, taken = usage.normal(value) if value["type"] == "assistant" else ({}, set())
    line.call = _call_id(line, state, told=bool(counted))
    _blocks(line, blocks, state)
    if counted and line.call is not None:
        _inference(line, line.call, counted, state)
    if not line.drafts:
        _said(line, [], state)
    taken |= {"v", "type", "content"}
    taken |= {key for key in _PRODUCER if not state.changed(key, value.get(key))}
    if line.ts is not None:
        taken.add("ts")
    if line.native is not None and (line.native == line.call or line.native not in state.used):
        taken.add("id")  # a record has it, or says that it cannot be used
    return rest(value, taken)


def _call_id(line: Line, state: State, *, told: bool) -> str | None:
    """The ID of the model call that a line tells of: one that counts tokens, or has the ID of one that did."""
    if line.native is not None and usable(line.native):
        return line.native if told or line.native in state.calls else None
    return (
        derived(line.position, line.base + BLOCK * min(line.blocks, MAX_BLOCKS) + INFERENCE) if told else None
    )


def _inference(line: Line, call: str, counted: dict[str, Any], state: State) -> None:
    """The model call, if the line says something new of it."""
    said = codec.identity(counted)
    before = state.calls.get(call)
    if before is not None and before[1] == said:
        return
    supersedes = None if before is None else before[0].id
    told = {"inferenceId": call, "usage": counted}
    state.calls[call] = line.after(INFERENCE, "inference", told, supersedes=supersedes), said


def _blocks(line: Line, blocks: list[Any], state: State) -> None:
    """Make the records of the content: what is said between two calls is one message."""
    run: list[tuple[int, Any]] = []
    for index, block in enumerate(blocks[:MAX_BLOCKS]):
        if (
            isinstance(block, dict)
            and block.get("type") == "tool_use"
            and word(block.get("name")) is not None
        ):
            if run:
                _said(line, run, state)
            run = []
            _called(line, index, block)
        else:
            run.append((index, block))
    if run:
        _said(line, run, state)
    if more := blocks[MAX_BLOCKS:]:
        line.put(REST, vendor_type(VENDOR, "blocks"), {"value": more}, block=MAX_BLOCKS - 1)


def _said(line: Line, run: Sequence[tuple[int, Any]], state: State) -> None:
    """A message with the blocks of a run; a user's first block, or an assistant's line, has its ID."""
    parts = [part(block) for _, block in run]
    left = {str(at): over for at, (_, over) in enumerate(parts) if over}
    kind = line.value["type"]
    fields: dict[str, Any] = {"role": kind, "author": _AUTHORS[kind]}
    own = line.native
    if own is None and (first := left.get("0", {})) and _is_new(text(first, "id"), state):
        own = first.pop("id")
        left = {at: over for at, over in left.items() if over}
    if own is not None and _is_new(own, state):
        state.named.add(own)
        fields["messageId"] = own
    fields["content"] = [one for one, _ in parts]
    meta = {"content": left} if left else None
    block = run[0][0] if run else None
    line.put(CONTENT, "message", fields, block=block, meta=meta, inference=line.call)


def _is_new(identifier: str | None, state: State) -> bool:
    """Whether an ID can be that of a message, and is not yet."""
    return usable(identifier) and identifier not in state.named


def _called(line: Line, index: int, block: dict[str, Any]) -> None:
    """A call, and its result, which stands in the same block."""
    meta = rest(block, _CALL)
    identifier = block.get("id")
    identity = {"callId": identifier}
    if not isinstance(identifier, str) or not usable(identifier):
        identity = {
            "callId": derived(line.position, line.base + BLOCK * (index + 1)),
            "callIdSource": "derived",
        }
        meta |= rest({"id": identifier}, ())
    request = {**identity, "name": block["name"]}
    if "input" in block:
        request["arguments"] = block["input"]
    result = block.get("result")
    if isinstance(result, dict) and (result or line.masked):
        _returned(line, index, identity, result)
    else:
        meta |= rest({"result": result}, ())
    line.put(CONTENT, "tool_call", request, block=index, meta=meta, inference=line.call)


def _returned(line: Line, index: int, identity: dict[str, Any], result: dict[str, Any]) -> None:
    """The result of a call. When it came the line does not say."""
    said, meta = result.get("status"), rest(result, _RESULT)
    status = _STATUS.get(said, "unknown") if isinstance(said, str) else "unknown"
    agent = text(line.value, "agent")
    if status == "ok" and agent is not None and slug(agent) in _FAILS_AS_SUCCESS:
        status = "unknown"
    if status == "unknown":
        meta |= rest({"status": said}, ())
    told = {**identity, "status": status, **({"output": result["output"]} if "output" in result else {})}
    masked = {"state": "masked"} if line.masked and "output" not in result else None
    line.put(RESULT, "tool_result", told, block=index, meta=meta, capture=masked).ts = None
