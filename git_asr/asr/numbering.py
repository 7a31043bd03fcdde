"""Gives drafts their seq and ID: the one place where records are numbered (profile section 3)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from git_asr.asr.draft import Draft, Record
from git_asr.asr.ids import PART_SPAN, derived, usable


def number(drafts: Iterable[Draft]) -> Iterator[Record]:
    """Turn the drafts of one stream into records, in order.

    ``seq`` is position × 1,000,000 + part. ``id`` is the unit's native ID where it can be used and stands for the
    first time in this stream, else ``~<position>.<part>`` with ``idSource: "derived"``; a native ID that cannot be
    used is kept in ``_meta``.

    Raises:
        ValueError: the drafts are not in order, or a part is out of its range (a fault of the converter).
    """
    seen: set[str] = set()
    last = -1
    for draft in drafts:
        seq = draft.position * PART_SPAN + draft.part
        if seq <= last or not 0 <= draft.part < PART_SPAN:
            raise ValueError(f"record {draft.position}.{draft.part} of type {draft.type} is out of order")
        last = seq
        yield _record(draft, seq, seen)


def _record(draft: Draft, seq: int, seen: set[str]) -> Record:
    record: Record = {"type": draft.type, "seq": seq}
    native = draft.native_id
    meta = draft.meta
    if native is not None and native not in seen and usable(native):
        seen.add(native)
        record["id"] = native
    else:
        record["id"] = derived(draft.position, draft.part)
        record["idSource"] = "derived"
        if draft.id_scope is not None:
            record["idScope"] = draft.id_scope
        if native and not usable(native):
            meta = {**(meta or {}), "git-asr/native-id": native}
    _envelope(record, draft)
    record.update(draft.fields)
    if meta:
        record["_meta"] = meta
    return record


def _envelope(record: Record, draft: Draft) -> None:
    """The fields of section 3, in its order; written out because it runs for every record."""
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
