"""Lines of a Codex rollout → drafts, one line at a time and without looking ahead."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from git_asr.asr.codec import NON_FINITE
from git_asr.asr.draft import Draft
from git_asr.asr.numbering import identify
from git_asr.converters import opaque
from git_asr.converters.base import NativeFormat, Unit
from git_asr.converters.codex import calls, compaction, events, header, messages, settings, usage
from git_asr.converters.codex.events import Handler
from git_asr.converters.codex.line import VENDOR, Line, Taken
from git_asr.converters.codex.state import State
from git_asr.converters.learned import Learning
from git_asr.converters.secret_answers import CodexSecretAnswers
from git_asr.converters.versions import VERSIONS

_ITEMS: dict[str, Handler] = {
    "message": messages.message,
    "agent_message": messages.agent_message_item,
    "reasoning": messages.reasoning,
    "function_call": calls.function_call,
    "custom_tool_call": calls.custom_tool_call,
    "local_shell_call": calls.local_shell_call,
    "tool_search_call": calls.tool_search_call,
    "web_search_call": calls.web_search_call,
    "image_generation_call": calls.image_generation_call,
    **dict.fromkeys(("function_call_output", "custom_tool_call_output"), calls.output),
    "tool_search_output": calls.tool_search_output,
    "configuration_update": settings.updated,
}
_LINES: dict[str, Handler] = {
    "session_meta": header.session_meta,
    "turn_context": settings.turn_context,
    "compacted": compaction.compacted,
    "token_usage_record": usage.response,
}
LOSSES = (
    *opaque.CONVERTED_LINE_LOSSES,
    {"feature": "empty_values", "reason": "null, empty text, arrays and objects are not kept as fields"},
    {
        "feature": "repeated_values",
        "reason": "what stands on every line or turn (turn, ordinal, settings, limits, cumulative counts) is recorded "
        "when it changes; texts of events that items have too, and messages in the history that a "
        "compaction leaves, are recorded once",
    },
    {
        "feature": "event_times",
        "reason": "an event that says nothing new has no record, so its time is not kept",
    },
    *opaque.not_told("stop_reasons", "approvals"),
    {"feature": "inference_content", "reason": "the source does not say which items a model call gave"},
)


class CodexRollout(Learning[State]):
    """The converter of one stream; what it has learned after ``convert`` is what its lines said."""

    name = "codex"
    version = VERSIONS["codex"]
    lossy = LOSSES

    def __init__(self) -> None:
        super().__init__(State())

    def convert(self, units: Iterator[Unit], _: NativeFormat | None, _stream: str = "") -> Iterator[Draft]:
        """Yield the drafts of the units.

        Secret answers are taken out before anything else sees them.
        """
        state = self._state = State()
        secrets = CodexSecretAnswers()
        for unit in opaque.settled(units):
            if unit.kind == "malformed":
                draft = opaque.notice(unit)
                identify(draft, state.used)
                yield draft
                continue
            value = secrets(unit.value)
            if value is None:
                yield from drafts(unit, state)
            else:
                yield from drafts(replace(unit, value=value, text=None), state, masked=True)


def drafts(unit: Unit, state: State, *, masked: bool = False) -> list[Draft]:
    """The drafts of one unit, in order; ``masked``: secret answers were taken out of it."""
    value = unit.value
    line = Line(unit, value if isinstance(value, dict) else {})
    ordinal = _ordinal(line, state)
    line.again = state.known_turn(line.payload)
    line.copied = state.is_copied(line)
    taken = None if NON_FINITE in unit.flags else _records(line, state)
    if taken is None:
        line.drafts.clear()
        line.left.clear()
        line.whole(unit, line.name)
        left = {}
    else:
        taken = {"type", *taken, *line.again}
        identifier = line.payload.get("id") if line.type == "response_item" else None
        if line.drafts and isinstance(identifier, str) and identifier not in state.used:
            taken.add("id")  # the first record has it, or says that it cannot be used
        left = {**line.untold(taken), **ordinal}
        if left and not line.drafts:
            line.keep(left)
            left = {}
    return _finish(line, unit, state, left, masked=masked)


def _records(line: Line, state: State) -> Taken | None:
    """Make the records of a line; the keys of its payload that they hold, None where it must be kept as it is."""
    if not line.payload or not isinstance(line.type, str):
        return None
    handler = _LINES.get(line.type)
    if handler is None and isinstance(line.kind, str):
        table = {"response_item": _ITEMS, "event_msg": events.HANDLERS}.get(line.type, {})
        handler = table.get(line.kind)
    return None if handler is None else handler(line, state)


def _ordinal(line: Line, state: State) -> dict[str, Any]:
    """The number of a line in the paginated history, where it is not one more than the last."""
    found = line.value.get("ordinal")
    if found is None:
        return {}
    before, state.ordinal = state.ordinal, found if type(found) is int else None
    return {} if before is not None and found == before + 1 and type(found) is int else {"ordinal": found}


def _finish(line: Line, unit: Unit, state: State, left: dict[str, Any], *, masked: bool) -> list[Draft]:
    """Put what is left to the first record, and give all of them their IDs."""
    made = line.finish(unit, left)
    if not made:
        return made
    first = made[0]
    if line.type == "response_item" and isinstance(line.payload.get("id"), str):
        first.native_id = line.payload["id"]
    if masked and first.capture is None:
        first.capture = {"state": "masked"}
    origin = state.reference() if line.copied else None
    for draft in made:
        identify(draft, state.used)
        if origin is not None:
            draft.copied_from = {"session": origin, "evidence": "native_structure"}
        if not draft.type.startswith(VENDOR) and draft.type != "tombstone":
            state.last = draft.id
    return made
