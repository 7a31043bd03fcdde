"""Exchanges: what the person said or tools returned, and what the assistant answered to it."""

from __future__ import annotations

from typing import Any

from git_asr.asr.ids import derived, usable
from git_asr.converters import fields
from git_asr.converters.building import BLOCK, holds, join, rest, text_part, word
from git_asr.converters.kiro import tools
from git_asr.converters.kiro.format import tag
from git_asr.converters.kiro.slots import INFERENCE
from git_asr.converters.kiro.state import Saying, State

_ASKED = frozenset({"Prompt", "ToolUseResults", "CancelledToolUses"})
_ANSWERED = frozenset({"Response", "ToolUse"})
_WORDS = frozenset({"user", "assistant", "text", "tool_use", "tool_result"})


def exchange(saying: Saying, state: State, value: dict[str, Any]) -> dict[str, Any]:
    """Make the records of an exchange, or of one side of it; what they do not hold."""
    user, assistant, asked = (value.get(key) for key in ("user", "assistant", "request_metadata"))
    left: dict[str, Any] = {}
    taken: set[str] = set()
    stamp = fields.time(value, "timestamp")
    saying.ts = fields.time(user, "timestamp") or stamp
    if stamp is not None and stamp == saying.ts:
        taken.add("timestamp")
    if isinstance(user, dict):
        taken.add("user")
        if over := _user(saying, state, user):
            left["user"] = over
        if saying.drafts:
            saying.ts = None  # it is the person's
    request = asked if isinstance(asked, dict) else {}
    saying.ts = fields.time(request, "stream_end_timestamp_ms") or saying.ts
    if isinstance(assistant, dict):
        taken.add("assistant")
        kind = tag(assistant)
        saying.native = fields.text(assistant.get(kind), "message_id") if kind is not None else None
        saying.call = _identity(saying, request)
        first = len(saying.drafts)
        if over := _assistant(saying, kind, assistant):
            left["assistant"] = over
        saying.own = saying.drafts[first] if len(saying.drafts) > first else None
    if request:
        taken.add("request_metadata")
        _inference(saying, request)
    if "entry" in value and _repeats(value):
        taken |= {"type", "message"}
    return {**rest(value, taken), **left}


def _user(saying: Saying, state: State, user: dict[str, Any]) -> dict[str, Any]:
    """The person's side: a prompt, or the results of calls; what was added to it stands before it."""
    taken = {"content"}
    if fields.time(user, "timestamp") is not None:
        taken.add("timestamp")
    around = user.get("env_context")
    if holds(around) and not state.changed("env_context", around):
        taken.add("env_context")
    folder = fields.text(fields.part(around, "env_state"), "current_working_directory")
    if folder and state.changed("cwd", folder):
        state.workspace.setdefault("cwd", folder)
        saying.context["cwd"] = folder
    added = fields.text(user, "additional_context")
    if added:
        taken.add("additional_context")
        saying.add("message", _told("harness", added), added)
    content = user.get("content")
    kind = tag(content)
    said = content[kind] if isinstance(content, dict) and kind in _ASKED else None
    left = rest(user, taken)
    if isinstance(said, dict):
        if over := _asked(saying, said, cancelled=kind == "CancelledToolUses"):
            left["content"] = {kind: over}
    elif holds(content):
        saying.keep(kind, content)
    return left


def _told(author: str, said: str) -> dict[str, Any]:
    return {"role": "user", "author": author, "content": [text_part(said)]}


def _asked(saying: Saying, said: dict[str, Any], *, cancelled: bool) -> dict[str, Any]:
    """Results, and what was typed."""
    taken = set()
    results, prompt = said.get("tool_use_results"), fields.text(said, "prompt")
    if isinstance(results, list):
        taken.add("tool_use_results")
        for one in results:
            tools.result(saying, one, cancelled=cancelled)
    if prompt:
        taken.add("prompt")
        saying.add("message", _told("human", prompt), prompt)
    return rest(said, taken)


def _identity(saying: Saying, request: dict[str, Any]) -> str | None:
    """The ID of the model call that a request was; None where there was none, or it has no ID."""
    if not request:
        return None
    names = (saying.native, *(fields.text(request, key) for key in ("message_id", "request_id")))
    return next((name for name in names if usable(name)), None)


def _assistant(saying: Saying, kind: str | None, assistant: dict[str, Any]) -> dict[str, Any]:
    """The assistant's side: what it thought, said and called."""
    said = assistant[kind] if kind in _ANSWERED else None
    if not isinstance(said, dict) or not isinstance(said.get("content"), str | None):
        if assistant:
            saying.keep(kind, assistant)
        return {}
    taken = {"content"}
    first = len(saying.drafts)
    if holds(said.get("thinking")):
        taken.add("thinking")
        thought(saying, said["thinking"])
    if said.get("content"):
        answer(saying, said["content"], said["content"])
    if isinstance(said.get("tool_uses"), list):
        taken.add("tool_uses")
        for one in said["tool_uses"]:
            tools.call(saying, one, "id", "args")
    if len(saying.drafts) == first and not saying.over:
        answer(saying, "", said)
    if saying.native is not None:
        taken.add("message_id")
    over = rest(said, taken)
    return {str(kind): over} if over else {}


def answer(saying: Saying, said: str, native: Any) -> None:
    """What the assistant said."""
    named = {} if saying.usable is None else {"messageId": saying.usable}
    content = [text_part(said)] if said else []
    saying.add("message", {"role": "assistant", "author": "agent", **named, "content": content}, native)


def thought(saying: Saying, found: Any) -> None:
    """What the model thought, where there is a text."""
    inner = found.get("reasoningText", found) if isinstance(found, dict) else found
    said = inner if isinstance(inner, str) else fields.text(inner, "text")
    if not said:
        capture = {"state": "omitted", "reason": "not readable"}
        saying.add("reasoning", {"content": []}, found, meta={"thinking": found}, capture=capture)
        return
    meta = rest(inner, ("text",)) if isinstance(inner, dict) else {}
    if inner is not found:
        meta = join(meta, rest(found, ("reasoningText",)))
    saying.add("reasoning", {"content": [text_part(said)]}, found, meta=meta)


def _inference(saying: Saying, request: dict[str, Any]) -> None:
    """The model call; Kiro records what was asked of it, and no tokens."""
    block = saying.blocks
    own = saying.call or derived(saying.position, saying.base + BLOCK * block + INFERENCE)
    told: dict[str, Any] = {"inferenceId": own}
    taken = {"message_id"} if request.get("message_id") == own else set()
    asked = fields.text(request, "request_id")
    if usable(asked):
        told["requestId"] = asked
        taken.add("request_id")
    model = word(request.get("model_id"))
    if model:
        told["model"] = model
        taken.add("model_id")
    saying.after(INFERENCE, "inference", told, meta=rest(request, taken))


def _repeats(value: dict[str, Any]) -> bool:
    """Whether what Entire says of a side in its own form is said by the side itself."""
    known = {leaf for side in ("user", "assistant") for leaf in _leaves(value.get(side))}
    return _leaves({"type": value.get("type"), "message": value.get("message")}) <= known


def _leaves(found: Any) -> set[tuple[type, Any]]:
    """The scalars in a value, without the words by which Entire's form says what they are."""
    leaves = set()
    todo = [found]
    while todo:
        one = todo.pop()
        if isinstance(one, dict):
            todo += [item for key, item in one.items() if not _is_word(key, item)]
        elif isinstance(one, list):
            todo += one
        elif holds(one):
            leaves.add((type(one), one))
    return leaves


def _is_word(key: str, item: Any) -> bool:
    if key == "is_error":
        return isinstance(item, bool)
    return key in ("role", "type") and isinstance(item, str) and item in _WORDS
