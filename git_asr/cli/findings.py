"""What is wrong and what is missing, as every command prints it as JSON."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from git_asr.errors import Diagnostic


def findings_as_json(found: Iterable[Diagnostic]) -> list[dict[str, str | None]]:
    """What was found wrong."""
    return [{"code": one.code, "where": one.where, "message": one.message, "hint": one.hint} for one in found]


def unresolved_as_json(found: Iterable[tuple[str, Sequence[str]]]) -> list[dict[str, Any]]:
    """Checkpoints that no store has, each with the commits that name it."""
    return [{"checkpoint": one, "commits": list(commits)} for one, commits in found]
