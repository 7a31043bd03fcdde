from __future__ import annotations

import json
import sys
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from git_asr.asr import codec
from git_asr.asr.times import instant
from git_asr.entire import metadata
from git_asr.errors import Diagnostic

json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)
FIELDS = [
    "checkpoint_id",
    "session_id",
    "created_at",
    "agent",
    "agents",
    "model",
    "steps_count",
    "checkpoints_count",
    "checkpoint_transcript_start",
    "transcript_lines_at_start",
    "transcript_path",
    "sessions",
    "x",
]


def parsed(content: bytes) -> tuple[dict[str, Any], list[Diagnostic]]:
    said: list[Diagnostic] = []
    return metadata.parse(content, "checkpoint 0123456789ab, metadata.json", said.append), said


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b'{"a": 1}\n', {"a": 1}),
        (b'\xef\xbb\xbf{"a": 1}\r\n', {"a": 1}),
        (b'{"a": 1, "a": 2}', {"a": 2}),
        (b'{"a": "\\ud800"}', {"a": "\ud800"}),
        (b'{"a": "\xff"}', {"a": "\udcff"}),
        (b'{"a": "line\nbreak"}', {"a": "line\nbreak"}),
        (b"{}", {}),
        (
            b'{"a": NaN, "b": [{"c": -Infinity}, Infinity, 1.5]}',
            {"a": "NaN", "b": [{"c": "-Infinity"}, "Infinity", 1.5]},
        ),
    ],
)
def test_what_can_be_read_is_read(content: bytes, expected: dict[str, Any]) -> None:
    assert parsed(content) == (expected, [])


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b'{"a": 1} {"b": 2}',
        b"[]",
        b'"text"',
        b"null",
        b"\x00\x01\x02",
        b"<<<<<<< HEAD\n{}\n",
        b'{"a":' * 100_000,
        b"version https://git-lfs.github.com/spec/v1\n",
    ],
)
def test_damage_is_reported(content: bytes) -> None:
    value, said = parsed(content)
    assert value == {}
    assert [(one.code, one.where) for one in said] == [
        ("damaged-metadata", "checkpoint 0123456789ab, metadata.json")
    ]


@given(st.binary() | json_values.map(lambda value: json.dumps(value).encode()))
def test_any_bytes_give_something_that_can_be_recorded(content: bytes) -> None:
    value, said = parsed(content)
    assert value == {} or not said
    assert json.loads(codec.encode(metadata.recorded(value))) is not None


@given(st.dictionaries(st.sampled_from(FIELDS), json_values))
def test_accessors_take_any_types(value: dict[str, Any]) -> None:
    assert isinstance(metadata.text(value, "model"), str | None)
    assert all(metadata.texts(value, "agents"))
    assert 0 <= metadata.start(value) < 2**53
    assert 0 <= metadata.steps(value) < 2**53
    assert isinstance(metadata.agent(value), str | None)
    assert all(isinstance(pointer, dict) for pointer in metadata.pointers(value))
    assert "transcript_path" not in metadata.recorded(value)


def test_texts() -> None:
    value = {"a": "x", "b": "", "c": None, "d": ["x", 1, None, "", ["y"], "z"], "e": 5}
    assert metadata.text(value, "a") == "x"
    assert [metadata.text(value, key) for key in "bcdef"] == [None] * 5
    assert metadata.texts(value, "a") == ("x",)
    assert metadata.texts(value, "d") == ("x", "z")
    assert [metadata.texts(value, key) for key in "bcef"] == [()] * 4


@pytest.mark.parametrize(
    ("stored", "expected"),
    [
        (630, 630),
        (630.0, 630),
        ("630", 630),
        (2**53 - 1, 2**53 - 1),
        (0, 0),
        (-1, 0),
        (1.5, 0),
        (float("inf"), 0),
        (float("nan"), 0),
        (2**53, 0),
        (1e300, 0),
        (True, 0),
        (None, 0),
        ("", 0),
        ("-3", 0),
        ("3 lines", 0),
        ("٣", 0),
        ("9" * 5000, 0),
        ([3], 0),
        ({}, 0),
    ],
)
def test_numbers(stored: Any, expected: int) -> None:
    assert metadata.start({"checkpoint_transcript_start": stored}) == expected
    assert metadata.start({"transcript_lines_at_start": stored}) == expected
    assert (
        metadata.steps({"checkpoints_count": stored}) == metadata.steps({"steps_count": stored}) == expected
    )


def test_the_old_start_serves_where_the_new_one_says_nothing() -> None:
    assert metadata.start({"checkpoint_transcript_start": 5, "transcript_lines_at_start": 7}) == 5
    assert metadata.start({"checkpoint_transcript_start": 0, "transcript_lines_at_start": 7}) == 7
    assert metadata.start({"checkpoint_transcript_start": None, "transcript_lines_at_start": 7}) == 7
    assert metadata.start({}) == 0


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ({"agent": "Codex", "agents": ["Claude Code"]}, "Codex"),
        ({"agent": "", "agents": "Claude Code"}, "Claude Code"),
        ({"agent": None, "agents": ["Claude Code"]}, "Claude Code"),
        ({"agent": ["Codex"]}, None),
        ({"agents": ["Codex", "Claude Code"]}, None),
        ({"agents": []}, None),
        ({}, None),
    ],
)
def test_the_label_of_the_agent(value: dict[str, Any], expected: str | None) -> None:
    assert metadata.agent(value) == expected


SECOND = 10**9


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1970-01-01T00:00:00Z", 0),
        ("1970-01-01T00:00:00+01:00", -3600 * SECOND),
        ("1970-01-01T00:00:00-00:30", 1800 * SECOND),
        ("1970-01-01t00:00:01.5z", 1_500_000_000),
        ("1970-01-01 00:00:01.000000001Z", 1_000_000_001),
        ("1970-01-01T00:00:01.Z", 1_000_000_000),
        ("1970-01-01T00:00:01.1234567899Z", 1_123_456_789),
        ("2026-07-03T14:44:19.756677Z", 1_783_089_859_756_677_000),
        ("2026-01-06T13:40:57.519166+01:00", 1_767_703_257_519_166_000),
        ("2016-12-31T23:59:60Z", 1_483_228_799 * SECOND),
        ("0001-01-01T00:00:00Z", -62_135_596_800 * SECOND),
        ("0001-01-01T00:00:00+23:59", -62_135_683_140 * SECOND),
        ("9999-12-31T23:59:59-23:59", 253_402_387_139 * SECOND),
        ("1970-01-01T00:00:00", None),
        ("1970-01-01", None),
        ("1970-02-30T00:00:00Z", None),
        ("0000-01-01T00:00:00Z", None),
        ("1970-01-01T24:00:00Z", None),
        ("1970-01-01T00:60:00Z", None),
        ("1970-01-01T00:00:61Z", None),
        ("1970-01-01T00:00:00+24:00", None),
        ("1970-01-01T00:00:00+00:60", None),
        ("1970-01-01T00:00:00+0100", None),
        ("1970-01-01T00:00:00Z\n", None),
        ("١970-01-01T00:00:00Z", None),
        ("", None),
        (None, None),
    ],
)
def test_times(text: str | None, expected: int | None) -> None:
    assert instant(text) == expected


@given(
    st.datetimes(datetime(1000, 1, 2), datetime(9999, 12, 30)),
    st.integers(-23 * 60, 23 * 60).map(lambda minutes: timezone(timedelta(minutes=minutes))),
)
def test_any_time_with_an_offset(local: datetime, zone: timezone) -> None:
    moment = local.replace(tzinfo=zone)
    elapsed = moment - datetime(1970, 1, 1, tzinfo=UTC)
    assert instant(moment.isoformat()) == elapsed // timedelta(microseconds=1) * 1000


@given(st.text())
def test_any_text_for_a_time(text: str) -> None:
    assert isinstance(instant(text), int | None)


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("/1d/d678f9643b/0/metadata.json", ("0", "metadata.json")),
        ("/0/metadata.json", ("0", "metadata.json")),
        ("0/metadata.json", ("0", "metadata.json")),
        ("/../../0/metadata.json", ("0", "metadata.json")),
        ("metadata.json", None),
        ("/metadata.json", None),
        ("/0/", None),
        ("//", None),
        ("", None),
        (None, None),
        (["/0/metadata.json"], None),
    ],
)
def test_pointers_count_by_their_last_two_parts(path: Any, expected: tuple[str, str] | None) -> None:
    assert metadata.pointed({"metadata": path}, "metadata") == expected
    assert metadata.pointed({}, "metadata") is None


def test_lists_of_pointers() -> None:
    assert metadata.pointers({"sessions": [{"metadata": "/0/metadata.json"}, None, "x", {}]}) == (
        {"metadata": "/0/metadata.json"},
        {},
    )
    assert (
        metadata.pointers({"sessions": None})
        == metadata.pointers({"sessions": {}})
        == metadata.pointers({})
        == ()
    )


def test_private_fields_are_not_recorded() -> None:
    value = {
        "transcript_path": "/home/one/.claude/x.jsonl",
        "x-unknown": {"transcript_path": 1},
        "sessions": [{"transcript_path": "/home/one", "metadata": "/0/metadata.json"}, "text", None],
    }
    assert metadata.recorded(value) == {
        "x-unknown": {"transcript_path": 1},
        "sessions": [{"metadata": "/0/metadata.json"}, "text", None],
    }
    assert value["transcript_path"] == "/home/one/.claude/x.jsonl"
    assert metadata.recorded({"sessions": "none"}) == {"sessions": "none"}


def test_nesting_does_not_exhaust_the_stack() -> None:
    deep: dict[str, Any] = {}
    for _ in range(sys.getrecursionlimit()):
        deep = {"sessions": [deep]}
    assert metadata.recorded(deep) == deep
