"""Goose's sessions → drafts: what a document, or every line, says of the session, and its messages."""

from __future__ import annotations

import re
from typing import Any

from git_asr.asr.draft import Draft
from git_asr.asr.ids import usable
from git_asr.converters import fields
from git_asr.converters.building import CONTENT, holds, rest, word
from git_asr.converters.fields import part, text, time
from git_asr.converters.goose.content import outcome, piece
from git_asr.converters.goose.format import message_of
from git_asr.converters.session import (
    ENDED,
    REQUEST,
    RESPONSE,
    USAGE,
    Entry,
    SessionConverter,
    delegate,
    plan,
    projection,
)
from git_asr.converters.versions import VERSIONS

_TODO = frozenset({"todo__write", "todo__todo_write"})
_ITEM = re.compile(r"\s*[-*] \[([ xX])\] (.*)")
_DELEGATES = frozenset({"delegate", "subagent"})
"""Tools that start a subagent, without the name of their extension."""
_COUNTERS = (
    "accumulated_input_tokens",
    "accumulated_output_tokens",
    "accumulated_cache_read_tokens",
    "accumulated_cache_write_tokens",
    "accumulated_total_tokens",
)
_CHILDREN = frozenset({"sub_agent", "subagent"})
_VISIBLE = {"userVisible": True, "agentVisible": True}
_NOTIFICATION = "systemNotification"
_LEVELS = {"creditsExhausted": "error"}


class GooseSession(SessionConverter):
    """Messages of people, the agent and the program, which tells who sees them: the person, the agent, or nobody."""

    name = "goose"
    version = VERSIONS["goose"]
    harness = "goose"
    vendor = "xyz.block.goose"
    losses: tuple[dict[str, str], ...] = (
        {"feature": "inferences", "reason": "only the session's totals say what was used"},
        {
            "feature": "adapter_projection",
            "reason": "what Entire's adapter derives from a message is not kept",
        },
        {
            "feature": "compaction_boundaries",
            "reason": "what was hidden from the agent when is known of the last compaction only, and not from lines",
        },
        {
            "feature": "thoughts_and_images",
            "reason": "Entire's adapter writes the texts, calls and results of messages on lines, nothing else",
        },
        {"feature": "subagent_streams", "reason": "what a subagent did stands in a session of its own"},
    )

    def __init__(self, *, snapshot: bool) -> None:
        super().__init__(snapshot=snapshot)
        self._child = False
        self._delegated: set[str] = set()
        self._asked: dict[str, str] = {}
        self._usage: str | None = None
        # what the agent does not see: calls, whether there is more, and what a person typed; and whether the agent sees
        # something before a message, which comes behind words to go on with
        self._hidden: list[str] = []
        self._covered = False
        self._typed: dict[str, Draft] = {}
        self._visible = False
        self._continues = False

    def head(self, entry: Entry) -> dict[str, Any]:
        """What a document says of its session."""
        entry.ts = time(entry.value, "created_at")
        self._session(entry, entry.value, {"created_at"} if entry.ts is not None else set())
        return {}

    def _session(self, entry: Entry, told: dict[str, Any], taken: set[str]) -> None:
        """What is said of the session: its ID, folder, name, parent and totals."""
        context: dict[str, Any] = {}
        if usable(session := text(told, "id")):
            context["session"] = session
            taken.add("id")
        if folder := text(told, "working_dir"):
            context["cwd"] = folder
            taken.add("working_dir")
            self.workspace = self.workspace or {"cwd": folder}
        self._child = self._child or text(told, "session_type") in _CHILDREN
        parent = text(told, "parent_session_id")
        if parent is not None and usable(parent) and self.lineage is None:
            self.lineage = {"spawnedBy": self.origin(parent)}
        if self.title(entry, told.get("name")):
            taken.add("name")
        taken |= self._totals(entry, told)
        self.about(entry, context, rest(told, taken))

    def _totals(self, entry: Entry, told: dict[str, Any]) -> set[str]:
        """What the session used so far; the keys that say so. Whether the input includes the cache is not known."""
        known = fields.counters(told, _COUNTERS)
        given, made, read, written = (known.get(key) for key in _COUNTERS[:4])
        counted = {
            "input": None if given is None else {"total": given, "includesCache": None},
            "cacheRead": read,
            "cacheWrite": written,
            "output": None if made is None else {"total": made},
        }
        usage = {field: count for field, count in counted.items() if count is not None}
        if not any(known.values()) or not usage:
            return set()
        cost = told.get("accumulated_cost")
        summary = {"scope": "session", "usage": usage, **({"cost": cost} if holds(cost) else {})}
        if self.changed("usage", summary):
            draft = entry.after(USAGE, "usage_summary", summary, supersedes=self._usage)
            self._usage = entry.identify(draft)
        total = known.get("accumulated_total_tokens")
        explained = {"accumulated_total_tokens"} if total == (given or 0) + (made or 0) else set()
        return (set(known) - {"accumulated_total_tokens"}) | explained | {"accumulated_cost"}

    def element(self, entry: Entry) -> dict[str, Any] | None:
        """A message."""
        value = message_of(entry.value) if "content" not in entry.value else entry.value
        entry.native = text(value, "id")
        role, listed = text(value, "role"), value.get("content")
        if role not in ("user", "assistant", "system") or not isinstance(listed, list):
            return None
        entry.ts = time(value, "created")
        taken = {"role", "content", *projection(value, entry.ts)}
        taken |= {"id"} if entry.native is not None else set()
        taken |= {"created"} if entry.ts is not None else set()
        if value.get("metadata") == _VISIBLE:
            taken.add("metadata")
        session = entry.value.get("session")
        beside = {"session"} if isinstance(session, dict) else set()
        left = rest(value, taken if value is not entry.value else taken | beside)
        if value is not entry.value:
            beside |= {"message", *projection({**entry.value, "role": role}, entry.ts)}
            left |= {"line": more} if (more := rest(entry.value, beside)) else {}
        self._message(entry, role, listed, part(value, "metadata"))
        if isinstance(session, dict) and self.changed("line", session):
            self._session(entry, session, set())
        return left

    def _message(self, entry: Entry, role: str, listed: list[Any], flags: dict[str, Any]) -> None:
        """The records of a message; what people do not see the program wrote, for the agent alone."""
        seen, given = flags.get("userVisible") is not False, flags.get("agentVisible") is not False
        author = "agent" if role == "assistant" or self._child else "human"
        if role == "system" or (given and not seen):
            author = "harness"
        elif role == "user" and not (given or seen):
            author = "unknown"  # a text that the person typed and that was given again, or a summary that was replaced
        content: list[dict[str, Any]] = []
        said: Draft | None = None
        over: dict[str, Any] = {}
        for block, one in entry.fitting(listed):
            made, more = piece(one)
            if made is None:
                self._block(entry, block, one)
            elif role == "assistant":
                entry.say(block, role, author, [made], meta=more or None)
            else:
                said = said or entry.say(block, role, author, content)
                content.append(made)
                over |= {str(block): more} if more else {}
        if said is not None and over:
            said.meta = {self.vendor: {"content": over}}
        if not entry.drafts:
            entry.after(CONTENT, "message", {"role": role, "author": "unknown", "content": []})
        typed = "\n".join(one["text"] for one in content if one["type"] == "text")
        if given and not seen:
            self._summarize(entry, said)
        elif given:
            self._go_on(entry, said, typed)
        else:
            self._hide(entry, said if author == "human" else None, typed)

    def _hide(self, entry: Entry, said: Draft | None, typed: str) -> None:
        """A message that the agent sees no more, or never saw: what the program says to people alone."""
        kinds = {draft.type for draft in entry.drafts}
        if kinds & {"message", "tool_call", "tool_result"}:
            self._covered = True
            self._hidden += [draft.fields["callId"] for draft in entry.drafts if draft.type == "tool_call"]
            if said is not None and typed:
                self._typed[typed] = said

    def _summarize(self, entry: Entry, said: Draft | None) -> None:
        """A text for the agent alone: a summary of what was hidden from it before, or words to go on with.

        It replaces all before if nothing before is visible to the agent, else the calls that are not.
        """
        if said is not None and self._covered and (self._hidden or not self._visible):
            self.compact(entry, said, {"calls": self._hidden} if self._visible else None)
            self._hidden, self._covered = [], False
        self._visible = self._continues = True

    def _go_on(self, entry: Entry, said: Draft | None, typed: str) -> None:
        """A message that all see: after a summary the last thing that a person typed is given again."""
        before = self._typed.get(typed) if self._continues and said is not None else None
        if before is not None and self.session is not None:
            origin = {"session": {"harness": self.harness, "id": self.session}}
            entry.copied = {**origin, "id": before.id, "evidence": "native_structure"}
        self._visible, self._continues = True, False

    def _block(self, entry: Entry, block: int, one: Any) -> None:
        """A block that is neither text nor image."""
        kind = text(one, "type")
        thought = {"thinking": "thinking", "reasoning": "text"}.get(kind or "")
        if thought is not None and (said := text(one, thought)) is not None:
            entry.think(block, said, rest(one, ("type", thought)))
        elif kind == "redactedThinking":
            entry.think(block, None, rest(one, ("type",)))
        elif kind in ("toolRequest", "frontendToolRequest"):
            self._call(entry, block, one)
        elif kind == "toolResponse" and isinstance(one.get("toolResult"), dict):
            self._result(entry, block, one)
        elif kind == "toolConfirmationRequest":
            self._ask(entry, block, one, one, "prompt")
        elif kind == "actionRequired" and isinstance(one.get("data"), dict):
            self._action(entry, block, one)
        elif kind and (told := text(one, "msg")) is not None:
            name = word(one.get("notificationType")) or kind
            shown = {"level": _LEVELS.get(name, "info"), "kind": name, "text": told}
            usual = kind in (name, _NOTIFICATION)
            known = ("msg", *(("type",) if usual else ()), *(("notificationType",) if name != kind else ()))
            entry.put(CONTENT, "git-asr/notice", shown, block=block, meta=rest(one, known))
        else:
            entry.keep(block, kind, one)

    def _call(self, entry: Entry, block: int, one: dict[str, Any]) -> None:
        """A call, or one that could not be read."""
        call = part(one, "toolCall")
        value = part(call, "value")
        name, error = word(text(value, "name")), text(call, "error")
        meta = rest(one, ("id", "toolCall", *(("type",) if one["type"] == "toolRequest" else ())))
        if name:
            more = rest(call, ("value", *(("status",) if call.get("status") == "success" else ())))
            over = rest(value, ("name", "arguments"))
            meta |= {key: item for key, item in (("toolCall", more), ("value", over)) if item}
            told: dict[str, Any] = {**entry.identity(block, one.get("id"), meta, "id"), "name": name}
            if "arguments" in value:
                told["arguments"] = value["arguments"]
            entry.put(CONTENT, "tool_call", told, block=block, meta=meta)
            self._told(entry, block, told)
        elif error:
            meta |= {"id": one["id"]} if holds(one.get("id")) else {}
            meta |= {"toolCall": more} if (more := rest(call, ("error",))) else {}
            shown = {"level": "error", "kind": "tool_call", "text": error}
            entry.put(CONTENT, "git-asr/notice", shown, block=block, meta=meta)
        else:
            entry.keep(block, one["type"], one)

    def _told(self, entry: Entry, block: int, call: dict[str, Any]) -> None:
        """What a call is beside a call: a plan, or a subagent."""
        listed = text(call.get("arguments"), "content")
        if call["name"] in _TODO and listed is not None:
            found = [_ITEM.fullmatch(line) for line in listed.splitlines()]
            items = [
                {"text": one[2], "status": "pending" if one[1] == " " else "completed"}
                for one in found
                if one is not None
            ]
            plan(entry, block, call["callId"], items)
        elif call["name"].rpartition("__")[2] in _DELEGATES:
            self._delegated.add(call["callId"])
            delegate(entry, block, call["callId"])

    def _result(self, entry: Entry, block: int, one: dict[str, Any]) -> None:
        """The result of a call."""
        told, left = outcome(one["toolResult"])
        meta = rest(one, ("type", "id", "toolResult"))
        identity = entry.identity(block, one.get("id"), meta, "id")
        meta |= {"toolResult": left} if left else {}
        entry.put(CONTENT, "tool_result", {**identity, **told}, block=block, meta=meta)
        if identity["callId"] in self._delegated:
            done = {"callId": identity["callId"], "state": "ended", "status": told["status"]}
            entry.put(ENDED, "subagent", done, block=block)

    def _action(self, entry: Entry, block: int, one: dict[str, Any]) -> None:
        """What the person is asked for, or what was answered."""
        data = one["data"]
        kind, request = text(data, "actionType"), text(data, "id")
        if kind == "toolConfirmation":
            self._ask(entry, block, one, data, "prompt")
        elif kind == "elicitation":
            self._ask(entry, block, one, data, "message")
        elif kind == "elicitationResponse" and request is not None and usable(request):
            answer = {"answer": data.get("userData")}
            if request in self._asked:
                answer = {"question": self._asked[request], **answer}
            meta = {**rest(one, ("type", "data")), **rest(data, ("actionType", "id", "userData"))}
            told = {"requestId": request, "answers": [answer]}
            entry.put(RESPONSE, "input_response", told, block=block, meta=meta)
        else:
            entry.keep(block, "actionRequired", one)

    def _ask(self, entry: Entry, block: int, one: dict[str, Any], data: dict[str, Any], key: str) -> None:
        """A question to the person; a confirmation without one is only that the person was asked."""
        request, question = text(data, "id"), text(data, key)
        if request is None or not usable(request) or not question:
            entry.keep(block, one["type"], one)
            return
        told: dict[str, Any] = {"requestId": request}
        if key == "prompt":
            told["callId"] = request
        else:
            self._asked[request] = question
        meta = rest(data, ("type", "actionType", "id", key))
        if data is not one and (beside := rest(one, ("type", "data"))):
            meta["block"] = beside
        entry.put(
            REQUEST, "input_request", {**told, "questions": [{"question": question}]}, block=block, meta=meta
        )
