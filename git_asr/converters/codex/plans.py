"""Plans: the tool ``update_plan``, the plan mode's text and goals (reference section 3.10)."""

from __future__ import annotations

from typing import Any

from git_asr.converters.codex.line import Line
from git_asr.converters.codex.slots import PLAN
from git_asr.converters.codex.state import Call
from git_asr.converters.fields import text

TOOLS: frozenset[str] = frozenset({"update_plan"})


def called(line: Line, identifier: str, call: Call) -> None:
    """The call writes the whole plan."""
    found = items(call.arguments)
    if found is not None:
        line.put(PLAN, "plan", {"items": found, "callId": identifier})


def items(arguments: Any) -> list[dict[str, str]] | None:
    """The steps of a plan."""
    listed = arguments.get("plan") if isinstance(arguments, dict) else None
    if not isinstance(listed, list):
        return None
    found = []
    for one in listed:
        step, status = text(one, "step"), text(one, "status")
        if step is not None:
            found.append({"text": step} if status is None else {"text": step, "status": status})
    return found
