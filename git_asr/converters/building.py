"""The records of one unit while they are made: where each stands, what no field takes, what is a blob or masked.

What the converters of all agents need alike (docs/adding-an-agent.md). An agent's own slots are in a table of its own.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from operator import attrgetter
from typing import Any, ClassVar

from git_asr.asr import codec
from git_asr.asr.codec import NON_FINITE
from git_asr.asr.draft import Draft
from git_asr.asr.ids import SECOND_VALUE, derived, holds_marker, usable
from git_asr.asr.kinds import JOINED
from git_asr.converters.base import Unit

CONTENT = 0
"""Slot of what the unit or the block is."""
BLOCK = 100
MAX_BLOCKS = 4_900
"""Blocks that have parts of their own; so even a second value on a line ends below one million."""
MAX_WORD = 1000
"""Characters of a name, a kind or a version: such fields stand in the record itself, however it is written."""

_MAX_LEVELS = 480
"""Levels of a value that stood in a text; a few below those of a unit (``units.MAX_LEVELS``)."""

_PLAIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]*")
_ASSET = "entire-asset:"
_MARKERS = re.compile(r"(?:\[?REDACTED(?:_[A-Z0-9]++)*+\]?+|[\s/+=:,.-]++)++")
_CANONICAL = re.compile(r"[A-Za-z0-9+/]*={0,2}")
_DATA_URI = re.compile(r"data:([^;,]{0,200})((?:;[^;,]{1,200}){0,10});base64,", re.ASCII)


class Building:
    """A unit and the drafts made of it so far.

    ``vendor``: the agent's prefix of vendor types and key of ``_meta``. ``ts``: the time of its records.
    ``id_scope``: that of its derived IDs (profile section 3). ``blocks``: how many content blocks have parts of their
    own: what is put *after* stands behind them. ``nameless``: the name of vendor records whose native type is no plain
    word.
    """

    nameless: ClassVar[str] = "unit"
    __slots__ = ("base", "blocks", "drafts", "id_scope", "position", "ts", "vendor")

    def __init__(self, unit: Unit, vendor: str, ts: str | None, *, id_scope: str | None = None) -> None:
        self.vendor = vendor
        self.position = unit.position
        self.base = SECOND_VALUE if unit.index else 0
        self.ts = ts
        self.id_scope = id_scope
        self.drafts: list[Draft] = []
        self.blocks = 0

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
        """Add a record of the unit, or of one of its blocks (below ``MAX_BLOCKS``); ``meta`` goes under the vendor."""
        part = self.base + slot if block is None else self.base + BLOCK * (block + 1) + slot
        ours = {self.vendor: meta} if meta else None
        draft = Draft(kind, self.position, part, fields, self.ts, inference, supersedes, capture, ours)
        draft.id_scope = self.id_scope
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
        inference: str | None = None,
    ) -> Draft:
        """Add a record about the unit, behind its content."""
        block = min(self.blocks, MAX_BLOCKS) - 1 if self.blocks else None
        return self.put(
            slot, kind, fields, block=block, meta=meta, supersedes=supersedes, inference=inference
        )

    def bury(self, targets: Sequence[str], reason: str, slot: int, most: int, rest: int) -> None:
        """Add tombstones behind the content, in ``most`` slots from ``slot`` on; those beyond go to one record."""
        for index, target in enumerate(targets[:most]):
            self.after(slot + index, "tombstone", {"target": target, "reason": reason})
        if more := targets[most:]:
            value = {"targets": more, "reason": reason}
            self.after(rest, vendor_type(self.vendor, "tombstones"), {"value": value})

    def whole(self, unit: Unit, kind: Any) -> Draft:
        """Add a vendor record that holds the unit as it is; ``kind``: its native type."""
        fields: dict[str, Any] = {}
        draft = self.put(CONTENT, vendor_type(self.vendor, kind, self.nameless), fields)
        if NON_FINITE in unit.flags:
            draft.native = {"value": codec.lenient(unit.value)}
        else:
            fields["value"] = unit.value if unit.text is None else codec.Raw(unit.text)
        if may_be_masked(unit) and holds_marker(unit.value):
            draft.capture = {"state": "masked"}
        return draft

    def identify(self, draft: Draft) -> str:
        """The ID that a draft without a native one will get."""
        return derived(self.position, draft.part)

    def finish(self, unit: Unit, left: dict[str, Any]) -> list[Draft]:
        """The drafts in order; what of the unit no record holds (``left``) goes to the first, or makes one.

        Says of the first how the unit had to be read, and of each that holds a redaction marker that it is masked.
        """
        made = self.drafts
        if left and not made:
            self.put(CONTENT, vendor_type(self.vendor, None, self.nameless), {"value": left})
            left = {}
        if not made:
            return made
        if len(made) > 1:
            made.sort(key=attrgetter("part"))
        first = made[0]
        if left:
            meta = first.meta
            first.meta = (
                {self.vendor: left}
                if meta is None
                else {**meta, self.vendor: join(meta.get(self.vendor), left)}
            )
        if unit.flags:
            first.meta = {**(first.meta or {}), "git-asr/encoding": list(unit.flags)}
        if may_be_masked(unit):
            for draft in made:
                if draft.capture is None and holds_marker(draft.fields):
                    draft.capture = {"state": "masked"}
        return made


@dataclass(slots=True)
class Standing:
    """What is written when it changes, as last written.

    ``values``: by its name, the value as JSON.
    """

    values: dict[str, bytes] = field(default_factory=dict, kw_only=True)

    def changed(self, name: str, value: Any) -> bool:
        """Note a value; whether it is another than the last one of this name."""
        said = codec.identity(value)
        if self.values.get(name) == said:
            return False
        self.values[name] = said
        return True

    def is_told(self, name: str, value: Any) -> bool:
        """Tell whether a value is the last one of this name."""
        return name in self.values and self.values[name] == codec.identity(value)


def may_be_masked(unit: Unit) -> bool:
    """Tell whether it is worth looking for redaction markers in what was made of a unit."""
    return unit.text is None or unit.text.rfind(b"REDACTED") >= 0  # from the end takes half as long


def rest(value: Mapping[str, Any], taken: Collection[str]) -> dict[str, Any]:
    """What an object holds beside the keys that fields take, without what is null or empty."""
    if isinstance(taken, frozenset) and taken.issuperset(value):
        return {}
    return {key: item for key, item in value.items() if key not in taken and (item or item == 0)}


def holds(value: Any) -> bool:
    """Tell whether a value says something: null, empty text, arrays and objects do not."""
    return bool(value) or value == 0


def join(meta: dict[str, Any] | None, more: dict[str, Any]) -> dict[str, Any]:
    """Both in one object; where they share a key, what was there moves below ``block``."""
    if not meta:
        return more
    if meta.keys().isdisjoint(more):
        return {**meta, **more}
    name = JOINED
    while name in more:
        name += "_"
    return {**more, name: meta}


def word(value: Any) -> str | None:
    """A text that can be a name, a kind or a version; None for any other value."""
    return value if isinstance(value, str) and len(value) <= MAX_WORD else None


def vendor_type(vendor: str, name: Any, nameless: str = Building.nameless) -> str:
    """The type of a vendor record for a native type; one that is no plain word gives ``nameless``."""
    plain = isinstance(name, str) and len(name) <= 64 and _PLAIN.fullmatch(name)
    return f"{vendor}/{name if plain else nameless}"


def json_text(said: Any) -> tuple[Any, str | None]:
    """The value of a text that is JSON, and the text itself if writing the value would not give it back.

    What is no text, or no JSON, or nested too deeply for a record, is its own value.
    """
    if not isinstance(said, str):
        return said, None
    data = said.encode("utf-8", "surrogatepass")
    if len(data) > 2 * _MAX_LEVELS and codec.deeper(data, _MAX_LEVELS):
        return said, None
    try:
        found = codec.decode(data)
    except codec.JsonError:
        return said, None
    if found.flags:
        return said, None
    return found.value, None if codec.encode(found.value) == data else said


def around(sent: str, said: str) -> tuple[list[str], str]:
    """What stands around a text in what was sent, and where; all that was sent if the text is not there."""
    before, found, behind = sent.partition(said) if said else (sent, "", "")
    where = "around" if before and behind else "before" if before else "behind"
    return [one for one in (before, behind) if one], where if found else "instead"


def text_part(text: str) -> dict[str, Any]:
    """The part for a text."""
    return {"type": "text", "text": text}


Part = tuple[dict[str, Any], dict[str, Any]]
"""A part of a record's content, and what of the native one it does not hold."""


def listed(
    content: Sequence[Any], part: Callable[[Any], Part]
) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """The parts of a list, each made by ``part``, and the leftovers by index."""
    found, left = [], {}
    for index, one in enumerate(content):
        made, over = part(one)
        found.append(made)
        if over:
            left[str(index)] = over
    return found, left


def data_part(uri: Any, value: Any) -> dict[str, Any]:
    """The part for a data URI: an image or a file with its bytes, or ``value`` as JSON where it holds none.

    Bytes may have gone to an asset of the checkpoint or to redaction (reference native-transcripts, section 1.5); an
    address of something elsewhere stays what it is. The media type is the URI's; ``parameters`` are what it says
    beside that, as recorded.
    """
    found = _DATA_URI.match(uri) if isinstance(uri, str) else None
    if found is None:
        return {
            "type": "json",
            "value": value,
            **({"capture": {"state": "masked"}} if is_marker(uri) else {}),
        }
    encoded = uri[found.end() :]
    data = None if is_marker(encoded) else decoded(encoded)
    if data is None:
        return {"type": "json", "value": value, "capture": absent(encoded)}
    media = found[1] or "application/octet-stream"
    part = {"type": "image" if media.startswith("image/") else "file", "data": data, "mediaType": media}
    return {**part, "parameters": found[2]} if found[2] else part


def decoded(text: Any) -> bytes | None:
    """The bytes of base64 that writing them anew gives back; None for anything else."""
    if not isinstance(text, str) or not text or len(text) % 4 or not _CANONICAL.fullmatch(text):
        return None
    data = base64.b64decode(text)
    return data if base64.b64encode(data) == text.encode() else None


def is_marker(text: Any) -> bool:
    """Tell whether a text is nothing but redaction markers and what separates them."""
    return isinstance(text, str) and "REDACTED" in text and _MARKERS.fullmatch(text) is not None


def absent(text: str) -> dict[str, Any]:
    """``capture`` of bytes for which only a text stands here."""
    if text.startswith(_ASSET):
        return {"state": "omitted", "reason": "an asset of the checkpoint"}
    return {"state": "masked"} if is_marker(text) else {"state": "omitted", "reason": "not base64"}


def encoded_part(encoded: str, media: Any, value: Any) -> dict[str, Any]:
    """The part for base64: an image or a file with its bytes, or ``value`` as JSON where it holds none.

    ``media``: the media type as recorded; without one that can be a media type the bytes are just bytes.
    """
    data = None if is_marker(encoded) else decoded(encoded)
    if data is None:
        return {"type": "json", "value": value, "capture": absent(encoded)}
    kind = word(media) or "application/octet-stream"
    return {"type": "image" if kind.startswith("image/") else "file", "data": data, "mediaType": kind}


def call_identity(found: Any, place: str, key: str, meta: dict[str, Any]) -> dict[str, str]:
    """The ID of a call: the agent's, else the one from its ``place``; what was found instead goes to ``meta``."""
    if isinstance(found, str) and usable(found):
        return {"callId": found}
    if holds(found):
        meta[key] = found
    return {"callId": place, "callIdSource": "derived"}
