"""Append-only records: message, append, result, usage, drop. Their wire shape is not published; this is our reading.

What they mean the companion specification says: ``message`` starts an entity, ``append`` is a chunk of it, ``result``
a tool result, ``usage`` the usage of one call, and what ``drop`` names is kept and withdrawn. Which members they have
is written down in docs/events.md; all of it is in this file, so that the day it is published nothing else changes.
Members that are not known are kept.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from git_asr.asr import codec
from git_asr.asr.draft import Draft
from git_asr.asr.ids import derived, usable
from git_asr.converters import fields
from git_asr.converters.building import BLOCK, CONTENT, MAX_BLOCKS, rest, vendor_type, word
from git_asr.converters.etf import usage
from git_asr.converters.etf.content import part
from git_asr.converters.events.slots import INFERENCE, MAX_TOMBSTONES, REST, STATE, TOMBSTONES
from git_asr.converters.events.state import VENDOR, Entity, Handler, Line, State, Taken
from git_asr.converters.fragments import MAX_RESTATED
from git_asr.converters.secret_answers import asks_for_a_secret

_ENTITY = ("message_id", "messageId", "id")
_CALL = ("tool_use_id", "tool_call_id", "call_id", "callId", "id")
_DROPPED = ("target", "message_id", "messageId", "call_id", "id")
"""Members that name what a record is about; the first that can be an ID does."""

_AUTHORS = {"assistant": "agent", "system": "harness"}
_SAID = frozenset({"human", "agent", "harness", "unknown"})
_STATUS = {
    **dict.fromkeys(("success", "ok", "completed"), "ok"),
    **dict.fromkeys(("error", "failed"), "error"),
    **{one: one for one in ("rejected", "cancelled")},
}


def _named(value: dict[str, Any], keys: tuple[str, ...]) -> tuple[str | None, Taken]:
    """The ID that a record is about, and the members that say so."""
    found = next((value[key] for key in keys if isinstance(value.get(key), str) and usable(value[key])), None)
    return found, set() if found is None else {key for key in keys if value.get(key) == found}


def _blocks(value: dict[str, Any]) -> tuple[list[Any], Taken]:
    """The content of a message or of a chunk: a text, a block, or a list of them."""
    key = "content" if value.get("content") is not None else "text"
    content = value.get(key)
    if content is None:
        return [], set()
    return content if isinstance(content, list) else [content], {key}


def close(state: State, *, final: bool = True) -> list[Draft]:
    """The records of the message that is open, which nothing appends to any more (``final``), or nothing yet."""
    if state.open is None:
        return []
    identifier, entity, line = state.open
    state.open = None
    told: dict[str, Any] = {"role": entity.role, "author": entity.author}
    if identifier is not None:
        told["messageId"] = identifier
    told["content"] = [_joined(one) for one in entity.parts]
    told["assembly"] = entity.assembly(final=final)
    before = None if entity.record is None else entity.record.id
    line.native = identifier if before is None else None
    entity.record = line.put(CONTENT, "message", told, supersedes=before)
    for index, block in enumerate(entity.calls[:MAX_BLOCKS]):
        _called(line, index, block, entity, state)
    if more := entity.calls[MAX_BLOCKS:]:
        line.put(REST, vendor_type(VENDOR, "blocks"), {"value": more}, block=MAX_BLOCKS - 1)
    line.unit = replace(line.unit, flags=tuple(entity.flags))
    left, entity.calls, entity.flags = entity.noted(), [], {}
    return line.done(state, left, joined=True)


def _joined(one: dict[str, Any]) -> dict[str, Any]:
    """A part with its text in one."""
    return {**one, "text": "".join(one["text"])} if one["type"] == "text" else one


def _called(line: Line, index: int, block: dict[str, Any], entity: Entity, state: State) -> None:
    """A call in the content of a message; one that is told again replaces what was told."""
    identifier, meta = block.get("id"), rest(block, {"type", "id", "name", "input"})
    request: dict[str, Any] = {"callId": identifier}
    known = None
    if not isinstance(identifier, str) or not usable(identifier):
        own = derived(line.position, line.base + BLOCK * (index + 1))
        request = {"callId": own, "callIdSource": "derived"}
        meta |= rest({"id": identifier}, ())
        identifier = own
    elif (known := entity.asked.get(identifier)) is not None and known[1] == codec.identity(block):
        return
    if asks_for_a_secret(block):
        state.secrets.add(identifier)
    request["name"] = block["name"]
    if "input" in block:
        request["arguments"] = block["input"]
    before = None if known is None else known[0].id or line.identify(known[0])
    draft = line.put(CONTENT, "tool_call", request, block=index, meta=meta, supersedes=before)
    entity.asked[identifier] = draft, codec.identity(block)


def _grow(entity: Entity, line: Line, left: dict[str, Any]) -> Taken:
    """Add a fragment to a message; the members that it is."""
    blocks, taken = _blocks(line.value)
    entity.size += len(codec.identity(blocks))
    over: dict[str, Any] = {}
    for index, block in enumerate(blocks):
        if fields.text(block, "type") == "tool_use" and word(block.get("name")) is not None:
            entity.calls.append(block)
            continue
        one, more = part(block)
        if more:
            over[str(index)] = more
        if one["type"] != "text":
            entity.parts.append(one)
        elif index == 0 and entity.parts and entity.parts[-1]["type"] == "text":
            entity.parts[-1]["text"].append(one["text"])
        else:
            entity.parts.append({**one, "text": [one["text"]]})
    entity.fragments += 1
    entity.flags |= dict.fromkeys(line.unit.flags)
    entity.note({**left, **({"content": over} if over else {})})
    return taken


def _message(line: Line, state: State) -> Taken | None:
    """A message begins; one that is told again replaces what was told."""
    value = line.value
    identifier, taken = _named(value, _ENTITY)
    told = codec.identity({key: item for key, item in value.items() if key not in line.stamps})
    known = state.entities.get(identifier) if identifier is not None else None
    if known is not None and known.told == told and known.fragments == 1:
        return set(value)
    role, author = word(value.get("role")), fields.text(value, "author")
    author = author if author in _SAID else None
    entity = Entity(role or "unknown", author or _AUTHORS.get(role or "", "unknown"), told)
    if known is not None:
        entity.record, entity.asked, entity.weight = known.record, known.asked, known.weight
        entity.restated = known.restated + 1
        if entity.restated > MAX_RESTATED:
            return None
    taken |= {key for key, found in (("role", role), ("author", author)) if found is not None}
    _begin(line, state, identifier, entity, taken)
    return set(value)


def _begin(line: Line, state: State, identifier: str | None, entity: Entity, taken: Taken) -> None:
    """Add a line to a message, which is open then."""
    if identifier is not None:
        state.entities[identifier] = entity
    state.open = identifier, entity, line
    _grow(entity, line, state.left(line, taken | _blocks(line.value)[1]))


def appends(value: dict[str, Any], state: State) -> bool:
    """Tell whether a line is a chunk of the message that is open."""
    if value.get("type") != "append" or state.open is None:
        return False
    identifier, _ = _named(value, _ENTITY)
    return identifier is None or identifier == state.open[0]


def append(line: Line, state: State) -> Taken | None:
    """A chunk: of the message that is open, or of one that was; one of no message begins one of nobody."""
    identifier, taken = _named(line.value, _ENTITY)
    if state.open is not None:
        identifier, entity, _ = state.open
    else:
        known = state.entities.get(identifier) if identifier is not None else None
        if known is None:
            state.wonder(line, "a chunk of a message that did not begin")
            known = Entity("unknown", "unknown", b"")
        elif not known.restates():
            return None
        entity = known
    _begin(line, state, identifier, entity, taken)
    return set(line.value)


def _result(line: Line, state: State) -> Taken | None:
    """The result of a call; the answer to a secret question is nowhere."""
    value = line.value
    call, taken = _named(value, _CALL)
    said = codec.identity({key: item for key, item in value.items() if key not in line.stamps})
    if call is not None and call in state.results and state.results[call][1] == said:
        return set(value)
    told: dict[str, Any] = {"callId": call}
    if call is None:
        told = {"callId": derived(line.position, line.base + STATE), "callIdSource": "derived"}
        state.wonder(line, "a result that names no call")
    status = _STATUS.get(fields.text(value, "status") or "")
    failed = value.get("is_error")
    if status is not None:
        taken.add("status")
    elif "status" not in value and isinstance(failed, bool):
        status = "error" if failed else "ok"
        taken.add("is_error")
    told["status"] = status or "unknown"
    capture = None
    left: dict[str, Any] = {}
    if call in state.secrets:
        capture, taken = {"state": "masked"}, set(value)
    else:
        blocks, more = _blocks(value)
        if more:
            parts = [part(block) for block in blocks]
            told["content"] = [one for one, _ in parts]
            left = {str(at): over for at, (_, over) in enumerate(parts) if over}
        if "output" in value:
            told["output"] = value["output"]
        taken |= more | {"output"}
    draft = line.put(STATE, "tool_result", told, meta={"content": left} if left else None, capture=capture)
    if call is not None:
        state.results[call] = draft, said
    return taken


def _usage(line: Line, state: State) -> Taken | None:
    """What one model call used; told again, it replaces what was told."""
    value = line.value
    call, taken = _named(value, _ENTITY)
    inner = value.get("usage")
    counted, used = usage.normal(inner if isinstance(inner, dict) else value)
    if not counted:
        return None
    request = fields.text(value, "request_id")
    known = {"requestId": request if usable(request) else None, "provider": word(value.get("provider"))}
    known |= {"model": word(value.get("model")), "stopReason": word(value.get("stop_reason"))}
    own = derived(line.position, line.base + INFERENCE)
    call = call or known["requestId"] or own
    if call in state.renamed:  # records of what was dropped have its ID
        taken = set()
        state.renamed[call] = state.renamed[call] or own
    told = {
        "inferenceId": state.renamed.get(call, call),
        **{name: found for name, found in known.items() if found},
        "usage": counted,
    }
    names = {"requestId": "request_id", "provider": "provider", "model": "model", "stopReason": "stop_reason"}
    taken |= {names[name] for name in told if name in names}
    left = rest(inner, used) if isinstance(inner, dict) else {}
    taken |= {"usage"} if isinstance(inner, dict) else used
    before = state.inferences.get(call)
    if before is not None and before[1] == codec.identity(told):
        return taken
    supersedes = None if before is None else before[0].id
    draft = line.put(
        INFERENCE, "inference", told, meta={"usage": left} if left else None, supersedes=supersedes
    )
    state.inferences[call] = draft, codec.identity(told)
    return taken


def _drop(line: Line, state: State) -> Taken | None:
    """What is dropped stays, and is withdrawn, once; what is told of it later is another."""
    target, taken = _named(line.value, _DROPPED)
    made = _taken_back(target, state) if target is not None else []
    if not made:
        state.wonder(line, "it drops what is not there")
        return None
    for number, draft in enumerate(made[:MAX_TOMBSTONES]):
        line.put(TOMBSTONES + number, "tombstone", {"target": draft.id, "reason": "withdrawn"})
    if more := made[MAX_TOMBSTONES:]:
        targets = {"targets": [one.id for one in more]}
        line.put(REST, vendor_type(VENDOR, "tombstones"), {"value": targets})
    return taken


def _taken_back(target: str, state: State) -> list[Draft]:
    """The records of what an ID names, which is known no more: a message with its calls, a result, or a model call."""
    entity = state.entities.pop(target, None)
    if entity is not None:
        asked = [draft for draft, _ in entity.asked.values()]
        return asked if entity.record is None else [entity.record, *asked]
    known = state.results.pop(target, None)
    if known is None and target in state.inferences:
        known = state.inferences.pop(target)
        state.renamed[target] = ""
    return [] if known is None else [known[0]]


HANDLERS: dict[str, Handler] = {
    "message": _message,
    "append": append,
    "result": _result,
    "usage": _usage,
    "drop": _drop,
}
"""By the type of the record."""
