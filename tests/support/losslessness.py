"""Is anything lost between units and records? (profile section 3, *Losslessness*)

Every leaf of every unit must be found again: in the records of the unit (a standard field, ``_meta``, a vendor record,
a blob of theirs), in an earlier record of a type that is written only when it changes, or, for an ID, anywhere in the
streams. What is left over must be *implied*: said by the type or a field of the record in other words.
Null and empty values may be left out. Works for every converter: give it the units and the streams made of them.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from git_asr.asr import codec, large
from git_asr.asr.draft import Record
from git_asr.asr.ids import PART_SPAN
from git_asr.converters.base import Unit

Path = tuple[str | int, ...]
Leaf = tuple[type, Any]
Implied = Callable[[Unit, Path, Any], bool]


@dataclass(frozen=True, slots=True)
class Lost:
    """A leaf that no record holds."""

    position: int
    path: Path
    value: Any


@dataclass(slots=True)
class Written:
    """Records as they are written, and the blobs that they name.

    ``repeated``: the source repeats whole units of this stream, which are recorded when they change.
    """

    records: list[Record] = field(default_factory=list)
    blobs: dict[str, bytes] = field(default_factory=dict)
    repeated: bool = False

    def put(self, data: bytes, media_type: str) -> large.Blob:
        blob = large.describe(data, media_type)
        self.blobs[blob.sha256] = data
        return blob


def written(records: Iterable[Record], *, repeated: bool = False) -> Written:
    """Write records and read them again."""
    out = Written(repeated=repeated)
    out.records = [codec.decode(large.line(record, out.put)).value for record in records]
    return out


def leaves(value: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    """Every scalar of a value with its path; null, empty text, arrays and objects are none."""
    if isinstance(value, dict):
        for key, item in value.items():
            yield from leaves(item, (*path, key))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from leaves(item, (*path, index))
    elif value is not None and value != "":
        yield path, value


def lost(
    units: Iterable[Unit],
    streams: Sequence[Written],
    *,
    standing: Collection[str] = (),
    ids: Collection[str] = (),
    implied: Implied = lambda *_: False,
) -> Iterator[Lost]:
    """The leaves of the units that are nowhere.

    ``standing``: types of records whose facts hold until they change. ``ids``: keys whose values are IDs.
    ``implied``: tells whether the record says a leaf in other words; it is not asked about a unit that is a scalar.
    """
    own: dict[int, set[Leaf]] = defaultdict(set)
    facts: dict[int, set[Leaf]] = defaultdict(set)
    everywhere: set[Leaf] = set()
    for stream in streams:
        for record in stream.records:
            position = record["seq"] // PART_SPAN
            found = {(type(item), item) for _, item in leaves(record)}
            for sha, text in _blobs(record, stream.blobs):
                found.add((bytes, sha))
                found |= {(type(item), item) for _, item in leaves(text)}
            own[position] |= found
            everywhere |= found
            if stream.repeated or record["type"] in standing:
                facts[position] |= found
    known: set[Leaf] = set()
    for unit in units:
        known |= facts[unit.position]
        here = own[unit.position]
        for path, item in leaves(unit.value):
            leaf = (type(item), item)
            if leaf in here or leaf in known or (path and implied(unit, path, item)):
                continue
            if path and path[-1] in ids and leaf in everywhere:
                continue
            digest = (bytes, _digest(item) if isinstance(item, str) else None)
            if digest in here or digest in known:
                continue
            yield Lost(unit.position, path, item)


def _blobs(value: Any, blobs: Mapping[str, bytes]) -> Iterator[tuple[str, Any]]:
    """The blobs that a record names, with their text or JSON value where they are that."""
    todo = [value]
    while todo:
        item = todo.pop()
        if isinstance(item, list):
            todo.extend(item)
        elif isinstance(item, dict):
            todo.extend(item.values())
            if isinstance(sha := item.get("blob"), str) and sha in blobs:
                kind = item.get("mediaType")
                data = blobs[sha]
                text = data.decode() if kind == "text/plain" else None
                value = codec.decode(data).value if kind == "application/json" else text
                todo.append(value)  # it may name others
                yield sha, value


def _digest(text: str) -> str | None:
    """The digest of base64, which may stand in a data URI."""
    if text.startswith("data:"):
        text = text.partition(";base64,")[2]
    try:
        return hashlib.sha256(base64.b64decode(text, validate=True)).hexdigest()
    except (binascii.Error, ValueError):
        return None
