"""Units of Claude Code → drafts, one unit at a time and without looking ahead."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from git_asr.asr.codec import NON_FINITE
from git_asr.asr.draft import Draft
from git_asr.converters import opaque
from git_asr.converters.base import Embedded, NativeFormat, Unit
from git_asr.converters.claude import assistant, lines, loose, queued, user
from git_asr.converters.claude.embedded import ClaudeEmbedded
from git_asr.converters.claude.finish import finish, left
from git_asr.converters.claude.line import Line
from git_asr.converters.claude.state import State
from git_asr.converters.learned import Learning
from git_asr.converters.versions import VERSIONS

_Handler = Callable[[Line, State], frozenset[str] | None]

_HANDLERS: dict[str, _Handler] = {
    "assistant": assistant.line,
    "user": user.line,
    "system": lines.system,
    "attachment": lines.attachment,
    "progress": lines.progress,
    "queue-operation": queued.operation,
    "custom-title": loose.title,
    "ai-title": loose.title,
    "agent-name": loose.title,
    "summary": loose.title,
    "permission-mode": loose.mode,
    "mode": loose.mode,
    "last-prompt": loose.last_prompt,
    "pr-link": loose.pr_link,
    "file-history-snapshot": loose.snapshot,
    "file-history-delta": loose.delta,
}
"""By the type of the line: makes the content's records and names the keys that they hold; None: not such a line."""

LOSSES = (
    *opaque.CONVERTED_LINE_LOSSES,
    {"feature": "empty_values", "reason": "null, empty text, arrays and objects are not kept as fields"},
    {
        "feature": "repeated_values",
        "reason": "what stands on every line (context, usage, modes, titles, the last prompt, the prompt of a "
        "subagent) is recorded when it changes",
    },
    *opaque.not_told("approvals", "compaction_usage"),
)


class Claude(Learning[State]):
    """The converter of one stream; what it has learned after ``convert`` is what its units said."""

    name = "claude-code"
    version = VERSIONS["claude-code"]
    lossy = LOSSES

    def __init__(self) -> None:
        super().__init__(State(""))

    @property
    def embedded(self) -> Sequence[Embedded]:
        """The subagents whose messages stand in this stream's units."""
        return [
            Embedded(f"{agent}.embedded", tuple(calls), ClaudeEmbedded(agent, LOSSES))
            for agent, calls in self._state.agents.items()
        ]

    def convert(self, units: Iterator[Unit], _: NativeFormat | None, stream: str = "") -> Iterator[Draft]:
        """Yield the drafts of the units."""
        state = self._state = State(stream)
        for unit in opaque.settled(units):
            if unit.kind == "malformed":
                draft = opaque.notice(unit)
                state.graph.loose(draft)
                yield draft
            else:
                yield from drafts(unit, state)


def drafts(unit: Unit, state: State) -> list[Draft]:
    """The drafts of one unit, in order."""
    value = unit.value
    if not isinstance(value, dict):
        line = Line(unit, {})
        line.whole(unit, None)
        return finish(line, unit, state, {})
    line = Line(unit, value)
    kind = line.kind
    handler = _HANDLERS.get(kind) if isinstance(kind, str) and NON_FINITE not in unit.flags else None
    if handler is not None:
        untold = state.context(line)
        taken = handler(line, state)
        if taken is not None:
            return finish(line, unit, state, left(line, state, untold, taken))
    line.whole(unit, kind)
    return finish(line, unit, state, {})
