"""Chat messages in OpenAI's shape, as Mistral Vibe and others store them (reference native-transcripts, 12.8)."""

from __future__ import annotations

from typing import Any

from git_asr.asr.ids import derived, usable
from git_asr.converters.base import Facts, Format, Sample
from git_asr.converters.building import (
    BLOCK,
    CONTENT,
    MAX_BLOCKS,
    Building,
    data_part,
    holds,
    json_text,
    rest,
    text_part,
    vendor_type,
    word,
)
from git_asr.converters.fields import objects, part, text
from git_asr.converters.successive import Reader, Successive


class OpenAIChat(Format):
    """One message a line; known by its tool calls, because bare roles and contents could be anybody's."""

    __slots__ = ()
    harness = "openai-chat"
    name = "openai-chat-jsonl"

    def recognises(self, sample: Sample) -> bool:
        """By lines that all have a role, one of them with a call or a result."""
        values = objects(sample)
        return all(text(value, "role") is not None and "message" not in value for value in values) and any(
            isinstance(value.get("tool_calls"), list) or text(value, "tool_call_id") is not None
            for value in values
        )

    def facts(self, value: Any) -> Facts:
        """A role, and an ID where the agent adds one."""
        return Facts(id=text(value, "message_id"), type=text(value, "role"))


# Slots, append-only: a slot is part of a record's ID (profile section 3). A message of the assistant has a block for
# what it thought, one for what it said, and one for each call.
_REST = 79
_INFERENCE = 83
_SAID, _CALLS = 1, 2
"""Blocks of a message of the assistant: what it said, and the first of its calls."""

_AUTHORS = {"user": ("user", "human"), "system": ("system", "harness"), "developer": ("system", "harness")}
_REASONING = ("reasoning_content", "reasoning")


class _Chat(Reader):
    """The messages of one session. ``_names``: the tools that were called, by the ID of the call."""

    def __init__(self) -> None:
        super().__init__()
        self._names: dict[str, str] = {}

    def read(self, line: Building, value: dict[str, Any]) -> set[str] | None:
        role = text(value, "role")
        own = text(value, "message_id")
        if role == "assistant":
            taken = self._assistant(line, value, own)
        elif role == "tool":
            taken = self._result(line, value)
        elif role in _AUTHORS:
            _message(line, value, _AUTHORS[role], own)
            taken = {"content"}
        else:
            return None
        return taken | {"role", "message_id"} if own is not None else taken | {"role"}

    def _assistant(self, line: Building, value: dict[str, Any], own: str | None) -> set[str]:
        """What one response thought, said and called; it is one model call if it has an ID."""
        found = value.get("tool_calls")
        listed = found if isinstance(found, list) else []
        calls = listed[: MAX_BLOCKS - _CALLS]
        line.blocks = _CALLS + len(calls)
        inference = own if usable(own) else None
        taken = {"content"}
        thought = next((key for key in _REASONING if text(value, key)), None)
        if thought is not None:
            told = {"content": [text_part(value[thought])]}
            line.put(CONTENT, "reasoning", told, block=0, inference=inference)
            taken.add(thought)
        if holds(value.get("content")) or not (thought or calls):
            _message(line, value, ("assistant", "agent"), own, block=_SAID, inference=inference)
        for at, one in enumerate(calls):
            self._call(line, _CALLS + at, one, inference)
        if isinstance(found, list):
            taken.add("tool_calls")
        if more := listed[len(calls) :]:
            line.after(_REST, vendor_type(line.vendor, "tool_calls"), {"value": more})
        if inference is not None:
            about: dict[str, Any] = {"inferenceId": inference}
            for key, name in (("model", "model"), ("finish_reason", "stopReason")):
                if word(value.get(key)):
                    about[name] = value[key]
                    taken.add(key)
            line.after(_INFERENCE, "inference", about)
        return taken

    def _call(self, line: Building, block: int, told: Any, inference: str | None) -> None:
        """A call of a function, whose arguments are a text."""
        function = part(told, "function")
        name = word(function.get("name"))
        if name is None:
            line.put(CONTENT, vendor_type(line.vendor, "tool_call"), {"value": told}, block=block)
            return
        usual = {"type": "function", "index": block - _CALLS}
        meta = {
            key: item
            for key, item in rest(told, ("id", "function")).items()
            if key not in usual or type(item) is not type(usual[key]) or item != usual[key]
        }
        identity = _identity(line, block, told.get("id"), "id", meta)
        arguments, exact = json_text(function.get("arguments"))
        left = rest(function, ("name", "arguments"))
        if exact is not None:
            left["arguments"] = exact
        if left:
            meta["function"] = left
        request = {**identity, "name": name, **({"arguments": arguments} if "arguments" in function else {})}
        line.put(CONTENT, "tool_call", request, block=block, meta=meta, inference=inference)
        self._names[identity["callId"]] = name

    def _result(self, line: Building, value: dict[str, Any]) -> set[str]:
        """A result; whether the call succeeded is not told."""
        content, meta = _parts(value.get("content"))
        identity = _identity(line, None, value.get("tool_call_id"), "tool_call_id", meta)
        told = {**identity, "status": "unknown", "content": content}
        line.put(CONTENT, "tool_result", told, meta=meta)
        same = value.get("name") == self._names.get(identity["callId"], "")
        return {"content", "tool_call_id", "name"} if same else {"content", "tool_call_id"}


def _identity(
    line: Building, block: int | None, found: Any, key: str, meta: dict[str, Any]
) -> dict[str, str]:
    """The ID of a call: the agent's, else one from its place; what was found instead goes to ``meta``."""
    if isinstance(found, str) and usable(found):
        return {"callId": found}
    if holds(found):
        meta[key] = found
    place = 0 if block is None else BLOCK * (block + 1)
    return {"callId": derived(line.position, line.base + place), "callIdSource": "derived"}


def _message(
    line: Building,
    value: dict[str, Any],
    who: tuple[str, str],
    own: str | None,
    *,
    block: int | None = None,
    inference: str | None = None,
) -> None:
    content, meta = _parts(value.get("content"))
    told: dict[str, Any] = {"role": who[0], "author": who[1]}
    if own is not None and usable(own):
        told["messageId"] = own
    line.put(CONTENT, "message", {**told, "content": content}, block=block, meta=meta, inference=inference)


def _parts(found: Any) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """The parts of a content that is a text or a list, and what they do not hold, by index."""
    if not holds(found):
        return [], {}
    made, left = [], {}
    for at, one in enumerate(found if isinstance(found, list) else [found]):
        said = one if isinstance(one, str) else text(one, "text")
        url = text(part(one, "image_url"), "url")
        over: dict[str, Any] = {}
        if said is not None:
            made.append(text_part(said))
            if isinstance(one, dict):
                over = rest(one, ("type", "text") if one.get("type") == "text" else ("text",))
        elif url is not None:
            made.append(data_part(url, one))
            if made[-1]["type"] != "json":
                detail = rest(one["image_url"], ("url",))
                over = rest(one, ("type", "image_url") if one.get("type") == "image_url" else ("image_url",))
                over |= {"image_url": detail} if detail else {}
        else:
            made.append({"type": "json", "value": one})
        if over:
            left[str(at)] = over
    return made, {"content": left} if left else {}


def chat() -> Successive:
    """The converter of such messages."""
    losses = (
        {"feature": "times", "reason": "the source has none"},
        {"feature": "status", "reason": "the source does not say whether a call succeeded"},
        {"feature": "usage", "reason": "the source has totals in another file, which is not stored"},
    )
    return Successive("openai-chat", OpenAIChat(), "com.openai.chat", losses, _Chat)
