"""Events that tell how a call ended (reference section 3.5)."""

from __future__ import annotations

from typing import Any

from git_asr.converters.building import rest, word
from git_asr.converters.codex import calls
from git_asr.converters.codex.line import Line, Taken
from git_asr.converters.codex.state import State
from git_asr.converters.fields import part, text

_PRINTED = ("aggregated_output", "formatted_output", "stdout", "stderr")
"""Keys under which a command's output stands, in parts or as a whole."""
_NAMES = {
    "exec_command_end": "exec_command",
    "patch_apply_end": "apply_patch",
    "mcp_tool_call_end": "mcp_tool_call",
    "image_generation_end": "image_generation",
}
_ASKED = ("command", "arguments")
"""Keys under which a tool was told what to do."""


def event(line: Line, state: State) -> Taken | None:
    """An event whose name says that a call ended; with a command that the person ran, it is that."""
    told = rest(line.payload, ("type", *line.again))
    if is_typed(told):
        return calls.ran(line, told)
    kind = str(line.kind)
    invocation = part(told, "invocation")
    name = text(invocation, "tool") or _NAMES.get(kind, kind.removesuffix("_end"))
    taken = ended(line, state, told, "call_id", word(name) or kind)
    return None if taken is None else taken


def dynamic_request(line: Line, state: State) -> Taken | None:
    """An event ``dynamic_tool_call_request``: a call that the client answers; an item may have told of it."""
    payload = line.payload
    name = word(payload.get("tool"))
    if name is None or text(payload, "callId") in state.calls:
        return None
    return {"tool", *calls.requested(line, state, "callId", name)}


def dynamic_response(line: Line, state: State) -> Taken | None:
    """An event ``dynamic_tool_call_response``."""
    return ended(line, state, rest(line.payload, ("type",)), "callId", "dynamic_tool_call")


def is_typed(told: dict[str, Any]) -> bool:
    """Tell whether a command was run by the person."""
    return told.get("source") in ("user", "user_shell", "userShell")


def ended(line: Line, state: State, told: dict[str, Any], key: str, name: str) -> Taken | None:
    """A call ended: the keys of ``told`` that records hold; None where it must be kept as it is.

    ``key``: that of the call's ID; ``name``: what the tool is called, if no item tells of the call.
    """
    output = _once(rest(told, ("type", key)))
    where = next((one for one in _ASKED if one in output), None)
    made: tuple[str, Any] = (name, part(told, "invocation").get("arguments"))
    if where is not None and not calls.is_told(state, told.get(key)):
        asked = output.pop(where)
        made = (name, asked if isinstance(asked, dict) else {where: asked})
    return told.keys() if calls.ended(line, state, told.get(key), output, made) else None


def _once(output: dict[str, Any]) -> dict[str, Any]:
    """An output without texts that stand in it a second time."""
    seen: set[str] = set()
    kept = {}
    for name in (*_PRINTED, *output):
        value = output.get(name)
        if name in kept or name not in output:
            continue
        if name in _PRINTED and isinstance(value, str):
            if value in seen:
                continue
            seen.add(value)
        kept[name] = value
    return kept
