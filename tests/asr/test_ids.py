from __future__ import annotations

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from git_asr.asr import ids, parts


@pytest.mark.parametrize(
    ("native", "fit"),
    [
        ("9b138c7e-bf80-4a5d-af75-e52fc19a2db5", True),
        ("toolu_012z1vpyaMaKLqBgtEJetSEN", True),
        ("call_a|fc_b", True),
        ("REDACTEDish-name", True),
        (None, False),
        ("", False),
        ("REDACTED", False),
        ("[REDACTED_EMAIL]", False),
        ("msg_REDACTED", True),  # the word runs on from the underscore: no marker of Entire's
        ("REDACTED/REDACTED", False),
        ("a [REDACTED] b", False),
        ("~12.100", False),
        ("~12.100x", True),
        ("a\x1b[31mb", False),
        ("a\ud800b", False),
        ("x" * 401, False),
    ],
)
def test_usable(native: str | None, fit: bool) -> None:
    assert ids.usable(native) is fit


@pytest.mark.parametrize(
    ("session", "fit"),
    [
        ("ses_1", True),
        ("../etc", False),
        ("a/b", False),
        ("a\\b", False),
        ("a..b", False),
        (None, False),
        ("é 1", True),
    ]
    + [(f"a{one}b", False) for one in ("\x1b", "\x9b", "\u202e", "\u2028", "\ud800", "\xa0")],
)
def test_usable_session(session: str | None, fit: bool) -> None:
    assert ids.usable_session(session) is fit


def test_derived_ids_are_position_and_part() -> None:
    assert ids.derived(12, 300) == "~12.300"
    assert not ids.usable(ids.derived(0, 0))


@pytest.mark.parametrize(
    ("stored", "bare"),
    [
        ("2026-01-05-9b138c7e-bf80-4a5d", "9b138c7e-bf80-4a5d"),
        ("9b138c7e-bf80-4a5d", "9b138c7e-bf80-4a5d"),
        ("2026-01-05-", "2026-01-05-"),
        ("2026-01-05-2026-01-06-x", "2026-01-06-x"),
    ],
)
def test_without_date(stored: str, bare: str) -> None:
    assert ids.without_date(stored) == bare


def test_a_plain_id_is_its_own_name() -> None:
    assert ids.name("9b138c7e-bf80_4") == "9b138c7e-bf80_4"
    assert ids.name("a" * 100) == "a" * 100


@pytest.mark.parametrize("identifier", ["A", "-a", "a.b", "a@b", "../x", "a/b", "", "a" * 101, "ä", "\ud800"])
def test_any_other_id_is_named_by_its_hash(identifier: str) -> None:
    digest = hashlib.sha256(identifier.encode("utf-8", "surrogatepass")).hexdigest()
    assert ids.name(identifier) == f"~{digest}"


@given(st.text(), st.text())
def test_names_are_safe_and_do_not_clash_on_a_case_insensitive_disk(left: str, right: str) -> None:
    one, other = ids.name(left), ids.name(right)
    assert ids.is_name(one)
    assert one == one.lower()
    assert "/" not in one
    assert ".." not in one
    assert (one == other) == (left == right)


@given(st.text(), st.integers(min_value=1, max_value=10**7))
def test_files_of_streams_are_told_from_all_others(stream: str, number: int) -> None:
    paths = {parts.header_path(stream), parts.part_path(stream, number), parts.links_path(stream)}
    assert len(paths) == 3
    assert all(map(parts.is_stream_file, paths))


@pytest.mark.parametrize(
    "path",
    [
        "sessions/../a.jsonl",
        "sessions/A.jsonl",
        "sessions/a.json",
        "a.jsonl",
        "sessions/a/b.jsonl",
        "/sessions/a.jsonl",
        "sessions/a~1.jsonl",
        "sessions/a~lines.jsonl",
        "sessions/~abc.jsonl",
        "sessions/a.jsonl\n",
        "bundle.json",
    ],
)
def test_other_names_are_refused(path: str) -> None:
    assert not parts.is_stream_file(path)
