"""How a call ended: no item has a flag for it, so it is told by fixed texts and by events (reference 3.10)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from git_asr.converters.building import json_text
from git_asr.converters.fields import part

_WORDS = {
    "completed": "ok",
    "success": "ok",
    "ok": "ok",
    "failed": "error",
    "error": "error",
    "declined": "rejected",
    "rejected": "rejected",
    "interrupted": "cancelled",
    "cancelled": "cancelled",
}
_HEAD = 600
"""Characters in which the lines before the output of a command stand."""
_EXIT = re.compile(r"^(?:Process exited with code|Exit code:) (-?\d{1,10})$", re.MULTILINE)
_COMMAND = ("Chunk ID:", "Exit code:", "Wall time", "Process exited", "Command:")
_FAILED = re.compile(
    r"(?:(?:[a-z]{1,40}_[a-z_]{1,40}|collab [a-z]{1,40})(?: verification)? failed\b|Script failed|failed to parse\b"
    r"|unsupported call\b)"
)
_REJECTED = re.compile(r"[\w ]{0,60}\brejected by (?:the )?user\b")
_CANCELLED = re.compile(r"(?:aborted by user\b|aborted$|command was interrupted\b)")
_DONE = ("Script completed", "Plan updated")
_STRUCTURED = ('{"output":', '{"metadata":')


def of_word(word: Any) -> str:
    """The status for a native one."""
    return _WORDS.get(word, "unknown") if isinstance(word, str) else "unknown"


def of_event(told: dict[str, Any]) -> str:
    """The status that an event, or the item in one, tells of a call."""
    status = of_word(told.get("status"))
    if status != "unknown":
        return status
    for key in ("exit_code", "exitCode"):
        code = told.get(key)
        if type(code) is int:
            return "error" if code else "ok"
    if isinstance(success := told.get("success"), bool):
        return "ok" if success else "error"
    result = part(told, "result")
    if "Ok" in result:
        return "error" if part(result, "Ok").get("isError") is True else "ok"
    return "error" if "Err" in result or told.get("error") else "unknown"


def of_output(texts: Sequence[str], success: Any) -> tuple[str, dict[str, Any] | None]:
    """The status that the output for the model tells, and its value where it is JSON text with an exit code."""
    said = texts[0] if texts else ""
    found = json_text(said)[0] if said.startswith(_STRUCTURED) else None
    structured = found if isinstance(found, dict) else None
    code = part(found, "metadata").get("exit_code")
    if type(code) is int:
        return ("error" if code else "ok"), structured
    if isinstance(success, bool):
        return ("ok" if success else "error"), structured
    return _of_text(said), structured


def _of_text(said: str) -> str:
    head = said[:_HEAD].partition("\nOutput:")[0]
    if head.startswith(_COMMAND):
        exited = _EXIT.search(head)
        return "unknown" if exited is None else "ok" if int(exited[1]) == 0 else "error"
    if _REJECTED.match(head):
        return "rejected"
    if _CANCELLED.match(head):
        return "cancelled"
    if _FAILED.match(head):
        return "error"
    return "ok" if head.startswith(_DONE) else "unknown"
