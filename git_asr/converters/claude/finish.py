"""The end of every unit: what no record holds yet goes to the first, and each gets its place."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from git_asr.asr import codec
from git_asr.asr.codec import NON_FINITE
from git_asr.asr.draft import Draft
from git_asr.asr.ids import holds_marker, usable
from git_asr.converters.base import Unit
from git_asr.converters.claude.line import VENDOR, Line, join, only, vendor_type
from git_asr.converters.claude.slots import CONTENT, CONTEXT
from git_asr.converters.claude.state import State


def whole(line: Line, unit: Unit, kind: Any) -> None:
    """A record that holds the unit as it is."""
    capture = {"state": "masked"} if _may_be_masked(unit) and holds_marker(unit.value) else None
    if NON_FINITE in unit.flags:
        draft = line.put(CONTENT, vendor_type(kind), {}, capture=capture)
        draft.native = {"value": codec.lenient(unit.value)}
        return
    value = unit.value if unit.text is None else codec.Raw(unit.text)
    line.put(CONTENT, vendor_type(kind), {"value": value}, capture=capture)


def finish(
    line: Line, unit: Unit, state: State, taken: Collection[str], facts: frozenset[str] = frozenset()
) -> list[Draft]:
    """Put to the records of a line what else it says, and where they stand; in order.

    ``taken``: the keys that its records hold; ``facts``: those that need not be recorded again.
    """
    left = _left(line, taken, facts)
    if line.context is not None:
        fields, meta = line.context
        line.after(CONTEXT, "git-asr/context", fields, meta=meta)
    made = line.drafts
    if not made and (left or line.chained):
        line.put(CONTENT, vendor_type(line.value.get("type")), {"value": left})
        left = {}
    if not made:
        return made
    made.sort(key=_part)
    first = made[0]
    if left:
        meta = first.meta or {}
        first.meta = {**meta, VENDOR: join(meta.get(VENDOR), left)}
    if unit.flags:
        first.meta = {**(first.meta or {}), "git-asr/encoding": list(unit.flags)}
    state.graph.place(line, made)
    if _may_be_masked(unit):
        for draft in made:
            if draft.capture is None and holds_marker(draft.fields):
                draft.capture = {"state": "masked"}
    return made


def _may_be_masked(unit: Unit) -> bool:
    return unit.text is None or b"REDACTED" in unit.text


def _part(draft: Draft) -> int:
    return draft.part


def _left(line: Line, taken: Collection[str], facts: frozenset[str]) -> dict[str, Any]:
    """What of a line no record holds yet, without what is null or empty."""
    value = line.value
    keys = value.keys() - facts
    keys.difference_update(taken)
    if line.uuid is not None:
        keys.discard("uuid")
    if line.ts is not None and value.get("timestamp") == line.ts:
        keys.discard("timestamp")
    if line.chained:
        above = value.get("parentUuid")
        if above is None or (above == line.parent != line.uuid and usable(above)):
            keys.discard("parentUuid")
    return only(value, keys) if keys else {}
