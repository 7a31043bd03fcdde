from __future__ import annotations

from io import BytesIO
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from git_asr.asr import codec
from git_asr.asr.draft import Draft
from git_asr.asr.numbering import number
from git_asr.converters.base import Unit
from git_asr.converters.claude.format import ClaudeCode
from git_asr.converters.opaque import DOCUMENTS, LINES
from git_asr.converters.registry import FORMATS
from git_asr.converters.units import read_lines, read_units
from tests.converters import goldens

APPENDED = [
    case
    for case in goldens.cases()
    for native, _ in [goldens.units(goldens.chunks(case))]
    if native is None or native.array is None
]


def convert(text: bytes) -> list[dict[str, Any]]:
    return list(number(LINES.convert(read_lines([text]), ClaudeCode())))


def written(text: bytes) -> list[bytes]:
    native, units = goldens.units([text])
    return [
        codec.encode(record) for record in number(goldens.opaque_for(native).convert(iter(units), native))
    ]


def test_a_strict_value_is_embedded_byte_for_byte() -> None:
    text = b'{"uuid" : "u1", "n":1.50, "n":18446744073709551616, "type":"user"}'
    (record,) = convert(text)
    assert record["value"] == codec.Raw(text)
    assert (record["id"], record["unitType"], record["seq"]) == ("u1", "user", 1_000_000)
    assert text in codec.encode(record)


def test_places_on_a_line() -> None:
    (*records,) = convert(b'{"a":1}{"b":2}{"c":3}\n{"d":4} junk\n{}')
    assert [(r["id"], r["type"]) for r in records] == [
        ("~1.0", "git-asr/unit"),
        ("~1.500000", "git-asr/unit"),
        ("~1.999999", "git-asr/notice"),
        ("~2.0", "git-asr/unit"),
        ("~2.500000", "git-asr/notice"),
        ("~3.0", "git-asr/unit"),
    ]


def test_a_malformed_line_is_a_notice_unless_it_is_the_last() -> None:
    (first, second) = convert(b'bad \xff\n{}\n{"cut":')
    assert first == {
        "type": "git-asr/notice",
        "seq": 1_000_000,
        "id": "~1.0",
        "idSource": "derived",
        "level": "warning",
        "text": "bad \udcff",
        "_meta": {"git-asr/malformed": True, "git-asr/encoding": ["invalid-utf-8"]},
    }
    assert second["value"] == codec.Raw(b"{}")
    assert convert(b"bad\n\n") == []
    assert [record["text"] for record in convert(b"one\ntwo\nthree")] == ["one", "two"]


def test_a_malformed_slice_of_a_document_is_always_a_notice() -> None:
    units = [Unit(1, 0, {"a": 1}, None), Unit(2, 0, "cut", None, "malformed")]
    assert [draft.type for draft in DOCUMENTS.convert(iter(units), None)] == [
        "git-asr/unit",
        "git-asr/notice",
    ]


def test_values_that_are_no_json_stand_as_text() -> None:
    (record,) = convert(b'{"uuid":"u1","type":"user","n":[NaN,-Infinity],"s":"\\ud800\xff"}')
    assert "value" not in record
    assert record["native"] == {
        "value": '{"uuid":"u1","type":"user","n":[NaN,-Infinity],"s":"\\ud800\\udcff"}'
    }
    assert record["_meta"] == {"git-asr/encoding": ["invalid-utf-8", "non-finite"]}
    assert orjson.loads(codec.encode(record))["id"] == "u1"


def test_text_is_a_value() -> None:
    units = [Unit(1, 0, "user:", None, "text"), Unit(2, 0, '{"uuid":"u"}', None, "text")]
    assert [draft.fields for draft in LINES.convert(iter(units), ClaudeCode())] == [
        {"value": "user:"},
        {"value": '{"uuid":"u"}'},
    ]


@pytest.mark.parametrize("bad", ["REDACTED", "[REDACTED_TOKEN]", "~3.1", "", "a\x00b", "x" * 401])
def test_ids_that_cannot_be_used(bad: str) -> None:
    (record,) = convert(codec.encode({"uuid": bad}))
    assert (record["id"], record["idSource"]) == ("~1.0", "derived")
    assert "idScope" not in record


def test_positions_of_documents_hold_within_a_capture() -> None:
    native, units = goldens.units(goldens.chunks("opencode/redacted-ids"))
    records = list(number(goldens.opaque_for(native).convert(iter(units), native)))
    assert {record["idScope"] for record in records} == {"capture"}
    native, units = goldens.units(goldens.chunks("opencode/document"))
    scopes = [
        record.get("idScope") for record in number(goldens.opaque_for(native).convert(iter(units), native))
    ]
    assert scopes == ["capture", None, None]


@pytest.mark.parametrize("case", APPENDED)
def test_the_first_lines_give_the_first_records(case: str) -> None:
    text = b"\n".join(goldens.chunks(case))
    native, _ = goldens.units([text])
    whole = written(text)
    lines = list(BytesIO(text))
    for count in range(len(lines)):
        drafts = LINES.convert(read_units([b"".join(lines[:count])], native), native)
        some = [codec.encode(record) for record in number(drafts)]
        assert whole[: len(some)] == some


def leaves(value: Any) -> list[str]:
    """Every scalar with its path."""
    if isinstance(value, dict):
        return [f"{key}/{leaf}" for key, item in value.items() for leaf in leaves(item)]
    if isinstance(value, list):
        return [f"{at}/{leaf}" for at, item in enumerate(value) for leaf in leaves(item)]
    return [repr(value)]


@pytest.mark.parametrize("case", goldens.cases())
def test_every_leaf_of_every_unit_is_in_its_record(case: str) -> None:
    native, units = goldens.units(goldens.chunks(case))
    records = {
        record["seq"]: record for record in number(goldens.opaque_for(native).convert(iter(units), native))
    }
    kept = [unit for unit in units if unit.kind != "malformed"]
    assert len(kept) <= len(records)
    for unit in kept:
        record = codec.decode(codec.encode(records[unit.position * 1_000_000 + unit.index * 500_000])).value
        if "native" in record:
            record["value"] = codec.decode(record["native"]["value"].encode()).value
        if record.get("capture") == {"state": "masked"}:
            continue  # a secret answer, which is in no record
        assert leaves(record["value"]) == leaves(unit.value)


@given(st.binary(max_size=200), st.sampled_from([None, *FORMATS]))
def test_any_bytes_become_records(data: bytes, native: Any) -> None:
    for record in number(goldens.opaque_for(native).convert(read_units([data], native), native)):
        assert codec.decode(codec.encode(record)).flags == ()


def test_one_unit_is_held_at_most() -> None:
    taken: list[int] = []

    def units() -> Any:
        for position in range(1, 4):
            taken.append(position)
            yield Unit(position, 0, {}, b"{}")

    drafts = LINES.convert(units(), None)
    assert isinstance(next(drafts), Draft)
    assert taken == [1]


def test_losses_are_declared() -> None:
    for converter in (LINES, DOCUMENTS):
        assert (converter.name, converter.version) == ("opaque", 1)
        assert all(set(loss) == {"feature", "reason"} for loss in converter.lossy)
    assert "number_precision" in {loss["feature"] for loss in DOCUMENTS.lossy}
    assert "number_precision" not in {loss["feature"] for loss in LINES.lossy}
