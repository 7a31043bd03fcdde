"""Messages: what people, the agent and the harness said, and what the agent did (reference section 9)."""

from __future__ import annotations

import re
from typing import Any

from git_asr.asr.ids import derived, usable
from git_asr.converters import fields
from git_asr.converters.blocks import part, parts
from git_asr.converters.building import BLOCK, CONTENT, MAX_BLOCKS, rest, text_part, vendor_type, word
from git_asr.converters.droid import tools
from git_asr.converters.droid.slots import EFFORT, INFERENCE, INJECTED, MODE, REASONING, REST
from git_asr.converters.droid.state import Line, State

_REMINDER = re.compile(r"(?:\s*<system-reminder>.*?</system-reminder>)+\s*", re.DOTALL)
_PROGRAMS = re.compile(r"automation|readiness-.*|wiki-.*")
_UNTOLD = frozenset({"cli_exec", "api", "sessions_api", "sdk"})
"""Sources of a message behind which a person or a program may stand."""
_MODES = (("interactionMode", MODE, "interaction"), ("reasoningEffort", EFFORT, "effort"))
_HOOK_RESULT = (("exitCode", int), ("stdout", str), ("stderr", str))


def message(line: Line, state: State) -> set[str] | None:
    """Make the records of a message; the keys of the line that they hold, None where it is none."""
    said = line.value.get("message")
    if not isinstance(said, dict) or said.get("role") not in ("user", "assistant"):
        return None
    content = said.get("content")
    blocks = content if isinstance(content, list) else [] if content in (None, "") else [content]
    line.again = True
    line.blocks = min(len(blocks), MAX_BLOCKS)
    visibility = fields.text(said, "visibility") or fields.text(line.value, "visibility")
    taken = {"role", "content"}
    if fields.text(said, "hookEventName"):
        taken |= _hook(line, said, content)
    elif visibility == "user_only" or said.get("isError") is True:
        taken = _notice(line, said, content)
    elif said["role"] == "assistant":
        taken |= _assistant(line, state, said, blocks)
    else:
        _user(line, state, blocks, _author(state, said, visibility))
    for key, slot, kind in _MODES:
        if state.mode(line, slot, kind, said.get(key)):
            taken.add(key)
    if left := rest(said, taken):
        _keep(line, left)
    return {"message"}


def _keep(line: Line, left: dict[str, Any]) -> None:
    """What a message says beside its content goes to its first record."""
    first = min(line.drafts, key=lambda draft: draft.part)
    ours = (first.meta or {}).get(line.vendor, {})
    first.meta = {line.vendor: {**ours, "message": left}}


def _author(state: State, said: dict[str, Any], visibility: str | None) -> str:
    """Who wrote the texts of a message with the user's role, but for what the harness put into them."""
    source = fields.text(said, "userMessageSource") or ""
    if visibility == "llm_only" or _PROGRAMS.fullmatch(source):
        return "harness"
    if state.child:
        return "agent"
    return "unknown" if source in _UNTOLD else "human"


def _user(line: Line, state: State, blocks: list[Any], author: str) -> None:
    """Results of calls, what somebody said, and what the harness put in."""
    spoken: list[tuple[int, Any]] = []
    injected: list[tuple[int, Any]] = []
    results = False
    for at, block in enumerate(blocks[:MAX_BLOCKS]):
        if isinstance(block, dict) and block.get("type") == "tool_result":
            tools.result(line, state, at, block)
            results = True
            continue
        text = block if isinstance(block, str) else _text(block)
        found = _REMINDER.match(text) if text is not None else None
        if found is None or text is None:
            spoken.append((at, block))
            continue
        told = {} if isinstance(block, str) else block
        if behind := text[found.end() :]:
            spoken.append((at, {**told, "type": "text", "text": behind}))
            told = {}  # what else the block says goes with what somebody said
        injected.append((at, {**told, "type": "text", "text": found[0]}))
    if spoken or not (results or injected):
        place = spoken[0][0] if results else None
        _said(line, CONTENT, place, author, [block for _, block in spoken])
    if injected:
        _said(line, INJECTED, injected[0][0], "harness", [block for _, block in injected])
    if more := blocks[MAX_BLOCKS:]:
        line.put(REST, vendor_type(line.vendor, "blocks"), {"value": more}, block=MAX_BLOCKS - 1)


def _text(block: Any) -> str | None:
    """The text of a text block."""
    return fields.text(block, "text") if fields.text(block, "type") == "text" else None


def _said(line: Line, slot: int, place: int | None, author: str, blocks: list[Any]) -> None:
    made, left = parts([text_part(one) if isinstance(one, str) else one for one in blocks])
    told: dict[str, Any] = {"role": "user", "author": author}
    if slot == CONTENT and line.own is not None:
        told["messageId"] = line.own
    meta = {"content": left} if left else None
    line.put(slot, "message", {**told, "content": made}, block=place, meta=meta)


def _assistant(line: Line, state: State, said: dict[str, Any], blocks: list[Any]) -> set[str]:
    """What one model call thought, said and called; the keys that its records hold."""
    call = line.own or derived(line.position, line.base + BLOCK * line.blocks + INFERENCE)
    taken = _reasoning(line, said, call)
    for at, block in enumerate(blocks[:MAX_BLOCKS]):
        if block is not None:
            _block(line, state, at, block, call)
    if more := blocks[MAX_BLOCKS:]:
        line.put(REST, vendor_type(line.vendor, "blocks"), {"value": more}, block=MAX_BLOCKS - 1)
    if not line.drafts:
        line.put(CONTENT, "message", _answer(line, []), inference=call)
    told: dict[str, Any] = {"inferenceId": call}
    for keys, target in ((("apiProvider",), "provider"), (("modelId", "model"), "model")):
        found = next((key for key in keys if word(said.get(key))), None)
        if found is not None:
            told[target] = said[found]
            taken.add(found)
    line.after(INFERENCE, "inference", told)
    return taken


def _answer(line: Line, content: list[dict[str, Any]]) -> dict[str, Any]:
    told: dict[str, Any] = {"role": "assistant", "author": "agent"}
    if line.own is not None and not any(draft.type == "message" for draft in line.drafts):
        told["messageId"] = line.own
    return {**told, "content": content}


def _block(line: Line, state: State, at: int, block: Any, call: str) -> None:
    """Make the records of one content block of the agent's."""
    kind = block.get("type") if isinstance(block, dict) else None
    if kind == "tool_use" and word(block.get("name")) is not None:
        tools.call(line, state, at, block, call)
    elif kind in ("thinking", "reasoning", "redacted_thinking"):
        _thinking(line, at, block, call)
    else:
        one, left = part(text_part(block) if isinstance(block, str) else block)
        line.put(CONTENT, "message", _answer(line, [one]), block=at, meta=left, inference=call)


def _thinking(line: Line, at: int, block: dict[str, Any], call: str) -> None:
    """Reasoning; where only a signature or something encrypted is there, that stands in ``_meta``."""
    key = next((key for key in ("thinking", "reasoning", "text") if fields.text(block, key)), None)
    reason = "redacted" if block["type"] == "redacted_thinking" else "signature only"
    line.put(
        CONTENT,
        "reasoning",
        {"content": [] if key is None else [text_part(block[key])]},
        block=at,
        meta=rest(block, ("type",) if key is None else ("type", key)),
        inference=call,
        capture={"state": "omitted", "reason": reason} if key is None else None,
    )


def _reasoning(line: Line, said: dict[str, Any], call: str) -> set[str]:
    """Reasoning that some providers' messages have beside their content; the keys that say it."""
    for key, capture in (
        ("chatCompletionReasoningContent", None),
        ("openaiReasoningSummary", {"state": "summarized"}),
    ):
        if text := fields.text(said, key):
            line.put(REASONING, "reasoning", {"content": [text_part(text)]}, inference=call, capture=capture)
            return {key}
    return set()


def _notice(line: Line, said: dict[str, Any], content: Any) -> set[str]:
    """A text for people that no model got, or in the place of one that failed; the keys that it holds."""
    shown: dict[str, Any] = {"level": "error" if said.get("isError") is True else "info"}
    made, left = parts(content)
    texts = [one["text"] for one in made if one["type"] == "text"]
    taken = {"role"}
    if texts:
        shown["text"] = "\n".join(texts)
    if len(texts) == len(made) == 1 and not left:
        taken.add("content")
    line.put(CONTENT, "git-asr/notice", shown)
    return taken


def _hook(line: Line, said: dict[str, Any], content: Any) -> set[str]:
    """A hook that ran; the keys that its record holds beside role and content."""
    told: dict[str, Any] = {"event": said["hookEventName"]}
    taken = {"hookEventName"}
    commands, results = said.get("hookCommands"), said.get("hookResults")
    if isinstance(commands, list) and len(commands) == 1 and (command := fields.text(commands[0], "command")):
        told["command"] = command
        if commands[0].keys() == {"command"}:
            taken.add("hookCommands")
    one = results[0] if isinstance(results, list) and len(results) == 1 else None
    if isinstance(one, dict):
        found = {key: one[key] for key, kind in _HOOK_RESULT if type(one.get(key)) is kind}
        told |= found
        if one.keys() == found.keys():
            taken.add("hookResults")
    call = fields.text(said, "hookToolCallId")
    if usable(call):
        told["callId"] = call
        taken.add("hookToolCallId")
    outcome = _outcome(said, results)
    if outcome == said.get("hookStatus"):
        taken.add("hookStatus")
    meta = {"content": content} if content not in (None, "", []) else None
    line.put(CONTENT, "git-asr/hook", {**told, "outcome": outcome}, meta=meta)
    return taken


def _outcome(said: dict[str, Any], results: Any) -> str:
    """How a hook ended."""
    if said.get("hookPreventedAction") is True:
        return "blocked"
    status = word(said.get("hookStatus")) or "unknown"
    if status != "completed":
        return status
    listed = results if isinstance(results, list) else []
    codes = [one.get("exitCode") for one in listed if isinstance(one, dict)]
    return "failed" if any(codes) else "succeeded"
