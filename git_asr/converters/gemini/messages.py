"""Messages: what people, the agent and its program said, and what the agent did (reference sections 4.2 to 4.4)."""

from __future__ import annotations

from typing import Any

from git_asr.asr.ids import derived, usable
from git_asr.converters import fields
from git_asr.converters.building import BLOCK, CONTENT, MAX_BLOCKS, holds, rest, text_part, vendor_type, word
from git_asr.converters.gemini import tools, usage
from git_asr.converters.gemini.content import parts, texts
from git_asr.converters.gemini.slots import EXPANDED, INFERENCE, REST, RESULT, SAID
from git_asr.converters.gemini.state import Message, State

TYPES = frozenset({"user", "gemini", "info", "warning", "error"})
_INJECTED = ("<session_context>", "<hook_context>")
_CANCELLED = frozenset({"Request cancelled.", "Request cancelled"})


def message(message: Message, state: State) -> dict[str, Any]:
    """Make the records of a message; what of it no record holds."""
    kind = message.value["type"]
    if kind == "user":
        taken = _user(message, state)
    elif kind == "gemini":
        taken = _gemini(message, state)
    else:
        taken = _notice(message, kind)
    if message.native is not None:
        taken |= {"id"}
    if message.ts is not None:
        taken |= {"timestamp"}
    return rest(message.value, taken | {"type"})


def _block(message: Message) -> int:
    """Another block, the last one where there is no more: whoever calls has made sure that there is one."""
    block = message.next()
    return MAX_BLOCKS - 1 if block is None else block


def _user(message: Message, state: State) -> set[str]:
    """What a person typed, what the harness added to it or put in, or the results of calls."""
    block = _block(message)
    content, shown = message.value.get("content"), message.value.get("displayContent")
    listed = content if isinstance(content, list) else [content]
    results = [one for one in listed if _is_result(one)]
    if results:
        _results(message, state, block, results)
        content = [one for one in listed if not _is_result(one)]
        if not content:
            return {"content"}
    author = (
        "harness" if is_injected(message.value) or message.harness else "agent" if state.child else "human"
    )
    slot = SAID if results else CONTENT
    if holds(shown) and author != "harness":
        typed = shown if isinstance(shown, list) else [shown]
        given = content if isinstance(content, list) else [content]
        over = given[len(typed) :] if given[: len(typed)] == typed else given
        _said(message, slot, block, author, shown)
        if holds(over):
            _said(message, EXPANDED, block, "harness", over)
        return {"content", "displayContent"}
    _said(message, slot, block, author, content)
    return {"content"}


def _is_result(part: Any) -> bool:
    return isinstance(part, dict) and isinstance(part.get("functionResponse"), dict)


def is_injected(value: dict[str, Any]) -> bool:
    """Whether the harness put a message in: the context of the session, or what a hook said."""
    return texts(value.get("content")).lstrip().startswith(_INJECTED)


def _said(message: Message, slot: int, block: int, author: str, content: Any) -> None:
    made, left = parts(content)
    told: dict[str, Any] = {"role": "user", "author": author if made else "unknown"}
    if slot == CONTENT and message.usable is not None:
        told["messageId"] = message.usable
    meta = {"content": left} if left else None
    message.put(slot, "message", {**told, "content": made}, block=block, meta=meta)


def _results(message: Message, state: State, block: int, results: list[Any]) -> None:
    """Results that a message of their own repeats; those that no call told of are told here."""
    calls: list[Any] = []
    untold = []
    for one in results:
        found = one["functionResponse"]
        call = found.get("id")
        known = state.results.get(call) if isinstance(call, str) and usable(call) else None
        if known is not None and known[1] == tools.digest(one) and not rest(one, ("functionResponse",)):
            calls.append(call)
        else:
            untold.append(one)
    told: dict[str, Any] = {"callIds": calls} if calls else {}
    if untold:
        told["results"] = untold
    message.put(CONTENT, vendor_type(message.vendor, "results"), told, block=block)
    for one in untold:
        call = one["functionResponse"].get("id")
        if isinstance(call, str) and usable(call) and call not in state.results:
            _orphan(message, state, call, one)


def _orphan(message: Message, state: State, call: str, one: Any) -> None:
    """A result of which no call told: that may come later, and supersede it."""
    block = message.next()
    if block is None:
        return  # the vendor's record has it
    response = one["functionResponse"].get("response")
    content, _ = tools.returned(one, call, fields.text(one["functionResponse"], "name"))
    status = "error" if fields.has(response, "error") else "unknown"
    draft = message.put(
        RESULT, "tool_result", {"callId": call, "status": status, "content": content}, block=block
    )
    state.results[call] = (derived(message.position, draft.part), tools.digest(one))


def _gemini(message: Message, state: State) -> set[str]:
    """What the model thought, said and called; a message with tokens or a model is one model call."""
    value = message.value
    thoughts, calls = _listed(value, "thoughts"), _listed(value, "toolCalls")
    room = MAX_BLOCKS - message.blocks - 1
    kept = thoughts[:room]
    asked = calls[: max(0, room - len(kept))]
    blocks = message.blocks + len(kept) + 1 + len(asked)
    told = isinstance(value.get("tokens"), dict) or isinstance(value.get("model"), str)
    own = message.usable or derived(message.position, message.base + BLOCK * blocks + INFERENCE)
    inference = own if told else None
    for one in kept:
        _thought(message, _block(message), one, inference)
    block = _block(message)
    content, left = parts(value.get("content"))
    if content or not (kept or asked or told):
        said: dict[str, Any] = {"role": "assistant", "author": "agent"}
        if message.usable is not None:
            said["messageId"] = message.usable
        meta = {"content": left} if left else None
        message.put(
            CONTENT, "message", {**said, "content": content}, block=block, meta=meta, inference=inference
        )
    for one in asked:
        tools.call(message, state, _block(message), one, inference)
    more = rest({"thoughts": thoughts[len(kept) :], "toolCalls": calls[len(asked) :]}, ())
    if more:
        message.after(REST, vendor_type(message.vendor, "more"), {"value": more})
    taken = {"content"} | {key for key in ("thoughts", "toolCalls") if isinstance(value.get(key), list)}
    if inference is not None:
        taken |= _inference(message, state, inference)
    return taken


def _listed(value: dict[str, Any], key: str) -> list[Any]:
    found = value.get(key)
    return found if isinstance(found, list) else []


def _thought(message: Message, block: int, thought: Any, inference: str | None) -> None:
    """A summary of what the model thought: a subject and a description."""
    said = [fields.text(thought, key) for key in ("subject", "description")]
    if not any(said):
        message.put(CONTENT, vendor_type(message.vendor, "thought"), {"value": thought}, block=block)
        return
    stamp = fields.time(thought, "timestamp")
    content = [text_part(one) for one in said if one]
    taken = [key for key, one in zip(("subject", "description"), said, strict=True) if one is not None]
    draft = message.put(
        CONTENT,
        "reasoning",
        {"content": content},
        block=block,
        meta=rest(thought, taken if stamp is None else (*taken, "timestamp")),
        inference=inference,
        capture={"state": "summarized"},
    )
    draft.ts = stamp or draft.ts


def _inference(message: Message, state: State, call: str) -> set[str]:
    """The model call that a message is; the keys that say so."""
    told: dict[str, Any] = {"inferenceId": call}
    taken = {"tokens"}
    model = word(message.value.get("model"))
    if model is not None:
        told["model"] = model
        taken.add("model")
    counted, meta = usage.normal(message.value.get("tokens"))
    if counted:
        told["usage"] = counted
    if state.scope is None:
        known = state.revisions.get(message.native)
        fragments = 1 if known is None else known.fragments + 1
        told["assembly"] = {"state": "final" if counted else "partial", "fragments": fragments}
    message.after(INFERENCE, "inference", told, meta=meta)
    return taken


def _notice(message: Message, kind: str) -> set[str]:
    """A text of the program, for people; one that says that a person stopped the agent."""
    content = message.value.get("content")
    made, left = parts(content)
    said = made[0]["text"] if len(made) == 1 and made[0]["type"] == "text" and not left else None
    block = _block(message)
    if said is not None and said.strip() in _CANCELLED:
        message.put(
            CONTENT, "state", {"state": "interrupted", "reason": said}, block=block, meta={"type": kind}
        )
        return {"content"}
    shown = {"level": kind, **({"text": said} if said is not None else {})}
    message.put(CONTENT, "git-asr/notice", shown, block=block)
    return set() if said is None else {"content"}
