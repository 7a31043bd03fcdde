"""Responses that come in chunks: one message, where the last of them stands (profile section 3, reference section 7.3).

Between two chunks there may be events of what runs beside the response. Their records stand behind the message if it
ends there and before it if it goes on, so they are held until that is clear.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from git_asr.asr.draft import Draft
from git_asr.converters.building import join, rest, text_part
from git_asr.converters.copilot.event import VENDOR
from git_asr.converters.fragments import Growing

MAX_HELD = 256
"""Records that are held behind a message; with more it is given out as it is, and a later chunk replaces it."""

_ENCODING = "git-asr/encoding"

Key = tuple[str | None, ...]
"""Who responds, and in which model call."""


@dataclass(frozen=True, slots=True)
class Chunk:
    """A chunk of a response: of which, whether it is the first, and whether it is the last."""

    key: Key
    first: bool
    last: bool


@dataclass(slots=True)
class Spoken(Growing):
    """What the chunks of a response said so far.

    ``key``: the response. ``identifier``: the ID of the message, which is that of its first chunk. ``draft``: the
    record, where the last chunk stands. ``texts``: what they said. ``left``: what no field takes of the last one;
    ``leads``: whether the message is the first record of its event. ``capture``: that of the record. ``open``: whether
    the record was not given out yet; ``ended``: whether no more chunks come.
    """

    key: Key
    identifier: str | None
    draft: Draft
    texts: list[str] = field(default_factory=list)
    left: dict[str, Any] = field(default_factory=dict)
    leads: bool = False
    capture: dict[str, Any] | None = None
    open: bool = True
    ended: bool = False

    def grow(self, draft: Draft, said: str, *, last: bool) -> None:
        """Add a chunk, where whose event stands the record is."""
        self.draft, self.ended, self.open = draft, last, True
        self.texts.append(said)
        self.size += len(said)
        self.fragments += 1

    def settle(self, *, leads: bool) -> None:
        """Take over what the record of the last chunk says of its event, when that is complete."""
        meta = self.draft.meta or {}
        self.left = meta.get(VENDOR) or {}
        self.flags |= dict.fromkeys(meta.get(_ENCODING) or ())
        self.capture = self.draft.capture or self.capture
        self.leads = leads

    def move(self) -> None:
        """The record will stand elsewhere: what only this one tells of its event is told there too."""
        told = rest({"id": self.draft.native_id, "timestamp": self.draft.ts}, ()) if self.leads else {}
        self.note(join({"event": told} if told else {}, self.left))

    def close(self) -> None:
        """Write the record, which is given out as it is then."""
        self.note(self.left)
        noted = self.noted()
        self.texts = ["".join(self.texts)]
        self.draft.fields["content"] = [text_part(self.texts[0])]
        self.draft.fields["assembly"] = self.assembly(final=self.ended)
        self.draft.capture = self.capture
        meta = {**({VENDOR: noted} if noted else {}), **({_ENCODING: [*self.flags]} if self.flags else {})}
        self.draft.meta = meta or None
        self.record, self.open = self.draft, False


@dataclass(slots=True)
class Held:
    """A message of which the next chunk may come, and what stands behind it.

    ``drafts``: the records, the message first. ``before``: the last record before it that carries a context.
    ``events``: the IDs of its event and of those since.
    """

    spoken: Spoken
    drafts: list[Draft]
    before: str | None
    events: list[str] = field(default_factory=list)
