"""The end of every unit: what no record holds yet goes to the first, and each gets its place."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from git_asr.asr import codec
from git_asr.asr.codec import NON_FINITE
from git_asr.asr.draft import Draft
from git_asr.asr.ids import holds_marker, usable
from git_asr.converters.base import Unit
from git_asr.converters.claude.line import VENDOR, Line, join, vendor_type
from git_asr.converters.claude.slots import CONTENT, CONTEXT
from git_asr.converters.claude.state import PLACE, State


def whole(line: Line, unit: Unit, kind: Any) -> None:
    """A record that holds the unit as it is."""
    capture = {"state": "masked"} if _may_be_masked(unit) and holds_marker(unit.value) else None
    if NON_FINITE in unit.flags:
        draft = line.put(CONTENT, vendor_type(kind), {}, capture=capture)
        draft.native = {"value": codec.lenient(unit.value)}
        return
    value = unit.value if unit.text is None else codec.Raw(unit.text)
    line.put(CONTENT, vendor_type(kind), {"value": value}, capture=capture)


def left(line: Line, state: State, untold: Sequence[str], taken: Collection[str]) -> dict[str, Any]:
    """What of a line no record holds yet, without what is null or empty.

    ``untold``: its keys but for those of its place, and for the facts that need not be recorded again; ``taken``: the
    keys that its records hold.
    """
    value = line.value
    parent = value.get("parentUuid")
    linked = line.chained and (
        parent is None
        or (parent == line.parent != line.uuid and (parent in state.graph.used or usable(parent)))
    )
    if not linked or line.ts is None or line.ts != value.get("timestamp"):
        untold = [key for key in value if key in untold or (key in PLACE and not _told(line, key, linked))]
    return {key: item for key in untold if key not in taken and ((item := value[key]) or item == 0)}


def _told(line: Line, key: str, linked: bool) -> bool:
    """Whether the envelope of a line's records tells what stands under one of the keys of its place."""
    if key == "parentUuid":
        return linked
    return bool(line.value[key] == (line.uuid if key == "uuid" else line.ts))


def finish(line: Line, unit: Unit, state: State, left: dict[str, Any]) -> list[Draft]:
    """Put to the records of a line what no record holds yet, and where they stand; in order."""
    if line.context is not None:
        fields, meta = line.context
        line.after(CONTEXT, "git-asr/context", fields, meta=meta)
    made = line.drafts
    if not made:
        if not left and not line.chained:
            return made
        line.put(CONTENT, vendor_type(line.value.get("type")), {"value": left})
        left = {}
    if len(made) > 1:
        made.sort(key=_part)
    first = made[0]
    if left:
        meta = first.meta or {}
        first.meta = {**meta, VENDOR: join(meta.get(VENDOR), left)} if meta else {VENDOR: left}
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
