"""Events: what the agent tells its user interface (reference section 3.5)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from git_asr.converters.codex import calls, compaction, ends, history, messages, settings, subagents, usage
from git_asr.converters.codex.line import Line, Taken
from git_asr.converters.codex.slots import CONTENT, NOTICE
from git_asr.converters.codex.state import State
from git_asr.converters.fields import text

Handler = Callable[[Line, State], Taken | None]


def _started(line: Line, state: State) -> Taken:
    """A turn begins: what was said before it is not told again."""
    told: set[str] = set()
    state.begins(line.payload)
    state.said.clear()
    window = line.payload.get("model_context_window")
    if window is not None and not state.changed("model_context_window", window):
        told.add("model_context_window")
    line.put(CONTENT, "state", {"state": "running"})
    return told


def _completed(line: Line, state: State) -> Taken:
    """A turn is over."""
    payload = line.payload
    told: set[str] = set()
    line.put(CONTENT, "state", {"state": "idle"})
    answer = text(payload, "last_agent_message")
    if answer is not None and answer == state.answer:
        told.add("last_agent_message")
    error = payload.get("error")
    said = error if isinstance(error, str) else text(error, "message")
    if said:
        line.put(NOTICE, "git-asr/notice", {"level": "error", "kind": "turn_error", "text": said})
        told |= {"error"} if isinstance(error, str) else set()
    return told


def _aborted(line: Line, _: State) -> Taken:
    told: set[str] = set()
    reason = text(line.payload, "reason")
    fields: dict[str, Any] = {"state": "interrupted"}
    if reason:
        fields["reason"] = reason
        told.add("reason")
    line.put(CONTENT, "state", fields)
    return told


def _named(line: Line, state: State) -> Taken | None:
    name = text(line.payload, "thread_name")
    if name is None:
        return None
    told = {"thread_name"}
    if line.payload.get("thread_id") == state.thread:
        told.add("thread_id")
    line.put(CONTENT, "git-asr/title", {"title": name, "source": "thread"})
    return told


def _review(mode: str) -> Handler:
    """What makes a change of the review mode."""

    def handler(line: Line, state: State) -> Taken:
        if state.changed("review", mode):
            line.put(CONTENT, "git-asr/mode", {"kind": "review", "mode": mode})
        return ()

    return handler


def _activity(line: Line, state: State) -> Taken | None:
    return subagents.activity(line, state, line.payload)


def _notice(line: Line, _: State) -> Taken | None:
    """Errors and warnings, which some versions keep."""
    said = text(line.payload, "message")
    if said is None:
        return None
    level = "error" if "error" in str(line.kind) else "warning"
    line.put(CONTENT, "git-asr/notice", {"level": level, "kind": line.kind, "text": said})
    return {"message"}


HANDLERS: dict[str, Handler] = {
    "user_message": messages.user_message,
    "agent_message": messages.agent_message,
    "agent_reasoning": messages.agent_reasoning,
    "agent_reasoning_raw_content": messages.agent_reasoning,
    "token_count": usage.token_count,
    **dict.fromkeys(("task_started", "turn_started"), _started),
    **dict.fromkeys(("task_complete", "turn_complete"), _completed),
    "turn_aborted": _aborted,
    "context_compacted": compaction.told_again,
    "thread_rolled_back": compaction.rolled_back,
    "thread_settings_applied": settings.applied,
    "thread_name_updated": _named,
    "entered_review_mode": _review("on"),
    "exited_review_mode": _review("off"),
    "web_search_end": calls.web_search_end,
    **dict.fromkeys(
        ("exec_command_end", "patch_apply_end", "mcp_tool_call_end", "image_generation_end"), ends.event
    ),
    "dynamic_tool_call_request": ends.dynamic_request,
    "dynamic_tool_call_response": ends.dynamic_response,
    "sub_agent_activity": _activity,
    "item_completed": history.item_completed,
    **dict.fromkeys(("error", "stream_error", "warning", "deprecation_notice"), _notice),
}
"""By the type of the event: makes its records and names the keys that they hold; None: keep it as it is."""
