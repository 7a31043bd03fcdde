from __future__ import annotations

import math
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from git_asr.converters.fields import chain, epoch, is_rfc3339, number_or_text, part, text, time


@pytest.mark.parametrize(
    ("number", "expected"),
    [
        (1777885200, "2026-05-04T09:00:00Z"),
        (1777885200.25, "2026-05-04T09:00:00.25Z"),
        (1777885200000, "2026-05-04T09:00:00.000Z"),
        (1777885200120, "2026-05-04T09:00:00.120Z"),
        (1777885200001.5, "2026-05-04T09:00:00.0015Z"),
        (1, "1970-01-01T00:00:01Z"),
        (99_999_999_999, "5138-11-16T09:46:39Z"),
        (100_000_000_000, "1973-03-03T09:46:40.000Z"),
        (253_402_300_799_999, "9999-12-31T23:59:59.999Z"),
        (253_402_300_800_000, None),
        (0, None),
        (-1, None),
        (0.5, None),
        (math.nan, None),
        (math.inf, None),
        (10**400, None),
    ],
)
def test_epochs_are_converted_exactly(number: float, expected: str | None) -> None:
    assert epoch(number) == expected


@given(st.integers(100_000_000_000, 253_402_300_799_999))
def test_milliseconds_come_back(number: int) -> None:
    written = epoch(number)
    assert written is not None
    assert is_rfc3339(written)
    whole = datetime.fromisoformat(written[:-5] + "Z") - datetime(1970, 1, 1, tzinfo=UTC)
    assert whole.days * 86_400_000 + whole.seconds * 1000 + int(written[-4:-1]) == number


@pytest.mark.parametrize(
    "recorded",
    [
        "2026-05-04T09:00:00Z",
        "2026-05-04T09:00:00.123456789Z",
        "2026-05-04t09:00:00+05:30",
        "2024-02-29T23:59:59-00:00",
    ],
)
def test_recorded_times_stay_as_they_are(recorded: str) -> None:
    assert time({"at": recorded}, "at") == recorded


@pytest.mark.parametrize(
    "recorded",
    [
        *("", "REDACTED", "2026-05-04", "2026-05-04T09:00:00", "2026-05-04 09:00:00Z", "2026-05-04T09:00Z"),
        *("2026-02-30T09:00:00Z", "2026-05-04T24:00:00Z", "2026-05-04T09:00:60Z", "0000-01-01T00:00:00Z"),
        *("2026-05-04T09:00:00+24:00", "2026-05-04T09:00:00Z\n", "\u0662026-05-04T09:00:00Z"),
        *(None, True, [], {}),
    ],
)
def test_what_is_no_time(recorded: Any) -> None:
    assert time({"at": recorded}, "at") is None


@pytest.mark.parametrize("value", [None, 1, "a", ["a"], {"b": 1}, {"a": []}, {"a": 1.5}, {"a": True}])
def test_what_is_not_there_is_none(value: Any) -> None:
    assert text(value, "a") is None
    assert number_or_text(value, "a") is None
    assert part(value, "a") == {}
    assert chain(value, "a", "parent") == (False, None)


def test_what_is_there() -> None:
    assert text({"a": ""}, "a") == ""
    assert part({"a": {"b": 1}}, "a") == {"b": 1}
    assert [number_or_text({"a": value}, "a") for value in (0, "0", -5)] == ["0", "0", "-5"]
    assert chain({"a": 1, "p": None}, "a", "p") == (True, None)
    assert chain({"a": 1, "p": "x"}, "a", "p") == (True, "x")
    assert chain({"a": 1, "p": 7}, "a", "p") == (False, None)
