"""What stands where something was taken out: the same for the same value, in all of a bundle.

Placeholders are numbered in the order in which values are met. They are made from nothing of the value, since a name
or a short password could be found again from anything that is: by trying.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

Form = Literal["numbered", "plain"]


class Placeholders:
    """The placeholders of one bundle, each made when its value is first met."""

    def __init__(self, form: Form = "numbered", after: int = 0) -> None:
        """``after``: the highest number that a placeholder has which stands in the bundle already."""
        self._form = form
        self._last = after
        self._known: dict[tuple[str, str], str] = {}
        self._ids: dict[str, str] = {}

    def of(self, kind: str, value: str) -> str:
        """What stands for a value of a kind."""
        if self._form == "plain":
            self._known.setdefault((kind, value), "")
            return f"[REDACTED_{kind}]"
        found = self._known.get((kind, value))
        if found is None:
            found = self._known[(kind, value)] = f"[REDACTED_{kind}_{self._next()}]"
        return found

    def of_id(self, value: str) -> str:
        """The ID that stands for an ID: always a number, for IDs must stay apart."""
        found = self._ids.get(value)
        if found is None:
            found = self._ids[value] = f"redacted-{self._next()}"
        return found

    def values(self, kind: str) -> Iterator[str]:
        """The values of a kind that were met."""
        return (value for known, value in self._known if known == kind)

    def _next(self) -> int:
        self._last += 1
        return self._last
