"""Why something is not done."""

from __future__ import annotations

from git_asr.values import dataclass


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why something is not done, in one line, and the way out, of one line or more."""

    reason: str
    hint: str | None = None
