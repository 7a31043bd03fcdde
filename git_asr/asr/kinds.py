"""Native kinds that show in records, and those of them that a converter does not know (*drift*).

Converters lose nothing, so what one has no place for is in its records. A kind is one of these, written as text:

- ``type NAME``: a vendor record, by its type without the vendor. Of a unit that is kept whole, the ``type`` and the
  ``subtype`` that it says itself follow after slashes, where they are other names; of what was left of a unit, its
  fields after dots.
- ``field NAME.NAME``: a field in ``_meta`` under the agent's key.
- ``block NAME``: a block of a message's or of reasoning's content that stays JSON, by its type, else by its keys.
- ``result NAME``: such a block in a result, by its type; what has none there is what a tool returned.
- ``attachment NAME``: a ``git-asr/attachment``, by its native type.

For what is no name (an index, an ID, a path) stands ``*``; in what is known, that stands for any name.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from git_asr.asr import codec
from git_asr.asr.draft import Record

ANY = "*"
JOINED = "block"
"""Key under which ``_meta`` has fields that share a key with others; what it holds stands for itself."""
LEVELS = 3
"""Names of a field at most, from the unit on; what lies deeper belongs to it."""
MOST = 50
"""Kinds that are noted of one stream; what agents write decides how many there are."""

_NAME = re.compile(r"(?![0-9]+$)(?!(?:[^0-9]*[0-9]){4})[A-Za-z0-9_$][A-Za-z0-9_$-]{0,63}")
"""What may name a kind. Four digits make an ID or a time of it."""
_BLOCKS = {"message": "block", "reasoning": "block", "tool_result": "result"}
_OURS = "git-asr/"
_ATTACHMENT = "git-asr/attachment"
_KEYS = 3
"""Keys that name a block without a type, at most."""
_NESTED = (dict, list)
"""Types of values that may have fields."""


class Known:
    """The kinds that a converter knows, each with what stands below it."""

    __slots__ = ("tree",)

    def __init__(self, kinds: Iterable[str], data: Iterable[str] = ()) -> None:
        """``data``: kinds that end in ``*``; everything below is known."""
        self.tree: dict[str, dict[str, Any]] = {
            what: {} for what in ("type", "field", "block", "result", "attachment")
        }
        for kind in kinds:
            self._add(kind)
        for kind in data:
            below = self._add(kind)
            below[ANY] = below

    def _add(self, kind: str) -> dict[str, Any]:
        what, _, name = kind.partition(" ")
        below = self.tree[what]
        for step in name.split("."):
            below = below.setdefault(step, {})
        return below

    def has(self, kind: str) -> bool:
        """Tell whether a kind is known; so is all below what is known without anything below it."""
        what, _, name = kind.partition(" ")
        below = self.tree.get(what, {})
        for number, step in enumerate(name.split(".")):
            if number and not below:
                return True
            found = below.get(step, below.get(ANY))
            if found is None:
                return False
            below = found
        return True


class Found:
    """A kind that was found: in how many records, the ID of the first one, and of the last."""

    __slots__ = ("first", "last", "records")

    def __init__(self, record: str) -> None:
        self.records = 1
        self.first = record
        self.last = record


class Drift:
    """Watches the records of one stream for kinds that its converter does not know.

    ``found``: by the kind. Nothing is looked at below an unknown kind, and below a field that never had fields.
    ``more``: there are more kinds than are noted. ``records``: how many records have any.
    """

    def __init__(self, known: Known, *, everything: bool = False) -> None:
        """``everything``: look also below fields that never had any."""
        self._all = everything
        self.found: dict[str, Found] = {}
        self.more = False
        self.records = 0
        self._tree = known.tree
        self._fields = known.tree["field"]
        self._record = ""

    def note(self, record: Record) -> None:
        """Look at a record, one that was just made or one that was read."""
        kind = record["type"]
        if kind in _BLOCKS:
            content = record.get("content")
            for part in content if isinstance(content, list) else ():
                if type(part) is dict and part.get("type") == "json":
                    self._block(record, _BLOCKS[kind], part.get("value"))
        elif kind == _ATTACHMENT:
            name = record.get("kind")
            self._named(record, "attachment", [name if isinstance(name, str) else ANY])
        elif "/" in kind and not kind.startswith(_OURS):
            self._unit(record, kind)
        if "_meta" in record and type(meta := record["_meta"]) is dict:
            for vendor, found in meta.items():
                if (
                    type(found) is dict
                    and (self._all or not _are_known(found, self._fields))
                    and "/" not in vendor
                ):
                    self._object(record, found, self._fields, "field ", LEVELS)

    def summary(self) -> dict[str, Any]:
        """What a manifest says of it; empty where there is none."""
        if not self.found:
            return {}
        kinds = {
            kind: {"records": one.records, "first": one.first} for kind, one in sorted(self.found.items())
        }
        return {"kinds": kinds, **({"more": True} if self.more else {})}

    def _unit(self, record: Record, kind: str) -> None:
        """A vendor record; one that only holds what no JSON can say is no kind of its own."""
        value = record.get("value")
        if value is None and "native" in record:
            return
        if isinstance(value, codec.Raw):
            value = codec.strict(value.data)
        said = value if isinstance(value, dict) else {}
        own = said.get("type")
        names = [kind[kind.index("/") + 1 :]]
        if isinstance(own, str):
            names += [one for one in (own, said.get("subtype")) if isinstance(one, str) and one != names[0]]
        below = self._named(record, "type", names)
        if below is not None and own is None and (self._all or not _are_known(said, below)):
            self._object(record, said, below, f"type {names[0]}.", LEVELS - 1)

    def _block(self, record: Record, what: str, value: Any) -> None:
        """A part of a content that stays JSON."""
        name = value.get("type") if isinstance(value, dict) else None
        if isinstance(name, str):
            self._named(record, what, [name])
        elif isinstance(value, dict) and what == "block":
            self._named(record, what, ["-".join(sorted(map(_name, value))[:_KEYS])])

    def _named(self, record: Record, what: str, names: list[str]) -> dict[str, Any] | None:
        """What is known below a name, or several; None where it is not known, which is noted."""
        known = self._tree[what]
        below: dict[str, Any] | None = known.get("/".join(names))
        if below is None:
            name = "/".join(map(_name, names))
            below = known.get(name, known.get(ANY))
            if below is None:
                self._add(record, f"{what} {name}")
        return below

    def _object(
        self, record: Record, found: dict[str, Any], known: dict[str, Any], path: str, levels: int
    ) -> None:
        """The fields of an object, and of what it holds, so many levels deep."""
        for key, value in found.items():
            name = key if key in known else ANY
            below = known.get(name)
            if below is None:
                if isinstance(value, dict) and key.rstrip("_") == JOINED:
                    self._object(record, value, known, path, levels)
                else:
                    self._add(record, path + _name(key))
            elif levels > 1 and (below or self._all):
                for one in value if isinstance(value, list) else (value,):
                    if isinstance(one, dict):
                        self._object(record, one, below, f"{path}{name}.", levels - 1)

    def _add(self, record: Record, kind: str) -> None:
        identifier = record["id"]
        if self._record != identifier:
            self._record = identifier
            self.records += 1
        one = self.found.get(kind)
        if one is None:
            if len(self.found) < MOST:
                self.found[kind] = Found(identifier)
            else:
                self.more = True
        elif one.last != identifier:
            one.last = identifier
            one.records += 1


def _are_known(found: dict[str, Any], known: dict[str, Any]) -> bool:
    """Tell whether all fields of an object are known by their own names: nearly always, so this has to be quick."""
    if not found.keys() <= known.keys():
        return False
    for key, value in found.items():
        if type(value) in _NESTED and (below := known[key]):
            for one in value if type(value) is list else (value,):
                if type(one) is dict and not _are_known(one, below):
                    return False
    return True


def _name(found: Any) -> str:
    """A name, or what stands for all that is none."""
    return found if isinstance(found, str) and _NAME.fullmatch(found) else ANY
