"""Units of Antigravity → drafts, one step at a time and without looking ahead.

A step of the model names its calls without IDs; the steps behind it are their results, in the order of the calls.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from git_asr.asr.codec import NON_FINITE
from git_asr.asr.draft import Draft
from git_asr.converters import opaque
from git_asr.converters.antigravity import results, steps
from git_asr.converters.antigravity.slots import MAX_TOMBSTONES, REST, TOMBSTONES
from git_asr.converters.antigravity.state import State, Step
from git_asr.converters.base import Embedded, NativeFormat, Unit
from git_asr.converters.building import rest
from git_asr.converters.revisions import settle
from git_asr.converters.versions import VERSIONS

_HANDLERS: dict[str, Callable[[Step, State], None]] = {
    "USER_INPUT": steps.user,
    "PLANNER_RESPONSE": steps.model,
    "CHECKPOINT": steps.checkpoint,
    "ERROR_MESSAGE": steps.error,
    **dict.fromkeys(("SYSTEM_MESSAGE", "EPHEMERAL_MESSAGE"), steps.system),
    **dict.fromkeys(results.TYPES, results.result),
}
"""By the type of the step: makes its records."""
_SOURCES = {
    "USER_INPUT": "USER_EXPLICIT",
    "CHECKPOINT": "SYSTEM",
    "SYSTEM_MESSAGE": "SYSTEM",
    "ERROR_MESSAGE": "SYSTEM",
}
"""Who makes a step of a type; every other one is the model's."""
LOSSES = (
    *opaque.CONVERTED_LINE_LOSSES,
    {"feature": "empty_values", "reason": "null, empty text, arrays and objects are not kept as fields"},
    {"feature": "repeated_values", "reason": "a step that comes again is recorded where it differs"},
    {"feature": "call_ids", "reason": "the source has none: results are paired with calls by their order"},
    {"feature": "usage", "reason": "the source has no counters"},
    *opaque.not_told("stop_reasons", "agent_version", "approvals", "branch", "rewinds", "workspace"),
)


class AntigravitySteps:
    """The converter of one session."""

    name = "antigravity"
    version = VERSIONS["antigravity"]
    lossy = LOSSES
    format_version: str | None = None
    workspace: Mapping[str, Any] | None = None
    embedded: Sequence[Embedded] = ()

    def convert(self, units: Iterator[Unit], _: NativeFormat | None, __: str = "") -> Iterator[Draft]:
        """Yield the drafts of the units; a malformed last one is held back."""
        state = State()
        for unit in opaque.settled(units):
            if unit.kind == "malformed":
                yield from state.revisions.identify(None, [opaque.notice(unit)])[0]
            else:
                yield from _drafts(unit, state)


def _drafts(unit: Unit, state: State) -> list[Draft]:
    """The drafts of one unit, in order; of a step that comes again those that say something new."""
    step = Step(unit, unit.value if isinstance(unit.value, dict) else {})
    handler = _HANDLERS.get(step.type)
    if handler is None and any(call.step == step.type for call in state.waiting):
        handler = results.result
    left: dict[str, Any] = {}
    if handler is None or NON_FINITE in unit.flags:
        step.whole(unit, step.type)
    else:
        handler(step, state)
        left = _left(step)
    made, gone = state.revisions.identify(step.native, step.finish(unit, left))
    settle(made)
    if gone:
        first = len(step.drafts)
        step.bury(gone, "replaced", TOMBSTONES, MAX_TOMBSTONES, REST)
        made += state.revisions.identify(None, step.drafts[first:])[0]
        made.sort(key=lambda draft: draft.part)
    return made


def _left(step: Step) -> dict[str, Any]:
    """What of a step no record holds: what is as usual, or stands in the envelope, need not be told."""
    taken = step.taken | {"type"}
    if step.native is not None:
        taken.add("step_index")
    if step.ts is not None:
        taken.add("created_at")
    usual = _SOURCES.get(step.type, "MODEL")
    for key, value in (("source", usual), ("status", "DONE")):
        if step.value.get(key) == value:
            taken.add(key)
    return rest(step.value, taken)
