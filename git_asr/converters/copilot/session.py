"""What an event says of the session: where it works and how, what becomes of it (reference section 7.2)."""

from __future__ import annotations

from typing import Any

from git_asr.asr.ids import usable_session
from git_asr.converters.building import CONTENT, rest, text_part, word
from git_asr.converters.copilot import usage
from git_asr.converters.copilot.event import HARNESS, Event, Taken
from git_asr.converters.copilot.slots import COMPACTION, CONTEXT, MODE
from git_asr.converters.copilot.state import State
from git_asr.converters.fields import part, text

_EVIDENCE = "native_field"


def start(event: Event, state: State) -> Taken | None:
    """A session begins."""
    data = event.data
    session = text(data, "sessionId")
    if session is None:
        return None
    state.opened = event.position
    version = word(data.get("copilotVersion"))
    state.version = state.version or version
    taken = _context(event, state, CONTENT, {"agentVersion": version, "session": session})
    parent = text(data, "detachedFromSpawningParentSessionId")
    if parent is not None and usable_session(parent) and parent != session:
        session_key = {"harness": HARNESS, "id": parent}
        state.lineage.setdefault("spawnedBy", {"session": session_key, "evidence": _EVIDENCE})
    return taken | _model(event, state, "selectedModel")


def resume(event: Event, state: State) -> Taken:
    """A session goes on in another process."""
    state.opened = event.position
    event.put(CONTENT, "state", {"state": "running", "reason": "resumed"})
    return _context(event, state, CONTEXT, {}) | _model(event, state, "selectedModel")


def _context(event: Event, state: State, slot: int, named: dict[str, str | None]) -> set[str]:
    """Where and with what the agent works, as far as that changed; the keys of the data that say so."""
    found = event.data if event.type == "session.context_changed" else part(event.data, "context")
    told = {"cwd": text(found, "cwd"), "branch": text(found, "branch"), **named}
    fields = {name: value for name, value in told.items() if value and state.changed(name, value)}
    over = rest(found, [key for key in ("cwd", "branch") if isinstance(found.get(key), str)])
    meta = {key: value for key, value in over.items() if state.changed(f"context {key}", value)}
    if fields or meta:
        event.put(slot, "git-asr/context", fields, meta=meta)
    if "cwd" in fields:
        state.workspace.setdefault("cwd", fields["cwd"])
    vcs = {"branch": told["branch"], "head": text(found, "headCommit")}
    if any(vcs.values()):
        state.workspace.setdefault("vcs", {key: value for key, value in vcs.items() if value})
    taken = {
        key
        for key, field in (("copilotVersion", "agentVersion"), ("sessionId", "session"))
        if told.get(field)
    }
    return taken | (set() if found is event.data or not found else {"context"})


def context_changed(event: Event, state: State) -> Taken:
    """The agent works elsewhere."""
    _context(event, state, CONTENT, {})
    if not event.drafts:
        event.keep(event.data)
    return event.data.keys()


def _model(event: Event, state: State, key: str) -> set[str]:
    model = word(event.data.get(key))
    if not model:
        return set()
    if state.changed("model", model):
        event.put(MODE, "git-asr/mode", {"kind": "model", "mode": model})
    return {key}


def model_change(event: Event, state: State) -> Taken | None:
    """Another model answers."""
    return _changed(event, state, "model", "newModel")


def mode_changed(event: Event, state: State) -> Taken | None:
    """Interactive, plan, autopilot, shell."""
    return _changed(event, state, "mode", "newMode")


def _changed(event: Event, state: State, kind: str, key: str) -> Taken | None:
    mode = word(event.data.get(key))
    if not mode:
        return None
    state.changed(kind, mode)
    event.put(CONTENT, "git-asr/mode", {"kind": kind, "mode": mode})
    return {key}


def title(event: Event, _: State) -> Taken | None:
    """The session has a name."""
    said = text(event.data, "title")
    if said is None:
        return None
    event.put(CONTENT, "git-asr/title", {"title": said})
    return {"title"}


_LEVELS = {
    "session.info": "info",
    "session.warning": "warning",
    "session.error": "error",
    "session.task_complete": "info",
    "session.handoff": "info",
    "model.call_failure": "error",
}
_KINDS = ("infoType", "warningType", "errorType")
_TEXTS = ("message", "errorMessage", "summary")


def notice(event: Event, _: State) -> Taken | None:
    """A text of the program, or of the agent when it is done, for people."""
    data = event.data
    key = next((key for key in _TEXTS if text(data, key)), None)
    if key is None:
        return None
    level = "error" if data.get("success") is False else _LEVELS[event.type]
    named = next((one for one in _KINDS if word(data.get(one))), None)
    kind = data[named] if named is not None else event.type.rpartition(".")[2]
    event.put(CONTENT, "git-asr/notice", {"level": level, "kind": kind, "text": data[key]})
    return {key, *((named,) if named is not None else ())}


def handoff(event: Event, state: State) -> Taken | None:
    """The session goes on from one elsewhere."""
    remote = text(event.data, "remoteSessionId")
    if remote is not None and usable_session(remote) and "continues" not in state.lineage:
        session = {"harness": HARNESS, "id": remote}
        state.lineage["continues"] = {"session": session, "reason": "handoff", "evidence": _EVIDENCE}
    return notice(event, state)


def interrupted(event: Event, _: State) -> Taken:
    """The person stopped the agent."""
    reason = text(event.data, "reason")
    event.put(CONTENT, "state", {"state": "interrupted", **({"reason": reason} if reason else {})})
    return {"reason"} if reason else set()


def compaction_start(event: Event, state: State) -> Taken:
    """A summary is being made of what was said so far, while the agent may go on."""
    state.boundary = state.last
    event.keep()
    return event.data.keys()


def compaction(event: Event, state: State) -> Taken | None:
    """A summary took the place of what it was made of."""
    data = event.data
    boundary, state.boundary = state.boundary or state.last, None
    if data.get("success") is False:
        error = text(data, "error")
        told = {"level": "error", "kind": "compaction", **({} if error is None else {"text": error})}
        event.put(CONTENT, "git-asr/notice", told)
        return {"success", *(() if error is None else ("error",)), *usage.compaction(event)}
    replaces: dict[str, Any] = {"unknown": True} if boundary is None else {"through": boundary}
    taken = {"success"} if data.get("success") is True else set()
    fields: dict[str, Any] = {}
    if trigger := word(data.get("trigger")):
        fields["trigger"] = trigger
        taken.add("trigger")
    if said := text(data, "summaryContent"):
        content = [text_part(said)]
        event.put(CONTENT, "message", {"role": "user", "author": "harness", "content": content})
        fields["summary"] = event.own_id(state.used)
        taken.add("summaryContent")
    event.put(COMPACTION if said else CONTENT, "compaction", {**fields, "replaces": replaces})
    return taken | usage.compaction(event)


def truncated(event: Event, _: State) -> Taken:
    """Messages were left out of the context; which is not said."""
    event.put(CONTENT, "compaction", {"replaces": {"unknown": True}}, meta={"type": event.type})
    return set()


def cleared(event: Event, state: State) -> Taken:
    """The context was emptied."""
    replaces: dict[str, Any] = {"unknown": True} if state.last is None else {"through": state.last}
    event.put(CONTENT, "compaction", {"replaces": replaces}, meta={"type": event.type})
    return set()


def rewind(event: Event, state: State) -> Taken | None:
    """An event and all behind it are taken back."""
    known = state.seen.get(text(event.data, "upToEventId") or "")
    if known is None:
        return None
    event.put(CONTENT, "rewind", {"to": known[0]})
    return set()
