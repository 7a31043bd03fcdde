"""Messages that a source states again: what they gave before is superseded, record for record (profile section 3)."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from git_asr.asr import codec, context
from git_asr.asr.draft import Draft
from git_asr.asr.ids import usable
from git_asr.asr.numbering import identify

_Key = tuple[str, str, int]
"""Type, the ID of what the record is about, and its place among those that have both in common."""

_HOLD_ON = frozenset(
    {"git-asr/context", "git-asr/mode", "git-asr/title", "git-asr/file-snapshot", "tombstone"}
)
"""Types of what is written when it changes: it holds beyond the message."""
_NAMES = ("callId", "inferenceId")


@dataclass(slots=True)
class Message:
    """What a message gave so far: of each record that stands the latest ID, and a digest of what it says.

    ``fragments``: how often the message was stated. ``renamed``: by the ID of a model call whose record was withdrawn,
    the one under which it is told again; empty before that.
    """

    records: dict[_Key, tuple[str, bytes]] = field(default_factory=dict)
    fragments: int = 0
    renamed: dict[str, str] = field(default_factory=dict)

    @property
    def ids(self) -> list[str]:
        """The IDs of the records that stand."""
        return [identifier for identifier, _ in self.records.values()]


class Revisions:
    """The messages of one stream, by their native IDs. ``used``: the native IDs that records have."""

    def __init__(self) -> None:
        self.used: set[str] = set()
        self._messages: dict[str, Message] = {}
        self._taken_back: dict[str, Message] = {}

    def get(self, native: str | None) -> Message | None:
        """What a message gave so far, None where it was not seen or has no ID that can be used."""
        return None if native is None else self._messages.get(native)

    def seen(self, native: str | None) -> bool:
        """Whether a message was told before, taken back or not."""
        return native in self._messages or native in self._taken_back

    def take_back(self, native: str) -> None:
        """A message stands no more: if it comes again it is another one, and what it says again is a copy."""
        message = self._messages.pop(native, None)
        if message is not None:
            self._taken_back[native] = message

    def identify(self, native: str | None, drafts: Sequence[Draft]) -> tuple[list[Draft], list[str]]:
        """Give the drafts of a message their IDs, the first one the message's own.

        Of a message that was seen before only those are kept that say something new; each supersedes what it was.
        Returns the kept drafts, and the IDs of records that stand no more. Drafts of a message that was taken back have
        in ``copied_from`` the ID of the record that said the same.
        """
        known = self.get(native)
        before = {} if known is None else known.records
        taken_back = self._taken_back.get(native or "") if known is None else None
        earlier = {} if taken_back is None else taken_back.records
        kept: list[Draft] = []
        standing: dict[_Key, tuple[str, bytes]] = {}
        for key, draft in _keyed(drafts):
            old = before.get(key)
            said = b"" if key[0] in _HOLD_ON else _said(draft)
            if old is not None and old[1] == said:
                standing[key] = old
                continue
            if old is not None and draft.supersedes is None:
                draft.supersedes = old[0]
            if key in earlier and earlier[key][1] == said:
                draft.copied_from = {"id": earlier[key][0]}
            if not kept:
                draft.native_id = native
            identify(draft, self.used)
            kept.append(draft)
            if said:
                standing[key] = (draft.id, said)
        gone = [identifier for key, (identifier, _) in before.items() if key not in standing]
        if known is not None:
            _rename(kept, known.renamed)
            known.renamed |= {
                named: "" for kind, named, _ in before.keys() - standing.keys() if kind == "inference"
            }
        if native is not None and usable(native):
            message = self._messages.setdefault(native, Message())
            message.records = standing
            message.fragments += 1
        return kept, gone


def _rename(drafts: Sequence[Draft], renamed: dict[str, str]) -> None:
    """Let a model call whose record was withdrawn be another one when it is told again: usage counts once."""
    for draft in drafts if renamed else ():
        call = draft.fields.get("inferenceId")
        if draft.type == "inference" and call in renamed:
            renamed[call] = renamed[call] or draft.id
            draft.fields = {**draft.fields, "inferenceId": renamed[call]}
    for draft in drafts if renamed else ():
        if draft.inference_id is not None:
            draft.inference_id = renamed.get(draft.inference_id) or draft.inference_id


def settle(made: Iterable[Draft]) -> None:
    """Let a compaction know its summary: the first of these records, which now has its ID."""
    said: Draft | None = None
    for draft in made:
        if draft.type == "compaction" and said is not None:
            draft.fields = {"summary": said.id, **draft.fields}
        said = draft if said is None else said


def carries(draft: Draft) -> bool:
    """Whether a record can be where a context begins or ends."""
    return context.carries({"type": draft.type})


def _keyed(drafts: Sequence[Draft]) -> Iterator[tuple[_Key, Draft]]:
    """Each draft with its key."""
    counted: Counter[tuple[str, str]] = Counter()
    for draft in drafts:
        named = (
            "" if "callIdSource" in draft.fields else next(filter(None, map(draft.fields.get, _NAMES)), "")
        )
        about = draft.type, named
        yield (*about, counted[about]), draft
        counted[about] += 1


def _said(draft: Draft) -> bytes:
    """A digest of what a draft says, wherever it stands."""
    fields = {name: value for name, value in draft.fields.items() if name != "assembly"}
    content = fields.get("content")
    if isinstance(content, list):
        fields["content"] = [_without_bytes(part) for part in content]
    value = [fields, draft.ts, draft.inference_id, draft.meta, draft.capture, draft.native]
    return hashlib.sha256(codec.identity(value)).digest()


def _without_bytes(part: dict[str, Any]) -> dict[str, Any]:
    data = part.get("data")
    return {**part, "data": hashlib.sha256(data).hexdigest()} if isinstance(data, bytes) else part
