"""The checker itself: it must find what is missing."""

from __future__ import annotations

import base64
from typing import Any

from git_asr.converters.base import Unit
from tests.support.losslessness import Lost, lost, written

PICTURE = base64.b64encode(b"\x00picture").decode()


def units(*values: Any) -> list[Unit]:
    return [Unit(position, 0, value, None) for position, value in enumerate(values, 1)]


def record(position: int, **fields: Any) -> dict[str, Any]:
    return {"type": "message", "seq": position * 1_000_000, "id": f"r{position}", **fields}


def test_what_is_missing_is_found_with_its_path() -> None:
    value = {"a": {"b": [1, "x", None, "", [], {}]}, "c": True}
    assert list(lost(units(value), [])) == [
        Lost(1, ("a", "b", 0), 1),
        Lost(1, ("a", "b", 1), "x"),
        Lost(1, ("c",), True),
    ]
    assert list(lost(units(value), [written([record(1, fields=[1, "x", True])])])) == []


def test_one_and_true_and_a_double_are_three_values() -> None:
    made = [written([record(1, fields=[1])])]
    assert [one.value for one in lost(units([1, True, 1.0]), made)] == [True, 1.0]


def test_a_value_must_stand_with_its_unit() -> None:
    made = [written([record(2, text="x")])]
    assert [one.position for one in lost(units("x", "x"), made)] == [1]


def test_ids_may_stand_anywhere_and_standing_facts_before() -> None:
    made = [written([record(1, text="x"), record(3, text="y")])]
    values = ({"id": "y", "other": "y"}, "x", "x")
    assert list(lost(units(*values), made, ids={"id"}, standing={"message"})) == [Lost(1, ("other",), "y")]
    assert len(list(lost(units(*values), made, ids={"id"}))) == 3
    repeated = [written(made[0].records, repeated=True)]
    assert list(lost(units("x", "x"), repeated)) == []


def test_what_lies_in_a_blob_is_found() -> None:
    part = {"type": "image", "data": b"\x00picture", "mediaType": "image/png"}
    long = "long" * 20_000
    made = [written([record(1, content=[part, {"type": "text", "text": long}], output={"deep": [long]})])]
    assert len(made[0].blobs) == 3
    assert list(lost(units([PICTURE, long, {"deep": [long]}]), made)) == []
    assert [one.value for one in lost(units(["bm90IHRoZXJl"]), made)] == ["bm90IHRoZXJl"]


def test_what_is_implied_is_not_lost() -> None:
    def implied(unit: Unit, path: tuple[str | int, ...], value: Any) -> bool:
        return (unit.position, path, value) == (1, ("type",), "user")

    assert list(lost(units({"type": "user"}, {"type": "user"}), [], implied=implied)) == [
        Lost(2, ("type",), "user")
    ]
