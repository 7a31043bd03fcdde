"""Messages and reasoning, each told by an item and again by events (reference sections 3.4 to 3.6)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from git_asr.asr.draft import Draft
from git_asr.asr.ids import usable
from git_asr.converters.building import (
    Part,
    absent,
    data_part,
    is_marker,
    listed,
    rest,
    text_part,
    vendor_type,
)
from git_asr.converters.codex import subagents
from git_asr.converters.codex.authors import SHELL, judge, own
from git_asr.converters.codex.line import VENDOR, Line, Taken
from git_asr.converters.codex.slots import ATTACHED, CONTENT, MAX_TOMBSTONES, REST, TOMBSTONES
from git_asr.converters.codex.state import Said, State
from git_asr.converters.fields import text

_ROLES = {"user": "user", "assistant": "assistant", "developer": "system", "system": "system"}
_TEXTS = frozenset({"input_text", "output_text", "text", "Text", "summary_text", "reasoning_text"})


_NOT_TYPED = ("environment_context", "user_instructions")
"""Kinds of ``user_message`` events by which old versions told of what the harness put in."""


def parts(content: Any) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """The parts of a content, which is a text or a list, and what they do not hold, by index."""
    if isinstance(content, str):
        return [text_part(content)], {}
    if not isinstance(content, list):
        return ([] if content is None else [{"type": "json", "value": content}]), {}
    return listed(content, _part)


def _part(one: Any) -> Part:
    kind = one.get("type") if isinstance(one, dict) else None
    if not isinstance(kind, str):
        return {"type": "json", "value": one}, {}
    if kind in _TEXTS and isinstance(one.get("text"), str):
        return text_part(one["text"]), rest(one, ("type", "text")) if len(one) > 2 else {}
    if isinstance(one.get("image_url"), str):
        made = data_part(one["image_url"], one)
        return made, rest(one, ("type", "image_url")) if "data" in made else {}
    if kind == "encrypted_content" and isinstance(one.get("encrypted_content"), str):
        return {"type": "json", "value": one, "capture": _sealed(one["encrypted_content"])}, {}
    return {"type": "json", "value": one}, {}


def texts(content: Sequence[dict[str, Any]]) -> list[str]:
    """The texts among parts."""
    return [one["text"] for one in content if one["type"] == "text"]


def message(line: Line, state: State) -> Taken | None:
    """An item ``message``."""
    payload = line.payload
    role = payload.get("role")
    if not isinstance(role, str) or role not in _ROLES or not isinstance(payload.get("content"), str | list):
        return None
    content, left = parts(payload["content"])
    if left:
        line.left["content"] = left
    said = texts(content)
    if role == "user" and len(content) == 1 and said and said[0].startswith(SHELL):
        _shell(line, said[0])
        return {"role", "content"}
    author = {"user": "", "assistant": "agent"}.get(role, "harness") or judge(line, state, said)
    fields: dict[str, Any] = {"role": _ROLES[role], "author": author}
    if usable(text(payload, "id")):
        fields["messageId"] = payload["id"]
    fields["content"] = content
    draft = line.put(CONTENT, "message", fields)
    if role == "developer":
        line.left["role"] = role
    if role == "user":
        subagents.notified(line, state, said)
    _note(line, state, role, said, draft)
    if all(one.keys() == {"type", "text"} for one in content):
        state.messages.setdefault((role, *said), draft)
    return {"role", "content"}


def _note(line: Line, state: State, role: str, said: list[str], draft: Draft) -> None:
    """Let a message of an item stand for the events with its texts that came before, and note it for later ones."""
    known = merge(line, state, role, [*said, "\n".join(said)], draft)
    if role == "assistant" and said:
        state.answer = said[-1]
    if role == "user" and draft.fields["author"] != "harness":
        state.started |= not line.copied
        if not known:
            state.prompts.append(state.last)


def _shell(line: Line, said: str) -> None:
    begin, end = said.find("<command>"), said.find("</command>")
    fields: dict[str, Any] = {"kind": "shell"}
    if 0 <= begin < end:
        fields["input"] = said[begin + len("<command>") : end].strip()
    line.put(CONTENT, "git-asr/command", {**fields, "text": said})


def merge(line: Line, state: State, kind: str, said: Sequence[str], draft: Draft) -> bool:
    """Let the record of an item supersede those that events with its texts made; whether there was one."""
    found: dict[int, Draft] = {}
    for one in dict.fromkeys(said):
        known = state.said.get((kind, one))
        if known is not None and not known.item:
            found[id(known.draft)] = known.draft
        state.said[kind, one] = Said(draft, item=True)
    if not found:
        return False
    first, *targets = [one.id for one in found.values()]
    draft.supersedes = first
    for index, target in enumerate(targets[:MAX_TOMBSTONES]):
        line.put(TOMBSTONES + index, "tombstone", {"target": target, "reason": "merged"})
    if more := targets[MAX_TOMBSTONES:]:
        line.put(REST, vendor_type(VENDOR, "tombstones"), {"value": {"targets": more, "reason": "merged"}})
    return True


def agent_message_item(line: Line, state: State) -> Taken | None:
    """An item ``agent_message``: one agent writes to another."""
    payload = line.payload
    if not isinstance(payload.get("content"), list):
        return None
    content, left = parts(payload["content"])
    if left:
        line.left["content"] = left
    sender = text(payload, "author")
    fields: dict[str, Any] = {
        "role": "assistant" if sender is not None and sender == (state.path or "/root") else "user",
        "author": "agent",
    }
    if sender:
        fields["from"] = sender
    if usable(text(payload, "id")):
        fields["messageId"] = payload["id"]
    line.put(CONTENT, "message", {**fields, "content": content})
    state.started |= not line.copied
    return {"author", "content"} if sender else {"content"}


def user_message(line: Line, state: State) -> Taken | None:
    """An event ``user_message``: what the person typed, of which an item may have told already."""
    said = line.payload.get("message")
    if not isinstance(said, str) or line.payload.get("kind") in _NOT_TYPED:
        return None
    content = [text_part(said)]
    images = line.payload.get("images")
    content += [data_part(one, one) for one in images] if isinstance(images, list) else []
    _typed(line, state, content, None)
    return {"message", "images"} if isinstance(images, list) else {"message"}


def typed(line: Line, state: State, item: dict[str, Any]) -> Taken | None:
    """A ``UserMessage`` of the paginated history."""
    if not isinstance(item.get("content"), str | list):
        return None
    content, left = parts(item["content"])
    _typed(line, state, content, text(item, "id"))
    if left:
        line.left["content"] = left
    return {"content"}


def _typed(line: Line, state: State, content: list[dict[str, Any]], identifier: str | None) -> None:
    """Record what the person typed, or what an event says beyond the item that has its text."""
    said = texts(content)
    keys = [("user", one) for one in ["\n".join(said), *said[-1:]]]
    known = next((state.said[key] for key in keys if key in state.said), None)
    if known is not None:
        _told_again(line, state, content, known)
        return
    fields: dict[str, Any] = {"role": "user", "author": own(line, state)}
    if identifier is not None and usable(identifier):
        fields["messageId"] = identifier
    draft = line.put(CONTENT, "message", {**fields, "content": content})
    for key in keys:
        state.said[key] = Said(draft, item=False)
    state.prompts.append(state.last)
    state.started |= not line.copied


def _told_again(line: Line, state: State, content: list[dict[str, Any]], known: Said) -> None:
    """A message that stands already: only the event knows that a person wrote what looked like the harness."""
    fields = known.draft.fields
    new = [one for one in content if one["type"] != "text" and one not in fields["content"]]
    if new:
        line.put(ATTACHED, vendor_type(VENDOR, "attached"), {"content": new})
    author = own(line, state)
    if fields["author"] in ("human", "agent") or author != "human":
        return
    if fields["author"] == "harness":
        state.prompts.append(state.last)
    state.started |= not line.copied
    known.draft = line.put(CONTENT, "message", {**fields, "author": author}, supersedes=known.draft.id)


def answered(line: Line, state: State, content: Any, identifier: str | None = None) -> bool:
    """An event with a text of the agent: a message, unless one has the text; whether it could be one."""
    found, left = parts(content)
    if not found:
        return False
    said = "".join(texts(found))
    if ("assistant", said) in state.said:
        line.left.update({"content": left} if left else {})
        return True
    fields: dict[str, Any] = {"role": "assistant", "author": "agent"}
    if identifier is not None and usable(identifier):
        fields["messageId"] = identifier
    draft = line.put(CONTENT, "message", {**fields, "content": found})
    line.left.update({"content": left} if left else {})
    state.said["assistant", said] = Said(draft, item=False)
    state.answer = said
    return True


def agent_message(line: Line, state: State) -> Taken | None:
    """An event ``agent_message``."""
    said = line.payload.get("message")
    return {"message"} if isinstance(said, str) and answered(line, state, said) else None


def thought(line: Line, state: State, said: Sequence[str]) -> None:
    """An event with texts of reasoning, of which those are recorded that no record has."""
    new = [one for one in said if ("reasoning", one) not in state.said]
    if not new:
        return
    draft = line.put(CONTENT, "reasoning", {"content": [text_part(one) for one in new]})
    for one in new:
        state.said["reasoning", one] = Said(draft, item=False)


def agent_reasoning(line: Line, state: State) -> Taken | None:
    """An event ``agent_reasoning``: one section of a summary, or raw reasoning."""
    said = line.payload.get("text")
    if not isinstance(said, str):
        return None
    thought(line, state, [said])
    return {"text"}


def reasoning(line: Line, state: State) -> Taken | None:
    """An item ``reasoning``: raw, or summarized, or only sealed."""
    payload = line.payload
    summary, left = parts(payload.get("summary"))
    raw, over = parts(payload.get("content"))
    for key, more in (("summary", left), ("content", over)):
        if more:
            line.left[key] = more
    sealed = payload.get("encrypted_content")
    content, capture, taken = raw, None, {"content", "summary"}
    if raw:
        if summary:
            taken = {"content"}
            line.left.pop("summary", None)
    elif summary:
        content, capture = summary, {"state": "summarized"}
    elif isinstance(sealed, str) and sealed:
        capture = _sealed(sealed)
    else:
        capture = {"state": "omitted", "reason": "not in the transcript"}
    draft = line.put(CONTENT, "reasoning", {"content": content}, capture=capture)
    merge(line, state, "reasoning", [*texts(summary), *texts(raw)], draft)
    return taken


def _sealed(value: str) -> dict[str, Any]:
    """``capture`` of what only the provider can read."""
    return absent(value) if is_marker(value) else {"state": "omitted", "reason": "encrypted"}
