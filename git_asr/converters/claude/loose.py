"""Loose lines, whose meaning is where they stand (reference section 2.6)."""

from __future__ import annotations

from typing import Any

from git_asr.asr.ids import usable
from git_asr.converters.building import rest
from git_asr.converters.claude.line import Line, vendor_type
from git_asr.converters.claude.slots import CONTENT
from git_asr.converters.claude.state import State
from git_asr.converters.fields import is_rfc3339, part, text

_TITLES = {
    "custom-title": ("customTitle", "user"),
    "ai-title": ("aiTitle", "model"),
    "agent-name": ("agentName", "agent"),
    "summary": ("summary", "summary"),
}
_MODES = {"permission-mode": ("permissionMode", "permission"), "mode": ("mode", "mode")}


def title(line: Line, state: State) -> frozenset[str] | None:
    """A title, when it changes. A ``summary`` may be that of another conversation: its leaf tells."""
    kind = line.value["type"]
    key, source = _TITLES[kind]
    found = line.value.get(key)
    if not isinstance(found, str):
        return None
    leaf = line.value.get("leafUuid")
    if state.changed(f"title {source}", (found, leaf)):
        line.put(CONTENT, "git-asr/title", {"title": found, "source": source})
        return frozenset({key})
    return frozenset({key, "leafUuid"})


def mode(line: Line, state: State) -> frozenset[str] | None:
    """A mode, when it changes."""
    key, kind = _MODES[line.value["type"]]
    return frozenset({key}) if state.mode(line, kind, line.value.get(key), after=False) else None


def last_prompt(line: Line, state: State) -> frozenset[str] | None:
    """Where the conversation stands: written often, recorded when it changes."""
    taken = frozenset({"lastPrompt", "leafUuid"})
    found = {key: line.value[key] for key in ("lastPrompt", "leafUuid") if key in line.value}
    if state.changed("last-prompt", found):
        line.put(CONTENT, vendor_type("last-prompt"), {"value": found})
    return taken


def pr_link(line: Line, _: State) -> frozenset[str] | None:
    """A pull request that the session made."""
    url = line.value.get("prUrl")
    if not isinstance(url, str):
        return None
    line.put(CONTENT, "git-asr/notice", {"level": "info", "kind": "pr-link", "text": url})
    return frozenset({"prUrl"})


def snapshot(line: Line, state: State) -> frozenset[str] | None:
    """Which files were backed up at a message; the backups are not in the transcript."""
    value = line.value
    found = part(value, "snapshot")
    files = found.get("trackedFileBackups")
    owner = value.get("messageId")
    if not isinstance(files, dict) or not isinstance(owner, str):
        return None
    fields: dict[str, Any] = {"files": files}
    if usable(owner):
        fields = {"messageId": owner, **fields}
    stamp = found.get("timestamp")
    taken = {"trackedFileBackups"}
    if line.ts is None and isinstance(stamp, str) and is_rfc3339(stamp):
        line.ts = stamp
        taken.add("timestamp")
    if found.get("messageId") == owner and "messageId" in fields:
        taken.add("messageId")
    update = value.get("isSnapshotUpdate") is True
    line.put(
        CONTENT,
        "git-asr/file-snapshot",
        fields,
        meta={"snapshot": left} if (left := rest(found, taken)) else None,
        supersedes=state.snapshots.get(owner) if update else None,
    )
    if usable(owner):
        state.snapshots[owner] = line.own_id(state.graph.used)
    return frozenset({"snapshot", "messageId"} if "messageId" in fields else {"snapshot"})


def delta(line: Line, _: State) -> frozenset[str] | None:
    """One file more in a snapshot."""
    value = line.value
    path, owner = value.get("trackingPath"), text(value, "messageId")
    if not isinstance(path, str) or "backup" not in value:
        return None
    fields: dict[str, Any] = {"files": {path: value["backup"]}}
    taken = {"trackingPath", "backup"}
    if owner is not None and usable(owner):
        fields = {"messageId": owner, **fields}
        taken.add("messageId")
    line.put(CONTENT, "git-asr/file-snapshot", fields)
    return frozenset(taken)
