"""A converter of lines that follow one another, for formats that are understood in a page of code."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any

from git_asr.asr.codec import NON_FINITE
from git_asr.asr.draft import Draft
from git_asr.converters import opaque
from git_asr.converters.base import Embedded, NativeFormat, Unit
from git_asr.converters.building import Building, Standing, rest
from git_asr.converters.extended import mypyc_attr
from git_asr.converters.versions import VERSIONS

EMPTY_VALUES = {
    "feature": "empty_values",
    "reason": "null, empty text, arrays and objects are not kept as fields",
}


@mypyc_attr(allow_interpreted_subclasses=True)
class Reader(ABC):
    """What one session's lines mean. ``workspace``: the directory as first recorded."""

    def __init__(self) -> None:
        self.workspace: dict[str, Any] = {}
        self._standing = Standing()

    @abstractmethod
    def read(self, line: Building, value: dict[str, Any]) -> Collection[str] | None:
        """Make the records of a line, at least one; the keys that they hold, None where it must be kept as it is."""

    def changed(self, name: str, value: Any) -> bool:
        """Tell whether a value that is written when it changes did."""
        return self._standing.changed(name, value)


class Successive:
    """The converter of one session. ``native``: its format, which says of a line its ID, time and type.

    ``vendor``: prefix of vendor types and key of ``_meta``. ``lossy``: what is lost beside what all lines lose.
    ``reader``: makes what says what the lines mean.
    """

    format_version: str | None = None
    embedded: Sequence[Embedded] = ()

    def __init__(
        self, name: str, native: NativeFormat, vendor: str, lossy: opaque.Losses, reader: Callable[[], Reader]
    ) -> None:
        self.name = name
        self.version = VERSIONS[name]
        self.lossy = (*opaque.CONVERTED_LINE_LOSSES, EMPTY_VALUES, *lossy)
        self._native = native
        self._vendor = vendor
        self._make = reader
        self._reader = reader()

    @property
    def workspace(self) -> Mapping[str, Any] | None:
        """The directory as first recorded."""
        return self._reader.workspace or None

    def convert(self, units: Iterator[Unit], _: NativeFormat | None, __: str = "") -> Iterator[Draft]:
        """Yield the drafts of the units; a malformed last one is held back."""
        self._reader = self._make()
        for unit in opaque.settled(units):
            if unit.kind == "malformed":
                yield opaque.notice(unit)
            else:
                yield from self._drafts(unit)

    def _drafts(self, unit: Unit) -> list[Draft]:
        """The drafts of one unit, in order."""
        facts = self._native.facts(unit.value)
        line = Building(unit, self._vendor, facts.ts)
        taken: Collection[str] | None = None
        if isinstance(unit.value, dict) and NON_FINITE not in unit.flags:
            taken = self._reader.read(line, unit.value)
        if taken is None:
            line.drafts.clear()
            line.whole(unit, facts.type)
        made = line.finish(unit, {} if taken is None else rest(unit.value, taken))
        made[0].native_id = facts.id
        return made
