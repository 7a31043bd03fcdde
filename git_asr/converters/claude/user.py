"""``user`` lines: results of calls, and texts by whoever wrote them (reference sections 2.4, 2.11 and 2.13)."""

from __future__ import annotations

from typing import Any

from git_asr.asr.draft import Draft
from git_asr.asr.ids import usable
from git_asr.converters.blocks import parts
from git_asr.converters.building import MAX_BLOCKS, rest
from git_asr.converters.claude import delegation, plans, tools
from git_asr.converters.claude.authors import INTERRUPTED, command_kind, inner, judge, tag, without_prefix
from git_asr.converters.claude.line import Line, vendor_type
from git_asr.converters.claude.queued import message, settle
from git_asr.converters.claude.slots import COMPACTION, CONTENT, LINE_REST, REST
from git_asr.converters.claude.state import State

_NOTIFICATION = "task-notification"
_MESSAGE = frozenset({"message"})
_MESSAGE_AND_RESULT = frozenset({"message", "toolUseResult"})
_CONTENT = frozenset({"content"})
_USUAL = frozenset({"content", "role"})
_LABELS = {"slash": ("command-name", "name"), "shell": ("bash-input", "input")}


def line(line: Line, state: State) -> frozenset[str] | None:
    """Make the records of a ``user`` line; the keys that they hold, None where it is none."""
    said = line.value.get("message")
    content = said.get("content") if isinstance(said, dict) else None
    if not isinstance(said, dict) or not isinstance(content, str | list):
        return None
    taken = _MESSAGE
    if isinstance(content, str):
        _spoken(line, state, content)
    elif len(content) == 1 and _is_result(content[0]):  # nearly always
        line.leaf = True
        line.blocks = 1
        tools.result(line, state, 0, content[0], line.value.get("toolUseResult"))
        taken = _MESSAGE_AND_RESULT
    else:
        results = [(at, one) for at, one in enumerate(content) if _is_result(one)]
        if results:
            _results(line, state, results, len(content))
            taken = _MESSAGE_AND_RESULT if results[0][0] < MAX_BLOCKS else _MESSAGE
        if len(results) < len(content) or not results:
            _spoken(line, state, [one for one in content if not _is_result(one)])
    if len(said) > 2 or said.get("role") != "user":
        left = rest(said, _USUAL if said.get("role") == "user" else _CONTENT)
        if left:
            line.after(LINE_REST, vendor_type("message"), {"value": left})
    mode = line.value.get("permissionMode")
    if mode is not None and state.mode(line, "permission", mode, after=True):
        taken |= {"permissionMode"}
    carried = plans.carried(line, state)
    return taken | carried if carried else taken


def _is_result(block: Any) -> bool:
    return isinstance(block, dict) and block.get("type") == "tool_result"


def _results(line: Line, state: State, results: list[tuple[int, dict[str, Any]]], blocks: int) -> None:
    line.leaf = True
    line.blocks = min(blocks, MAX_BLOCKS)
    value = line.value
    for number, (at, block) in enumerate(results):
        if at >= MAX_BLOCKS:
            more = [one for _, one in results[number:]]
            line.put(REST, vendor_type("blocks"), {"value": more}, block=MAX_BLOCKS - 1)
            break
        output = value.get("toolUseResult") if number == 0 else None
        tools.result(line, state, at, block, output)


def _spoken(line: Line, state: State, content: str | list[Any]) -> None:
    """What is no result: a message, a command, an interruption, or the summary of a compaction."""
    value = line.value
    said = "\n".join(_texts(content))
    whole = isinstance(content, str) or content == [{"type": "text", "text": said}]
    if value.get("isCompactSummary") is True:
        _summary(line, state, content)
        return
    if value.get("isMeta") is True:
        _message(line, "harness", None, content)
        return
    if whole and said.strip() in INTERRUPTED:
        line.put(CONTENT, "state", {"state": "interrupted", "reason": said})
        return
    kind = command_kind(said) if whole else None
    if kind is not None:
        _command(line, state, kind, said)
        return
    author, sender = judge(value, said, state)
    draft = _message(line, author, sender, content)
    draft.supersedes = settle(line, state, said)
    if tag(without_prefix(said)) == _NOTIFICATION:
        delegation.notified(line, state, said)
    state.started = True


def _texts(content: str | list[Any]) -> list[str]:
    if isinstance(content, str):
        return [content]
    return [one["text"] for one in content if isinstance(one, dict) and isinstance(one.get("text"), str)]


def _message(line: Line, author: str, sender: Any, content: str | list[Any]) -> Draft:
    found, left = parts(content)
    return line.put(
        CONTENT,
        "message",
        message(author, sender, found, line.uuid if usable(line.uuid) else None),
        meta={"content": left} if left else None,
    )


def _command(line: Line, state: State, kind: str, said: str) -> None:
    """A command or a command's output; ``text`` is as recorded, with its tags."""
    fields: dict[str, Any] = {"kind": kind}
    if kind in _LABELS:
        label, field = _LABELS[kind]
        found = inner(said, label)
        if found is not None:
            fields[field] = found
        arguments = inner(said, "command-args")
        if arguments:
            fields["arguments"] = arguments
    fields["text"] = said
    supersedes = settle(line, state, said) if kind in _LABELS else None
    line.put(CONTENT, "git-asr/command", fields, supersedes=supersedes)


def _summary(line: Line, state: State, content: str | list[Any]) -> None:
    """The summary of a compaction: the compaction is recorded again, now with it."""
    _message(line, "harness", None, content)
    own = line.own_id(state.graph.used)
    boundary = state.boundary
    state.boundary = None
    if boundary is None or (line.chained and boundary.uuid != line.parent):
        line.after(COMPACTION, "compaction", {"summary": own, "replaces": {"unknown": True}})
        return
    known = dict(boundary.fields)
    replaces = known.pop("replaces", None)
    fields = {**known, "summary": own, **({} if replaces is None else {"replaces": replaces})}
    line.after(COMPACTION, "compaction", fields, supersedes=boundary.record)


def queued_command(line: Line, state: State, attachment: dict[str, Any]) -> set[str]:
    """A text that was typed while the agent worked, where it was delivered; the keys that the message holds."""
    prompt = attachment.get("prompt")
    content = prompt if isinstance(prompt, str | list) else ""
    said = "\n".join(_texts(content))
    author, sender = judge({**line.value, **attachment}, said, state)
    draft = _message(line, author, sender, content)
    draft.supersedes = settle(line, state, said)
    if tag(without_prefix(said)) == _NOTIFICATION:
        delegation.notified(line, state, said)
    return {"type", "prompt"} if isinstance(prompt, str | list) else {"type"}


def command_output(line: Line, said: Any) -> bool:
    """A ``local_command`` of the system; whether it has a text."""
    if not isinstance(said, str):
        return False
    line.put(CONTENT, "git-asr/command", {"kind": command_kind(said) or "output", "text": said})
    return True
