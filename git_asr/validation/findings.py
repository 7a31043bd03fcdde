"""Collects findings, so many of each check; the rest is counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from git_asr.validation.base import LEVELS, Finding

MOST = 20
"""Findings of one check that are kept, unless asked otherwise."""
_MESSAGE = 500
"""Characters of a message; what schemas and parsers say has no limit of its own."""


class Findings:
    """What was found: give it to what reports findings."""

    def __init__(self, most: int = MOST) -> None:
        """``most``: how many of each check are kept."""
        self._most = most
        self._kept: list[Finding] = []
        self.counts: Counter[str] = Counter()
        """How many there were, by the name of the check."""

    def __call__(self, finding: Finding) -> None:
        """Count a finding, and keep it if it is one of the first of its check."""
        self.counts[finding.check] += 1
        if self.counts[finding.check] <= self._most:
            self._kept.append(finding)

    @property
    def more(self) -> dict[str, int]:
        """How many more there were than are kept, by the name of the check."""
        return {check: count - self._most for check, count in self.counts.items() if count > self._most}

    def kept(self) -> Iterator[Finding]:
        """Those that are kept, by level, in the order in which they were found."""
        for level in LEVELS:
            yield from (one for one in self._kept if one.level == level)


def cut(message: str) -> str:
    """A message of bounded length."""
    return message if len(message) <= _MESSAGE else f"{message[:_MESSAGE]}…"
