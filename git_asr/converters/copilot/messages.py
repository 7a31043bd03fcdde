"""What people, the agent and its program say (reference sections 7.2 and 13.4)."""

from __future__ import annotations

from typing import Any

from git_asr.asr.ids import usable
from git_asr.converters.building import (
    CONTENT,
    MAX_BLOCKS,
    absent,
    around,
    is_marker,
    rest,
    text_part,
    vendor_type,
    word,
)
from git_asr.converters.copilot import tools, usage
from git_asr.converters.copilot.chunks import Chunk, Spoken
from git_asr.converters.copilot.content import binary, holds_bytes, listed
from git_asr.converters.copilot.event import VENDOR, Event, Taken
from git_asr.converters.copilot.slots import ADDED, MODE, REST
from git_asr.converters.copilot.state import State
from git_asr.converters.fields import count, text

_THOUGHT, _SAID, _ASKED = range(3)
"""Blocks of a response: what the model thought, what it said, and from here on the tools that it asks for."""
_SEALED = ("reasoningOpaque", "encryptedContent")
_NAMES = ("path", "filePath", "title", "displayName", "url")
"""Keys under which an attachment may have a name."""


def user(event: Event, state: State) -> Taken | None:
    """A message to the agent, as shown and as sent: what the harness put around it is a message of its own."""
    data = event.data
    said = text(data, "content")
    if said is None:
        return None
    author = _author(event, data.get("source"))
    content = [text_part(said)] if said else []
    attached = listed(data.get("attachments"))
    made = {index: binary(one) for index, one in enumerate(attached) if holds_bytes(one)}
    content += [part for part, _ in made.values()]
    if left := {str(index): over for index, (_, over) in made.items() if over}:
        event.left["attachments"] = left
    event.put(CONTENT, "message", {"role": "user", "author": author, "content": content})
    taken = {"content"} | ({"attachments"} if attached else set())
    _attached(event, [one for one in attached if not holds_bytes(one)])
    mode = word(data.get("agentMode"))
    if mode:
        taken.add("agentMode")
        if state.changed("mode", mode):
            event.after(MODE, "git-asr/mode", {"kind": "mode", "mode": mode})
    sent = text(data, "transformedContent")
    if sent is not None:
        taken.add("transformedContent")
        _added(event, said, sent)
    return taken


def _author(event: Event, source: Any) -> str:
    """Who wrote a message: a person, unless the event names another source."""
    if source and source != "user":
        return "agent" if isinstance(source, str) and source.startswith("agent") else "harness"
    if event.data.get("isAutopilotContinuation") is True:
        return "harness"
    return "human" if event.agent is None else "agent"


def _added(event: Event, said: str, sent: str) -> None:
    """What was sent beside what was said; all that was sent where that is something else."""
    added, where = around(sent, said)
    if added:
        told = {"role": "user", "author": "harness", "content": [text_part(one) for one in added]}
        event.put(ADDED, "message", told, meta={"transformedContent": where})


def _attached(event: Event, attached: list[Any]) -> None:
    """Files, folders and the like that were named, each in a block of its own."""
    for one in attached[: MAX_BLOCKS - 1]:
        kind = word(one.get("type")) if isinstance(one, dict) else None
        if kind is None:
            event.put(CONTENT, vendor_type(VENDOR, "attachment"), {"value": one}, block=event.blocks)
        else:
            told: dict[str, Any] = {"kind": kind}
            key = next((key for key in _NAMES if word(one.get(key))), "")
            if key:
                told["name"] = one[key]
            if said := text(one, "text"):
                told["content"] = [text_part(said)]
            over = rest(one, ("type", key, *(("text",) if said else ())))
            event.put(CONTENT, "git-asr/attachment", told, block=event.blocks, meta=over)
        event.blocks += 1
    if more := attached[MAX_BLOCKS - 1 :]:
        event.after(REST, vendor_type(VENDOR, "attachments"), {"value": more})


def blocks(data: dict[str, Any]) -> int:
    """How many blocks a response has."""
    return min(_ASKED + len(listed(data.get("toolRequests"))), MAX_BLOCKS)


def is_response(data: dict[str, Any]) -> bool:
    """Whether a response has the shape of one."""
    return isinstance(data.get("content"), str | None) and isinstance(data.get("toolRequests"), list | None)


def assistant(event: Event, state: State) -> Taken | None:
    """A response of the model, or a chunk of one: what it thought, said and asked for, and the call that gave it."""
    data = event.data
    if not is_response(data):
        return None
    said, asked = data.get("content"), data.get("toolRequests")
    event.blocks = blocks(data)
    call, taken = usage.called(event, state)
    turn = state.turns[event.agent]
    turn.model = text(data, "model") or turn.model
    taken |= {"content", "toolRequests", *_thought(event, turn.thought, call)}
    turn.thought = None
    taken |= _spoken(event, state, said or "", call)
    requests = asked or []
    for index, one in enumerate(requests[: MAX_BLOCKS - _ASKED]):
        tools.requested(event, state, _ASKED + index, one, call)
    if more := requests[MAX_BLOCKS - _ASKED :]:
        event.after(REST, vendor_type(VENDOR, "toolRequests"), {"value": more})
    return taken


def chunk(event: Event, state: State) -> Chunk | None:
    """Which chunk of a response an event is; None for a whole one, and for other events."""
    if event.type != "assistant.message" or not is_response(event.data):
        return None
    index, chunks = count(event.data, "chunkIndex"), count(event.data, "chunkCount")
    call = usage.call_key(event, state)
    if index is None or chunks is None or chunks < 2 or call is None:
        return None
    return Chunk((event.agent, *call), index == 0, index + 1 >= chunks)


def _spoken(event: Event, state: State, said: str, call: str | None) -> set[str]:
    """What the model said; the keys of the event that the record holds.

    A later chunk of a response goes on from what the ones before it said: it has all of it.
    """
    part = chunk(event, state)
    before = None if part is None else state.spoken.pop(part.key, None)
    if part is not None and part.first:
        before = None
    if part is not None and before is not None and not said and not part.last:
        state.spoken[part.key] = before
        return set()
    if before is not None and not before.open and not before.restates():
        before = None
    if not said and before is None:
        return set()
    own = text(event.data, "messageId")
    identifier = (own if usable(own) else None) if before is None else before.identifier
    told: dict[str, Any] = {"role": "assistant", "author": "agent"}
    if identifier is not None:
        told["messageId"] = identifier
    told["content"] = [text_part(said)]
    earlier = None if before is None or before.record is None else before.record.id
    draft = event.put(CONTENT, "message", told, block=_SAID, inference=call, supersedes=earlier)
    if part is not None:
        state.said = spoken = before or Spoken(part.key, identifier, draft)
        spoken.grow(draft, said, last=part.last)
        if not part.last:
            state.spoken[part.key] = spoken
    return {"messageId"} if identifier is not None and identifier == own else set()


def _thought(event: Event, known: str | None, call: str | None) -> set[str]:
    """What the model thought, readable or sealed; ``known``: what an event of its own told already."""
    data = event.data
    said = text(data, "reasoningText") or ""
    sealed = {key: data[key] for key in _SEALED if data.get(key)}
    if said and said == known and not sealed:
        return {"reasoningText"}
    if not said and not sealed:
        return set()
    capture = None if said else _absent(next(iter(sealed.values())))
    draft = event.put(
        CONTENT,
        "reasoning",
        {"content": [] if not said or said == known else [text_part(said)]},
        block=_THOUGHT,
        meta=sealed,
        inference=call,
        capture=capture,
    )
    if said and said == known:
        draft.capture = {"state": "omitted", "reason": "recorded before"}
    return {*sealed, "reasoningText"} if said else set(sealed)


def _absent(sealed: Any) -> dict[str, Any]:
    return absent(sealed) if is_marker(sealed) else {"state": "omitted", "reason": "encrypted"}


def reasoning(event: Event, state: State) -> Taken | None:
    """A thought in an event of its own, which the response may repeat."""
    said = text(event.data, "content")
    if said is None:
        return None
    state.turns[event.agent].thought = said
    event.put(CONTENT, "reasoning", {"content": [text_part(said)] if said else []})
    return {"content"}


def system(event: Event, state: State) -> Taken | None:
    """The system prompt, when it changes."""
    data = event.data
    said = text(data, "content")
    if said is None:
        return None
    if not state.changed(f"system {text(data, 'role')} {text(data, 'name')}", said):
        event.keep({"content"})
        return data.keys()
    event.put(CONTENT, "message", _from_harness("system", said))
    return {"content", "role"} if data.get("role") == "system" else {"content"}


def notification(event: Event, _: State) -> Taken | None:
    """What the harness tells the agent while it works."""
    said = text(event.data, "content")
    if said is None:
        return None
    event.put(CONTENT, "message", _from_harness("user", said))
    return {"content"}


def skill(event: Event, _: State) -> Taken | None:
    """Instructions that a skill put into the conversation."""
    name, said = word(event.data.get("name")), text(event.data, "content")
    if not name or said is None:
        return None
    told = {"kind": "skill", "name": name, "content": [text_part(said)]}
    event.put(CONTENT, "git-asr/attachment", told)
    return {"name", "content"}


def asset(event: Event, _: State) -> Taken | None:
    """Bytes to which other events refer."""
    if not holds_bytes(event.data):
        return None
    part, over = binary(event.data)
    told: dict[str, Any] = {"kind": "binary_asset"}
    if name := word(over.get("assetId")):
        told["name"] = name
        del over["assetId"]
    event.put(CONTENT, "git-asr/attachment", {**told, "content": [part]})
    event.left.update(over)
    return event.data.keys()


def _from_harness(role: str, said: str) -> dict[str, Any]:
    return {"role": role, "author": "harness", "content": [text_part(said)] if said else []}
