"""Model calls, which tell their output, and processes, which tell everything at their end (reference section 7.4)."""

from __future__ import annotations

from typing import Any

from git_asr.asr.ids import derived, usable
from git_asr.converters.building import BLOCK, CONTENT, MAX_BLOCKS, rest, word
from git_asr.converters.copilot.chunks import Key
from git_asr.converters.copilot.event import Event, Taken
from git_asr.converters.copilot.slots import INFERENCE, NOTICE
from git_asr.converters.copilot.state import Inference, State
from git_asr.converters.fields import count, part, text

SCOPE = "process"
"""``scope`` of the usage at the end of a process: it covers all model calls since the process began."""
_NAMES = {
    "inputTokens": "input",
    "cacheReadTokens": "cacheRead",
    "cacheWriteTokens": "cacheWrite",
    "outputTokens": "output",
    "reasoningTokens": "reasoning",
}
_COMPACTION = {"input": "input", "cachedInput": "cacheRead", "output": "output"}
"""Of versions that name the tokens of a compaction otherwise."""


def normal(found: Any, *, includes: bool | None) -> tuple[dict[str, Any], dict[str, Any]]:
    """Recorded tokens in the profile's normal form, and what has no place there.

    ``includes``: whether the input includes what was read from and written to the cache, None where that is not known.
    """
    if not isinstance(found, dict):
        return {}, {}
    names = _NAMES if found.keys() & _NAMES.keys() else _COMPACTION
    known = {field: number for key, field in names.items() if (number := count(found, key)) is not None}
    usage: dict[str, Any] = {}
    if "input" in known:
        usage["input"] = {"total": known["input"], "includesCache": includes}
        uncached = known["input"] - known.get("cacheRead", 0) - known.get("cacheWrite", 0)
        if includes and {"cacheRead", "cacheWrite"} <= known.keys() and uncached >= 0:
            usage["input"]["uncached"] = uncached
    usage |= {field: known[field] for field in ("cacheRead", "cacheWrite") if field in known}
    output = {
        name: known[field]
        for name, field in (("total", "output"), ("reasoning", "reasoning"))
        if field in known
    }
    if output:
        usage["output"] = output
    return usage, rest(found, [key for key, field in names.items() if field in known])


def place(event: Event) -> int:
    """The part of the record of the model call to which a response belongs, behind what the response says."""
    return event.base + BLOCK * min(event.blocks, MAX_BLOCKS) + INFERENCE


def _ids(event: Event) -> tuple[str | None, str | None]:
    """The provider's ID of the model call, and that of the request."""
    api, request = (
        one if usable(one := text(event.data, key)) else None for key in ("apiCallId", "requestId")
    )
    return api, request


def call_key(event: Event, state: State) -> Key | None:
    """By what events name the same model call (reference section 7.3); None where one names none."""
    api, request = _ids(event)
    if api is not None or request is not None:
        return (api or request,)
    turn = state.turns[event.agent]
    return None if turn.number is None else (event.agent or "", turn.interaction, turn.number)


def called(event: Event, state: State) -> tuple[str | None, set[str]]:
    """The model call to which a response belongs, and the keys of the event that tell of it (reference section 7.3).

    Its ID is the provider's, else that of the request, else the first response of the turn gives one. None where the
    event names none of these: then it does not tell which call it was.
    """
    key = call_key(event, state)
    if key is None:
        return None, set()
    api, request = _ids(event)
    known = state.inferences.get(key)
    if api is None and request is None and known is not None and "usage" in known.draft.fields:
        known = None
        del state.inferences[key]  # what told its output was complete: this is another call
    derived_id = derived(event.position, place(event)) if known is None else known.id
    taken = {name for name, one in (("apiCallId", api), ("requestId", request)) if one is not None}
    identifier = api or request or derived_id
    return identifier, taken | _told(event, state, key, identifier, request)


def _told(event: Event, state: State, key: Key, identifier: str, request: str | None) -> set[str]:
    """Record what an event says of a model call, if it is new; the keys that say it."""
    data = event.data
    known = state.inferences.get(key)
    model, output = word(data.get("model")), count(data, "outputTokens")
    told = {
        "inferenceId": identifier,
        "requestId": request,
        "model": model or None,
        "usage": None if output is None else {"output": {"total": output}},
    }
    before = {} if known is None else known.draft.fields
    fields = {name: value if value is not None else before.get(name) for name, value in told.items()}
    fields = {name: value for name, value in fields.items() if value is not None}
    if known is None or fields != before:
        draft = event.after(
            INFERENCE, "inference", fields, supersedes=None if known is None else known.draft.id
        )
        state.inferences[key] = Inference(identifier, draft)
    taken = {"model"} if model else set()
    return taken | ({"outputTokens"} if output is not None else set())


def compaction(event: Event) -> set[str]:
    """The model call that made a summary; the keys of the event that its record holds."""
    counted, left = normal(event.data.get("compactionTokensUsed"), includes=None)
    if not counted:
        return set()
    request = text(event.data, "requestId")
    named = request is not None and usable(request)
    model = word(left.get("model"))
    if model:
        del left["model"]
    draft = event.after(INFERENCE, "inference", {}, meta=left)
    draft.fields["inferenceId"] = request if named else event.identify(draft)
    if named:
        draft.fields["requestId"] = request
    if model:
        draft.fields["model"] = model
    draft.fields["usage"] = counted
    return {"compactionTokensUsed", "requestId"} if named else {"compactionTokensUsed"}


def shutdown(event: Event, state: State) -> Taken:
    """The end of a process: what it used of each model, over all its calls and those of its subagents.

    A process that crashed has no such event; then only the output of its calls is known.
    """
    data = event.data
    start = state.opened if state.opened is not None else state.closed + 1
    state.opened, state.closed = None, event.position
    told: dict[str, Any] = {"state": "ended"}
    taken: set[str] = set()
    if reason := text(data, "shutdownType"):
        told["reason"] = reason
        taken.add("shutdownType")
    event.put(CONTENT, "state", told)
    if said := text(data, "errorReason"):
        event.put(NOTICE, "git-asr/notice", {"level": "error", "kind": "shutdown", "text": said})
        taken.add("errorReason")
    metrics = part(data, "modelMetrics")
    known, untold = _counters(metrics, MAX_BLOCKS - event.blocks)
    covers = {"start": min(start, event.position), "through": event.position}
    for number, (model, (counted, left)) in enumerate(known.items()):
        told = {"scope": SCOPE, "covers": {**covers, "model": model}, "usage": counted}
        if number == 0 and any(map(word, untold)):
            told["covers"]["except"] = [one for one in untold if word(one)]
        if cost := rest(metrics[model], ("usage",)):
            told["cost"] = cost
        event.put(CONTENT, "usage_summary", told, block=event.blocks, meta={"usage": left} if left else None)
        event.blocks += 1
    if untold:
        event.left["modelMetrics"] = untold
    return taken | ({"modelMetrics"} if metrics else set())


def _counters(
    metrics: dict[str, Any], most: int
) -> tuple[dict[str, tuple[dict[str, Any], dict[str, Any]]], dict[str, Any]]:
    """The tokens of each model, and what has no place there; and the models of which none are known, as they are told.

    ``most``: so many records have a place.
    """
    known: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {}
    untold: dict[str, Any] = {}
    for model, found in metrics.items():
        counted, left = normal(part(found, "usage"), includes=True)
        if counted and word(model) and len(known) < most:
            known[model] = counted, left
        else:
            untold[model] = found
    return known, untold
