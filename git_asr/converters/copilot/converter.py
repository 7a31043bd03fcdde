"""Events of Copilot CLI → drafts, one event at a time and without looking ahead."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from git_asr.asr.codec import NON_FINITE
from git_asr.asr.draft import Draft
from git_asr.asr.ids import usable
from git_asr.asr.numbering import identify
from git_asr.converters import opaque
from git_asr.converters.base import Embedded, NativeFormat, Unit
from git_asr.converters.building import Building
from git_asr.converters.copilot import asked, beside, messages, session, tools, usage
from git_asr.converters.copilot.event import VENDOR, Event, Taken
from git_asr.converters.copilot.state import MAX_STREAMS, State
from git_asr.converters.fields import text, time
from git_asr.converters.learned import Learning
from git_asr.converters.revisions import carries
from git_asr.converters.versions import VERSIONS

_Handler = Callable[[Event, State], Taken | None]

_HANDLERS: dict[str, _Handler] = {
    "session.start": session.start,
    "session.resume": session.resume,
    "session.shutdown": usage.shutdown,
    "session.context_changed": session.context_changed,
    "session.model_change": session.model_change,
    "session.mode_changed": session.mode_changed,
    "session.title_changed": session.title,
    "session.handoff": session.handoff,
    "session.compaction_start": session.compaction_start,
    "session.compaction_complete": session.compaction,
    "session.truncation": session.truncated,
    "session.context_cleared": session.cleared,
    "session.snapshot_rewind": session.rewind,
    "session.binary_asset": messages.asset,
    **dict.fromkeys(
        ("session.info", "session.warning", "session.error", "session.task_complete", "model.call_failure"),
        session.notice,
    ),
    "user.message": messages.user,
    "assistant.message": messages.assistant,
    "assistant.reasoning": messages.reasoning,
    "system.message": messages.system,
    "system.notification": messages.notification,
    "skill.invoked": messages.skill,
    "tool.execution_start": tools.started,
    "tool.execution_complete": tools.completed,
    "tool.user_requested": tools.asked_for,
    "user_input.requested": asked.question,
    "user_input.completed": asked.answer,
    "elicitation.requested": asked.form,
    "elicitation.completed": asked.filled,
    "exit_plan_mode.requested": asked.plan,
    "exit_plan_mode.completed": asked.decided,
    "permission.requested": asked.permission,
    "permission.completed": asked.permitted,
    "hook.start": beside.hook_start,
    "hook.end": beside.hook_end,
    **dict.fromkeys(("subagent.started", "subagent.completed", "subagent.failed"), beside.subagent),
    **dict.fromkeys(("command.queued", "command.execute"), beside.command),
    **dict.fromkeys(("abort", "agent.interrupted"), session.interrupted),
}
_BESIDE = frozenset(
    {"tool.execution_start", "hook.start", "hook.end", "permission.requested", "permission.completed"}
)
"""What runs beside a response while its chunks come. What a tool returns is none of it: it follows what was said."""
LOSSES = (
    *opaque.CONVERTED_LINE_LOSSES,
    {"feature": "empty_values", "reason": "null, empty text, arrays and objects are not kept as fields"},
    {
        "feature": "repeated_values",
        "reason": "what stands on every event (interaction, turn, model, context) and the system prompt are recorded "
        "when they change; what a tool begins with is recorded with the call that asked for it",
    },
    {
        "feature": "inference_input",
        "reason": "the source tells the input of model calls for a process as a whole",
    },
    *opaque.not_told("stop_reasons"),
)


class CopilotEvents(Learning[State]):
    """The converter of one session; what it has learned after ``convert`` is what the events said."""

    name = "copilot-cli"
    version = VERSIONS["copilot-cli"]
    lossy = LOSSES

    def __init__(self) -> None:
        super().__init__(State(""))

    @property
    def embedded(self) -> Sequence[Embedded]:
        """The subagents whose events stand among this session's."""
        return [Embedded(beside.suffix(one), (one,), CopilotSubagent(one)) for one in self._state.streams]

    def convert(self, units: Iterator[Unit], _: NativeFormat | None, stream: str = "") -> Iterator[Draft]:
        """Yield the drafts of the units; a malformed last one is held back."""
        state = self._state = State(stream)
        for unit in opaque.settled(units):
            event = None if unit.kind == "malformed" else _event(unit, state)
            if event is not None:
                state.follow(event)
            yield from _ahead(event, state)
            before = state.last
            yield from state.hold(_told(event, unit, state), before)
            if unit.kind != "malformed":
                state.stands(text(unit.value, "id"), before)
        yield from state.release()


class CopilotSubagent:
    """Converts the events of one subagent; takes the session's units.

    The model calls are among the session's records, for the process tells the usage of all of them together.
    """

    name = "copilot-cli"
    version = VERSIONS["copilot-cli"]
    lossy = LOSSES
    format_version: str | None = None
    workspace: dict[str, Any] | None = None
    embedded: Sequence[Embedded] = ()

    def __init__(self, agent: str) -> None:
        self._agent = agent

    def convert(self, units: Iterator[Unit], _: NativeFormat | None, stream: str = "") -> Iterator[Draft]:
        """Yield the drafts of the units that are this subagent's."""
        state = State(stream)
        for unit in units:
            event = _event(unit, state) if unit.kind == "value" else None
            if event is not None and event.agent == self._agent:
                event.again |= {key for key in ("parentToolCallId",) if event.data.get(key) == self._agent}
                yield from _ahead(event, state)
                before = state.last
                yield from state.hold(_records(event, unit, state), before)
        yield from state.release()


def _event(unit: Unit, state: State) -> Event | None:
    """The event that a unit is; None for anything else, and where a number in it is none."""
    value = unit.value
    if not isinstance(value, dict) or NON_FINITE in unit.flags:
        return None
    if not isinstance(value.get("type"), str) or not isinstance(value.get("data"), dict):
        return None
    return Event(unit, value, state.agents.of(value))


def _ahead(event: Event | None, state: State) -> list[Draft]:
    """What is to be given out before the records of an event, or of a unit that is none, are made."""
    if event is not None:
        state.turn(event)
    held = state.held
    if held is not None and event is not None and state.apart is None:
        chunk, key = messages.chunk(event, state), held.spoken.key
        if chunk is not None and chunk.key == key and not chunk.first:
            return state.move(held) if chunk.last or event.data.get("content") else []
        if event.type in _BESIDE or event.agent != key[0]:
            return []
    return state.release()


def _told(event: Event | None, unit: Unit, state: State) -> list[Draft]:
    """The records of a unit among those of the session."""
    if unit.kind == "malformed":
        made = [opaque.notice(unit)]
        _identify(made, state)
        return made
    if event is None:
        return _whole(unit, state)
    if event.agent is None:
        return _records(event, unit, state)
    if event.agent not in state.streams:
        if not usable(event.agent) or len(state.streams) == MAX_STREAMS:
            return _whole(unit, state)
        state.streams[event.agent] = None
    return _calls(event, unit, state)


def _calls(event: Event, unit: Unit, state: State) -> list[Draft]:
    """The model call to which a subagent's event belongs; all else stands in the subagent's stream."""
    if event.type == "assistant.message" and messages.is_response(event.data):
        event.blocks = messages.blocks(event.data)
        usage.called(event, state)
    elif event.type == "session.compaction_complete":
        usage.compaction(event)
    return _finish(event, unit, state, event.left, native=None)


def _records(event: Event, unit: Unit, state: State) -> list[Draft]:
    """The records of an event in the stream that is its agent's."""
    handler = _HANDLERS.get(event.type)
    taken = None if handler is None else handler(event, state)
    if taken is None:
        event.drafts.clear()
        taken = ()
    if event.agent is not None:
        event.drafts = [draft for draft in event.drafts if draft.type != "inference"]
    if not event.drafts:
        event.keep(taken)
        taken = event.data.keys()
    left = event.untold(taken)
    return _finish(event, unit, state, left, native=event.native)


def _whole(unit: Unit, state: State) -> list[Draft]:
    """A record that holds the unit as it is."""
    building = Building(unit, VENDOR, time(unit.value, "timestamp"))
    building.whole(unit, (text(unit.value, "type") or "").replace(".", "-"))
    made = building.finish(unit, {})
    made[0].native_id = text(unit.value, "id")
    _identify(made, state)
    return made


def _finish(
    event: Event, unit: Unit, state: State, left: dict[str, Any], *, native: str | None
) -> list[Draft]:
    """Put what is left to the first record, and give all of them their IDs."""
    made = event.finish(unit, left)
    if made:
        made[0].native_id = native
        _identify(made, state)
    return made


def _identify(made: list[Draft], state: State) -> None:
    for draft in made:
        identify(draft, state.used)
        if carries(draft):
            if state.apart != [draft.id]:  # no record follows itself
                draft.predecessors = state.apart
            state.apart = None
            state.last = draft.id
