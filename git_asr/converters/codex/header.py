"""``session_meta``: which thread this is, where it comes from, and where it works (reference section 3.2)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from git_asr.asr.ids import usable_session
from git_asr.converters.building import rest, vendor_type, word
from git_asr.converters.codex import subagents
from git_asr.converters.codex.line import VENDOR, Line, Taken
from git_asr.converters.codex.slots import CONTENT, CONTEXT, SETTINGS
from git_asr.converters.codex.state import State
from git_asr.converters.fields import part, text, time

_EVIDENCE = "native_field"


def session_meta(line: Line, state: State) -> Taken | None:
    """A header: the first makes the thread known, the same again says that it goes on, another one is copied."""
    payload = line.payload
    thread = text(payload, "id")
    if thread is None:
        return None
    if state.thread is None:
        _first(state, payload, thread)
    elif thread != state.thread:
        return None
    else:
        line.put(CONTENT, "state", {"state": "running", "reason": "resumed"})
    _context(line, state, payload)
    changed = {
        key: value for key, value in rest(payload, ("id",)).items() if state.changed(f"meta {key}", value)
    }
    changed.pop("cwd" if isinstance(payload.get("cwd"), str) else "", None)
    changed.pop("cli_version" if word(payload.get("cli_version")) else "", None)
    if changed:
        line.put(SETTINGS, vendor_type(VENDOR, "session_meta"), {"value": changed})
    return payload.keys()


def _first(state: State, payload: dict[str, Any], thread: str) -> None:
    state.thread = thread
    state.created = time(payload, "timestamp")
    state.provider = word(payload.get("model_provider"))
    state.subagent, parent, state.path = subagents.origin(payload)
    base = text(part(payload, "history_base"), "thread_id")
    forked = text(payload, "forked_from_id") or base
    state.origin = forked or parent
    start = payload.get("subagent_history_start_ordinal")
    if type(start) is int or (isinstance(start, str) and start.isdecimal() and len(start) < 16):
        state.start = int(start)
    for facet, source in (("spawnedBy", parent), ("forkedFrom", forked)):
        if source is not None and source != thread and usable_session(source):
            state.lineage[facet] = {"session": {"harness": "codex", "id": source}, "evidence": _EVIDENCE}


def _context(line: Line, state: State, payload: Mapping[str, Any]) -> None:
    """The thread, its folder, branch and version, as far as they changed."""
    git = part(payload, "git")
    named = {
        "cwd": text(payload, "cwd"),
        "branch": text(git, "branch"),
        "agentVersion": word(payload.get("cli_version")),
        "session": state.thread,
    }
    fields = {name: value for name, value in named.items() if value and state.changed(name, value)}
    if fields:
        line.put(CONTEXT if line.drafts else CONTENT, "git-asr/context", fields)
    state.version = state.version or fields.get("agentVersion")
    if "cwd" in fields:
        state.workspace.setdefault("cwd", fields["cwd"])
    vcs = {"branch": named["branch"], "head": text(git, "commit_hash")}
    if any(vcs.values()):
        state.workspace.setdefault("vcs", {key: value for key, value in vcs.items() if value})
