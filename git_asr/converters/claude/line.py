"""One unit of Claude Code while its records are made."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from git_asr.asr.ids import derived, usable
from git_asr.converters import building
from git_asr.converters.base import Unit
from git_asr.converters.building import Building
from git_asr.converters.fields import is_rfc3339

VENDOR = "com.anthropic.claude-code"
"""Prefix of vendor types and key of ``_meta``."""


class Line(Building):
    """A unit and the drafts made of it so far.

    ``value``: the native object, and ``kind`` its type. ``uuid``: its ID as stored. ``parent``: the ID of the unit
    before it in the graph; ``chained``: whether it belongs to the graph.
    ``context``: fields and ``_meta`` of the context that changed with it.
    ``response``: the model call whose output it is.
    ``leaf``: it is a result or an attachment, which a later unit may follow although it is not its parent.
    """

    __slots__ = ("chained", "context", "kind", "leaf", "parent", "response", "uuid", "value")

    nameless = "line"

    def __init__(self, unit: Unit, value: dict[str, Any]) -> None:
        stamp = value.get("timestamp")
        super().__init__(unit, VENDOR, stamp if isinstance(stamp, str) and is_rfc3339(stamp) else None)
        self.value = value
        self.kind = value.get("type")
        self.context: tuple[dict[str, Any], dict[str, Any]] | None = None
        self.leaf = False
        self.response: str | None = None
        uuid, parent = value.get("uuid"), value.get("parentUuid", False)
        self.uuid: str | None = uuid if isinstance(uuid, str) else None
        self.parent: str | None = parent if isinstance(parent, str) else None
        self.chained = self.uuid is not None and (parent is None or self.parent is not None)

    def native_id(self, used: Collection[str]) -> str | None:
        """The line's ID if its first record may have it; ``used``: the native IDs given before."""
        return self.uuid if self.uuid not in used and usable(self.uuid) else None

    def own_id(self, used: Collection[str]) -> str:
        """The ID of the record in the line's first slot."""
        return self.native_id(used) or derived(self.position, self.base)


def vendor_type(name: Any) -> str:
    """The type of a vendor record for a native type; one that is no plain word gives ``line``."""
    return building.vendor_type(VENDOR, name, Line.nameless)
