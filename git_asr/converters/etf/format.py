"""Entire's own compact transcript, version 1 (reference entire-checkpoints, section 4)."""

from __future__ import annotations

import re
from typing import Any

from git_asr.converters.base import Facts, Format, Sample
from git_asr.converters.fields import objects, text, time

NAME = "entire-transcript"

_HARNESSES = {
    "codex-cli": "codex",
    "droid": "factory-droid",
    "factory-ai-droid": "factory-droid",
    "factoryai-droid": "factory-droid",
    "gemini": "gemini-cli",
    "kilo": "kilo-code",
    "omp": "oh-my-pi",
    "open-code": "opencode",
    "qwen": "qwen-code",
    "roger-roger-agent": "roger-roger",
    **{
        name: name
        for name in (
            *(
                "amp",
                "antigravity",
                "claude-code",
                "codex",
                "copilot-cli",
                "cursor",
                "devin",
                "factory-droid",
            ),
            *("gemini-cli", "goose", "kilo-code", "kiro", "oh-my-pi", "opencode", "pi", "qwen-code"),
            *("roger-roger", "windsurf"),
        )
    },
}
"""Registry names of agents, by how a line may call them: a slug, or a label such as ``Factory AI Droid``."""

_BETWEEN = re.compile(r"[^a-z0-9]+")


class EntireTranscript(Format):
    """Lines with a version, the agent, and what Entire kept of a message. Stands in where no native file is."""

    __slots__ = ()
    harness = "entire"
    name = NAME

    def recognises(self, sample: Sample) -> bool:
        """By any line that names agent and producer beside its version."""
        return any(
            isinstance(value.get("v"), int)
            and text(value, "agent") is not None
            and text(value, "cli_version") is not None
            and text(value, "type") is not None
            for value in objects(sample)
        )

    def facts(self, value: Any) -> Facts:
        """The ID is the native one of an assistant's message."""
        return Facts(id=text(value, "id"), ts=stamp(value), type=text(value, "type"))

    def agent(self, value: Any) -> str | None:
        """The registry name of the agent that a line tells of; None where it names none that is known."""
        said = text(value, "agent")
        return None if said is None else harness_of(said)


def harness_of(agent: str) -> str | None:
    """The registry name of an agent, by a slug or a label; None for one that is not known."""
    return _HARNESSES.get(slug(agent))


def stamp(value: Any) -> str | None:
    """The time of a line: a text, anything else is none (reference entire-checkpoints, section 4.3)."""
    return None if text(value, "ts") is None else time(value, "ts")


def slug(agent: str) -> str:
    """An agent as a slug: labels and slugs of one agent are the same then (``Claude Code``, ``claude-code``)."""
    return _BETWEEN.sub("-", agent.lower()).strip("-")
