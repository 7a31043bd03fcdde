"""Who wrote a text under the user's role (reference section 2.11: the first test that holds decides)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from git_asr.converters.claude.state import State
from git_asr.converters.fields import part

_PREFIX = re.compile(
    r"\s*<(ide_opened_file|ide_selection|system-reminder|ci-monitor-event)(?:\s[^>]*)?>.*?</\1>\s*", re.DOTALL
)
_TEAMMATE = re.compile(r"\s*<teammate-message\b[^>]*?\bteammate_id=\"([^\"]*)\"")
_TAG = re.compile(r"\s*<([a-z-]+)[\s>]")
_NOTIFICATION = "task-notification"
_COMMANDS = {
    **dict.fromkeys(("command-name", "command-message", "command-args"), "slash"),
    **dict.fromkeys(("local-command-stdout", "local-command-stderr", "local-command-caveat"), "output"),
    "bash-input": "shell",
    **dict.fromkeys(("bash-stdout", "bash-stderr"), "shell-output"),
}
INTERRUPTED = ("[Request interrupted by user]", "[Request interrupted by user for tool use]")


def judge(value: Mapping[str, Any], text: str, state: State) -> tuple[str, Any]:
    """Author and sender of a text that stands in a line or attachment ``value``."""
    stripped = without_prefix(text)
    if _is_injected(value) or (text and not stripped):
        return "harness", None
    teammate = _TEAMMATE.match(stripped)
    if teammate is not None:
        return "agent", teammate.group(1)
    if (
        tag(stripped) == _NOTIFICATION
        or stripped.startswith('{"task_id"')
        or value.get("commandMode") == _NOTIFICATION
    ):
        return "harness", None
    if state.facts.get("isSidechain") is True:
        return ("unknown", None) if state.started else ("agent", None)
    entrypoint = state.facts.get("entrypoint")
    if value.get("promptSource") == "sdk" or (isinstance(entrypoint, str) and entrypoint.startswith("sdk")):
        return "unknown", None
    return "human", None


def _is_injected(value: Mapping[str, Any]) -> bool:
    """Whether the line itself says that no person typed it."""
    if value.get("isMeta") is True or value.get("isCompactSummary") is True:
        return True
    kind = part(value, "origin").get("kind")
    return (isinstance(kind, str) and kind != "human") or value.get("promptSource") == "system"


def without_prefix(text: str) -> str:
    """A text without what editors and the harness put before it."""
    at = 0
    while (found := _PREFIX.match(text, at)) is not None:
        at = found.end()
    return text[at:]


def tag(text: str) -> str | None:
    """The name of the tag with which a text begins."""
    found = _TAG.match(text)
    return None if found is None else found.group(1)


def command_kind(text: str) -> str | None:
    """What kind of command, or output of one, a text is: ``slash``, ``output``, ``shell``, ``shell-output``."""
    return _COMMANDS.get(tag(text) or "")


def inner(text: str, name: str) -> str | None:
    """What stands between the first tags of a name."""
    begin = text.find(f"<{name}>")
    end = text.find(f"</{name}>", begin + 1)
    return None if begin < 0 or end < 0 else text[begin + len(name) + 2 : end]
