"""Model calls, told by counters that move and by records of responses (reference section 3.7)."""

from __future__ import annotations

from typing import Any

from git_asr.asr.draft import Draft
from git_asr.asr.ids import usable
from git_asr.converters.building import rest
from git_asr.converters.codex.line import Line, Taken
from git_asr.converters.codex.slots import CONTENT, INFERENCE
from git_asr.converters.codex.state import State
from git_asr.converters.fields import part, text

_INPUT, _CACHED, _WRITTEN = "input_tokens", "cached_input_tokens", "cache_write_input_tokens"
_OUTPUT, _REASONING, _TOTAL = "output_tokens", "reasoning_output_tokens", "total_tokens"
_COUNTERS = (_INPUT, _CACHED, _WRITTEN, _OUTPUT, _REASONING, _TOTAL)
_LIMIT = 1 << 53
MAX_OPEN = 1000
"""Counter steps and responses that wait for one another."""


def vector(usage: Any) -> dict[str, int] | None:
    """The counters of a recorded usage; None where it has none, or one that is no count."""
    found = {key: usage[key] for key in _COUNTERS if key in usage} if isinstance(usage, dict) else {}
    counts = all(type(number) is int and 0 <= number < _LIMIT for number in found.values())
    return found if found and counts else None


def normal(counters: dict[str, int]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Counters in the profile's normal form, and what has no place there.

    Input includes what was read from and written to the cache, output includes reasoning.
    """
    usage: dict[str, Any] = {}
    if _INPUT in counters:
        usage["input"] = {"total": counters[_INPUT], "includesCache": True}
        uncached = counters[_INPUT] - counters.get(_CACHED, 0) - counters.get(_WRITTEN, 0)
        if _CACHED in counters and uncached >= 0:
            usage["input"]["uncached"] = uncached
    if _CACHED in counters:
        usage["cacheRead"] = counters[_CACHED]
    if _WRITTEN in counters:
        usage["cacheWrite"] = counters[_WRITTEN]
    output = {"total": counters.get(_OUTPUT), "reasoning": counters.get(_REASONING)}
    if output := {key: value for key, value in output.items() if value is not None}:
        usage["output"] = output
    total = counters.get(_TOTAL)
    added = total is None or total == counters.get(_INPUT, 0) + counters.get(_OUTPUT, 0)
    return usage, {} if added else {_TOTAL: total}


def token_count(line: Line, state: State) -> Taken | None:
    """An event ``token_count``: a model call if the counters moved; limits when they changed."""
    payload = line.payload
    info = payload.get("info")
    if not isinstance(info, dict) and info is not None:
        return None
    taken = {"info"}
    if state.is_told("rate_limits", payload.get("rate_limits")):
        taken.add("rate_limits")
    else:
        state.changed("rate_limits", payload.get("rate_limits"))
    if isinstance(info, dict):
        _counted(line, state, info)
    return taken


def _counted(line: Line, state: State, info: dict[str, Any]) -> None:
    total, last = vector(info.get("total_token_usage")), vector(info.get("last_token_usage"))
    left = rest(info, ("total_token_usage", "last_token_usage"))
    window = left.get("model_context_window")
    if window is not None and not state.changed("model_context_window", window):
        del left["model_context_window"]
    step, note = _step(state.counters, total, last)
    if total is None or last is None:
        left.update(rest(info, ("model_context_window",)))  # not as it should be: kept whole
    elif total != state.counters:
        left["total_token_usage"] = info["total_token_usage"]
    if last is not None and last not in (step, state.counted):
        left["last_token_usage"] = info["last_token_usage"]
    for name, counters in (("total_token_usage", total), ("last_token_usage", last)):
        if counters is not None and (over := rest(info[name], _COUNTERS)):
            left[f"{name}_more"] = over
    state.counters = total or state.counters
    state.counted = last or state.counted
    if left:
        line.left["info"] = left
    if step is not None:
        _step_made(line, state, step, last or step, note)


def _step(
    before: dict[str, int] | None, total: dict[str, int] | None, last: dict[str, int] | None
) -> tuple[dict[str, int] | None, str | None]:
    """The usage of the model call between two cumulative counts, None for none, and how it was found.

    Without a count before, and where the counters began anew, only the usage of the last call is known.
    """
    if total is None or total == before or not any(total.values()):
        return None, None
    if before is None:
        return (last, None) if last is not None and _is_consistent(last) else (None, None)
    moved = {key: number - before.get(key, 0) for key, number in total.items()}
    if any(number < 0 for number in moved.values()) or not before.keys() <= total.keys():
        return (last, "reset") if last is not None and _is_consistent(last) else (None, None)
    if last is not None and {**dict.fromkeys(moved, 0), **last} == moved:
        return last, None
    return moved, "difference"


def _is_consistent(usage: dict[str, int]) -> bool:
    """Whether the parts of a usage make its total, and there is something."""
    whole = usage.get(_INPUT, 0) + usage.get(_OUTPUT, 0)
    return whole > 0 and usage.get(_TOTAL, whole) == whole


def _step_made(
    line: Line, state: State, step: dict[str, int], last: dict[str, int], note: str | None
) -> None:
    """A counter step: a model call, unless a record told of its response, whose usage is then the last one."""
    key = _key(last)
    if state.responses.get(key, 0):
        state.responses[key] -= 1
        return
    draft = _inference(line, state, step, None, slot=CONTENT)
    if note is not None:
        line.left["step"] = note
    state.steps[key] = draft
    if len(state.steps) > MAX_OPEN:
        del state.steps[next(iter(state.steps))]


def response(line: Line, state: State) -> Taken | None:
    """A line ``token_usage_record``: the usage of one response."""
    counters = vector(line.payload.get("usage"))
    identifier = text(line.payload, "response_id")
    if counters is None or identifier is None or not usable(identifier):
        return None
    if identifier in state.response_ids:
        return ()
    return (
        {"usage", "response_id"}
        if _responded(line, state, counters, identifier, CONTENT)
        else {"response_id"}
    )


def repeated(line: Line, state: State) -> None:
    """The record of a response that a compaction repeats, if it was not seen: then it is the compaction's own."""
    found = part(line.payload, "latest_token_usage_record")
    counters, identifier = vector(found.get("usage")), text(found, "response_id")
    if counters is None or identifier is None or not usable(identifier):
        return
    if identifier not in state.response_ids:
        _responded(line, state, counters, identifier, INFERENCE)


def _responded(line: Line, state: State, counters: dict[str, int], identifier: str, slot: int) -> bool:
    """The model call of a response; whether its record holds all of the usage."""
    key = _key(counters)
    before = state.steps.pop(key, None)
    _inference(line, state, counters, identifier, slot=slot, before=before)
    if before is None:
        state.responses[key] = state.responses.get(key, 0) + 1
    state.response_ids.add(identifier)
    return not rest(part(line.payload, "usage"), _COUNTERS)


def _inference(
    line: Line,
    state: State,
    counters: dict[str, int],
    identifier: str | None,
    *,
    slot: int,
    before: Draft | None = None,
) -> Draft:
    usage, left = normal(counters)
    fields: dict[str, Any] = {"inferenceId": identifier}
    if state.provider:
        fields["provider"] = state.provider
    if state.model:
        fields["model"] = state.model
    fields["usage"] = usage
    draft = line.put(slot, "inference", fields, meta=left, supersedes=None if before is None else before.id)
    if identifier is None:
        fields["inferenceId"] = line.identify(draft)
    return draft


def _key(counters: dict[str, int]) -> tuple[tuple[str, int], ...]:
    return tuple((key, counters[key]) for key in _COUNTERS if counters.get(key))
