"""What can be read of a document that ends too early, or is damaged: its beginning (reference section 5.6)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from git_asr.asr.codec import BLANK, JsonError, as_text, decode_at


@dataclass(frozen=True, slots=True)
class Torn:
    """The beginning of a document.

    ``value``: its members as far as they can be read; of the one that cannot, if it is an array, the elements before
    the damage. ``rest``: the text from there on. ``flags``: how it had to be read.
    """

    value: dict[str, Any]
    rest: str
    flags: tuple[str, ...]


def beginning(data: bytes) -> Torn | None:
    """Read the beginning of a document that no decoder reads; None if it is no object, or nothing of it can be read.

    ``data``: JSON text that is not nested too deeply, whose depth the caller has looked at.
    """
    text, flags = as_text(data)
    reading = _Reading(text, set(flags))
    value = reading.members()
    return Torn(value, text[reading.at :].strip(BLANK), tuple(sorted(reading.flags))) if value else None


class _Reading:
    """A text that is read up to ``at``, the end of what could be read."""

    __slots__ = ("at", "flags", "text")

    def __init__(self, text: str, flags: set[str]) -> None:
        self.text = text
        self.flags = flags
        self.at = 0

    def members(self) -> dict[str, Any]:
        """The members of the object that the text is, up to the first that cannot be read."""
        found: dict[str, Any] = {}
        place = self._past(0, "{")
        while place is not None:
            self.at = place
            try:
                key, end = self._value(place)
                start = self._past(end, ":")
                if start is None or not isinstance(key, str):
                    break
                if self.text[start : start + 1] != "[":
                    found[key], self.at = self._value(start)
                elif not self._elements(start, found.setdefault(key, [])):
                    break
            except JsonError:
                break
            if (behind := self._past(self.at, "}")) is not None:
                self.at = behind
                break
            place = self._past(self.at, ",")
        return found

    def _elements(self, start: int, found: list[Any]) -> bool:
        """Put the elements of an array into a list; whether it could be read to its end."""
        place = self._past(start, "[")
        while place is not None:
            self.at = place
            if self.text[place : place + 1] != "]":
                element, self.at = self._value(place)
                found.append(element)
            if (end := self._past(self.at, "]")) is not None:
                self.at = end
                return True
            place = self._past(self.at, ",")
        return False

    def _value(self, place: int) -> tuple[Any, int]:
        value, end, flags = decode_at(self.text, place)
        self.flags.update(flags)
        return value, end

    def _past(self, place: int, sign: str) -> int | None:
        """The place after a sign and what is blank around it; None if something else stands there."""
        place = self._skip(place)
        return self._skip(place + 1) if self.text[place : place + 1] == sign else None

    def _skip(self, place: int) -> int:
        while place < len(self.text) and self.text[place] in BLANK:
            place += 1
        return place
