"""What the helper says to people: on stderr, in Git's manner, untrusted characters made visible."""

from __future__ import annotations

import sys
from dataclasses import field

from git_asr.errors import AsrError, Diagnostic
from git_asr.remote.options import Options
from git_asr.values import dataclass
from git_asr.views.text import neutral, plural

MOST = 10
"""Warnings of one kind that are said one by one."""
_CLEAR = "\x1b[K"
"""Git's own, at the end of what a server says and of progress."""


def error(failure: AsrError) -> None:
    """Say ``error: …`` and its hints, whatever the verbosity."""
    _write(f"error: {neutral(failure.message)}\n")
    _hint(failure.hint or "")


@dataclass(slots=True)
class Speaker:
    """Says what the options allow: with verbosity 0 nothing but errors, and progress only where Git wants it."""

    options: Options
    _told: dict[str, int] = field(default_factory=dict)
    _found: set[Diagnostic] = field(default_factory=set)
    _drawn: bool = False

    def hear(self, piece: str, is_progress: bool) -> None:
        """Pass on what a Git says (``git.fetching.Hear``)."""
        if self.options.verbosity < 1 or (is_progress and not self.options.progress):
            return
        line = piece.rstrip("\r\n")
        _write(neutral(line.replace(_CLEAR, "")) + (piece[len(line) :] or "\n"))

    def note(self, text: str) -> None:
        """Say what is going on."""
        if self.options.verbosity > 0:
            _write(f"{neutral(text)}\n")

    def hint(self, text: str) -> None:
        """Say ``hint: …`` for each line of a text."""
        if self.options.verbosity > 0:
            _hint(text)

    def warn(self, text: str, kind: str = "") -> None:
        """Say ``warning: …``; of one kind not more than a few, and at the end how many there were (``close``)."""
        self._told[kind] = self._told.get(kind, 0) + 1
        if self.options.verbosity > 0 and (not kind or self._told[kind] <= MOST):
            _write(f"warning: {neutral(text)}\n")

    def report(self, found: Diagnostic) -> None:
        """Say a diagnostic (``errors.Report``), once."""
        if found in self._found:
            return
        self._found.add(found)
        self.warn(f"{found.where}: {found.message}" if found.where else found.message, "diagnostic")

    def tick(self, stage: str, done: int, total: int) -> None:
        """Draw how far a stage is, over the line before."""
        if self.options.verbosity > 0 and self.options.progress and total > 0:
            self._drawn = done < total
            _write(
                f"\r{stage}: {done:,}/{total:,}{'' if self._drawn else ', done.'}{_CLEAR}"
                + "\n" * (not self._drawn)
            )

    def close(self) -> None:
        """Say how much was not said."""
        if self._drawn:
            _write("\n")
            self._drawn = False
        for kind, number in self._told.items():
            if kind and number > MOST and self.options.verbosity > 0:
                _write(f"warning: and {plural(number - MOST, 'more warning')}\n")
        self._told.clear()


def _hint(text: str) -> None:
    for line in text.splitlines():
        _write(f"hint: {neutral(line)}\n")


def _write(text: str) -> None:
    if sys.stderr is not None:
        sys.stderr.write(text)
        sys.stderr.flush()
