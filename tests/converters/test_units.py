from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from git_asr.asr.codec import NumberText, encode, strict
from git_asr.converters.base import NativeFormat, Unit
from git_asr.converters.plain_text import CursorText
from git_asr.converters.registry import FORMATS, by_name
from git_asr.converters.units import MAX_LEVELS, read_lines, read_text, read_units

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(1 << 63), (1 << 64) - 1) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
OBJECTS = st.dictionaries(st.text(), JSON, max_size=4)
LINES = st.lists(OBJECTS.map(encode), max_size=8)
JUNK = st.sampled_from(
    [b"", b" ", b"\x00\x00", b"{", b'{"a":', b"junk", b"\xff\xfe", b'{"a":1}x', b'{"a":1}{"b":2}{"c":3}']
)


def known(name: str) -> NativeFormat:
    native = by_name(name)
    assert native is not None
    return native


def lines(text: bytes) -> list[Unit]:
    return list(read_lines([text]))


def test_a_line_is_a_unit_with_its_own_bytes() -> None:
    assert lines(b'{"b": 1.50, "a":2}\n[]\n') == [
        Unit(1, 0, {"b": 1.5, "a": 2}, b'{"b": 1.50, "a":2}'),
        Unit(2, 0, [], b"[]"),
    ]


@pytest.mark.parametrize("end", [b"\n", b"\r\n", b" \t\n", b"\x00\n"])
def test_line_ends_and_white_space_do_not_count(end: bytes) -> None:
    assert lines(end.join([b'{"a":1}', b"", b'  {"b":2}', b""])) == [
        Unit(1, 0, {"a": 1}, b'{"a":1}'),
        Unit(3, 0, {"b": 2}, b'{"b":2}'),
    ]


def test_only_line_feeds_end_lines() -> None:
    text = '{"a":"\u2028\u2029\x85"}'.encode()
    assert [unit.position for unit in lines(text + b"\n" + text)] == [1, 2]
    assert lines(b'{"a":1}\r{"b":2}')[1] == Unit(1, 1, {"b": 2}, b'{"b":2}')


def test_byte_order_mark() -> None:
    assert lines(b'\xef\xbb\xbf{"a":1}\n{"b":2}') == [
        Unit(1, 0, {"a": 1}, b'{"a":1}'),
        Unit(2, 0, {"b": 2}, b'{"b":2}'),
    ]


def test_second_values_and_what_stands_after_them() -> None:
    found = lines(b'{"a":1}{"b":2}\n{"c":3} junk\n{"d":4}{"e":5}{"f":6}\n{"g":7}{"h":\n')
    assert [(unit.position, unit.index, unit.kind, unit.value) for unit in found] == [
        (1, 0, "value", {"a": 1}),
        (1, 1, "value", {"b": 2}),
        (2, 0, "value", {"c": 3}),
        (2, 1, "malformed", "junk"),
        (3, 0, "value", {"d": 4}),
        (3, 1, "value", {"e": 5}),
        (3, 2, "malformed", '{"f":6}'),
        (4, 0, "value", {"g": 7}),
        (4, 1, "malformed", '{"h":'),
    ]
    assert found[1].text == b'{"b":2}'


def test_damaged_lines_keep_their_text() -> None:
    found = lines(b'  {"a":\xff \n\n{"b":1}\ncut {')
    assert found == [
        Unit(1, 0, '{"a":\udcff', None, "malformed", ("invalid-utf-8",)),
        Unit(3, 0, {"b": 1}, b'{"b":1}'),
        Unit(4, 0, "cut {", None, "malformed"),
    ]


def test_how_a_value_was_read() -> None:
    found = lines(
        b'{"a":"\xff"}\n{"a":"\\ud800\x01"}\n{"a":[NaN,Infinity]}\n{"a":18446744073709551616}\n["\\udfff",1e999]'
    )
    assert [(unit.text, unit.flags) for unit in found] == [
        (None, ("invalid-utf-8",)),
        (None, ()),
        (None, ("non-finite",)),
        (b'{"a":18446744073709551616}', ()),
        (None, ()),
    ]
    assert found[0].value == {"a": "\udcff"}
    assert found[1].value == {"a": "\ud800\x01"}
    assert math.isnan(found[2].value["a"][0])
    assert found[4].value == ["\udfff", NumberText("1e999")]


@pytest.mark.parametrize("text", [b"[%s]", b'["\\ud800",%s]'])
def test_nesting_has_a_limit(text: bytes) -> None:
    def nested(levels: int) -> bytes:
        return text % (b"[" * (levels - 1) + b"]" * (levels - 1))

    kinds = [
        unit.kind for unit in lines(b"\n".join(map(nested, [200, MAX_LEVELS, MAX_LEVELS + 1, 100_000, 2])))
    ]
    assert kinds == ["value", "value", "malformed", "malformed", "value"]
    assert lines(nested(MAX_LEVELS + 1) + b"{}")[0].value == (nested(MAX_LEVELS + 1) + b"{}").decode()


def test_a_line_of_a_megabyte() -> None:
    value = {"text": "é" * 600_000}
    assert lines(encode(value) + b"\n") == [Unit(1, 0, value, encode(value))]


@given(LINES, st.data())
def test_chunks_join_at_line_ends(parts: list[bytes], data: st.DataObject) -> None:
    whole = lines(b"\n".join(parts))
    cut = data.draw(st.integers(0, len(parts)))
    first, second = parts[:cut], parts[cut:]
    for end in (b"", b"\n"):
        chunks = [b"\n".join(first) + (end if first else b""), b"\n".join(second)]
        assert list(read_lines(chunks)) == whole
    assert list(read_lines([part + b"\n" for part in parts])) == whole


def test_chunks_are_taken_one_at_a_time() -> None:
    taken = 0

    def chunks() -> Iterator[bytes]:
        nonlocal taken
        for number in range(5):
            taken += 1
            yield b'{"n":%d}\n{}' % number

    units = read_lines(chunks())
    assert next(units).value == {"n": 0}
    assert (next(units).position, taken) == (2, 1)
    assert (next(units).position, taken) == (3, 2)


@given(st.lists(OBJECTS.map(encode), min_size=1, max_size=8), JUNK, st.data())
def test_a_damaged_line_costs_only_itself(parts: list[bytes], junk: bytes, data: st.DataObject) -> None:
    place = data.draw(st.integers(0, len(parts) - 1))
    damaged = [*parts[:place], junk, *parts[place + 1 :]]
    others = [unit for unit in lines(b"\n".join(parts)) if unit.position != place + 1]
    assert [unit for unit in lines(b"\n".join(damaged)) if unit.position != place + 1] == others


@given(LINES, JUNK, st.integers(0, 8))
def test_the_first_lines_give_the_first_units(parts: list[bytes], junk: bytes, count: int) -> None:
    parts.insert(len(parts) // 2, junk)
    some = lines(b"\n".join(parts[:count]))
    assert lines(b"\n".join(parts))[: len(some)] == some


@given(st.binary(max_size=200), st.sampled_from([None, *FORMATS]), st.integers(0, 200))
def test_any_bytes_are_read_by_any_format(data: bytes, native: NativeFormat | None, cut: int) -> None:
    places = [(unit.position, unit.index) for unit in read_units([data[:cut], data[cut:]], native)]
    assert places == sorted(set(places))


@given(LINES.map(b"\n".join), st.data())
def test_mutated_lines_are_read(text: bytes, data: st.DataObject) -> None:
    mutated = bytearray(text)
    for _ in range(data.draw(st.integers(0, 5)) if text else 0):
        mutated[data.draw(st.integers(0, len(text) - 1))] = data.draw(st.integers(0, 255))
    for unit in lines(bytes(mutated)):
        if unit.kind == "malformed":
            assert isinstance(unit.value, str)
        if unit.text is not None:
            assert strict(unit.text) == unit.value


# --- documents ---


def document(data: bytes) -> list[Unit]:
    return list(read_units([data], known("opencode-json")))


def test_a_document_is_its_elements_and_what_stands_beside_them() -> None:
    text = b'{\r\n "id": 1, "messages": [{"a": 1}, null, [2]], "z": {"messages": []}\r\n}\r\n'
    assert document(text) == [
        Unit(0, 0, {"id": 1, "z": {"messages": []}}, None),
        Unit(1, 0, {"a": 1}, None),
        Unit(2, 0, None, None),
        Unit(3, 0, [2], None),
    ]


def test_nothing_beside_the_array_is_no_unit() -> None:
    assert document(b'{"messages":[1]}') == [Unit(1, 0, 1, None)]
    assert document(b'{"messages":[]}') == []


@pytest.mark.parametrize("value", [{"messages": 1}, {"other": []}, [1], 1, None])
def test_a_document_without_the_array_is_one_unit(value: Any) -> None:
    assert document(encode(value)) == [Unit(0, 0, value, None)]


def test_a_document_of_which_nothing_can_be_read_is_one_malformed_unit() -> None:
    deep = b'{"messages":[' + b"[" * 600 + b"]" * 600 + b"]}"
    assert document(b'{"other":[\xff') == [
        Unit(0, 0, '{"other":[\udcff', None, "malformed", ("invalid-utf-8",))
    ]
    assert document(b'["messages", [1') == [Unit(0, 0, '["messages", [1', None, "malformed")]
    assert document(deep) == [Unit(0, 0, deep.decode(), None, "malformed")]
    assert document(b" \n") == []
    assert list(read_units([], known("opencode-json"))) == []


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (b'{"id":1,"messages":[{"a":1},{"b":', [(0, {"id": 1}), (1, {"a": 1}), (2, '{"b":')]),
        (b'{"id":1,"messages":[{"a":1},', [(0, {"id": 1}), (1, {"a": 1}), (2, "")]),
        (b'{"id":1,"messages":[', [(0, {"id": 1}), (1, "")]),
        (b'{"messages":[1],"z":[2,{"y"', [(0, {"z": [2]}), (1, 1), (2, '{"y"')]),
        (b'{"messages":[1],"z":tru', [(1, 1), (2, '"z":tru')]),
        (b'{"messages":[1]} {"messages":[2]}', [(1, 1), (2, '{"messages":[2]}')]),
        (b'{"messages":[1,{"a":1}}, 3]}', [(1, 1), (2, {"a": 1}), (3, "}, 3]}")]),
        (b'{"messages":[1, 2 3]}', [(1, 1), (2, 2), (3, "3]}")]),
        (b'{"messages":[1],}', [(1, 1), (2, "}")]),
        (b'{"messages":[], 7:1}', [(1, "7:1}")]),
        (b'{"messages":[1 , "\xff", {', [(1, 1), (2, "\udcff"), (3, "{")]),
    ],
)
def test_a_damaged_document_is_read_up_to_the_damage(text: bytes, found: list[tuple[int, Any]]) -> None:
    """Reference section 5.6: exports are cut where a pipe was."""
    units = document(text)
    assert [(unit.position, unit.value) for unit in units] == found
    assert [unit.kind for unit in units] == ["value"] * (len(found) - 1) + ["malformed"]
    assert all(unit.flags == ("invalid-utf-8",) for unit in units if unit.value == "\udcff")


def test_flags_of_a_document_stand_where_they_belong() -> None:
    text = b'{"id":"\xff","messages":["\xfe",NaN,{"a":[Infinity,"\xfd"]},"ok","\\udcff"]}'
    flags = [unit.flags for unit in document(text)]
    bytes_, numbers = "invalid-utf-8", "non-finite"
    assert flags[:5] == [(bytes_,), (bytes_,), (numbers,), (bytes_, numbers), ()]
    assert [unit.flags for unit in document(b'["\xff"]')] == [(bytes_,)]


def test_slices_of_a_document() -> None:
    chunks = [
        b'{"id":1,"messages":["a"]}',
        b'{"id":2,"messages":["b","c"]}',
        b'{"messages":["d"',
        b"",
        b'{"no":"array"}',
        b'{"messages":["e"]}\n',
    ]
    found = list(read_units(chunks, known("opencode-json")))
    assert [(unit.position, unit.kind, unit.value) for unit in found] == [
        (0, "value", {"id": 1}),
        (1, "value", "a"),
        (2, "value", "b"),
        (3, "value", "c"),
        (4, "value", "d"),
        (5, "malformed", ""),
        (6, "value", {"no": "array"}),
        (7, "value", "e"),
    ]


def test_slices_without_elements() -> None:
    chunks = [b"\n", b'{"id":1,"messages":[]}', b'{"id":2,"messages":["a"]}', b"{}", b"cut"]
    found = list(read_units(chunks, known("opencode-json")))
    assert [(unit.position, unit.value) for unit in found] == [(0, {"id": 1}), (1, "a"), (2, {}), (3, "cut")]


SLICES = st.sampled_from(
    [
        *(b"", b"\n", b"cut", b"{}", b"[1]"),
        *(b'{"a":1,"messages":[]}', b'{"messages":[1,2]}', b'{"messages":'),
    ]
)


@given(st.lists(SLICES, max_size=5))
def test_any_slices_have_increasing_positions(chunks: list[bytes]) -> None:
    positions = [unit.position for unit in read_units(chunks, known("gemini-cli-json"))]
    assert positions == sorted(set(positions))


@pytest.mark.parametrize("end", [b"", b"\n"])
def test_a_document_cut_at_line_ends(end: bytes) -> None:
    chunks = [b'{"id":1,' + end, b'"messages":["a",' + end, b'"b"]}']
    assert [unit.value for unit in read_units(chunks, known("gemini-cli-json"))] == [{"id": 1}, "a", "b"]


# --- text, and what is not known ---


def test_text() -> None:
    found = list(read_text([b"\xef\xbb\xbfuser:\r\n\r\n  two\x00\n", b"a \xff byte\n \t\n"]))
    assert found == [
        Unit(1, 0, "user:", None, "text"),
        Unit(3, 0, "  two\x00", None, "text"),
        Unit(4, 0, "a \udcff byte", None, "text", ("invalid-utf-8",)),
    ]


def test_text_formats_are_read_as_text() -> None:
    text = b'user:\n{"a":1}\n'
    assert list(read_units([text], CursorText())) == list(read_text([text]))
    assert [unit.kind for unit in read_units([text], CursorText())] == ["text", "text"]


@pytest.mark.parametrize(
    ("chunks", "kinds"),
    [
        ([b""], []),
        ([b"\n \x00\n", b"\n"], []),
        ([b'\n\x00\n{"a":1}\njunk\n'], ["value", "malformed"]),
        ([b"\n", b'{"a":1} x\n', b"junk"], ["value", "malformed", "malformed"]),
        ([b"17\ntext"], ["value", "malformed"]),
        ([b'a diary\n{"a":1}\n', b"{}"], ["text", "text", "text"]),
        ([b'{"cut\n{"a":1}\n'], ["text", "text"]),
    ],
)
def test_an_unknown_format_is_read_by_its_first_line(chunks: list[bytes], kinds: list[str]) -> None:
    assert [unit.kind for unit in read_units(iter(chunks), None)] == kinds
