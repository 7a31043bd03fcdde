"""One unit of Claude Code while its records are made."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import Any

from git_asr.asr.draft import Draft
from git_asr.asr.ids import SECOND_VALUE, derived, usable
from git_asr.converters.claude.slots import BLOCK, MAX_BLOCKS
from git_asr.converters.fields import is_rfc3339

VENDOR = "com.anthropic.claude-code"
"""Prefix of vendor types and key of ``_meta``."""

_PLAIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]*")
NAMELESS = f"{VENDOR}/line"
"""Type of a vendor record for a line whose own type is no plain word."""

MAX_WORD = 1000
"""Characters of a name, a kind or a version: such fields stand in the record itself, however it is written."""


class Line:
    """A unit and the drafts made of it so far.

    ``value``: the native object. ``uuid``: its ID as stored. ``parent``: the ID of the unit before it in the graph;
    ``chained``: whether it belongs to the graph. ``blocks``: how many content blocks have parts of their own.
    ``context``: fields and ``_meta`` of the context that changed with it.
    ``response``: the model call whose output it is.
    ``leaf``: it is a result or an attachment, which a later unit may follow although it is not its parent.
    """

    __slots__ = (
        "base",
        "blocks",
        "chained",
        "context",
        "drafts",
        "leaf",
        "parent",
        "position",
        "response",
        "ts",
        "uuid",
        "value",
    )

    def __init__(self, position: int, index: int, value: dict[str, Any]) -> None:
        self.position = position
        self.base = SECOND_VALUE if index else 0
        self.value = value
        self.drafts: list[Draft] = []
        self.blocks = 0
        self.context: tuple[dict[str, Any], dict[str, Any]] | None = None
        self.leaf = False
        self.response: str | None = None
        found = value.get("timestamp")
        self.ts = found if isinstance(found, str) and is_rfc3339(found) else None
        self.uuid: str | None = found if isinstance(found := value.get("uuid"), str) else None
        self.parent: str | None = found if isinstance(found := value.get("parentUuid", False), str) else None
        self.chained = self.uuid is not None and (self.parent is not None or found is None)

    def put(
        self,
        slot: int,
        kind: str,
        fields: dict[str, Any],
        *,
        block: int | None = None,
        meta: dict[str, Any] | None = None,
        inference: str | None = None,
        supersedes: str | None = None,
        capture: dict[str, Any] | None = None,
    ) -> Draft:
        """Add a record of the line, or of one of its blocks; ``meta`` goes under the vendor's key."""
        part = self.base + slot if block is None else self.base + BLOCK * (block + 1) + slot
        ours = {VENDOR: meta} if meta else None
        draft = Draft(kind, self.position, part, fields, self.ts, inference, supersedes, capture, ours)
        self.drafts.append(draft)
        return draft

    def after(
        self,
        slot: int,
        kind: str,
        fields: dict[str, Any],
        *,
        meta: dict[str, Any] | None = None,
        supersedes: str | None = None,
    ) -> Draft:
        """Add a record about the line, behind its content."""
        last = min(self.blocks, MAX_BLOCKS) - 1
        return self.put(
            slot, kind, fields, block=last if self.blocks else None, meta=meta, supersedes=supersedes
        )

    def identify(self, draft: Draft) -> str:
        """The ID that a draft will get which is not the line's first."""
        return derived(self.position, draft.part)

    def native_id(self, used: Collection[str]) -> str | None:
        """The line's ID if its first record may have it; ``used``: the native IDs given before."""
        return self.uuid if self.uuid not in used and usable(self.uuid) else None

    def own_id(self, used: Collection[str]) -> str:
        """The ID of the record in the line's first slot."""
        return self.native_id(used) or derived(self.position, self.base)


def rest(value: Mapping[str, Any], taken: Collection[str]) -> dict[str, Any]:
    """What an object holds beside the keys that fields take, without what is null or empty."""
    return {key: item for key, item in value.items() if key not in taken and (item or item == 0)}


def join(meta: dict[str, Any] | None, more: dict[str, Any]) -> dict[str, Any]:
    """Both in one object; where they share a key, what was there moves below ``block``."""
    if not meta:
        return more
    if meta.keys().isdisjoint(more):
        return {**meta, **more}
    name = "block"
    while name in more:
        name += "_"
    return {**more, name: meta}


def word(value: Any) -> str | None:
    """A text that can be a name, a kind or a version; None for any other value."""
    return value if isinstance(value, str) and len(value) <= MAX_WORD else None


def vendor_type(name: Any) -> str:
    """The type of a vendor record for a native type; one that is no plain word gives ``line``."""
    plain = isinstance(name, str) and len(name) <= 64 and _PLAIN.fullmatch(name)
    return f"{VENDOR}/{name}" if plain else NAMELESS
