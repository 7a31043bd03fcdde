"""Gives drafts their seq and ID: the one place where records are numbered (profile section 3)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from git_asr.asr.draft import Draft, Record
from git_asr.asr.ids import PART_SPAN, derived, usable

_CALL = ("provider", "inferenceId", "requestId")
"""Fields that tell a model call from others."""
DERIVED = "derived"
"""``idSource`` of an ID that is not the source's own."""


def number(drafts: Iterable[Draft]) -> Iterator[Record]:
    """Turn the drafts of one stream into records, in order.

    ``seq`` is position × 1,000,000 + part. A draft that has no ID yet is identified. A native ID that cannot be used
    is kept in ``_meta``. What supersedes an entity supersedes its latest record (profile section 3); a model call that
    is told a second time supersedes what was told of it (section 4).

    Raises:
        ValueError: the drafts are not in order, or a part is out of its range (a fault of the converter).
    """
    used: set[str] = set()
    calls: dict[tuple[Any, ...], str] = {}
    told: dict[str, tuple[Any, ...]] = {}
    later: dict[str, str] = {}
    last = -1
    for draft in drafts:
        kind, part = draft.type, draft.part
        seq = draft.position * PART_SPAN + part
        if seq <= last or not 0 <= part < PART_SPAN:
            raise ValueError(f"record {draft.position}.{part} of type {kind} is out of order")
        last = seq
        if not draft.id:
            identify(draft, used)
        if kind == "inference" and draft.copied_from is None and draft.supersedes is None:
            named = tuple(map(draft.fields.get, _CALL))
            draft.supersedes = calls.setdefault(named, draft.id)
            told[draft.id] = named
        elif kind == "tombstone":  # what is told after it was withdrawn is told for the first time
            calls.pop(told.get(draft.fields.get("target", ""), ()), None)
        if draft.supersedes is not None:
            _chain(draft, later)
        yield _record(draft, seq)


def identify(draft: Draft, used: set[str]) -> None:
    """Give a draft its ID: the native one where it can be used and is not in ``used``, else a derived one.

    ``used``: the native IDs that the stream's records have; one that is given is added. All drafts of a stream that
    may have a native ID share one set.
    """
    native = draft.native_id
    if native is not None and native not in used and usable(native):
        used.add(native)
        draft.id = native
    else:
        draft.id, draft.id_source = derived(draft.position, draft.part), DERIVED


def _chain(draft: Draft, later: dict[str, str]) -> None:
    """Let a draft supersede the latest revision; ``later``: by its ID what supersedes a record."""
    earlier = draft.supersedes
    while earlier in later:
        earlier = later[earlier]
    draft.supersedes = None if earlier == draft.id else earlier
    if earlier is not None and earlier != draft.id:
        later[earlier] = draft.id


def _record(draft: Draft, seq: int) -> Record:
    """The record of a draft: the fields of section 3 in its order, written out because it runs for each."""
    record: Record = {"type": draft.type, "seq": seq, "id": draft.id}
    meta = draft.meta
    if draft.id_source is not None:
        meta = _derived(record, draft)
    if draft.ts is not None:
        record["ts"] = draft.ts
    if draft.predecessors is not None:
        record["predecessors"] = draft.predecessors
    if draft.supersedes is not None:
        record["supersedes"] = draft.supersedes
    if draft.copied_from is not None:
        record["copiedFrom"] = draft.copied_from
    if draft.inference_id is not None:
        record["inferenceId"] = draft.inference_id
    if draft.capture is not None:
        record["capture"] = draft.capture
    if draft.native is not None:
        record["native"] = draft.native
    record |= draft.fields
    if meta:
        record["_meta"] = meta
    return record


def _derived(record: Record, draft: Draft) -> dict[str, Any] | None:
    """Say of a derived ID that it is one; the ``_meta``, with the native ID where that cannot be used."""
    record["idSource"] = draft.id_source
    if draft.id_scope is not None:
        record["idScope"] = draft.id_scope
    if draft.native_id and not usable(draft.native_id):
        return {**(draft.meta or {}), "git-asr/native-id": draft.native_id}
    return draft.meta
