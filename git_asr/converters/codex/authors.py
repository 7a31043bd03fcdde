"""Who wrote a text under the user's role (reference native-transcripts, section 3.6)."""

from __future__ import annotations

import re
from collections.abc import Sequence

from git_asr.converters.codex.line import Line
from git_asr.converters.codex.state import State
from git_asr.converters.fields import part

_INJECTED = (
    "# AGENTS.md instructions",
    *("<environment_context>", "<ENVIRONMENT_CONTEXT>", "<user_instructions>", "<INSTRUCTIONS>"),
    *("<skill>", "<turn_aborted>", "<subagent_notification>", "<recommended_plugins>", "<goal_context>"),
    *("<codex_internal_context", "<external_", "<hook_prompt", "<user_action>"),
)
"""How texts begin that the harness puts under the user's role."""
SHELL = "<user_shell_command>"
"""How a command begins that the person ran."""
_AROUND = re.compile(r"\s*(?:<image\b[^>]*>|</image>)?\s*")
"""What stands around a picture, and says nothing of who sent it."""
_TAG = re.compile(r"\s*<[A-Za-z][A-Za-z0-9_-]*[\s>]")
_HARNESS = frozenset({"compact", "memory_consolidation", "other"})
"""Subagents that the harness starts for itself."""


def judge(line: Line, state: State, texts: Sequence[str]) -> str:
    """The author of a message of these texts.

    An unknown tag at its beginning leaves open who wrote it: an event will tell if it was the person.
    """
    kinds = part(line.payload, "internal_chat_message_metadata_passthrough").get("content_item_kinds")
    if isinstance(kinds, list) and kinds:
        said = any(isinstance(one, str) and one.startswith("user.") for one in kinds)
        return own(line, state) if said else "harness"
    written = [one for one in texts if not _AROUND.fullmatch(one)]
    left = [one for one in written if not one.lstrip().startswith(_INJECTED)]
    if written and not left:
        return "harness"
    return "unknown" if left and _TAG.match(left[0]) else own(line, state)


def own(line: Line, state: State) -> str:
    """The author of what was given to the thread from outside: a person, or whoever started a subagent.

    What was copied was given to another thread.
    """
    if state.subagent is None or line.copied:
        return "human"
    if state.subagent in _HARNESS:
        return "harness"
    return "unknown" if state.started else "agent"
