"""A subagent's messages that stand in its parent's file, as a stream of their own (reference section 2.12)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from git_asr.asr import codec
from git_asr.asr.codec import NON_FINITE
from git_asr.asr.draft import Draft
from git_asr.converters.base import Embedded, NativeFormat, Unit
from git_asr.converters.building import word
from git_asr.converters.claude import assistant, usage, user
from git_asr.converters.claude.finish import finish, left
from git_asr.converters.claude.line import Line
from git_asr.converters.claude.slots import USAGE
from git_asr.converters.claude.state import PLACE, State, counts_badly
from git_asr.converters.fields import part, text
from git_asr.converters.versions import VERSIONS


class ClaudeEmbedded:
    """Converts the messages of one subagent; takes the parent's units.

    The same message stands in several lines while it grows: each growth is a revision. The subagent's last response
    does not stand there; its usage is in the result of the call.
    """

    name = "claude-code"
    version = VERSIONS["claude-code"]
    format_version: str | None = None
    workspace: dict[str, Any] | None = None
    embedded: Sequence[Embedded] = ()

    def __init__(self, agent: str, lossy: tuple[dict[str, str], ...]) -> None:
        self.lossy = lossy
        self._agent = agent
        self._calls: set[str] = set()

    def convert(self, units: Iterator[Unit], _: NativeFormat | None, stream: str = "") -> Iterator[Draft]:
        """Yield the drafts of the units that are this subagent's."""
        state = State(stream)
        self._calls = set()
        state.facts["isSidechain"] = True
        said: dict[str, bytes] = {}
        last: str | None = None
        for unit in units:
            value = unit.value if isinstance(unit.value, dict) and NON_FINITE not in unit.flags else {}
            inner = self._message(value)
            if inner is None:
                line = self._result(unit, value)
                if line is not None:
                    yield from finish(line, unit, state, {})
                continue
            self._calls.add(text(value, "parentToolUseID") or "")
            self.format_version = self.format_version or word(value.get("version"))
            state.placeholder = counts_badly(text(value, "version") or "")
            line = Line(unit, inner)
            if line.uuid is not None:
                stored = codec.identity(inner)
                if said.get(line.uuid) == stored:
                    continue
                said[line.uuid] = stored
                known = state.graph.nodes.get(line.uuid)
                line.chained = True
                line.parent = last if known is None else known.parent
                last = line.uuid if known is None else last
            handler = {"assistant": assistant.line, "user": user.line}.get(str(inner.get("type")))
            taken = None if handler is None else handler(line, state)
            untold = [key for key in inner if key not in PLACE]
            over = left(line, state, untold, frozenset() if taken is None else taken | {"type"})
            yield from finish(line, unit, state, over)

    def _message(self, value: dict[str, Any]) -> dict[str, Any] | None:
        """The message in a line that is this subagent's."""
        data = part(value, "data")
        if value.get("type") != "progress" or data.get("type") != "agent_progress":
            return None
        found = data.get("message")
        return found if data.get("agentId") == self._agent and isinstance(found, dict) else None

    def _result(self, unit: Unit, value: dict[str, Any]) -> Line | None:
        """The subagent's last response, of which the result of a call seen before has the usage."""
        output = part(value, "toolUseResult")
        content = part(value, "message").get("content")
        if output.get("agentId") != self._agent or not isinstance(content, list):
            return None
        called = any(text(one, "tool_use_id") in self._calls for one in content)
        counted, left = usage.normal(output.get("usage"))
        if not called or not counted:
            return None
        line = Line(unit, value)
        line.uuid, line.chained = None, False
        draft = line.put(USAGE, "inference", {}, meta={"usage": left} if left else None)
        draft.fields["inferenceId"] = line.identify(draft)
        if model := word(output.get("resolvedModel")):
            draft.fields["model"] = model
        draft.fields["usage"] = counted
        return line
