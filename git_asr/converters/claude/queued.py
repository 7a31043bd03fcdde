"""Queued input: what goes into the queue, and what becomes of it (profile section 4; reference section 2.11)."""

from __future__ import annotations

from typing import Any

from git_asr.asr.summary import PENDING, QUEUE
from git_asr.converters.claude.authors import judge
from git_asr.converters.claude.line import Line, vendor_type
from git_asr.converters.claude.slots import CONTENT, EXCHANGE, MAX_TOMBSTONES, REST, TOMBSTONES
from git_asr.converters.claude.state import State


def settle(line: Line, state: State, text: str) -> str | None:
    """A message was delivered: the ID that it supersedes, if it was queued; other texts in it are merged."""
    found = state.queue.take(text)
    bury(line, found[1:], "merged")
    return found[0] if found else None


def bury(line: Line, targets: list[str], reason: str) -> None:
    """Tombstones for queued messages that will not stand for themselves."""
    for index, target in enumerate(targets[:MAX_TOMBSTONES]):
        line.put(TOMBSTONES + index, "tombstone", {"target": target, "reason": reason})
    if more := targets[MAX_TOMBSTONES:]:
        line.put(REST, vendor_type("tombstones"), {"value": {"targets": more, "reason": reason}})


def operation(line: Line, state: State) -> frozenset[str]:
    """A ``queue-operation``."""
    value = line.value
    action, content = value.get("operation"), value.get("content")
    taken = frozenset({"operation", "content"})
    if action == "enqueue" and isinstance(content, str):
        author, sender = judge(value, content, state)
        draft = line.put(CONTENT, "message", message(author, sender, [{"type": "text", "text": content}]))
        draft.meta = {QUEUE: PENDING}
        state.queue.add(content, line.own_id(state.graph.used))
        return taken
    line.put(
        CONTENT,
        vendor_type("queue-operation"),
        {"value": {k: value[k] for k in ("operation", "content") if k in value}},
    )
    if action == "popAll":
        bury(line, state.queue.take(None), "withdrawn")
    elif action == "remove" and value.get("reason") == "absorbed_mid_turn":
        _absorbed(line, state, content)
    return taken


def _absorbed(line: Line, state: State, content: Any) -> None:
    """Newer versions say that a text reached the model without any other line: then it is pending no longer."""
    found = state.queue.oldest(content)
    if found is None:
        return
    text, record = found
    author, sender = judge(line.value, text, state)
    draft = line.put(
        EXCHANGE, "message", message(author, sender, [{"type": "text", "text": text}]), supersedes=record
    )
    draft.meta = {QUEUE: "absorbed_mid_turn"}


def message(
    author: str, sender: Any, content: list[dict[str, Any]], identifier: str | None = None
) -> dict[str, Any]:
    """The fields of a message under the user's role; ``identifier``: the line's own ID."""
    fields: dict[str, Any] = {"role": "user", "author": author}
    if sender is not None:
        fields["from"] = sender
    if identifier is not None:
        fields["messageId"] = identifier
    fields["content"] = content
    return fields
