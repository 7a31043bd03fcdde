"""``assistant`` lines: what one model call said, thought and called (reference sections 2.3, 2.8, 2.9, 2.10)."""

from __future__ import annotations

import binascii
from collections.abc import Mapping
from typing import Any

from git_asr.asr import codec
from git_asr.asr.ids import usable
from git_asr.converters.blocks import part, parts
from git_asr.converters.building import MAX_BLOCKS, join, rest, word
from git_asr.converters.claude import tools, usage
from git_asr.converters.claude.line import Line, vendor_type
from git_asr.converters.claude.slots import CONTENT, INFERENCE, LINE_REST, REST
from git_asr.converters.claude.state import Inference, State
from git_asr.converters.fields import text

_SYNTHETIC = "<synthetic>"
_NARRATION = b"narration"
_CONTENT = frozenset({"content"})
_CALL = frozenset({"usage", "model", "stop_reason"})
"""Keys of a message, beside its content, that fields hold."""
_USUAL = frozenset({"id", "role", "type"})
"""Keys of a message that are the same on all its lines, if they are as usual."""
_USUAL_CALL = _CALL | _USUAL
_MESSAGE = frozenset({"message"})
_MESSAGE_AND_REQUEST = frozenset({"message", "requestId"})


def line(line: Line, state: State) -> frozenset[str] | None:
    """Make the records of an ``assistant`` line; the keys they hold, None where it is none."""
    value = line.value
    message = value.get("message")
    blocks = message.get("content") if isinstance(message, dict) else None
    if isinstance(blocks, str):
        blocks = [{"type": "text", "text": blocks}]
    if not isinstance(message, dict) or not isinstance(blocks, list):
        return None
    if message.get("model") == _SYNTHETIC or value.get("isApiErrorMessage") is True:
        return _notice(line, message)
    key, request = message.get("id"), text(value, "requestId")
    known = state.inferences.get(key) if isinstance(key, str) else None
    if known is None or known.request not in (None, request):
        key = _key(line, state, message, request)
    line.response = key
    line.blocks = len(blocks)
    if line.blocks == 1:  # nearly always
        _block(line, state, 0, blocks[0], key, first=True)
    else:
        _blocks(line, state, blocks, key)
    if key is None:
        if left := rest(message, _CONTENT):
            line.after(LINE_REST, vendor_type("message"), {"value": left})
        return _MESSAGE
    return _inference(line, state, message, key, request)


def _blocks(line: Line, state: State, blocks: list[Any], key: str | None) -> None:
    """Make the records of all content blocks."""
    if not blocks:
        line.put(CONTENT, "message", _message(line, [], first=True), inference=key)
    first = True
    for index, block in enumerate(blocks[:MAX_BLOCKS]):
        first &= not _block(line, state, index, block, key, first=first)
    if more := blocks[MAX_BLOCKS:]:
        line.put(REST, vendor_type("blocks"), {"value": more}, block=MAX_BLOCKS - 1)


def _is_usual(message: Mapping[str, Any], key: str) -> bool:
    """Whether a message has the usual role and type, and an ID that is the model call's."""
    return (
        message.get("role") == "assistant" and message.get("type") == "message" and message.get("id") == key
    )


def _key(line: Line, state: State, message: Mapping[str, Any], request: str | None) -> str | None:
    """The ID of the model call: the message's, else the request's, else the line's if it names a model or usage.

    Behind a proxy several calls may have the same message ID: it is that of the first request (reference 2.8).
    """
    native = text(message, "id")
    known = state.inferences.get(native or "")
    if known is not None and known.request not in (None, request) and usable(request):
        return request
    if usable(native):
        return native
    own = line.uuid if "model" in message or "usage" in message else None
    return next((found for found in (request, own) if usable(found)), None)


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
    return _MESSAGE


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
        return _NARRATION in binascii.a2b_base64(signature + "=" * (-len(signature) % 4))
    except (binascii.Error, ValueError):
        return False


def _inference(
    line: Line, state: State, message: Mapping[str, Any], key: str, request: str | None
) -> frozenset[str]:
    """The model call, when a line says something new of it; the keys that its records hold."""
    message = dict(message)
    del message["content"]  # which the blocks' records hold
    said = codec.identity([request, message])
    known = state.inferences.get(key)
    if known is not None:
        known.fragments += line.uuid not in state.graph.nodes
        if known.said == said:
            return known.taken
    counted, left = usage.normal(message.get("usage"))
    output = counted.get("output", {}).get("total", 0)
    final = isinstance(message.get("stop_reason"), str)
    if known is not None and (output < known.output or (known.final and not final)):
        # a call does not go back to what it was
        taken = _USUAL if _is_usual(message, key) else frozenset()
        said_now = {**rest(message, taken), "requestId": request}
        line.after(LINE_REST, vendor_type("message"), {"value": said_now})
        return _MESSAGE_AND_REQUEST if usable(request) else _MESSAGE
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
    taken = _MESSAGE_AND_REQUEST if "requestId" in fields else _MESSAGE
    first = known.request if known is not None else None
    if first is None and "requestId" in fields:
        first = request
    state.inferences[key] = Inference(line.identify(draft), said, taken, count, output, final, first)
    return taken


def _fields(
    message: Mapping[str, Any], key: str, request: str | None
) -> tuple[dict[str, Any], dict[str, Any]]:
    """What an ``inference`` says beside usage, and the rest of the message."""
    fields: dict[str, Any] = {"inferenceId": key}
    taken = _USUAL_CALL if _is_usual(message, key) else _CALL
    if usable(request):
        fields["requestId"] = request
    for name, target in (("model", "model"), ("stop_reason", "stopReason")):
        found = message.get(name)
        if found is None:
            continue
        if word(found) is not None:
            fields[target] = found
        else:
            taken -= {name}
    return fields, rest(message, taken)
