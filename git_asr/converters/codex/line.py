"""One line of a rollout while its records are made."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from git_asr.converters.base import Unit
from git_asr.converters.building import Building, join, rest, vendor_type
from git_asr.converters.codex.slots import CONTENT
from git_asr.converters.fields import time

VENDOR = "com.openai.codex"
"""Prefix of vendor types and key of ``_meta``."""

_ENVELOPE = frozenset({"timestamp", "type", "payload", "ordinal"})

Taken = Collection[str]
"""Keys of a payload that the records of a line hold, or that need not be told again."""


class Line(Building):
    """A line and the drafts made of it so far.

    ``value``: the native object. ``type``: its type; ``payload``: what it wraps, and ``kind`` the type of that.
    ``left``: what no field takes of what stands deeper in the payload. ``again``: the keys of the payload that only say
    which turn this is, as lines before it did. ``copied``: the line is of the thread from which this one was forked.
    """

    __slots__ = ("again", "copied", "kind", "left", "payload", "type", "value")

    def __init__(self, unit: Unit, value: dict[str, Any]) -> None:
        super().__init__(unit, VENDOR, time(value, "timestamp"))
        self.value = value
        self.type = value.get("type")
        found = value.get("payload")
        self.payload: dict[str, Any] = found if isinstance(found, dict) else {}
        self.kind = self.payload.get("type")
        self.left: dict[str, Any] = {}
        self.again: set[str] = set()
        self.copied = False

    @property
    def name(self) -> Any:
        """The native type that a vendor record of the line is named by."""
        return (
            self.kind if self.kind is not None and self.type in ("response_item", "event_msg") else self.type
        )

    def untold(self, taken: Taken) -> dict[str, Any]:
        """What no record holds of the line, without what is null or empty; ``taken``: keys of the payload."""
        found = rest(self.payload, taken)
        if self.left:
            found = join(found, self.left)
        if not self.value.keys() <= _ENVELOPE:
            found = join(found, rest(self.value, _ENVELOPE))
        stamp = self.value.get("timestamp")
        return join(found, {"timestamp": stamp}) if stamp != self.ts and (stamp or stamp == 0) else found

    def keep(self, value: Any, slot: int = CONTENT, name: Any = None) -> None:
        """Add a vendor record that is named by the line's type."""
        self.put(slot, vendor_type(VENDOR, self.name if name is None else name), {"value": value})
