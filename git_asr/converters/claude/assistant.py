"""``assistant`` lines: what one model call said, thought and called (reference sections 2.3, 2.8, 2.9, 2.10)."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping
from typing import Any

from git_asr.asr import codec
from git_asr.asr.ids import usable
from git_asr.converters.claude import tools, usage
from git_asr.converters.claude.content import part, parts
from git_asr.converters.claude.line import Line, join, rest, vendor_type, word
from git_asr.converters.claude.slots import CONTENT, INFERENCE, LINE_REST, MAX_BLOCKS, REST
from git_asr.converters.claude.state import Inference, State
from git_asr.converters.fields import text

_SYNTHETIC = "<synthetic>"
_NARRATION = b"narration"
_SAID_BY_LINE = frozenset({"content", "id", "role", "type"})
"""Keys of a message that are not the model call's, or the same on all its lines."""
_CONTENT = frozenset({"content"})
_TAKEN = frozenset({"message", "requestId"})


def line(line: Line, state: State) -> frozenset[str] | None:
    """Make the records of an ``assistant`` line; the keys they hold, None where it is none."""
    message = line.value.get("message")
    if not isinstance(message, dict) or not isinstance(message.get("content"), list | str):
        return None
    if message.get("model") == _SYNTHETIC or line.value.get("isApiErrorMessage") is True:
        return _notice(line, message)
    key = line.response = _key(line, state, message)
    content = message["content"]
    blocks = content if isinstance(content, list) else [{"type": "text", "text": content}]
    if not blocks:
        line.put(CONTENT, "message", _message(line, [], first=True), inference=key)
    line.blocks = len(blocks)
    first = True
    for index, block in enumerate(blocks[:MAX_BLOCKS]):
        first &= not _block(line, state, index, block, key, first=first)
    if more := blocks[MAX_BLOCKS:]:
        line.put(REST, vendor_type("blocks"), {"value": more}, block=MAX_BLOCKS - 1)
    if key is None:
        if left := rest(message, _said(message, key)):
            line.after(LINE_REST, vendor_type("message"), {"value": left})
    else:
        _inference(line, state, message, key)
    return _TAKEN if key is not None and usable(text(line.value, "requestId")) else frozenset({"message"})


def _said(message: Mapping[str, Any], key: str | None) -> frozenset[str]:
    """The keys of a message that other fields hold; ``key``: the ID of its model call."""
    usual = message.get("role") == "assistant" and message.get("type") == "message"
    return _SAID_BY_LINE if usual and key is not None and message.get("id") == key else _CONTENT


def _key(line: Line, state: State, message: Mapping[str, Any]) -> str | None:
    """The ID of the model call: the message's, else the request's, else the line's if it names a model or usage.

    Behind a proxy several calls may have the same message ID: it is that of the first request (reference 2.8).
    """
    native, request = text(message, "id"), text(line.value, "requestId")
    known = state.inferences.get(native or "")
    if known is not None and known.request not in (None, request) and usable(request):
        return request
    own = line.uuid if "model" in message or "usage" in message else None
    return next((found for found in (native, request, own) if usable(found)), None)


def _notice(line: Line, message: Mapping[str, Any]) -> frozenset[str]:
    """Text of the harness in the assistant's place: no model said it."""
    content, left = parts(message["content"])
    failed = line.value.get("isApiErrorMessage") is True
    fields: dict[str, Any] = {"level": "error" if failed else "info"}
    meta = rest(message, ("content",))
    if len(content) == 1 and content[0]["type"] == "text" and not left:
        fields["text"] = content[0]["text"]
    else:
        meta["content"] = message["content"]
    line.put(CONTENT, "git-asr/notice", fields, meta={"message": meta} if meta else None)
    return frozenset({"message"})


def _message(line: Line, content: list[dict[str, Any]], *, first: bool) -> dict[str, Any]:
    fields: dict[str, Any] = {"role": "assistant", "author": "agent"}
    if first and line.uuid is not None and usable(line.uuid):
        fields["messageId"] = line.uuid
    fields["content"] = content
    return fields


def _block(line: Line, state: State, index: int, block: Any, key: str | None, *, first: bool) -> bool:
    """Make the records of one content block; whether it is a message."""
    kind = block.get("type") if isinstance(block, dict) else None
    if kind == "tool_use" and word(block.get("name")) is not None:
        tools.call(line, state, index, block, key)
        return False
    if kind == "thinking" and isinstance(block.get("thinking"), str):
        return _thinking(line, index, block, key, first=first)
    if kind == "redacted_thinking":
        line.put(
            CONTENT,
            "reasoning",
            {"content": []},
            block=index,
            meta=rest(block, ("type",)),
            inference=key,
            capture={"state": "omitted", "reason": "redacted"},
        )
        return False
    one, left = part(block)
    line.put(CONTENT, "message", _message(line, [one], first=first), block=index, meta=left, inference=key)
    return True


def _thinking(line: Line, index: int, block: dict[str, Any], key: str | None, *, first: bool) -> bool:
    """Reasoning, or text that the user saw although it is stored as such (*narration*); whether it is a message."""
    said, narration = block["thinking"], _is_narration(block.get("signature"))
    meta = rest(block, ("type", "thinking"))
    if narration:
        meta = join(meta, {"narration": True})
    content = [{"type": "text", "text": said}] if said else []
    if said and narration:
        fields = _message(line, content, first=first)
        line.put(CONTENT, "message", fields, block=index, meta=meta, inference=key)
        return True
    capture = None
    if not said:
        capture = {"state": "omitted", "reason": "narration" if narration else "signature only"}
    line.put(
        CONTENT, "reasoning", {"content": content}, block=index, meta=meta, inference=key, capture=capture
    )
    return False


def _is_narration(signature: Any) -> bool:
    if not isinstance(signature, str) or not signature.isascii():
        return False
    try:
        return _NARRATION in base64.b64decode(signature + "=" * (-len(signature) % 4))
    except (binascii.Error, ValueError):
        return False


def _inference(line: Line, state: State, message: Mapping[str, Any], key: str) -> None:
    """The model call, when a line says something new of it."""
    request = text(line.value, "requestId")
    said = codec.identity([request, {name: item for name, item in message.items() if name != "content"}])
    known = state.inferences.get(key)
    again = line.uuid is not None and line.uuid in state.graph.nodes
    if known is not None:
        known.fragments += not again
        if known.said == said:
            return
    counted, left = usage.normal(message.get("usage"))
    output = counted.get("output", {}).get("total", 0)
    final = isinstance(message.get("stop_reason"), str)
    if known is not None and (output < known.output or (known.final and not final)):
        # a call does not go back to what it was
        said_now = {**rest(message, _said(message, key)), "requestId": request}
        line.after(LINE_REST, vendor_type("message"), {"value": said_now})
        return
    fields, meta = _fields(message, key, request)
    if counted:
        fields["usage"] = counted
    if left:
        meta["usage"] = left
    if counted and state.placeholder:
        meta = join(meta, {"outputTokens": "placeholder"})
    count = 1 if known is None else known.fragments
    fields["assembly"] = {"state": "final" if final else "partial", "fragments": count}
    draft = line.after(
        INFERENCE, "inference", fields, meta=meta, supersedes=None if known is None else known.record
    )
    first = known.request if known is not None and known.request is not None else request
    first = first if usable(first) else None
    state.inferences[key] = Inference(line.identify(draft), said, count, output, final, first)


def _fields(
    message: Mapping[str, Any], key: str, request: str | None
) -> tuple[dict[str, Any], dict[str, Any]]:
    """What an ``inference`` says beside usage, and the rest of the message."""
    fields: dict[str, Any] = {"inferenceId": key}
    taken = {*_said(message, key), "usage"}
    if usable(request):
        fields["requestId"] = request
    for name, target in (("model", "model"), ("stop_reason", "stopReason")):
        found = word(message.get(name))
        if found is not None:
            fields[target] = found
            taken.add(name)
    return fields, rest(message, taken)
