"""What a redaction found and left out, for reports."""

from __future__ import annotations

from collections import Counter

from git_asr.asr.bundle import Manifest
from git_asr.values import dataclass


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that was taken out: the rule, and where in the new bundle; never what it was.

    ``record``: the ID of the record, empty in a header or a manifest. ``path``: the field, and the way within it:
    keys and places in lists, with slashes between them.
    """

    rule: str
    stream: str
    record: str
    path: str


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A stream or a file that is not in the new bundle, and why."""

    what: str
    reason: str


@dataclass(frozen=True, slots=True)
class Redacted:
    """What a redaction gave. ``findings``: by stream, how often each rule found something."""

    manifest: Manifest
    findings: dict[str, dict[str, int]]
    left_out: tuple[LeftOut, ...]

    @property
    def total(self) -> dict[str, int]:
        """How often each rule found something in all streams."""
        total: Counter[str] = Counter()
        for found in self.findings.values():
            total.update(found)
        return dict(sorted(total.items()))
