"""A converter of lines under test: what the tests of the small ones share."""

from __future__ import annotations

import random
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Any

from git_asr.asr import codec
from git_asr.asr.codec import NON_FINITE
from git_asr.asr.draft import Record
from git_asr.asr.large import describe, line
from git_asr.asr.numbering import number
from git_asr.converters.base import Converter, Unit
from git_asr.converters.units import read_lines
from tests.converters import goldens
from tests.converters.rules import check_stream
from tests.support.beginnings import broken
from tests.support.losslessness import Implied, Lost, lost, written
from tests.support.mutations import varied


@dataclass(frozen=True)
class Converting:
    """``make``: makes the converter. ``implied``: whether records say a leaf in other words; ``says`` is given the
    records of a conversion and makes such a test of them. ``ids``: keys whose values are IDs. ``standing``: types of
    records that hold until they change. ``repeated``: whether units may come again.
    """

    make: Callable[[], Converter]
    says: Callable[[Sequence[Record]], Implied]
    ids: Collection[str] = ()
    standing: Collection[str] = ()
    repeated: bool = False

    def of(self, units: Sequence[Unit]) -> list[Record]:
        return list(number(self.make().convert(iter(units), None, "stream")))

    def convert(self, *values: Any) -> list[Record]:
        return self.of(as_units(values))

    def lost_of(self, units: Sequence[Unit], records: Sequence[Record]) -> list[Lost]:
        made = [written(records, repeated=self.repeated)]
        held = [] if units and units[-1].kind == "malformed" else units[-1:]
        told = [unit for unit in (*units[:-1], *held) if NON_FINITE not in unit.flags]  # kept as text
        return list(
            lost(told, made, standing=self.standing, ids=self.ids, implied=self.says(made[0].records))
        )

    def losses(self, *values: Any) -> list[Lost]:
        return self.lost_of(as_units(values), self.convert(*values))

    def check(self, units: Sequence[Unit]) -> None:
        """Convert units and see that every rule holds, and that the first ones give the first records."""
        records = self.of(units)
        encoded = [line(one, describe) for one in records]
        assert encoded == [line(one, describe) for one in self.of(units)]
        out = written(records).records
        assert [codec.encode(one) + b"\n" for one in out] == encoded
        check_stream(out)
        found = self.lost_of(units, records)
        assert found == [], found
        for count in range(len(units)):
            some = [line(one, describe) for one in self.of(units[:count])]
            assert some == encoded[: len(some)]

    def check_case(self, case: str) -> None:
        """Check a fixture, cut after every line."""
        found = units_of(case)
        self.check(found)
        assert broken(self.make, found, "stream") == []

    def check_damage(self, case: str) -> None:
        """Whichever line of a fixture is damaged, the lines before give what they gave, and nothing raises."""
        found = units_of(case)
        encoded = [(one["seq"], line(one, describe)) for one in self.of(found)]
        for unit in found:
            damaged = [
                Unit(one.position, one.index, "{damaged", None, "malformed") if one is unit else one
                for one in found
            ]
            records = self.of(damaged)
            before = [text for seq, text in encoded if seq < (unit.position * 2 + unit.index) * 500_000]
            assert [line(one, describe) for one in records][: len(before)] == before
            check_stream(written(records).records)
            assert self.lost_of([one for one in found if one is not unit], records) == []

    def check_growth(self, make: Callable[[int], Sequence[Any]]) -> None:
        """Twice the lines give about twice the bytes."""

        def size(count: int) -> int:
            values = [one for n in range(count) for one in make(n)]
            return sum(len(line(record, describe)) for record in self.convert(*values))

        assert size(1_000) < 2.2 * size(500)


def as_units(values: Sequence[Any]) -> list[Unit]:
    """Units as they are read from lines of these values."""
    return list(read_lines([b"".join(codec.encode(one) + b"\n" for one in values)]))


def units_of(case: str) -> list[Unit]:
    native, found = goldens.units(goldens.chunks(case))
    assert native is not None
    return found


def cases(harness: str, *without: str) -> list[str]:
    """The fixtures of an agent."""
    names = {f"{harness}/{one}" for one in without}
    return [case for case in goldens.cases() if case.startswith(f"{harness}/") and case not in names]


def values_of(listed: Sequence[str]) -> list[Any]:
    """The values of fixtures that can be written as strict lines."""
    return [
        unit.value for case in listed for unit in units_of(case) if unit.kind == "value" and not unit.flags
    ]


def mutated(values: Sequence[Any], picked: Sequence[tuple[int, int]], choose: random.Random) -> list[Unit]:
    """Units of picked values, each mutated so many times."""
    found = varied(values, picked, choose)
    return as_units(found)
