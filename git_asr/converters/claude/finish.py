"""The end of every unit: what no record holds yet goes to the first, and each gets its place."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from git_asr.asr.draft import Draft
from git_asr.asr.ids import usable
from git_asr.converters.base import Unit
from git_asr.converters.claude.line import Line, vendor_type
from git_asr.converters.claude.slots import CONTENT, CONTEXT
from git_asr.converters.claude.state import PLACE, State


def left(line: Line, state: State, untold: Sequence[str], taken: frozenset[str]) -> dict[str, Any]:
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
        untold = _with_place(line, untold, linked)
    return {} if taken.issuperset(untold) else _beside(value, untold, taken)


def _beside(value: dict[str, Any], untold: Sequence[str], taken: frozenset[str]) -> dict[str, Any]:
    return {key: item for key in untold if key not in taken and ((item := value[key]) or item == 0)}


def _with_place(line: Line, untold: Sequence[str], linked: bool) -> list[str]:
    """The keys that have to be told, with those of its place that the envelope of its records does not tell."""
    return [key for key in line.value if key in untold or (key in PLACE and not _told(line, key, linked))]


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
    if not line.drafts and (left or line.chained):
        line.put(CONTENT, vendor_type(line.kind), {"value": left})
        left = {}
    made = line.finish(unit, left)
    if made:
        state.graph.place(line, made)
    return made
