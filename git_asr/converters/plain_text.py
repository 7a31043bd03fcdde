"""Transcripts that are not JSON: one line of text is one unit (reference native-transcripts, sections 8 and 12.8)."""

from __future__ import annotations

import re
from typing import Any

from git_asr.converters.base import Facts, Format, Sample


class PlainText(Format):
    """A format whose units are lines of text. What begins so is decided by ``beginning``, at the first line."""

    __slots__ = ()
    beginning: re.Pattern[str]

    def recognises(self, sample: Sample) -> bool:
        """By the first line; a text that begins with a JSON value is none."""
        return not sample.document and not sample.values and bool(self.beginning.match(sample.text))

    def facts(self, value: Any) -> Facts:  # noqa: ARG002 - a line of text says nothing of where it stands
        """A line of text has no ID, no time and no type."""
        return Facts()


class AiderMarkdown(PlainText):
    """Aider's chat history: a title for each start, prompts as headings of the fourth level."""

    __slots__ = ()
    harness = "aider"
    name = "aider-markdown"
    beginning = re.compile(r"#### \S|# aider chat started at ")


class CursorText(PlainText):
    """Cursor's transcripts before JSON Lines: ``user:`` and ``assistant:`` alone on their lines."""

    __slots__ = ()
    harness = "cursor"
    name = "cursor-text"
    beginning = re.compile(r"(?:user|assistant):[ \t]*\r?$", re.MULTILINE)
