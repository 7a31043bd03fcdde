"""What ``git asr redact`` reads, does and says."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path
from typing import Any

from git_asr.asr import codec
from git_asr.errors import UsageError
from git_asr.redaction.policy import Policy
from git_asr.redaction.redactor import Redactor
from git_asr.redaction.values import Walker, structured
from git_asr.values import dataclass
from git_asr.views.text import neutral, plural


@dataclass(frozen=True, slots=True)
class Spot:
    """Something that was found: the rule, the line (from 1), and the column or the way into a JSON value."""

    rule: str
    line: int
    place: str


@dataclass(frozen=True, slots=True)
class Attempt:
    """What a policy made of a text."""

    policy: Policy
    text: str
    spots: tuple[Spot, ...]

    def lines(self) -> list[str]:
        """What was found, and how often, for people."""
        found = [f"{spot.line}:{neutral(spot.place)}  {spot.rule}" for spot in self.spots]
        total = f"policy {self.policy.name} {self.policy.version}: {plural(len(self.spots), 'finding')}"
        return [*found, total]

    def as_json(self) -> dict[str, Any]:
        """What ``git asr redact --json`` prints; version 1."""
        return {
            "version": 1,
            "policy": self.policy.record(),
            "text": self.text,
            "findings": dict(sorted(Counter(spot.rule for spot in self.spots).items())),
            "places": [{"rule": one.rule, "line": one.line, "place": one.place} for one in self.spots],
        }


def text_of(tried: str) -> str:
    """The text that a command line means: stdin for ``-``, a file if there is one of that name, else what it says.

    Raises:
        UsageError: the file cannot be read.
    """
    try:
        if tried == "-":
            return sys.stdin.buffer.read().decode("utf-8", "surrogateescape")
        if len(tried) < 1000 and Path(tried).is_file():
            return Path(tried).read_bytes().decode("utf-8", "surrogateescape")
    except (OSError, ValueError) as error:
        raise UsageError(f"{tried}: {error}") from error
    return tried


def write(text: str) -> None:
    """Print a text, every byte of it as it came in."""
    sys.stdout.flush()
    sys.stdout.buffer.write(text.encode("utf-8", "surrogateescape"))
    if not text.endswith("\n"):
        sys.stdout.buffer.write(b"\n")
    sys.stdout.buffer.flush()


def attempt(policy: Policy, text: str, *, was_redacted: bool) -> Attempt:
    """Redact a text: as JSON where it is, or where its lines are, else as it stands."""
    return _Attempting(policy, was_redacted=was_redacted).made(text)


class _Attempting:
    def __init__(self, policy: Policy, *, was_redacted: bool) -> None:
        self._policy = policy
        self._spots: list[Spot] = []
        self._masker = Redactor(policy).masker(self._note, redacted=was_redacted)
        self._walker = Walker(self._masker, names=policy.uses("assignments"))
        self._text: str | None = None
        self._line = 1

    def made(self, text: str) -> Attempt:
        whole = structured(text)
        if whole is not None:
            done = self._value(whole, text)
        elif (values := _json_lines(text)) is not None:
            lines = []
            for number, (line, value) in enumerate(values, start=1):
                self._line = number
                lines.append(line if value is None else self._value(value, line))
            done = "\n".join(lines)
        else:
            self._text = text
            done = self._masker.text(text)
        return Attempt(self._policy, done, tuple(self._spots))

    def _value(self, value: Any, text: str) -> str:
        self._text = None
        masked = self._walker.value(value)
        return text if masked is value else codec.encode(masked).decode("utf-8")

    def _note(self, rule: str, start: int, _end: int) -> None:
        if self._text is None:
            self._spots.append(Spot(rule, self._line, "/".join(map(str, self._walker.path))))
            return
        before = self._text[:start]
        self._spots.append(Spot(rule, before.count("\n") + 1, str(start - before.rfind("\n"))))


def _json_lines(text: str) -> list[tuple[str, Any]] | None:
    """The lines of a text with their values, None for blank ones; None where a line is no such value."""
    lines = text.split("\n")
    values = [(line, structured(line)) for line in lines]
    if any(value is None and line.strip() for line, value in values):
        return None
    return values
