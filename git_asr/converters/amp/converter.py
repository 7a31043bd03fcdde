"""Amp's threads → drafts: what a document says of the thread, then its messages."""

from __future__ import annotations

from typing import Any
from urllib.parse import unquote

from git_asr.asr.draft import Draft
from git_asr.asr.ids import usable
from git_asr.converters.amp.content import RUN_ENDED, mention, moment, normal, piece, replace, returned, shown
from git_asr.converters.building import CONTENT, holds, rest, text_part, word
from git_asr.converters.fields import number_or_text, part, text, time
from git_asr.converters.session import (
    ENDED,
    INFERENCE,
    RESULT,
    STATE,
    Entry,
    SessionConverter,
    delegate,
    plan,
    projection,
)
from git_asr.converters.versions import VERSIONS

_PLANNED = {"todo": "pending", "in-progress": "in_progress"}
"""What other agents call how far an item of a plan is."""
_RESULTS = ("tool_result", "tool_search_tool_result")


class AmpThread(SessionConverter):
    """Messages of a person, of the agent, and of the program (``info``); results stand in a person's."""

    name = "amp"
    version = VERSIONS["amp"]
    harness = "amp"
    vendor = "com.ampcode"
    unique = True
    losses: tuple[dict[str, str], ...] = (
        {"feature": "device_identifiers", "reason": "who and on which device is not kept: it is private"},
        {
            "feature": "adapter_projection",
            "reason": "what Entire's adapter derives from a message is not kept",
        },
        {"feature": "rewinds", "reason": "what was edited or taken back is gone from the thread"},
        {"feature": "subagent_streams", "reason": "a thread has only what subagents report while they work"},
    )

    def __init__(self, *, snapshot: bool) -> None:
        super().__init__(snapshot=snapshot)
        self._delegated: set[str] = set()

    def head(self, entry: Entry) -> dict[str, Any]:
        """What the thread says of itself: where it is at work, in which mode, and which thread it goes on from."""
        value = entry.value
        entry.ts = time(value, "created")
        taken = _private(value) | ({"created"} if entry.ts is not None else set())
        told: dict[str, Any] = {}
        if usable(session := text(value, "id")):
            told["session"] = session
            taken.add("id")
        initial = part(part(value, "env"), "initial")
        self._place(told, initial)
        self.about(entry, told)
        if self.title(entry, value.get("title")):
            taken.add("title")
        if self.mode(entry, "agent", value.get("agentMode")):
            taken.add("agentMode")
        listed = value.get("relationships")
        for one in listed if isinstance(listed, list) else []:
            self._descend(one)
        left = rest(value, taken)
        platform = initial.get("platform")
        if isinstance(platform, dict):
            kept = rest(platform, _private(platform))
            left["env"] = {**left["env"], "initial": {**initial, "platform": kept}}
        return left

    def _place(self, told: dict[str, Any], initial: dict[str, Any]) -> None:
        """The first folder that is open, its branch, and the version of the program."""
        trees = initial.get("trees")
        tree = trees[0] if isinstance(trees, list) and trees else None
        uri, repository = text(tree, "uri"), part(tree, "repository")
        workspace: dict[str, Any] = {}
        if uri is not None and uri.startswith("file:///"):
            workspace["cwd"] = told["cwd"] = unquote(uri.removeprefix("file://"))
        vcs = {}
        if branch := text(repository, "ref"):
            vcs["branch"] = told["branch"] = branch.removeprefix("refs/heads/")
        if head := text(repository, "sha"):
            vcs["head"] = head
        if vcs:
            workspace["vcs"] = vcs
        self.workspace = workspace or None
        version = word(part(initial, "platform").get("clientVersion"))
        if version:
            self.format_version = told["agentVersion"] = version

    def _descend(self, found: Any) -> None:
        """A thread that this one was made from."""
        kind, thread = text(found, "type"), text(found, "threadID")
        if thread is None or not usable(thread) or text(found, "role") != "child":
            return
        if kind == "handoff":
            self.lineage = {**(self.lineage or {}), "continues": self.origin(thread, reason=kind)}
        elif kind == "fork":
            self.lineage = {**(self.lineage or {}), "forkedFrom": self.origin(thread)}

    def element(self, entry: Entry) -> dict[str, Any] | None:
        """A message."""
        value = entry.value
        entry.native = number_or_text(value, "messageId")
        makers = {"user": self._user, "assistant": self._assistant, "info": self._info}
        make = makers.get(str(value.get("role")))
        listed = value.get("content", [])
        if make is None or not isinstance(listed, list):
            return None
        sent = time(value.get("meta"), "sentAt")
        entry.ts = sent or moment(value.get("usage")) or moment(value)
        taken = {"role", "content", *projection(value, entry.ts)}
        left = rest(value, taken | ({"messageId"} if entry.native is not None else set()))
        if sent is not None:
            replace(left, "meta", rest(value["meta"], ("sentAt",)))
        make(entry, listed, left)
        if usable(thread := text(value, "threadID")):
            del left["threadID"]
            self.about(entry, {"session": thread})
        if self.mode(entry, "agent", value.get("agentMode")):
            del left["agentMode"]
        return left

    def _user(self, entry: Entry, listed: list[Any], left: dict[str, Any]) -> None:
        """What a person said, in one message, the results of calls, and the files that were named."""
        content: list[dict[str, Any]] = []
        over: dict[str, Any] = {}
        said: Draft | None = None
        for block, one in entry.fitting(listed):
            made, more = piece(one)
            if made is not None:
                said = said or entry.say(block, "user", "human", content)
                content.append(made)
                over |= {str(block): more} if more else {}
            elif text(one, "type") in _RESULTS:
                self._result(entry, block, one)
            else:
                entry.keep(block, text(one, "type"), one)
        if over and said is not None:
            said.meta = {self.vendor: {"content": over}}
        mentions = left.get("fileMentions")
        if isinstance(mentions, dict) and isinstance(mentions.get("files"), list):
            replace(left, "fileMentions", rest(mentions, ("files",)))
            for block, one in entry.fitting(mentions["files"]):
                mention(entry, block, one)
        if not entry.drafts:
            entry.after(CONTENT, "message", {"role": "user", "author": "unknown", "content": []})
        if left.get("interrupted") is True:
            del left["interrupted"]
            entry.after(STATE, "state", {"state": "interrupted"})

    def _result(self, entry: Entry, block: int, one: dict[str, Any]) -> None:
        """The result of a call; one that did not end has none yet."""
        key = "toolUseID" if "toolUseID" in one else "tool_use_id"
        run = part(one, "run")
        status = RUN_ENDED.get(text(run, "status") or "")
        ended = status is not None or holds(run.get("result")) or holds(run.get("error"))
        if part(one, "userInput").get("accepted") is False:
            status, ended = "rejected", True
        if run and not ended:
            entry.keep(block, "run", one)
            return
        meta = rest(one, ("type", key, "run") if run else ("type", key, "content"))
        told = {**entry.identity(block, one.get(key), meta, key), "status": status or "unknown"}
        content, output = returned(run) if run else (shown(one.get("content"))[0], {})
        more = {"output": output} if output else {}
        entry.put(CONTENT, "tool_result", {**told, "content": content, **more}, block=block, meta=meta)
        if told["callId"] in self._delegated:
            done = {"callId": told["callId"], "state": "ended", "status": told["status"]}
            entry.put(ENDED, "subagent", done, block=block)

    def _assistant(self, entry: Entry, listed: list[Any], left: dict[str, Any]) -> None:
        """What the model said, thought and called: a message with usage or a reason to stop is one model call."""
        state, usage = left.get("state"), left.get("usage")
        reason = word(part(left, "state").get("stopReason"))
        call = None
        if isinstance(usage, dict) or reason:
            call = self.inference(entry)
        for block, one in entry.fitting(listed):
            self._block(entry, block, one, call)
        if call is not None:
            told: dict[str, Any] = {"inferenceId": call}
            model = word(part(left, "usage").get("model"))
            if model:
                told["model"] = model
            if reason:
                told["stopReason"] = reason
            counted, more = normal(usage, {"model"} if model else set())
            if counted:
                told["usage"] = counted
            left.pop("usage", None)
            draft = entry.after(INFERENCE, "inference", told, meta={"usage": more} if holds(more) else None)
            draft.ts = moment(usage) or entry.ts
        if isinstance(state, dict):
            replace(left, "state", _state(entry, state, reason))
        if not entry.drafts:
            entry.after(CONTENT, "message", {"role": "assistant", "author": "agent", "content": []})

    def _block(self, entry: Entry, block: int, one: Any, call: str | None) -> None:
        """A block of what the model wrote."""
        kind, said, name = text(one, "type"), text(one, "text"), word(text(one, "name"))
        if kind in _RESULTS:
            self._result(entry, block, one)
            return
        stamp = time(one, "startTime")
        taken = {"type"} | ({"startTime"} if stamp is not None else set())
        if kind == "text" and said is not None:
            meta = rest(one, taken | {"text"})
            if not said and not meta:
                return
            content = [text_part(said)] if said else []
            draft = entry.say(block, "assistant", "agent", content, meta=meta, inference=call)
        elif kind == "thinking" and (thought := text(one, "thinking")) is not None:
            draft = entry.think(block, thought, rest(one, taken | {"thinking"}), inference=call)
        elif kind == "redacted_thinking":
            draft = entry.think(block, None, rest(one, taken), inference=call)
        elif kind in ("tool_use", "server_tool_use") and name:
            done = {"complete"} if one.get("complete") is True else set()
            meta = rest(one, taken | done | {"id", "name", "input"})
            told = {**entry.identity(block, one.get("id"), meta, "id"), "name": name}
            if "input" in one:
                told["arguments"] = one["input"]
            draft = entry.put(CONTENT, "tool_call", told, block=block, meta=meta, inference=call)
            self._told(entry, block, told)
        else:
            draft = entry.keep(block, kind, one)
        if stamp is not None:
            draft.ts = stamp

    def _told(self, entry: Entry, block: int, call: dict[str, Any]) -> None:
        """What a call is beside a call: a plan, or a subagent."""
        todos = part(call, "arguments").get("todos")
        if call["name"] == "todo_write" and isinstance(todos, list):
            items = [_item(one) for one in todos if text(one, "content") is not None]
            plan(entry, block, call["callId"], items)
        elif call["name"] == "Task":
            self._delegated.add(call["callId"])
            delegate(entry, block, call["callId"])

    def _info(self, entry: Entry, listed: list[Any], _: dict[str, Any]) -> None:
        """What the program adds: a summary of all before, a command that a person ran, a text."""
        for block, one in entry.fitting(listed):
            kind = text(one, "type")
            summary = part(one, "summary")
            args = part(one, "args")
            said = text(one, "text")
            if kind == "summary" and summary.get("type") == "message" and text(summary, "summary"):
                meta = rest(one, ("type",))
                replace(meta, "summary", rest(summary, ("type", "summary")))
                content = [text_part(summary["summary"])]
                message = entry.say(block, "assistant", "harness", content, meta=meta)
                if entry.summary is None:
                    self.compact(entry, message)
            elif kind == "manual_bash_invocation" and (typed := text(args, "cmd")) is not None:
                _shell(entry, block, one, typed)
            elif kind == "text" and said is not None:
                shown = {"level": "info", "text": said}
                entry.put(CONTENT, "git-asr/notice", shown, block=block, meta=rest(one, ("type", "text")))
            else:
                entry.keep(block, kind, one)


def _private(found: dict[str, Any]) -> set[str]:
    """The keys of an object that say who it was, and on which device."""
    return {key for key in ("creatorUserID", "installationID", "deviceFingerprint") if text(found, key)}


def _shell(entry: Entry, block: int, one: dict[str, Any], typed: str) -> None:
    """A command that a person ran, and what it printed."""
    run = part(one, "toolRun")
    printed = part(run, "result")
    meta = rest(one, ("type", "toolRun") if run else ("type",))
    replace(meta, "args", rest(one["args"], ("cmd",)))
    entry.put(CONTENT, "git-asr/command", {"kind": "shell", "input": typed}, block=block, meta=meta)
    if run:
        output = text(printed, "output")
        shown = {"kind": "shell-output", **({} if output is None else {"text": output})}
        meta = rest(run, ())
        if output is not None:
            replace(meta, "result", rest(printed, ("output",)))
        entry.put(RESULT, "git-asr/command", shown, block=block, meta=meta)


def _state(entry: Entry, state: dict[str, Any], reason: str | None) -> dict[str, Any]:
    """How a message ended: a person stopped the agent, or something went wrong; what no record holds."""
    left = rest(state, ("stopReason",) if reason else ())
    kind, error = state.get("type"), state.get("error")
    said = error if isinstance(error, str) else text(error, "message")
    if kind == "cancelled":
        entry.after(STATE, "state", {"state": "interrupted"})
    elif kind == "error" and said:
        shown = {"level": "error", "text": said}
        more = rest(error, ("message",)) if isinstance(error, dict) else {}
        entry.after(STATE, "git-asr/notice", shown, meta={"error": more} if more else None)
        del left["error"]
    if kind in ("complete", "cancelled", "error"):
        del left["type"]
    return left


def _item(found: dict[str, Any]) -> dict[str, str]:
    status = text(found, "status")
    return {"text": found["content"], **({} if status is None else {"status": _PLANNED.get(status, status)})}
