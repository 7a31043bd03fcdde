"""One event of Copilot CLI while its records are made."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from git_asr.asr.ids import derived, usable
from git_asr.converters import fields
from git_asr.converters.base import Unit
from git_asr.converters.building import CONTENT, Building, join, rest, vendor_type

VENDOR = "com.github.copilot-cli"
"""Prefix of vendor types and key of ``_meta``."""
HARNESS = "copilot-cli"

_ENVELOPE = frozenset({"type", "data", "id", "timestamp", "parentId", "agentId"})

Taken = Collection[str]
"""Keys of an event's data that its records hold, or that need not be told again."""


class Event(Building):
    """An event and the drafts made of it so far.

    ``value``: the native object, ``type`` and ``data`` what it consists of. ``agent``: the subagent whose event it is,
    None for the agent itself. ``native``: its own ID as stored. ``left``: what no field takes of what stands deeper in
    the data. ``again``: the keys of the data that only say what the turn is, as events before it did.
    """

    __slots__ = ("again", "agent", "data", "left", "native", "type", "value")

    def __init__(self, unit: Unit, value: dict[str, Any], agent: str | None) -> None:
        super().__init__(unit, VENDOR, fields.time(value, "timestamp"))
        self.value = value
        self.type: str = value["type"]
        self.data: dict[str, Any] = value["data"]
        self.agent = agent
        self.native = fields.text(value, "id")
        self.left: dict[str, Any] = {}
        self.again: set[str] = set()

    @property
    def name(self) -> str:
        """The type, as vendor records are named by it."""
        return self.type.replace(".", "-")

    def keep(self, taken: Taken = (), **told: Any) -> None:
        """Add a vendor record that is named by the type; its value is what of the data nothing else holds."""
        value = rest(self.data, {*taken, *self.again})
        self.put(CONTENT, vendor_type(VENDOR, self.name), {**told, **({"value": value} if value else {})})

    def untold(self, taken: Taken) -> dict[str, Any]:
        """What no record holds of the event, without what is null or empty; ``taken``: keys of the data."""
        found = rest(self.data, {*taken, *self.again})
        if self.left:
            found = join(found, self.left)
        if not self.value.keys() <= _ENVELOPE:
            found = join(found, rest(self.value, _ENVELOPE))
        known_agent = fields.text(self.value, "agentId")
        for key, known in (("timestamp", self.ts), ("id", self.native), ("agentId", known_agent)):
            odd = self.value.get(key)
            if odd != known and (odd or odd == 0):
                found = join(found, {key: odd})
        return found

    def own_id(self, used: Collection[str]) -> str:
        """The ID that the record in the first slot will get; ``used``: native IDs that records have."""
        if self.native is not None and self.native not in used and usable(self.native):
            return self.native
        return derived(self.position, self.base)

    def call(self, key: str = "toolCallId") -> tuple[dict[str, str], set[str]]:
        """The fields with the ID of a call, derived where there is none, and the key under which it stands."""
        found = self.data.get(key)
        if isinstance(found, str) and usable(found):
            return {"callId": found}, {key}
        return {"callId": derived(self.position, self.base), "callIdSource": "derived"}, set()
