"""The version of each converter, raised only when its output changes.

Apart from the converters, so that whoever only asks whether something changed imports none of them.
"""

from __future__ import annotations

VERSIONS = {
    "amp": 1,
    "antigravity": 1,
    "claude-code": 1,
    "codex": 1,
    "copilot-cli": 1,
    "cursor": 1,
    "devin": 1,
    "entire-transcript": 1,
    "factory-droid": 1,
    "gemini-cli": 1,
    "gemini-cli-hooks": 1,
    "goose": 1,
    "kiro": 1,
    "opaque": 1,
    "openai-chat": 1,
    "opencode": 1,
    "pi": 1,
    "qwen-code": 1,
    "roger-roger": 1,
    "windsurf": 1,
}
"""By the converter's name."""


def known() -> str:
    """The converters with their versions in one text, to compare."""
    return " ".join(f"{name}/{version}" for name, version in sorted(VERSIONS.items()))
