"""``item_completed``: what the paginated history says of things that items may tell too (reference 3.1, 3.5)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from git_asr.converters.building import join, rest, text_part, vendor_type, word
from git_asr.converters.codex import calls, compaction, ends, messages, subagents
from git_asr.converters.codex.line import VENDOR, Line, Taken
from git_asr.converters.codex.slots import CONTENT
from git_asr.converters.codex.state import State
from git_asr.converters.fields import text

_Handler = Callable[[Line, State, dict[str, Any]], Taken | None]


def item_completed(line: Line, state: State) -> Taken | None:
    """An event ``item_completed``, by the type of its item; what is left of the item stays below ``item``."""
    item = line.payload.get("item")
    kind = text(item, "type")
    if not isinstance(item, dict) or not kind:
        return None
    handler = _HANDLERS.get(kind[0].upper() + kind[1:])
    taken = None if handler is None else handler(line, state, item)
    if taken is None:
        return None
    told = {"item"}
    if line.payload.get("thread_id") == state.thread:
        told.add("thread_id")
    left = join(line.left, rest(item, ("type", *taken))) if line.left else rest(item, ("type", *taken))
    message = line.drafts[0].fields.get("messageId") if line.drafts else None
    if message is not None and message == left.get("id"):
        del left["id"]
    line.left = {}
    if left:
        line.left = {"item": left}
        if not line.drafts:
            line.left = {"item": {"type": kind, **left}}
    return told


def _answered(line: Line, state: State, item: dict[str, Any]) -> Taken | None:
    content = item.get("content")
    done = isinstance(content, str | list) and messages.answered(line, state, content, text(item, "id"))
    return {"content"} if done else None


def _thought(line: Line, state: State, item: dict[str, Any]) -> Taken | None:
    taken = set()
    said: list[str] = []
    for key in ("summary_text", "raw_content"):
        found = item.get(key)
        if isinstance(found, list) and all(isinstance(one, str) for one in found):
            said += found
            taken.add(key)
    messages.thought(line, state, said)
    return taken


def _planned(line: Line, _: State, item: dict[str, Any]) -> Taken | None:
    said = text(item, "text")
    if said is None:
        return None
    line.put(CONTENT, "plan", {"items": [{"text": said}]})
    return {"text"}


def _prompted(line: Line, state: State, item: dict[str, Any]) -> Taken | None:
    """What a hook gave to the model."""
    found = item.get("fragments")
    said = [text(one, "text") for one in found] if isinstance(found, list) else []
    content = [text_part(one) for one in said if one is not None]
    if not content or ("user", "\n".join(one["text"] for one in content)) in state.said:
        return ()
    line.put(CONTENT, "message", {"role": "user", "author": "harness", "content": content})
    listed = found if isinstance(found, list) else []
    line.left["fragments"] = [
        rest(one, ("text",)) if text(one, "text") is not None else one for one in listed
    ]
    return {"fragments"}


def _ended(name: str, key: str) -> _Handler:
    """What makes the result of an item of a tool; the name of the call stands under ``key``, if it has one."""

    def handler(line: Line, state: State, item: dict[str, Any]) -> Taken | None:
        return ends.ended(line, state, item, "id", (word(item.get(key)) or name))

    return handler


def _ran(line: Line, state: State, item: dict[str, Any]) -> Taken | None:
    if ends.is_typed(item):
        return calls.ran(line, item)
    return ends.ended(line, state, item, "id", "exec_command")


def _searched(line: Line, state: State, item: dict[str, Any]) -> Taken | None:
    return calls.searched(line, state, item, "id") if isinstance(item.get("action"), dict) else None


def _compacted(line: Line, state: State, _: dict[str, Any]) -> Taken | None:
    return compaction.told_again(line, state)


def _reviewed(mode: str) -> _Handler:
    """What makes a change of the review mode."""

    def handler(line: Line, state: State, _: dict[str, Any]) -> Taken | None:
        if state.changed("review", mode):
            line.put(CONTENT, "git-asr/mode", {"kind": "review", "mode": mode})
        return ()

    return handler


def _activity(line: Line, state: State, item: dict[str, Any]) -> Taken | None:
    return subagents.activity(line, state, item)


def _shown(line: Line, _: State, item: dict[str, Any]) -> Taken | None:
    path = text(item, "path")
    if path is None:
        return None
    line.put(CONTENT, vendor_type(VENDOR, "image_view"), {"value": {"path": path}})
    return {"path"}


_HANDLERS: dict[str, _Handler] = {
    "UserMessage": messages.typed,
    "AgentMessage": _answered,
    "Reasoning": _thought,
    "Plan": _planned,
    "HookPrompt": _prompted,
    "CommandExecution": _ran,
    "FileChange": _ended("apply_patch", ""),
    "McpToolCall": _ended("mcp_tool_call", "tool"),
    "DynamicToolCall": _ended("dynamic_tool_call", "tool"),
    "CollabAgentToolCall": _ended("collab_agent", "tool"),
    "ImageGeneration": _ended("image_generation", ""),
    "WebSearch": _searched,
    "ImageView": _shown,
    "ContextCompaction": _compacted,
    "EnteredReviewMode": _reviewed("on"),
    "ExitedReviewMode": _reviewed("off"),
    "SubAgentActivity": _activity,
}
