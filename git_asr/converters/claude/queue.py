"""Texts typed while the agent works, as long as they wait (profile section 4, *Queued input*)."""

from __future__ import annotations

from typing import Any

MAX_OPEN = 100
"""Queued texts that may be open at once, each sought in every prompt; the oldest are left as they are."""


class Queue:
    """The texts that are still open, oldest first, each with the ID of its message."""

    def __init__(self) -> None:
        self._open: list[tuple[str, str]] = []

    def add(self, text: str, record: str) -> None:
        """A text went into the queue."""
        self._open = [*self._open[-MAX_OPEN + 1 :], (text, record)]

    def take(self, text: str | None) -> list[str]:
        """The messages whose text this one equals or contains, oldest first; they are open no longer.

        None takes all of them.
        """
        found: list[str] = []
        left: list[tuple[str, str]] = []
        for one in self._open:
            if text is None or (one[0].strip() and one[0] in text):
                found.append(one[1])
            else:
                left.append(one)
        self._open = left
        return found

    def oldest(self, text: Any) -> tuple[str, str] | None:
        """Take the oldest open text, or the oldest that equals ``text`` if that is one."""
        for index, one in enumerate(self._open):
            if not isinstance(text, str) or one[0] == text:
                del self._open[index]
                return one
        return None
