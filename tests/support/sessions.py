"""What holds for every converter of sessions that are told message by message (``converters/session.py``)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Any

import orjson
from hypothesis import strategies as st

from git_asr.asr import codec
from git_asr.asr.draft import Record
from git_asr.asr.large import describe, line
from git_asr.asr.numbering import number
from git_asr.converters.base import Unit
from git_asr.converters.registry import FORMATS
from git_asr.converters.session import SessionConverter
from git_asr.converters.units import read_units
from tests.converters import goldens
from tests.converters.rules import check_stream
from tests.support.losslessness import Implied, Lost, lost, written
from tests.support.mutations import odd


@dataclass(frozen=True, slots=True)
class Agent:
    """A converter under test: its class, and what its records say in other words."""

    harness: str
    make: Callable[..., SessionConverter]
    implied: Implied
    ids: Collection[str] = ()

    def units(self, text: bytes, *, snapshot: bool = True) -> list[Unit]:
        named = (
            one for one in FORMATS if one.harness == self.harness and (one.array is not None) is snapshot
        )
        return list(read_units([text], next(named)))

    def of(self, found: Sequence[Unit], *, snapshot: bool) -> list[Record]:
        return list(number(self.make(snapshot=snapshot).convert(iter(found), None)))

    def document(self, head: dict[str, Any], *elements: Any) -> list[Record]:
        """The records of a document."""
        return self.of(as_units(head, elements, snapshot=True), snapshot=True)

    def lines(self, *values: Any) -> list[Record]:
        """The records of lines."""
        return self.of(as_units(None, values, snapshot=False), snapshot=False)

    def lost_of(self, found: Sequence[Unit], records: Sequence[Record]) -> list[Lost]:
        """What is lost; what was said before need not be said again."""
        told = [unit for unit in found if unit.kind == "value" and "non-finite" not in unit.flags]
        return list(lost(told, [written(records, repeated=True)], ids=self.ids, implied=self.implied))

    def losses(self, *elements: Any, head: Any = None) -> list[Lost]:
        """What converting a document loses."""
        found = as_units(head, elements, snapshot=True)
        return self.lost_of(found, self.of(found, snapshot=True))

    def check(self, found: Sequence[Unit], *, snapshot: bool) -> None:
        """Convert units and see that every rule holds, and that the first of them give the first records."""
        records = self.of(found, snapshot=snapshot)
        encoded = [line(one, describe) for one in records]
        assert encoded == [line(one, describe) for one in self.of(found, snapshot=snapshot)]
        out = written(records).records
        strict = snapshot or all(unit.text is not None for unit in found)
        assert not strict or [codec.encode(one) + b"\n" for one in out] == encoded
        check_stream(out)
        missing = self.lost_of(found, records)
        assert missing == [], missing
        for count in range(len(found)):
            some = [line(one, describe) for one in self.of(found[:count], snapshot=snapshot)]
            assert some == encoded[: len(some)]

    def cases(self) -> list[str]:
        """The folders of its fixtures."""
        return [case for case in goldens.cases() if case.startswith(f"{self.harness}/")]

    def fixture(self, case: str) -> tuple[list[Unit], bool]:
        """The units of a fixture, and whether it is a document."""
        native, found = goldens.units(goldens.chunks(case))
        assert native is not None
        assert native.harness == self.harness
        return found, native.array is not None

    def values(self) -> list[Any]:
        """The values of all fixtures that strict JSON can write, to be mutated."""
        read = [self.fixture(case) for case in self.cases()]
        units = [unit for found, snapshot in read for unit in found if snapshot or unit.text is not None]
        return [unit.value for unit in units if isinstance(unit.value, dict)]


def as_units(head: Any, values: Sequence[Any], *, snapshot: bool) -> list[Unit]:
    """Units as they are read: of lines the text is at hand."""
    if snapshot:
        first = [Unit(0, 0, head, None)] if head else []
        return first + [Unit(at, 0, one, None) for at, one in enumerate(values, 1)]
    return [Unit(at, 0, one, codec.encode(one)) for at, one in enumerate(values, 1)]


def size(records: Sequence[Record]) -> int:
    return sum(len(line(one, describe)) for one in records)


def damaged(values: Sequence[Any], at: int) -> bytes:
    """Lines of which one cannot be read."""
    texts = [orjson.dumps(one) for one in values]
    texts[at] = b'{"cut": ['
    return b"\n".join(texts) + b"\n"


ids = st.sampled_from(["a", "b", "REDACTED", "", "~1.0", "~2.100", "\ud800"])
stamps = odd | st.sampled_from(["2026-01-01T00:00:00Z", "0001-01-01T00:00:00Z", 1777885200, 1777885200123])
