"""Patterns that a policy brings along: matched by RE2, whose time grows with the text alone.

Python's own engine tries alternatives one after the other, and with some patterns takes longer than anyone waits for;
nothing tells such a pattern from the others for sure (decision 0014). RE2 has neither look-around nor back-references.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from importlib import import_module
from typing import Any

from git_asr.errors import UsageError
from git_asr.redaction.base import Match, Rule

_SURROGATES = re.compile("[\ud800-\udfff]")
_MOST = 1000
"""Characters of a pattern."""


class Linear:
    """A pattern of RE2, for texts as Python has them."""

    def __init__(self, compiled: Any) -> None:
        self._compiled = compiled

    @property
    def groups(self) -> int:
        """How many groups it has."""
        return int(self._compiled.groups)

    def match(self, text: str, start: int, end: int, /) -> Match | None:
        """The match that begins at ``start``."""
        found: Match | None = self._compiled.match(_SURROGATES.sub("\ufffd", text), start, end)
        return found

    def finditer(self, text: str, start: int, end: int, /) -> Iterator[Match]:
        """The matches between two places; RE2 reads no lone surrogate, so something as long stands for it."""
        return iter(self._compiled.finditer(_SURROGATES.sub("\ufffd", text), start, end))


def rule(name: str, pattern: str, kind: str) -> Rule:
    """A rule for a pattern; what its groups take goes, the whole match where it has none.

    Raises:
        UsageError: it is no pattern of RE2's, it is too long, it matches nothing, or the library is not there.
    """
    try:
        re2 = import_module("re2")
    except ModuleNotFoundError as error:
        raise UsageError(
            f"pattern {name}: patterns of one's own need google-re2", hint="pip install google-re2"
        ) from error
    if len(pattern) > _MOST:
        raise UsageError(f"pattern {name}: longer than {_MOST} characters")
    try:
        options = re2.Options()
        options.log_errors = False
        compiled = re2.compile(pattern, options)
    except re2.error as error:
        raise UsageError(f"pattern {name}: {_reason(error)}") from error
    if compiled.match("") is not None:
        raise UsageError(f"pattern {name}: it matches where nothing stands")
    return Rule("own/" + name, kind, Linear(compiled))


def _reason(error: Exception) -> str:
    said = error.args[0] if error.args else "no regular expression"
    return said.decode("utf-8", "replace") if isinstance(said, bytes) else str(said)
