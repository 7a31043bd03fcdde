from __future__ import annotations

import json
import math
from typing import Any

import orjson
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from git_asr.asr import codec
from git_asr.asr.codec import (
    Decoded,
    JsonError,
    NumberText,
    Raw,
    decode,
    decode_values,
    deeper,
    encode,
    encode_indented,
    lenient,
)

INT64 = st.integers(min_value=-(1 << 63), max_value=(1 << 64) - 1)
FINITE = st.floats(allow_nan=False, allow_infinity=False)
ANY_TEXT = st.text(alphabet=st.characters(exclude_categories=()))
TEXT = st.text()


def values(text: st.SearchStrategy[str]) -> st.SearchStrategy[Any]:
    return st.recursive(
        st.none() | st.booleans() | INT64 | FINITE | text,
        lambda inner: st.lists(inner, max_size=4) | st.dictionaries(text, inner, max_size=4),
        max_leaves=20,
    )


def joined(text: str) -> str:
    """The text with every pair of surrogates as the character that the two make."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")


@given(values(TEXT))
def test_ordinary_values_are_written_as_orjson_writes_them(value: Any) -> None:
    assert encode(value) == orjson.dumps(value)
    assert decode(encode(value)) == Decoded(value, exact=True)


@given(values(TEXT))
def test_both_encoders_write_the_same_bytes(value: Any) -> None:
    assert codec._write(value, finite=True) == encode(value)
    assert lenient(value).encode() == encode(value)


@given(values(st.text(alphabet=st.characters(exclude_characters=map(chr, range(0xDC00, 0xE000)))) | TEXT))
def test_round_trip_with_lone_surrogates(value: Any) -> None:
    assert decode(encode(value)).value == value


@given(ANY_TEXT)
@example("\ud800")
@example("a\udfff\x00é\ud83d")
@example("\ud83d\ude00")
@example("\ude00\ud83d")
def test_every_string_of_code_points_round_trips(text: str) -> None:
    assert decode(encode(text)).value == joined(text)
    assert decode(encode({text: 1})).value == {joined(text): 1}


def test_surrogates_are_written_as_lower_case_escapes() -> None:
    assert encode({"é\udcffx": "\ud800"}) == b'{"\xc3\xa9\\udcffx":"\\ud800"}'


@given(values(TEXT))
def test_the_standard_decoder_reads_what_orjson_reads(value: Any) -> None:
    text = encode(value)
    decoder = codec._Lenient()
    assert decoder.read(text.decode(), 0) == (value, len(text.decode()))
    assert decoder.flags == ()


@pytest.mark.parametrize(
    ("text", "value", "flags"),
    [
        (b'"\\ud800"', "\ud800", ()),
        (b'{"a":"x\x01\x00\ny"}', {"a": "x\x01\x00\ny"}, ()),
        (b'"\xff"', "\udcff", ("invalid-utf-8",)),
        (b'["\xed\xa0\x80"]', ["\udced\udca0\udc80"], ("invalid-utf-8",)),
        (b'["\xff",Infinity]', ["\udcff", math.inf], ("invalid-utf-8", "non-finite")),
        (b"[-Infinity]", [-math.inf], ("non-finite",)),
        (b'\xef\xbb\xbf{"a":1}', {"a": 1}, ()),
        (b'\x00\x00{"a":1}\x00 \r\n', {"a": 1}, ()),
        (b'{"a":1,"a":"\\ud800"}', {"a": "\ud800"}, ()),
    ],
)
def test_what_orjson_refuses(text: bytes, value: Any, flags: tuple[str, ...]) -> None:
    assert decode(text) == Decoded(value, exact=False, flags=flags)


def test_nan_is_read_and_flagged() -> None:
    decoded = decode(b'{"a":NaN}')
    assert math.isnan(decoded.value["a"])
    assert decoded.flags == ("non-finite",)
    assert not decoded.exact


def test_duplicate_keys_are_tolerated_and_the_last_counts() -> None:
    assert decode(b'{"a":1,"a":2}') == Decoded({"a": 2}, exact=True)


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"  ",
        b"\x00",
        b"{",
        b'{"a":',
        b'{"a":1}x',
        b"{}{}",
        b"hello",
        b"'a'",
        b'{"a":1,}',
        b"[1 2]",
        b"01",
        b'"abc',
        b"\xff\xfe{\x00}\x00",
        b'{"a":"\\x"}',
    ],
)
def test_what_nothing_reads(text: bytes) -> None:
    with pytest.raises(ValueError):
        decode(text)


@pytest.mark.parametrize(
    ("literal", "value"),
    [
        ("18446744073709551615", (1 << 64) - 1),
        ("18446744073709551616", NumberText("18446744073709551616")),
        ("-9223372036854775808", -(1 << 63)),
        ("-9223372036854775809", NumberText("-9223372036854775809")),
        ("9" * 5000, NumberText("9" * 5000)),
        ("0.30000000000000004", 0.30000000000000004),
        ("3.141592653589793238", NumberText("3.141592653589793238")),
        ("1.50", 1.5),
        ("1e999", NumberText("1e999")),
        ("1e-999", NumberText("1e-999")),
        ("0e-999", 0.0),
        ("-0", 0),
    ],
)
def test_numbers_in_the_lenient_path_keep_what_they_say(literal: str, value: Any) -> None:
    text = f'["\\ud800",{literal}]'.encode()
    decoded = decode(text)
    assert decoded == Decoded(["\ud800", value], exact=False)
    assert decode(encode(decoded.value)) == decoded


def test_numbers_in_strict_text_are_exact_in_the_text_only() -> None:
    assert decode(b"18446744073709551616") == Decoded(float(1 << 64), exact=True)


def test_number_text_is_written_by_both_encoders() -> None:
    number = NumberText("12345678901234567890123")
    assert encode([number]) == b"[12345678901234567890123]"
    assert encode([number, "\ud800"]) == b'[12345678901234567890123,"\\ud800"]'


@pytest.mark.parametrize("text", ["NaN", "", "01", "1.", "+1", "1 ", "1\n", "٣"])
def test_number_text_holds_numbers_only(text: str) -> None:
    with pytest.raises(JsonError):
        NumberText(text)


def test_raw_is_embedded_verbatim_by_both_encoders() -> None:
    raw = Raw(b'{"z" : 1.50,"z":2}')
    assert encode({"v": raw, "w": [raw]}) == b'{"v":{"z" : 1.50,"z":2},"w":[{"z" : 1.50,"z":2}]}'
    assert encode(["\ud800", raw]) == b'["\\ud800",{"z" : 1.50,"z":2}]'
    assert encode([None, Raw(b"null")]) == b"[null,null]"


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("surrounding", [["\ud800"], ["x"], [(1, 2), "null"]])
def test_non_finite_numbers_never_go_out(number: float, surrounding: list[Any]) -> None:
    with pytest.raises(ValueError):
        encode({"a": [*surrounding, number]})
    with pytest.raises(ValueError):
        encode([*surrounding, {"a": number}])


def test_lenient_text_names_non_finite_numbers() -> None:
    text = lenient({"a": [math.nan, -math.inf], "b": math.inf, "c": "\ud800", "d": None})
    assert text == '{"a":[NaN,-Infinity],"b":Infinity,"c":"\\ud800","d":null}'
    assert decode(text.encode()).flags == ("non-finite",)


def test_indented_text_is_for_people_too() -> None:
    value = {"a": [1, "é\ud800\udc80"], "b": {}}
    expected = '{\n  "a": [\n    1,\n    "é\\ud800\\udc80"\n  ],\n  "b": {}\n}\n'
    assert encode_indented(value) == expected.encode()
    with pytest.raises(ValueError):
        encode_indented([math.nan])


@pytest.mark.parametrize("value", [object(), {1: 2}, {"a": b"x"}, {1: "\ud800"}, ["\ud800", {1, 2}]])
def test_what_json_cannot_hold_is_a_type_error(value: Any) -> None:
    with pytest.raises(TypeError):
        encode(value)


def test_integers_beyond_64_bits_are_written_as_they_are() -> None:
    assert encode([1 << 64, -(1 << 70), True]) == f"[{1 << 64},{-(1 << 70)},true]".encode()


@pytest.mark.parametrize("depth", [200, 300, 1000])
def test_deep_values_pass(depth: int) -> None:
    text = b'{"a":[' * (depth // 2) + b"]}" * (depth // 2)
    assert encode(decode(text).value) == text


def test_deep_lenient_values_pass() -> None:
    text = b"[" * 200 + b'"\\ud800"' + b"]" * 200
    assert encode(decode(text).value) == text


@pytest.mark.parametrize("text", [b"[" * 100_000, b"[" * 100_000 + b"]" * 100_000, b'{"a":' * 100_000])
def test_too_deep_text_is_an_error(text: bytes) -> None:
    with pytest.raises(JsonError):
        decode(text)
    assert decode_values(text) == ([], text)


def test_a_cycle_is_an_error() -> None:
    value: list[Any] = []
    value.append(value)
    with pytest.raises(JsonError):
        encode(value)


def test_depth_is_counted_outside_strings() -> None:
    for text, depth in [
        (b"[" * 60 + b"]" * 60, 60),
        (b'{"a":' * 60 + b"1" + b"}" * 60, 60),
        (b'["' + b"[{" * 100 + b'"]', 1),
        (b'["\\"' + b"[{" * 100 + b'","\\\\",[]]', 2),
        (b"[" + b",".join([b"{}"] * 100) + b"]", 2),
    ]:
        assert not deeper(text, depth)
        assert deeper(text, depth - 1)
    assert not deeper(b"1" * 100, 0)


@given(values(TEXT))
def test_depth_agrees_with_the_value(value: Any) -> None:
    def depth(item: Any) -> int:
        if isinstance(item, dict):
            return 1 + max(map(depth, item.values()), default=0)
        return 1 + max(map(depth, item), default=0) if isinstance(item, list) else 0

    text = encode(value)
    assert not deeper(text, depth(value))
    assert depth(value) < 1 or len(text) < 2 * depth(value) or deeper(text, depth(value) - 1)


@pytest.mark.parametrize(
    ("line", "found", "rest"),
    [
        (b"", [], None),
        (b" \x00\r", [], None),
        (b'{"a":1}', [({"a": 1}, b'{"a":1}', ())], None),
        (b' {"a":1} \r', [({"a": 1}, b'{"a":1}', ())], None),
        (b'{"a":1}{"b":2}', [({"a": 1}, b'{"a":1}', ()), ({"b": 2}, b'{"b":2}', ())], None),
        (b'[1] {"b":2} {"c":3}', [([1], b"[1]", ()), ({"b": 2}, b'{"b":2}', ())], b'{"c":3}'),
        (b'{"a":1} junk', [({"a": 1}, b'{"a":1}', ())], b"junk"),
        (b'{"a":1}{"b":', [({"a": 1}, b'{"a":1}', ())], b'{"b":'),
        (b'{"a":1}2', [({"a": 1}, b'{"a":1}', ())], b"2"),
        (
            b'{"a":"\\ud800"}{"b":"\xc3\xa9"}',
            [({"a": "\ud800"}, None, ()), ({"b": "é"}, b'{"b":"\xc3\xa9"}', ())],
            None,
        ),
        (
            b'{"a":1}{"b":"\xff"}\xfe',
            [({"a": 1}, b'{"a":1}', ()), ({"b": "\udcff"}, None, ("invalid-utf-8",))],
            b"\xfe",
        ),
        (b"2026 was good", [], b"2026 was good"),
        (b"12", [(12, b"12", ())], None),
        (b'"x"', [("x", b'"x"', ())], None),
        (b"Infinity", [(math.inf, None, ("non-finite",))], None),
        (b"plain\xff", [], b"plain\xff"),
        (b'\xef\xbb\xbf{"a":1}', [({"a": 1}, b'{"a":1}', ())], None),
        (b'\x00\x00{"a":1}', [({"a": 1}, b'{"a":1}', ())], None),
    ],
)
def test_values_glued_on_one_line(line: bytes, found: list[Any], rest: bytes | None) -> None:
    assert decode_values(line) == (found, rest)


def test_more_values_on_request() -> None:
    values_, rest = decode_values(b"[1][2][3]", limit=9)
    assert [value for value, _, _ in values_] == [[1], [2], [3]]
    assert rest is None


@given(
    st.binary()
    | st.text(alphabet='{}[]",:\\u0 1e-N\ud800a\x00', max_size=40).map(
        lambda t: t.encode("utf-8", "surrogatepass")
    )
)
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    try:
        decoded = decode(data)
    except JsonError:
        decoded = None
    if decoded is not None and "non-finite" not in decoded.flags:
        assert b"\n" not in encode(decoded.value)
        decode(encode(decoded.value))
        if decoded.exact:
            assert json.loads(encode({"v": Raw(data)}))["v"] == json.loads(data)
    found, rest = decode_values(data)
    assert len(found) <= 2
    assert found or rest or not data.decode("utf-8", "surrogateescape").strip(" \t\r\n\x00\ufeff")


@given(st.lists(st.dictionaries(TEXT, INT64), min_size=1, max_size=2), st.sampled_from([b"", b" ", b"\t"]))
def test_glued_values_come_apart(parts: list[dict[str, int]], between: bytes) -> None:
    found, rest = decode_values(between.join(map(encode, parts)))
    assert [value for value, _, _ in found] == parts
    assert [text for _, text, _ in found] == [encode(part) for part in parts]
    assert rest is None


@pytest.mark.parametrize(
    ("one", "other"),
    [(1, True), (0, False), (1, 1.0), ([{"a": 1}], [{"a": True}]), ("\ud800", "\ud801"), (1, "1")],
)
def test_values_that_are_not_the_same_have_another_identity(one: Any, other: Any) -> None:
    assert codec.identity(one) == codec.identity(one)
    assert codec.identity(one) != codec.identity(other)


def test_whatever_was_decoded_has_an_identity() -> None:
    for text in (b'[NaN,-Infinity,"\\ud800"]', b'{"a":1e999}', b"[" * 300 + b"]" * 300):
        assert codec.identity(codec.decode(text).value)
