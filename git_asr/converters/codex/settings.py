"""Settings that stand on every turn, and are recorded when they change (reference section 3.3)."""

from __future__ import annotations

from typing import Any

from git_asr.converters.building import rest, word
from git_asr.converters.codex.line import Line, Taken
from git_asr.converters.codex.slots import CONTEXT, MODES, SETTINGS
from git_asr.converters.codex.state import State
from git_asr.converters.fields import text

_MODES: dict[str, tuple[str, tuple[str, ...]]] = {
    "model": ("model", ()),
    "effort": ("effort", ()),
    "approval_policy": ("approval", ("mode", "type")),
    "sandbox_policy": ("sandbox", ("mode", "type")),
    "collaboration_mode": ("collaboration", ("mode",)),
    "multi_agent_mode": ("multi-agent", ()),
}
"""By the key of the setting: the kind of mode, and where the mode stands in a setting that is an object."""
_SLOTS = {key: MODES + number for number, key in enumerate(_MODES)}
_NAMES = {"reasoning_effort": "effort", "reasoning_summary": "summary", "model_provider_id": "model_provider"}
"""Settings that an event names otherwise than the turn."""


def turn_context(line: Line, state: State) -> Taken:
    """A line ``turn_context``."""
    state.begins(line.payload)
    apply(line, state, rest(line.payload, line.again))
    return line.payload.keys()


def applied(line: Line, state: State) -> Taken | None:
    """An event ``thread_settings_applied``."""
    found = line.payload.get("thread_settings")
    if not isinstance(found, dict):
        return None
    apply(line, state, rest(found, ()))
    return {"thread_settings"}


def updated(line: Line, state: State) -> Taken | None:
    """An item ``configuration_update``."""
    found = line.payload.get("reasoning")
    if not isinstance(found, dict):
        return None
    apply(line, state, rest(found, ()))
    return {"reasoning"}


def apply(line: Line, state: State, found: dict[str, Any]) -> None:
    """Record of settings what changed: the folder, modes, and the others in one vendor record."""
    others: dict[str, Any] = {}
    for key, value in found.items():
        name = _NAMES.get(key, key)
        if not state.changed(f"setting {name}", value):
            continue
        if name == "model":
            state.model = word(value)
        if name == "model_provider":
            state.provider = word(value) or state.provider
        if name == "cwd" and isinstance(value, str):
            folder(line, state, value)
        elif not _mode(line, name, value):
            others[key] = value
    if others:
        line.keep(others, SETTINGS)


def folder(line: Line, state: State, cwd: str) -> None:
    """Record a folder that changed."""
    if state.changed("cwd", cwd):
        state.workspace.setdefault("cwd", cwd)
        line.put(CONTEXT, "git-asr/context", {"cwd": cwd})


def _mode(line: Line, name: str, value: Any) -> bool:
    """Record a setting that is a mode; whether it is one."""
    if name not in _MODES:
        return False
    kind, places = _MODES[name]
    mode = value if isinstance(value, str) else next(filter(None, (text(value, key) for key in places)), None)
    if not mode or word(mode) is None:
        return False
    slot = _SLOTS[name]
    line.put(
        slot, "git-asr/mode", {"kind": kind, "mode": mode}, meta=None if value == mode else {name: value}
    )
    return True
