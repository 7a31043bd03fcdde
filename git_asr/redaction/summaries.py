"""The summary of a redacted twin (profile section 7)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from git_asr.asr.draft import Record
from git_asr.asr.reading import fault
from git_asr.asr.summary import PROMPT_LENGTH, Summary
from git_asr.redaction.values import Walker

_CUT_WORD = re.compile(r"\S+\Z")
_FIRST = "firstPrompt"


class Prompt:
    """Finds the first prompt among the masked records of a stream."""

    def __init__(self) -> None:
        self._summary = Summary()

    def note(self, record: Record) -> None:
        """Look at the next record."""
        if (record.get("type") in ("message", "tombstone") or "supersedes" in record) and fault(
            record
        ) is None:
            for _ in self._summary.watch((record,)):
                pass

    @property
    def first(self) -> str | None:
        """The beginning of it; None where there is none."""
        found = self._summary.record(agent="", models=(), first_prompt=lambda: None, commits=())
        return found.get(_FIRST)


def twin_summary(walker: Walker, summary: Mapping[str, Any], prompt: Prompt) -> dict[str, Any]:
    """A summary, masked.

    A prompt that was cut may end within a secret, and be no secret to any rule: it is cut anew from the masked
    message, or loses its last word.
    """
    cut = summary.get(_FIRST)
    masked: dict[str, Any] = walker.value(dict(summary))
    if not isinstance(cut, str) or len(cut) < PROMPT_LENGTH:
        return masked
    first = prompt.first
    return {**masked, _FIRST: walker.value(_CUT_WORD.sub("", cut)) if first is None else first}
