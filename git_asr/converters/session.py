"""Sessions that are told message by message, in a document or one a line: what Amp, Goose and Devin need alike.

Their converters are one module each, beside the format (docs/adding-an-agent.md).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from git_asr.asr.codec import NON_FINITE
from git_asr.asr.draft import Draft
from git_asr.asr.ids import derived, usable
from git_asr.asr.numbering import identify
from git_asr.converters import fields, opaque
from git_asr.converters.base import Embedded, NativeFormat, Unit
from git_asr.converters.building import (
    BLOCK,
    CONTENT,
    MAX_BLOCKS,
    Building,
    Standing,
    call_identity,
    encoded_part,
    holds,
    text_part,
    vendor_type,
    word,
)
from git_asr.converters.revisions import Revisions, carries

# Which part of a unit each record takes (profile section 3, *part*). The table is append-only: a slot is never moved or
# used for something else, because it is part of a record's ID. Every block of a message has one; records *about* the
# message (80-99) stand at its last block.
REQUEST = 1
"""``input_request`` of a block."""
SUBAGENT = 2
"""``subagent`` that a call starts."""
RESULT = 3
"""``tool_result`` that stands in the same block as its call; of a person's own command the output."""
RESPONSE = 4
"""``input_response`` of a block."""
PLAN = 5
"""``plan`` that a call makes."""
ENDED = 6
"""``subagent`` that a result ends."""
TOMBSTONES = 40
"""First of the slots for what a message no longer says when it comes again."""
MAX_TOMBSTONES = 30
MORE = 79
"""Vendor record for blocks, or tombstones, that exceed the range."""
CONTEXT = 80
MODE = 81
TITLE = 82
INFERENCE = 83
STATE = 84
COMPACTION = 85
USAGE = 86
"""``usage_summary`` of the session."""

_LOSSES = (
    {"feature": "empty_values", "reason": "null, empty text, arrays and objects are not kept as fields"},
    {
        "feature": "repeated_values",
        "reason": "what stands on every message about the session, and what a message that comes again says as before, "
        "is not recorded again",
    },
)
_PROJECTION = frozenset({"role", "id", "content", "usage"})


class Entry(Building):
    """A message, or another unit, while its records are made.

    ``value``: what is told. ``native``: its own ID as stored. ``over``: blocks that exceed the range. ``summary``: a
    compaction with the message that is its summary. ``copied``: where all of it was copied from.
    """

    __slots__ = ("copied", "native", "over", "summary", "value")

    def __init__(self, unit: Unit, value: dict[str, Any], vendor: str, scope: str | None) -> None:
        super().__init__(unit, vendor, None, id_scope=scope)
        self.value = value
        self.native: str | None = None
        self.over: list[Any] = []
        self.summary: tuple[Draft, Draft] | None = None
        self.copied: dict[str, Any] | None = None

    @property
    def usable(self) -> str | None:
        """Its own ID if it can be used."""
        return self.native if self.native is not None and usable(self.native) else None

    def fitting(self, listed: list[Any], spare: int = 0) -> Iterator[tuple[int, Any]]:
        """Begin a block for each of a list; those without room (``spare`` blocks are kept) go into one record."""
        room = max(0, MAX_BLOCKS - spare - self.blocks)
        self.over += listed[room:]
        for one in listed[:room]:
            yield self.next(), one

    def next(self) -> int:
        """Begin another block: whoever calls has made sure that there is one."""
        self.blocks += 1
        return self.blocks - 1

    def place(self, block: int, slot: int = CONTENT) -> int:
        """The part of a record of a block."""
        return self.base + BLOCK * (block + 1) + slot

    def say(self, block: int, role: str, author: str, content: list[dict[str, Any]], **more: Any) -> Draft:
        """Add a message; the first of a unit bears its ID. ``more``: as for ``put``."""
        said: dict[str, Any] = {"role": role, "author": author}
        if self.usable is not None and not any(draft.type == "message" for draft in self.drafts):
            said["messageId"] = self.usable
        return self.put(CONTENT, "message", {**said, "content": content}, block=block, **more)

    def keep(self, block: int, kind: Any, value: Any) -> Draft:
        """Add a vendor record for a block of which nothing more is known."""
        return self.put(CONTENT, vendor_type(self.vendor, kind), {"value": value}, block=block)

    def think(self, block: int, said: Any, meta: dict[str, Any], **more: Any) -> Draft:
        """Add what the model thought; where there is no text, the provider kept it to itself."""
        told = isinstance(said, str) and bool(said)
        draft = self.put(
            CONTENT,
            "reasoning",
            {"content": [text_part(said)] if told else []},
            block=block,
            meta=meta,
            **more,
        )
        if not told:
            draft.capture = {"state": "omitted", "reason": "opaque" if meta else "empty"}
        return draft

    def identity(self, block: int, found: Any, meta: dict[str, Any], key: str) -> dict[str, str]:
        """The ID of the call of a block."""
        return call_identity(found, derived(self.position, self.place(block)), key, meta)


class SessionConverter(ABC):
    """The converter of one session; ``snapshot``: its source is rewritten as a whole.

    An agent's own says what ``head`` and ``element`` make of what a document says beside its messages and of a
    message: they put records into the entry, and give what no record holds (None: nothing was made of it).
    ``unique``: whether a message with the ID of another one is the same, told again. ``last``: the ID of the last
    record that carries a context.
    """

    name: str
    version: int
    harness: str
    vendor: str
    losses: tuple[dict[str, str], ...] = ()
    unique = False
    embedded: Sequence[Embedded] = ()

    def __init__(self, *, snapshot: bool) -> None:
        self.lossy = (
            (opaque.DOCUMENT_LOSSES if snapshot else opaque.CONVERTED_LINE_LOSSES) + _LOSSES + self.losses
        )
        self.format_version: str | None = None
        self.workspace: dict[str, Any] | None = None
        self.lineage: Mapping[str, Any] | None = None
        self.session: str | None = None
        self.last: str | None = None
        self._snapshot = snapshot
        self._revisions = Revisions()
        self._standing = Standing()
        self._calls: dict[str, str] = {}
        self._before: dict[str, str | None] = {}

    def convert(self, units: Iterator[Unit], _: NativeFormat | None, __: str = "") -> Iterator[Draft]:
        """Yield the drafts of the units; of lines a malformed last one is held back."""
        for unit in units if self._snapshot else opaque.settled(units):
            if unit.kind == "malformed":
                draft = (opaque.DOCUMENTS if self._snapshot else opaque.LINES).draft(unit, None)
                yield from self._identify(None, [draft])[0]
            else:
                yield from self._drafts(unit)

    @abstractmethod
    def head(self, entry: Entry) -> dict[str, Any] | None:
        """What a document says beside its messages."""

    @abstractmethod
    def element(self, entry: Entry) -> dict[str, Any] | None:
        """A message."""

    def _drafts(self, unit: Unit) -> list[Draft]:
        """The drafts of one unit, in order."""
        value = unit.value if isinstance(unit.value, dict) and NON_FINITE not in unit.flags else {}
        entry = Entry(unit, value, self.vendor, "capture" if self._snapshot else None)
        left = None
        if value:
            left = self.head(entry) if unit.position == 0 else self.element(entry)
        if left is None or not (left or entry.drafts):
            entry.whole(unit, fields.text(value, "role"))
        elif entry.over:
            entry.after(MORE, vendor_type(entry.vendor, "more"), {"value": entry.over})
        drafts = entry.finish(unit, left or {})
        for draft in drafts:
            draft.copied_from = entry.copied
        made, gone = self._identify(entry.native, drafts)
        if entry.summary is not None:
            compaction, said = entry.summary
            compaction.fields = {**({"summary": said.id} if said.id else {}), **compaction.fields}
        return self._bury(entry, made, gone)

    def _identify(self, native: str | None, drafts: list[Draft]) -> tuple[list[Draft], list[str]]:
        """Give drafts their IDs; those that say something, and the IDs of records that stand no more."""
        kept, gone = drafts, list[str]()
        if self.unique:
            kept, gone = self._revisions.identify(native, drafts)
        else:
            for draft in drafts[:1]:
                draft.native_id = native
            for draft in drafts:
                identify(draft, self._revisions.used)
        self.last = next((draft.id for draft in reversed(kept) if carries(draft)), self.last)
        return kept, gone

    def _bury(self, entry: Entry, made: list[Draft], gone: list[str]) -> list[Draft]:
        """The drafts, with tombstones for what a message no longer says when it comes again."""
        if not gone:
            return made
        first = len(entry.drafts)
        for index, target in enumerate(gone[:MAX_TOMBSTONES]):
            entry.after(TOMBSTONES + index, "tombstone", {"target": target, "reason": "replaced"})
        if more := gone[MAX_TOMBSTONES:]:
            value = {"targets": more, "reason": "replaced"}
            entry.after(
                TOMBSTONES + MAX_TOMBSTONES, vendor_type(entry.vendor, "tombstones"), {"value": value}
            )
        buried, _ = self._revisions.identify(None, entry.drafts[first:])
        return sorted(made + buried, key=lambda draft: draft.part)

    def changed(self, name: str, value: Any) -> bool:
        """Tell whether a value that is written when it changes did."""
        return self._standing.changed(name, value)

    def inference(self, entry: Entry) -> str:
        """The ID of the model call that a message is.

        The agents number their messages within a session, and a native ID would be one call in all of them: so it is
        derived, and stays when the message comes again.
        """
        call = derived(entry.position, entry.base + INFERENCE)
        return self._calls.setdefault(entry.usable, call) if self.unique and entry.usable else call

    def compact(self, entry: Entry, said: Draft, replaces: dict[str, Any] | None = None) -> None:
        """Add the compaction whose summary a message is: it replaces all before, or what is said."""
        before = self.last
        if self.unique and entry.usable:
            before = self._before.setdefault(entry.usable, before)
        all_before = {"unknown": True} if before is None else {"through": before}
        entry.summary = entry.after(COMPACTION, "compaction", {"replaces": replaces or all_before}), said

    def about(self, entry: Entry, told: dict[str, Any], meta: dict[str, Any] | None = None) -> None:
        """Record what is said of the session (``git-asr/context``), as far as it changed."""
        new = {key: item for key, item in told.items() if self.changed(key, item)}
        meta = meta if meta and self.changed("about", meta) else None
        self.session = self.session or new.get("session")
        if new or meta:
            entry.after(CONTEXT, "git-asr/context", new, meta=meta)

    def title(self, entry: Entry, found: Any) -> bool:
        """Record the session's title when it changes; whether it is one."""
        if not isinstance(found, str) or not found:
            return False
        if self.changed("title", found):
            entry.after(TITLE, "git-asr/title", {"title": found})
        return True

    def mode(self, entry: Entry, kind: str, found: Any) -> bool:
        """Record a mode when it changes; whether the value is one."""
        if not word(found):
            return False
        if self.changed(f"mode {kind}", found):
            entry.after(MODE, "git-asr/mode", {"kind": kind, "mode": found})
        return True

    def origin(self, session: str, **more: Any) -> dict[str, Any]:
        """A facet of the lineage that a field names."""
        return {"session": {"harness": self.harness, "id": session}, **more, "evidence": "native_field"}


def delegate(entry: Entry, block: int, call: str) -> None:
    """Add the subagent that a call starts."""
    entry.put(SUBAGENT, "subagent", {"callId": call, "state": "started"}, block=block)


def plan(entry: Entry, block: int, call: str, items: list[dict[str, str]]) -> None:
    """Add the plan that a call makes."""
    entry.put(PLAN, "plan", {"items": items, "callId": call}, block=block)


def projection(value: dict[str, Any], ts: str | None) -> set[str]:
    """The keys of what Entire's adapters derive from a message and put beside its own fields.

    A type that is the role, a time that is the message's, and the content in another shape under ``message``.
    """
    role, message, stamp = value.get("role"), value.get("message"), fields.time(value, "timestamp")
    taken = {"type"} if holds(role) and value.get("type") == role else set()
    if ts is not None and stamp is not None and stamp[:19] == ts[:19]:
        taken.add("timestamp")
    if isinstance(message, dict) and message.keys() <= _PROJECTION and message.get("role") == role:
        taken.add("message")
    return taken


def binary(data: Any, media: Any, value: Any) -> dict[str, Any]:
    """The part for base64 of a media type: an image or a file with its bytes, or ``value`` as JSON without any."""
    if not isinstance(data, str) or not data:
        return {"type": "json", "value": value}
    return encoded_part(data, media, value)
