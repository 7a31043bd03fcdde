"""The line formats of external agents, converted: what the tests of their converters share."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from git_asr.asr import codec
from git_asr.asr.draft import Record
from git_asr.converters import fields
from git_asr.converters.base import Unit
from git_asr.converters.external_lines import external
from git_asr.converters.openai_chat import chat
from git_asr.converters.sidecar.files import windsurf
from git_asr.converters.sidecar.hooks import gemini, qwen
from tests.support.converting import Converting
from tests.support.losslessness import Implied, Path

_PLAIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")
_TYPES = ("type", "role", "event")


def says(records: Sequence[Record]) -> Implied:
    """What the records say in other words: types, times, the place of a call, and what a projection repeats."""
    kept = {
        record["seq"] // 500_000  # of two values on one line each has a half
        for record in records
        if any("message" in told for told in record.get("_meta", {}).values() if isinstance(told, dict))
    }

    def implied(unit: Unit, path: Path, value: Any) -> bool:
        key = path[-1] if path else ""
        if key in _TYPES and isinstance(value, str) and _PLAIN.fullmatch(value):
            return True
        if key in ("ts", "timestamp"):
            return fields.time({"": value}, "") is not None
        if key == "index":
            return type(value) is int and path == ("tool_calls", value, "index")
        if key == "name" and unit.value.get("role") == "tool":
            return isinstance(value, str)  # the call says it, as the tests of the converter see
        if key == "arguments" and isinstance(value, str):
            return codec.encode(codec.decode(value.encode()).value) == value.encode()
        return (
            path[:1] == ("message",)
            and "event" in unit.value
            and unit.position * 2 + min(unit.index, 1) not in kept
        )

    return implied


_STANDING = {"git-asr/context", "git-asr/mode", "tool_call"}
ROGER = Converting(external, says, ids={"uuid"})
CHAT = Converting(chat, says, ids={"message_id", "tool_call_id"})
QWEN = Converting(qwen, says, standing=_STANDING)
GEMINI = Converting(gemini, says, standing=_STANDING)
WINDSURF = Converting(windsurf, says, standing={"message", "git-asr/notice"})

CASES = {
    "roger-roger/contents": ROGER,
    "roger-roger/odd-lines": ROGER,
    "roger-roger/texts": ROGER,
    "openai-chat/odd-lines": CHAT,
    "openai-chat/session": CHAT,
    "openai-chat/tools": CHAT,
    "openai-chat/without-message-ids": CHAT,
    "qwen-code/hooks": QWEN,
    "qwen-code/odd-events": QWEN,
    "qwen-code/projected": QWEN,
    "qwen-code/session": QWEN,
    "gemini-cli/hooks": GEMINI,
    "gemini-cli/hooks-of-a-session": GEMINI,
    "windsurf/hooks": WINDSURF,
    "windsurf/odd-lines": WINDSURF,
}
