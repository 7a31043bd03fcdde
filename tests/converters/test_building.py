"""What all converters make records with."""

from __future__ import annotations

from typing import Any

import pytest

from git_asr.asr.codec import Raw
from git_asr.asr.ids import SECOND_VALUE
from git_asr.converters.base import Unit
from git_asr.converters.building import (
    MAX_BLOCKS,
    Building,
    absent,
    data_part,
    decoded,
    is_marker,
    join,
    json_text,
)

PIXEL = "data:image/png;base64,QUJD"


def building(index: int = 0, **options: Any) -> tuple[Unit, Building]:
    unit = Unit(3, index, {"a": 1}, b'{"a":1}')
    return unit, Building(unit, "org.example", "2026-01-01T00:00:00Z", **options)


def test_records_stand_by_slot_and_block_and_what_is_about_the_unit_behind_them() -> None:
    unit, made = building(1)
    made.blocks = 2
    about = made.after(80, "git-asr/context", {"cwd": "/w"}, meta={"x": 1})
    second = made.put(0, "message", {}, block=1)
    first = made.put(0, "message", {}, block=0, inference="m")
    assert [one.part - SECOND_VALUE for one in (first, second, about)] == [100, 200, 280]
    assert made.finish(unit, {"y": 2}) == [first, second, about]
    assert first.meta == {"org.example": {"y": 2}}
    assert (first.inference_id, about.meta) == ("m", {"org.example": {"x": 1}})
    assert made.identify(first) == "~3.500100"


def test_blocks_beyond_the_range_do_not_move_what_stands_behind() -> None:
    _, made = building()
    made.blocks = MAX_BLOCKS + 5
    assert made.after(80, "state", {}).part == 100 * MAX_BLOCKS + 80


def test_a_unit_without_records_has_one_if_something_is_left() -> None:
    unit, made = building(id_scope="capture")
    assert made.finish(unit, {}) == []
    (record,) = made.finish(unit, {"a": 1})
    assert (record.type, record.fields, record.id_scope) == (
        "org.example/unit",
        {"value": {"a": 1}},
        "capture",
    )


def test_a_unit_is_kept_as_it_is() -> None:
    unit, made = building()
    assert made.whole(unit, "no word!").fields == {"value": Raw(b'{"a":1}')}
    odd = Unit(1, 0, float("nan"), None, "value", ("non-finite",))
    draft = Building(odd, "org.example", None).whole(odd, "x")
    assert (draft.type, draft.native, draft.fields) == ("org.example/x", {"value": "NaN"}, {})
    masked = Unit(1, 0, "REDACTED", None)
    assert Building(masked, "org.example", None).whole(masked, "x").capture == {"state": "masked"}


def test_keys_that_both_have() -> None:
    assert join(None, {"a": 1}) == {"a": 1}
    assert join({"a": 1}, {"b": 2}) == {"a": 1, "b": 2}
    assert join({"a": 1}, {"a": 2, "block": 3}) == {"a": 2, "block": 3, "block_": {"a": 1}}


@pytest.mark.parametrize(
    ("said", "value", "kept"),
    [
        ('{"a":1}', {"a": 1}, None),
        ('{"a": 1}', {"a": 1}, '{"a": 1}'),
        ('{"a":1,"a":2}', {"a": 2}, '{"a":1,"a":2}'),
        ("no JSON", "no JSON", None),
        ("NaN", "NaN", None),
        ("", "", None),
        ({"a": 1}, {"a": 1}, None),
        ("[" * 490 + "]" * 490, "[" * 490 + "]" * 490, None),
        ("[" * 999, "[" * 999, None),
    ],
)
def test_json_in_a_text(said: Any, value: Any, kept: str | None) -> None:
    assert json_text(said) == (value, kept)


def test_data_uris() -> None:
    assert data_part(PIXEL, 1) == {"type": "image", "data": b"ABC", "mediaType": "image/png"}
    file = {"type": "file", "data": b"ABC", "mediaType": "application/octet-stream", "parameters": ";name=x"}
    assert data_part("data:;name=x;base64,QUJD", 1) == file
    for uri in ("https://example.com/a.png", 7, "data:,x"):
        assert data_part(uri, {"v": uri}) == {"type": "json", "value": {"v": uri}}
    assert data_part("REDACTED", 1) == {"type": "json", "value": 1, "capture": {"state": "masked"}}
    for encoded, state in (
        ("entire-asset:assets/img-1.png", {"state": "omitted", "reason": "an asset of the checkpoint"}),
        ("REDACTED/REDACTED", {"state": "masked"}),
        ("QU=JD", {"state": "omitted", "reason": "not base64"}),
    ):
        found = data_part(f"data:image/png;base64,{encoded}", 1)
        assert found == {"type": "json", "value": 1, "capture": state}
        assert absent(encoded) == state


def test_base64_that_is_none() -> None:
    assert decoded("QUJD") == b"ABC"
    assert [decoded(one) for one in ("", "QUJ", "QUK=", "QU D", 7, None)] == [None] * 6
    assert is_marker("[REDACTED_TOKEN] REDACTED")
    assert not is_marker("REDACTED by hand")
    assert not is_marker(7)
