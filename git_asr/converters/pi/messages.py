"""Messages by role: what people, the agent and its program said, and what ran (reference section 6.2)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from git_asr.converters import fields
from git_asr.converters.building import CONTENT, MAX_BLOCKS, rest, text_part, vendor_type, word
from git_asr.converters.pi import assistant, tools
from git_asr.converters.pi.content import part, parts
from git_asr.converters.pi.entry import Entry
from git_asr.converters.pi.slots import OUTPUT, REST
from git_asr.converters.pi.state import State

_Handler = Callable[[Entry, State, dict[str, Any]], bool]


def message(entry: Entry, state: State) -> tuple[str, ...] | None:
    """An entry ``message``: the keys that its records hold, None where it must be kept as it is."""
    said = entry.value.get("message")
    if not isinstance(said, dict) or not isinstance(role := said.get("role"), str):
        return None
    handler = _ROLES.get(role)
    return ("message",) if handler is not None and handler(entry, state, said) else None


def _user(entry: Entry, state: State, said: dict[str, Any]) -> bool:
    """A text under the user's role: the person's, unless the message or its session says that it is not."""
    author = "agent" if state.child else "human"
    taken = {"role", "content"}
    if said.get("attribution") in ("agent", "user"):
        author = "agent" if said["attribution"] == "agent" else "human"
        taken.add("attribution")
    if said.get("synthetic") is True:
        author = "harness"
        taken.add("synthetic")
    told(entry, "user", author, said.get("content"))
    entry.left.update(rest(said, taken))
    return True


def _developer(entry: Entry, _: State, said: dict[str, Any]) -> bool:
    """What the program tells the model beside the conversation."""
    told(entry, "system", "harness", said.get("content"))
    entry.left.update(rest(said, ("content",)))
    return True


def custom(entry: Entry, _: State, said: dict[str, Any]) -> bool:
    """A text that an extension puts into the context; ``said``: the message, or the entry."""
    kind = word(said.get("customType"))
    told(entry, "user", "harness", said.get("content"), kind)
    taken = {"role", "content"} if kind is None else {"role", "content", "customType"}
    entry.left.update(rest(said, taken))
    return True


def _summary(entry: Entry, _: State, said: dict[str, Any]) -> bool:
    """The summary of a branch or of a compaction, in the form in which the model gets it."""
    told(entry, "user", "harness", said.get("summary"))
    entry.left.update(rest(said, ("summary",)))
    return True


def told(entry: Entry, role: str, author: str, content: Any, sender: str | None = None) -> None:
    """Add the message that an entry is."""
    made, left = parts(content)
    fields_: dict[str, Any] = {"role": role, "author": author if made else "unknown"}
    if sender:
        fields_["from"] = sender
    if entry.usable is not None:
        fields_["messageId"] = entry.usable
    fields_["content"] = made
    if left:
        entry.left["content"] = left
    entry.put(CONTENT, "message", fields_)


def _shell(entry: Entry, _: State, said: dict[str, Any]) -> bool:
    """A command that the person ran, and what it printed."""
    return _ran(entry, said, "shell", "command")


def _python(entry: Entry, _: State, said: dict[str, Any]) -> bool:
    """Code that the person ran, and what it printed."""
    return _ran(entry, said, "python", "code")


def _ran(entry: Entry, said: dict[str, Any], kind: str, key: str) -> bool:
    typed = said.get(key)
    if not isinstance(typed, str):
        return False
    entry.put(CONTENT, "git-asr/command", {"kind": kind, "input": typed})
    printed = fields.text(said, "output")
    if printed:
        cut = {"state": "truncated"} if said.get("truncated") is True else None
        entry.put(OUTPUT, "git-asr/command", {"kind": f"{kind}-output", "text": printed}, capture=cut)
    taken = {"role", key} if printed is None else {"role", key, "output"}
    entry.left = rest(said, taken)
    return True


def _mention(entry: Entry, _: State, said: dict[str, Any]) -> bool:
    """Files that the person named, with what stood in them."""
    files = said.get("files")
    if not isinstance(files, list) or not files:
        return False
    entry.blocks = len(files)
    for index, one in enumerate(files[:MAX_BLOCKS]):
        _file(entry, index, one)
    if more := files[MAX_BLOCKS:]:
        entry.put(REST, vendor_type(entry.vendor, "files"), {"value": more}, block=MAX_BLOCKS - 1)
    entry.left = rest(said, ("role", "files"))
    return True


def _file(entry: Entry, index: int, found: Any) -> None:
    name = word(found.get("path")) if isinstance(found, dict) else None
    if name is None:
        entry.put(CONTENT, vendor_type(entry.vendor, "file"), {"value": found}, block=index)
        return
    meta = rest(found, ("path",))
    content = []
    if text := fields.text(found, "content"):
        content.append(text_part(text))
        del meta["content"]
    if isinstance(meta.get("image"), dict):
        one, left = part(meta.pop("image"))
        content.append(one)
        if left:
            meta["image"] = left
    attached = {"kind": "file", "name": name, **({"content": content} if content else {})}
    entry.put(CONTENT, "git-asr/attachment", attached, block=index, meta=meta)


_ROLES: dict[str, _Handler] = {
    "user": _user,
    "developer": _developer,
    "assistant": assistant.message,
    "toolResult": tools.result,
    "bashExecution": _shell,
    "pythonExecution": _python,
    "custom": custom,
    "hookMessage": custom,
    "branchSummary": _summary,
    "compactionSummary": _summary,
    "fileMention": _mention,
}
"""By the role: makes the records of a message and tells whether it is one."""
