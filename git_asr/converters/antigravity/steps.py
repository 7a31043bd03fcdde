"""Steps of people, of the model and of the harness."""

from __future__ import annotations

import re
from typing import Any

from git_asr.asr.ids import derived
from git_asr.converters.antigravity.slots import (
    CALLS,
    COMPACTION,
    INFERENCE,
    INJECTED,
    MAX_MODES,
    MODES,
    REQUEST,
    REST,
    SAID,
)
from git_asr.converters.antigravity.state import Call, State, Step, questions
from git_asr.converters.building import (
    BLOCK,
    CONTENT,
    MAX_BLOCKS,
    json_text,
    rest,
    text_part,
    vendor_type,
    word,
)

_REQUESTED = re.compile(r"<USER_REQUEST>(\n?)(.*)\1</USER_REQUEST>(\n?)(.*)", re.DOTALL)
_SETTING = re.compile(
    r"The user changed setting `([^`\n]{1,100})` from ([^\n]{0,200}?) to ([^\n]{1,200}?)\.(?:\s|$)"
)
_SENDER = re.compile(r"\[Message\][^\n]{0,200}?\bsender=(\S{1,200})")
_HEAD = 1_000
"""Characters of a text in which its sender is looked for."""
_MOST = 4_000
"""Characters in which settings are looked for."""


def user(step: Step, state: State) -> None:
    """What a person asked for, and what the harness put behind it: the state of the editor, settings that changed."""
    state.waiting = []
    said = step.take("content") or ""
    found = _REQUESTED.fullmatch(said)
    if found is None:
        step.said(CONTENT, "human", said)
        return
    asked, behind = found[2], found[4]
    draft = step.said(CONTENT, "human", asked)
    if not found[1] or (behind and not found[3]):
        draft.meta = {step.vendor: {"content": said}}  # usually both tags have lines of their own
    if behind:
        step.said(INJECTED, "harness", behind)
    number, at = 0, behind.find("<USER_SETTINGS_CHANGE>")
    for setting, _, value in _SETTING.findall(behind[at : at + _MOST]) if at >= 0 else ():
        kind = "model" if setting == "Model Selection" else setting
        if number < MAX_MODES and state.said.get(kind) != value:
            step.after(MODES + number, "git-asr/mode", {"kind": kind, "mode": value})
            number += 1
            state.said[kind] = value


def model(step: Step, state: State) -> None:
    """What one model call thought, said and called."""
    found = step.value.get("tool_calls")
    listed = found if isinstance(found, list) else []
    told = listed[: MAX_BLOCKS - CALLS]
    step.blocks = CALLS + len(told)
    inference = derived(step.position, step.base + BLOCK * step.blocks + INFERENCE)
    ids: list[str] = []
    if step.own is not None:  # it may come again, and is the same call then
        inference, ids = state.known.setdefault(step.own, (inference, ids))
    step.inference = inference
    if thought := step.take("thinking"):
        reasoning = {"content": [text_part(thought)]}
        step.put(
            CONTENT, "reasoning", reasoning, block=0, inference=inference, capture=step.capture("thinking")
        )
    if (said := step.take("content")) or not (thought or told):
        content = [text_part(said)] if said else []
        message: dict[str, Any] = {"role": "assistant", "author": "agent"}
        if step.own is not None:
            message["messageId"] = step.own
        message["content"] = content
        step.put(
            CONTENT, "message", message, block=SAID, inference=inference, capture=step.capture("content")
        )
    state.waiting = []
    for at, one in enumerate(told):
        _call(step, state, at, one, ids)
    if isinstance(found, list):
        step.taken.add("tool_calls")
    if more := listed[len(told) :]:
        step.after(REST, vendor_type(step.vendor, "tool_calls"), {"value": more})
    model = state.said.get("model")
    step.after(
        INFERENCE, "inference", {"inferenceId": inference, **({} if model is None else {"model": model})}
    )


def _call(step: Step, state: State, at: int, told: Any, ids: list[str]) -> None:
    """Make the records of a call: its ID comes from its place, and stays when the step comes again.

    ``ids``: those that the step's calls have, empty for what was no call so far.
    """
    block = CALLS + at
    name = word(told.get("name")) if isinstance(told, dict) else None
    if len(ids) == at:
        ids.append("")
    if name is None:
        step.put(CONTENT, vendor_type(step.vendor, "tool_call"), {"value": told}, block=block)
        return
    ids[at] = ids[at] or derived(step.position, step.base + BLOCK * (block + 1))
    arguments, meta = _arguments(told.get("args"))
    left = rest(told, ("name", "args"))
    request: dict[str, Any] = {"callId": ids[at], "callIdSource": "derived", "name": name}
    if "args" in told:
        request["arguments"] = arguments
    step.put(
        CONTENT,
        "tool_call",
        request,
        block=block,
        meta={**left, **meta},
        inference=step.inference,
        capture=step.capture("tool_calls"),
    )
    call = Call(ids[at], name, arguments if isinstance(arguments, dict) else {})
    if call.id not in state.answered:
        state.waiting.append(call)
    if call.step == "ASK_QUESTION":
        asked = questions(call)
        named = {"requestId": call.id, "callId": call.id}
        step.put(REQUEST, "input_request", {**named, **({"questions": asked} if asked else {})}, block=block)


def _arguments(found: Any) -> tuple[Any, dict[str, Any]]:
    """The arguments of a call, whose values may be JSON in JSON: if all of them are, they are read once more.

    Also the text of those that writing the value would not give back.
    """
    if not isinstance(found, dict) or not found or not all(isinstance(one, str) for one in found.values()):
        return found, {}
    read = {key: json_text(one) for key, one in found.items()}
    if any(value is found[key] for key, (value, _) in read.items()):
        return found, {}
    exact = {key: stored for key, (_, stored) in read.items() if stored is not None}
    return {key: value for key, (value, _) in read.items()}, {"args": exact} if exact else {}


def system(step: Step, state: State) -> None:
    """A text that the harness gives to the model, or passes on from a subagent."""
    said = step.take("content") or ""
    sender = _SENDER.search(said, 0, _HEAD)
    if sender is not None and sender[1] in state.children:
        step.said(CONTENT, "agent", said, **{"from": sender[1]})
    else:
        step.said(CONTENT, "harness", said)


def error(step: Step, _: State) -> None:
    """An error that is shown to people."""
    said = step.take("content")
    step.put(CONTENT, "git-asr/notice", {"level": "error", **({} if said is None else {"text": said})})


def checkpoint(step: Step, _: State) -> None:
    """A compaction; what it replaced is not told."""
    if said := step.take("content"):
        step.said(CONTENT, "harness", said)
    step.after(COMPACTION, "compaction", {"replaces": {"unknown": True}})
