"""What one model call thought, said and called: one message is one call (reference sections 6.2 and 6.3)."""

from __future__ import annotations

from typing import Any

from git_asr.asr.ids import usable
from git_asr.converters import fields
from git_asr.converters.building import CONTENT, MAX_BLOCKS, rest, text_part, vendor_type, word
from git_asr.converters.pi import tools, usage
from git_asr.converters.pi.content import part
from git_asr.converters.pi.entry import Entry
from git_asr.converters.pi.slots import ENDED, INFERENCE, REST
from git_asr.converters.pi.state import State

_TOLD = ("model", "usage", "provider", "api", "stopReason")
"""Keys that tell that a message came from a model call."""


def message(entry: Entry, state: State, said: dict[str, Any]) -> bool:
    """Make the records of an assistant's message; whether it is one."""
    content = said.get("content")
    blocks = [] if content in (None, "") else content
    if isinstance(blocks, str):
        blocks = [{"type": "text", "text": blocks}]
    if not isinstance(blocks, list):
        return False
    entry.blocks = len(blocks)
    if any(key in said for key in _TOLD):
        entry.call = _identity(entry, state, said)
    first = entry.usable
    for index, block in enumerate(blocks[:MAX_BLOCKS]):
        first = _block(entry, state, index, block, first)
    if more := blocks[MAX_BLOCKS:]:
        entry.put(REST, vendor_type(entry.vendor, "blocks"), {"value": more}, block=MAX_BLOCKS - 1)
    ended = _ended(entry, said)
    if not entry.drafts:
        entry.put(CONTENT, "message", _said([], first), inference=entry.call)
    taken = {"role", "content", *ended}
    if entry.call is None:
        entry.left = rest(said, taken)
    else:
        _inference(entry, state, said, entry.call, taken)
    return True


def _said(content: list[dict[str, Any]], own: str | None) -> dict[str, Any]:
    named = {} if own is None else {"messageId": own}
    return {"role": "assistant", "author": "agent", **named, "content": content}


def _block(entry: Entry, state: State, index: int, block: Any, own: str | None) -> str | None:
    """Make the records of one content block; the ID that the next message may have.

    ``own``: the entry's ID, which is that of its first message alone.
    """
    kind = block.get("type") if isinstance(block, dict) else None
    if kind == "toolCall" and word(block.get("name")) is not None:
        tools.call(entry, state, index, block)
    elif kind == "thinking" and isinstance(block.get("thinking"), str):
        _thinking(entry, index, block)
    elif kind == "redactedThinking":
        _reasoning(entry, index, rest(block, ("type",)), "redacted")
    elif kind in ("text", "image"):
        one, left = part(block)
        entry.put(CONTENT, "message", _said([one], own), block=index, meta=left, inference=entry.call)
        return None
    else:
        entry.put(CONTENT, vendor_type(entry.vendor, kind), {"value": block}, block=index)
    return own


def _thinking(entry: Entry, index: int, block: dict[str, Any]) -> None:
    """What the model thought; the signature is the provider's, and all there is where no text came with it."""
    said = block["thinking"]
    meta = rest(block, ("type", "thinking"))
    if not said:
        reason = "redacted" if block.get("redacted") is True else "signature only"
        _reasoning(entry, index, meta, reason)
        return
    fields_ = {"content": [text_part(said)]}
    entry.put(CONTENT, "reasoning", fields_, block=index, meta=meta, inference=entry.call)


def _reasoning(entry: Entry, index: int, meta: dict[str, Any], reason: str) -> None:
    """Reasoning that is not readable here."""
    capture = {"state": "omitted", "reason": reason}
    entry.put(
        CONTENT, "reasoning", {"content": []}, block=index, meta=meta, inference=entry.call, capture=capture
    )


def _ended(entry: Entry, said: dict[str, Any]) -> tuple[str, ...]:
    """Tell that a response was interrupted, or failed; the keys that say so."""
    reason = fields.text(said, "errorMessage")
    why = said.get("stopReason")
    if why == "aborted":
        entry.after(ENDED, "state", {"state": "interrupted", **({"reason": reason} if reason else {})})
    elif why == "error" or reason:
        entry.after(ENDED, "git-asr/notice", {"level": "error", **({"text": reason} if reason else {})})
    else:
        return ()
    return () if reason is None else ("errorMessage",)


def _identity(entry: Entry, state: State, said: dict[str, Any]) -> str:
    """The ID of the model call: the provider's of the response, else the entry's.

    The entry's is only unique within the file, the provider's everywhere, unless a proxy gives the same to all.
    """
    native = fields.text(said, "responseId")
    if native is None or not usable(native):
        return entry.inference
    return native if state.responses.setdefault(native, entry.native) == entry.native else entry.inference


def _inference(entry: Entry, state: State, said: dict[str, Any], inference: str, taken: set[str]) -> None:
    """The model call; the provider's interface is told when it is another than before."""
    told: dict[str, Any] = {"inferenceId": inference}
    for key in ("provider", "model", "stopReason"):
        if word(said.get(key)):
            told[key] = said[key]
            taken.add(key)
    counted, meta = usage.normal(said.get("usage"))
    if counted:
        told["usage"] = counted
    if said.get("responseId") == inference:
        taken.add("responseId")
    api = word(said.get("api"))
    if api is not None and api == state.api:
        taken.add("api")
    state.api = api
    meta = {**rest(said, {*taken, "usage"}), **meta}
    entry.after(INFERENCE, "inference", told, meta=meta)
