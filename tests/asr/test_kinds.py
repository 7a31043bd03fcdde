"""Which kinds a record shows, and which of them are not known."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from git_asr.asr import codec
from git_asr.asr.kinds import MOST, Drift, Known

VENDOR = "com.example.agent"
META = "_meta"


def watch(*records: dict[str, Any], known: Known | None = None, everything: bool = False) -> Drift:
    drift = Drift(known or Known([]), everything=everything)
    for number, record in enumerate(records):
        drift.note({"id": f"r{number}", "type": "message", **record})
    return drift


def kinds(
    *records: dict[str, Any], known: list[str] | None = None, data: list[str] | None = None
) -> list[str]:
    return sorted(watch(*records, known=Known(known or [], data or [])).found)


def meta(**fields: Any) -> dict[str, Any]:
    return {META: {VENDOR: fields}}


def unit(name: str, **fields: Any) -> dict[str, Any]:
    return {"type": f"{VENDOR}/{name}", **fields}


def part(value: Any) -> dict[str, Any]:
    return {"type": "json", "value": value}


@pytest.mark.parametrize(
    ("record", "kind"),
    [
        (unit("turn", value="text"), "type turn"),
        (unit("turn"), "type turn"),
        (unit("turn", value={"type": "turn", "x": 1}), "type turn"),
        (unit("event", value={"type": "turn", "subtype": "late"}), "type event/turn/late"),
        (unit("event", value={"type": "event", "subtype": "late"}), "type event/late"),
        (unit("event", value=codec.Raw(b'{"type":"turn"}')), "type event/turn"),
        (unit("event", value={"type": "no name!"}), "type event/*"),
        (unit("event", value={"type": 5}), "type event"),
        (unit("no name!", value=[]), "type *"),
        ({"content": [part({"type": "hologram"})]}, "block hologram"),
        ({"type": "reasoning", "content": [part({"type": "\x1b[31m"})]}, "block *"),
        ({"content": [part({"b": 1, "a": 2, "d": 3, "c": 4})]}, "block a-b-c"),
        ({"type": "tool_result", "content": [part({"type": "hologram"})]}, "result hologram"),
        ({"type": "git-asr/attachment", "kind": "leaflet"}, "attachment leaflet"),
        ({"type": "git-asr/attachment", "kind": 5}, "attachment *"),
        ({"type": "git-asr/attachment"}, "attachment *"),
        (meta(speed=1), "field speed"),
        ({"type": "inference", **meta(speed=None)}, "field speed"),
        (meta(**{"5": 1}), "field *"),
        (meta(**{"/home/ann/a.py": 1}), "field *"),
        (meta(toolu_01AbC234=1), "field *"),
        (meta(**{"x" * 65: 1}), "field *"),
        (meta(**{"a.b": 1}), "field *"),
        (meta(é=1), "field *"),
        (meta(ephemeral_1h_input_tokens=1), "field ephemeral_1h_input_tokens"),
        (meta(block={"speed": 1}), "field speed"),
        (meta(block_=5), "field block_"),
    ],
)
def test_a_kind(record: dict[str, Any], kind: str) -> None:
    assert kinds(record) == [kind]
    assert kinds(record, known=[kind]) == []
    assert Known([kind]).has(kind)
    assert not Known([]).has(kind)


@pytest.mark.parametrize(
    "record",
    [
        {"content": "text"},
        {"content": None},
        {"content": ["bare", {"type": "text", "text": "x"}, part("x"), part(None), part([{"type": "x"}])]},
        {"type": "tool_result", "content": [part({"what": "the tool said"})]},
        {"type": "tool_call", "arguments": {"type": "x"}, "content": [part({"type": "x"})]},
        {"type": "git-asr/notice", "kind": "new"},
        {META: {"git-asr/queue": {"pending": True}, "io.entire/checkpoint": {"id": 1}}},
        {META: {VENDOR: ["x"]}},
        {META: ["x"]},
        {META: None},
        unit("event", native={"value": "NaN"}),
    ],
)
def test_what_is_no_kind(record: dict[str, Any]) -> None:
    assert kinds(record) == []


def test_fields_are_looked_at_three_levels_deep_and_through_lists() -> None:
    deep = meta(usage={"steps": [{"tokens": {"in": 1}}, 5, {"time": 1}]}, at=[[{"x": 1}]])
    known = ["field at", "field usage.steps.tokens"]
    assert kinds(deep, known=known) == ["field usage.steps.time"]
    assert sorted(watch(deep, known=Known([*known, "field usage.steps.time"]), everything=True).found) == []


def test_what_was_left_of_a_unit_has_fields_and_a_whole_unit_none() -> None:
    known = ["type turn.mode.name", "field mode"]
    assert kinds(unit("turn", value={"mode": {"name": 1}, "speed": 2}), known=known) == ["type turn.speed"]
    assert kinds(unit("turn", value={"type": "turn", "speed": 2}), known=known) == []
    assert kinds(unit("turn", value={"mode": {"odd": {"x": 1}}}), known=known) == ["type turn.mode.odd"]


def test_below_an_unknown_kind_and_below_a_plain_field_nothing_is_looked_at() -> None:
    record = meta(usage={"steps": {"time": 1}}, speed={"unit": "mph"})
    assert kinds(record, known=["field speed"]) == ["field usage"]
    assert sorted(watch(record, known=Known(["field speed", "field usage"]), everything=True).found) == [
        "field speed.unit",
        "field usage.steps",
    ]
    assert Known(["field speed"]).has("field speed.unit")
    assert not Known(["field speed.unit"]).has("field speed.sign")


def test_data_may_have_any_names_and_anything_below() -> None:
    record = meta(tools={"bash": {"x": {"y": 1}}, "edit": 2})
    assert kinds(record, known=["field tools"]) == []
    assert kinds(record, data=["field tools.*"]) == []
    assert kinds({"type": "tool_result", "content": [part({"type": "x"})]}, data=["result *"]) == []
    assert Known([], ["field tools.*"]).has("field tools.bash.x.y")
    assert watch(record, known=Known([], ["field tools.*"]), everything=True).found == {}


def test_indexes_are_known_as_any() -> None:
    assert kinds(meta(content={"0": {"title": 1}, "1": {"late": 2}}), known=["field content.*.title"]) == [
        "field content.*.late"
    ]


def test_records_are_counted_once_for_each_kind() -> None:
    drift = watch(
        meta(steps=[{"a": 1}, {"a": 2}]), {}, meta(steps=[{"a": 3}], b=1), known=Known(["field steps.x"])
    )
    assert drift.records == 2
    assert drift.summary() == {
        "kinds": {
            "field b": {"records": 1, "first": "r2"},
            "field steps.a": {"records": 2, "first": "r0"},
        }
    }
    assert watch({}).summary() == {}


def test_so_many_kinds_are_noted_and_no_more() -> None:
    names = [f"{one}{two}" for one in "abcdefgh" for two in "abcdefgh"]
    drift = watch(meta(**dict.fromkeys(names, 1)), meta(**dict.fromkeys(names, 1)))
    assert len(drift.found) == MOST
    assert drift.summary()["more"] is True
    assert {one.records for one in drift.found.values()} == {2}


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda below: (
        st.lists(below, max_size=3)
        | st.dictionaries(
            st.sampled_from(["type", "value", "x", "block", "0", "é", "subtype"]), below, max_size=4
        )
    ),
)


@given(
    kind=st.sampled_from(["message", "tool_result", "git-asr/attachment", "a/b", "/", "x"]) | st.text(),
    fields=st.dictionaries(st.sampled_from(["content", "value", "kind", "native", META]), VALUES),
)
def test_any_record_can_be_looked_at(kind: str, fields: dict[str, Any]) -> None:
    """What is read may be anything; what was found is known once it is said to be."""
    record = {**fields, "type": kind}
    found = watch(record, everything=True).found
    assert all(name.isascii() and name.isprintable() for name in found)
    known = Known(found)
    assert found.keys().isdisjoint(watch(record, known=known, everything=True).found)
    assert all(known.has(name) for name in found)
