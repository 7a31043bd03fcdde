"""What a converter says of one record, before it has a number and an ID."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

Record = dict[str, Any]
"""A finished record: plain JSON values in the key order of profile section 3."""


@dataclass(slots=True)
class Draft:
    """One record as a converter names it; ``numbering`` makes it a :data:`Record`.

    ``position`` is the 1-based line or element of the unit (0: what a document says beside its array), ``part`` the
    slot arithmetic of profile section 3 (slot, 100·(block+1)+slot, +500,000 for a second value on the line).
    ``native_id`` is the unit's own ID, given only with the unit's first record. ``ts`` is RFC 3339 as recorded.
    ``id`` is empty and ``id_source`` None until ``numbering.identify`` sets them: converters whose records name each
    other ask for it themselves.
    ``fields`` are the fields of the record's type, in their order; ``meta`` goes to ``_meta``. The other attributes
    are the envelope fields of profile section 3 under their names.
    """

    type: str
    position: int
    part: int
    fields: dict[str, Any] = field(default_factory=dict)
    ts: str | None = None
    inference_id: str | None = None
    supersedes: str | None = None
    capture: dict[str, Any] | None = None
    meta: dict[str, Any] | None = None
    native_id: str | None = None
    id: str = ""
    id_source: str | None = None
    id_scope: str | None = None
    predecessors: list[str] | None = None
    copied_from: dict[str, Any] | None = None
    native: dict[str, Any] | None = None
