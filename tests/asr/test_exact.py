from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from git_asr.asr import codec
from git_asr.asr.codec import NumberText
from git_asr.asr.exact import decode_exactly

NUMBERS = st.from_regex(r"-?(0|[1-9][0-9]{0,25})(\.[0-9]{1,25})?([eE][+-]?[0-9]{1,3})?", fullmatch=True)


@given(st.lists(NUMBERS), st.text())
def test_numbers_keep_their_digits(numbers: list[str], text: str) -> None:
    data = f'{{"n": [{", ".join(numbers)}], "t": {json.dumps(text)}}}'.encode()
    found = decode_exactly(data)
    assert found["t"] == text
    again = codec.encode_indented(found)
    assert [line.strip().rstrip(",") for line in again.decode().split("\n")[2 : 2 + len(numbers)]] == numbers
    assert decode_exactly(again) == found


def test_what_python_spells_so_is_a_number() -> None:
    assert decode_exactly(b'[1, 1.5, 18446744073709551615, "\\ud800", -0]') == [
        *(1, 1.5, 18446744073709551615, "\ud800", NumberText("-0")),
    ]


@pytest.mark.parametrize("data", [b"{", b"[1.0, NaN]", b"[1.0" + b"[" * 5000, b"[1.0, Infinity]", b"1.0 2"])
def test_what_is_no_json(data: bytes) -> None:
    with pytest.raises(codec.JsonError):
        decode_exactly(data)
