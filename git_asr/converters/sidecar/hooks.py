"""Events of hooks, as the adapters of Qwen Code and Gemini CLI write them: one fact a line."""

from __future__ import annotations

import hashlib
from collections import deque
from collections.abc import Callable, Iterator
from typing import Any

from git_asr.asr import codec
from git_asr.asr.ids import MAX_ID, derived, usable, usable_session
from git_asr.converters.base import NativeFormat
from git_asr.converters.building import CONTENT, Building, holds, rest, text_part, word
from git_asr.converters.fields import text
from git_asr.converters.sidecar.format import GeminiSidecar, QwenSidecar
from git_asr.converters.successive import Reader, Successive

# Slots, append-only: a slot is part of a record's ID (profile section 3).
_RESULT = 1
_STATE = 2
_COMPACTION = 3
_CONTEXT = 80
_MODEL, _PERMISSION = 81, 82

_FACTS = ("v", "agent", "native_transcript_path")
"""Keys that stand on every line, beside session, folder, model and mode."""
_MODES = (("model", _MODEL, "model"), ("permission_mode", _PERMISSION, "permission"))
_TIMES = ("ts", "timestamp")
_CONSTANT = frozenset({"user", "assistant", "text", "tool_use", "tool_result"})
"""Values of a projection that say what it is."""


class Hooks(Reader):
    """The events of one session: each is one fact; a call may stand in the event of its result only.

    ``_called``: of each call a digest of its tool and its input; ``_waiting``: by that digest the calls without an ID
    of their own whose results come with a later event.
    """

    def __init__(self) -> None:
        super().__init__()
        self._called: dict[str, bytes] = {}
        self._waiting: dict[bytes, deque[str]] = {}

    def read(self, line: Building, value: dict[str, Any]) -> set[str] | None:
        """Make the records of an event."""
        event = text(value, "event")
        make = _EVENTS.get(event or "")
        taken = None if make is None else make(self, line, value)
        if taken is None:
            return None
        taken |= {"event"} | self._about(line, value)
        stamps = [value[key] for key in _TIMES if key in value]
        if line.ts is not None and all(stamp == line.ts for stamp in stamps):
            taken |= {*_TIMES}
        if _is_projected(value):
            taken |= {"message", "type"}
        return taken

    def _about(self, line: Building, value: dict[str, Any]) -> set[str]:
        """What stands on every line is told when it changes; the keys that need not be told otherwise."""
        taken = set()
        context: dict[str, Any] = {}
        for key, name in (("session_id", "session"), ("cwd", "cwd")):
            found = text(value, key)
            if found and (name == "cwd" or usable_session(found)):
                taken.add(key)
                if self.changed(key, found):
                    context[name] = found
        if "cwd" in context:
            self.workspace.setdefault("cwd", context["cwd"])
        facts = {key: value[key] for key in _FACTS if holds(value.get(key))}
        taken |= facts.keys()
        new = {key: found for key, found in facts.items() if self.changed(key, found)}
        if context or new:
            line.put(_CONTEXT, "git-asr/context", context, meta=new)
        for key, slot, kind in _MODES:
            if mode := word(value.get(key)):
                taken.add(key)
                if self.changed(key, mode):
                    line.put(slot, "git-asr/mode", {"kind": kind, "mode": mode})
        return taken

    def prompt(self, line: Building, value: dict[str, Any]) -> set[str] | None:
        """What a person asked for, or the agent a subagent."""
        if (said := text(value, "prompt")) is None:
            return None
        author = "agent" if value.get("agent_id") else "human"
        line.put(CONTENT, "message", {"role": "user", "author": author, "content": [text_part(said)]})
        return {"prompt"}

    def call(self, line: Building, value: dict[str, Any]) -> set[str] | None:
        """A call that begins."""
        name = word(value.get("tool_name"))
        if name is None:
            return None
        identity, taken = self._call(line, value, name)
        if "callIdSource" in identity:
            self._waiting.setdefault(_same(value), deque()).append(identity["callId"])
        return taken

    def _call(self, line: Building, value: dict[str, Any], name: str) -> tuple[dict[str, str], set[str]]:
        found = value.get("tool_use_id")
        own = found if isinstance(found, str) and usable(found) else None
        identity = {"callId": own} if own is not None else _placed(derived(line.position, line.base))
        self._called[identity["callId"]] = _same(value)
        taken = {"tool_name", "tool_input"} | ({"tool_use_id"} if own is not None else set())
        request = {
            **identity,
            "name": name,
            **({"arguments": value["tool_input"]} if "tool_input" in value else {}),
        }
        line.put(CONTENT, "tool_call", request)
        return identity, taken

    def result(self, line: Building, value: dict[str, Any]) -> set[str] | None:
        """A call that ended; where nothing told of it before, it stands in the same event."""
        name = word(value.get("tool_name"))
        if name is None:
            return None
        identity, taken = self._begun(value) or self._call(line, value, name)
        said = value.get("tool_response")
        content, output = _returned(said)
        errors = [key for key in ("error", "error_details") if text(value, key)]
        content += [text_part(value[key]) for key in errors]
        status = "ok"
        if (
            errors
            or value["event"] == "PostToolUseFailure"
            or value.get("is_timeout") is True
            or _failed(said)
        ):
            status = "error"
        if value.get("is_interrupt") is True:
            status = "cancelled"
        told = {**identity, "status": status, "content": content}
        line.put(_RESULT, "tool_result", {**told, "output": output} if output else told)
        return {*taken, "tool_response", *errors}

    def _begun(self, value: dict[str, Any]) -> tuple[dict[str, str], set[str]] | None:
        """The call that an earlier event told of; without an ID the first of this tool with this input."""
        found, said = text(value, "tool_use_id"), _same(value)
        if found is not None and usable(found):
            before = self._called.get(found)
            if before is None:
                return None
            taken = {"tool_name", "tool_input", "tool_use_id"} if before == said else {"tool_use_id"}
            return {"callId": found}, taken
        begun = self._waiting.get(said)
        return (_placed(begun.popleft()), {"tool_name", "tool_input"}) if begun else None

    def stop(self, line: Building, value: dict[str, Any]) -> set[str]:
        """The end of a turn, with the last thing that the agent said; what it said before is not told."""
        taken = set()
        if said := text(value, "last_assistant_message"):
            taken.add("last_assistant_message")
            told = {"role": "assistant", "author": "agent", "content": [text_part(said)]}
            line.put(CONTENT, "message", told)
        if value["event"] == "StopFailure":
            found = next((key for key in ("error_details", "error") if text(value, key)), None)
            notice: dict[str, Any] = {"level": "error"}
            if found is not None:
                taken.add(found)
                notice["text"] = value[found]
            line.put(_RESULT, "git-asr/notice", notice)
        line.put(_STATE, "state", {"state": "idle"})
        return taken

    def begin(self, line: Building, value: dict[str, Any]) -> set[str]:
        """The session starts or goes on."""
        return _state(line, "running", value, "source")

    def end(self, line: Building, value: dict[str, Any]) -> set[str]:
        """The session ends."""
        return _state(line, "ended", value, "reason")

    def compaction(self, line: Building, value: dict[str, Any]) -> set[str]:
        """A compaction; what it replaced is not told."""
        told: dict[str, Any] = {}
        taken = set()
        if trigger := text(value, "trigger"):
            told["trigger"] = trigger
            taken.add("trigger")
        if said := text(value, "compact_summary"):
            taken.add("compact_summary")
            line.put(CONTENT, "message", {"role": "user", "author": "harness", "content": [text_part(said)]})
            told["summary"] = derived(line.position, line.base)
        line.put(_COMPACTION, "compaction", {**told, "replaces": {"unknown": True}})
        return taken

    def notice(self, line: Building, value: dict[str, Any]) -> set[str]:
        """A text for people."""
        told: dict[str, Any] = {"level": "info"}
        taken = set()
        for key, name in (("notification_type", "kind"), ("message", "text")):
            if found := text(value, key):
                told[name] = found
                taken.add(key)
        line.put(CONTENT, "git-asr/notice", told)
        return taken

    def permission(self, line: Building, value: dict[str, Any]) -> set[str]:
        """The person is asked to allow a call; the answer is not told."""
        told = {"level": "info", "kind": "permission"}
        name = text(value, "tool_name")
        line.put(CONTENT, "git-asr/notice", told if name is None else {**told, "text": name})
        return set() if name is None else {"tool_name"}

    def subagent(self, line: Building, value: dict[str, Any]) -> set[str]:
        """A subagent that starts or ends."""
        told: dict[str, Any] = {}
        taken = set()
        kind = text(value, "agent_type")
        if kind and len(kind) <= MAX_ID:
            told["agentType"] = kind
            taken.add("agent_type")
        state = "started" if value["event"] == "SubagentStart" else "ended"
        line.put(CONTENT, "subagent", {**told, "state": state})
        return taken


def _placed(identifier: str) -> dict[str, str]:
    return {"callId": identifier, "callIdSource": "derived"}


def _same(value: dict[str, Any]) -> bytes:
    """A digest of tool and input."""
    return hashlib.sha256(codec.identity([value.get("tool_name"), value.get("tool_input")])).digest()


def _returned(response: Any) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """What the model got of a result, and what the tool returned beside it."""
    if not holds(response):
        return [], {}
    if isinstance(response, str):
        return [text_part(response)], {}
    if said := text(response, "llmContent"):
        return [text_part(said)], rest(response, ("llmContent",))
    return [{"type": "json", "value": response}], {}


def _failed(response: Any) -> bool:
    """Whether what a tool returned says that it failed."""
    return isinstance(response, dict) and holds(response.get("error")) and response["error"] is not False


def _state(line: Building, state: str, value: dict[str, Any], key: str) -> set[str]:
    reason = text(value, key)
    line.put(CONTENT, "state", {"state": state, **({"reason": reason} if reason else {})})
    return {key} if reason else set()


def _is_projected(value: dict[str, Any]) -> bool:
    """Whether the message of a line only repeats, in the form of another agent's, what the line says itself."""
    message = value.get("message")
    if not isinstance(message, dict) or value.get("type") != message.get("role"):
        return False
    own = rest(value, ("message", "type"))
    known = {*_CONSTANT, *(one for one in _texts(own))}
    response = own.get("tool_response")
    if holds(response) and not isinstance(response, str):
        known.add(codec.encode(response).decode("utf-8", "surrogatepass"))
    known.add(f"{text(own, 'error') or ''} {text(own, 'error_details') or ''}".strip())
    return all(one in known or isinstance(one, bool) for one in _texts(message))


def _texts(value: Any) -> Iterator[Any]:
    """Every scalar of a value, but for what is null."""
    if isinstance(value, dict | list):
        for one in value.values() if isinstance(value, dict) else value:
            yield from _texts(one)
    elif value is not None:
        yield value


_EVENTS: dict[str, Callable[[Hooks, Building, dict[str, Any]], set[str] | None]] = {
    "SessionStart": Hooks.begin,
    "SessionEnd": Hooks.end,
    **dict.fromkeys(("UserPromptSubmit", "BeforeAgent"), Hooks.prompt),
    **dict.fromkeys(("PreToolUse", "BeforeTool"), Hooks.call),
    **dict.fromkeys(("PostToolUse", "PostToolUseFailure", "AfterTool"), Hooks.result),
    **dict.fromkeys(("Stop", "StopFailure", "AfterAgent"), Hooks.stop),
    **dict.fromkeys(("PostCompact", "PreCompress"), Hooks.compaction),
    "Notification": Hooks.notice,
    "PermissionRequest": Hooks.permission,
    **dict.fromkeys(("SubagentStart", "SubagentStop"), Hooks.subagent),
}
"""By the name of the event, as Qwen Code and Gemini CLI have them. Any other is kept as it is."""

UNSEEN: tuple[dict[str, str], ...] = (
    {"feature": "messages", "reason": "of a turn the source has the last thing that the agent said"},
    {"feature": "reasoning", "reason": "the source has none"},
    {"feature": "usage", "reason": "the source says nothing of model calls"},
)
"""What hooks do not see."""
_REPEATED = {
    "feature": "repeated_values",
    "reason": "what stands on every line (session, folder, model, modes) is recorded when it changes; a message that "
    "only repeats its line is not recorded",
}


def _events(name: str, native: NativeFormat, vendor: str) -> Successive:
    return Successive(name, native, vendor, (_REPEATED, *UNSEEN), Hooks)


def qwen() -> Successive:
    """The converter of Qwen Code's events."""
    return _events("qwen-code", QwenSidecar(), "ai.qwen.qwen-code")


def gemini() -> Successive:
    """The converter of Gemini CLI's events."""
    return _events("gemini-cli-hooks", GeminiSidecar(), "com.google.gemini-cli")
