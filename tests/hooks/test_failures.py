"""The log of failures: lines in, lines out, whatever the file holds."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from git_asr.hooks.failures import FILE_NAME, MAX_BYTES, Failure, recent, record, rotate

ONE = Failure("2026-01-01T00:00:00Z", "scan", "a message")
ALL = Failure("2026-01-01T00:00:01Z", "a" * 40, "m\n\x1b \udcff", 3, "a" * 40, "a hint", "Traceback …")


def test_what_is_recorded_is_found_again(tmp_path: Path) -> None:
    assert recent(tmp_path, 5) == []
    record(tmp_path, ONE)
    record(tmp_path, ALL)
    lines = (tmp_path / FILE_NAME).read_text("ascii").splitlines()
    assert [json.loads(one) for one in lines] == [
        {"time": ONE.time, "item": "scan", "message": "a message"},
        {
            "time": ALL.time,
            "item": ALL.item,
            "message": ALL.message,
            "items": 3,
            "commit": ALL.commit,
            "hint": ALL.hint,
            "trace": ALL.trace,
        },
    ]
    assert recent(tmp_path, 5) == [ONE, ALL]
    assert recent(tmp_path, 1) == [ALL]
    assert recent(tmp_path, 0) == []


def test_long_texts_are_cut(tmp_path: Path) -> None:
    record(tmp_path, Failure("t", "i" * 9999, "m" * 9999, trace="t" * 99_999))
    (found,) = recent(tmp_path, 1)
    assert [len(one or "") for one in (found.item, found.message, found.trace)] == [2000, 2000, 16_384]


def test_the_log_begins_anew_and_the_one_before_is_kept(tmp_path: Path) -> None:
    for number in range(900):
        record(tmp_path, Failure("t", str(number), "m" * 2000))
    log, before = tmp_path / FILE_NAME, tmp_path / f"{FILE_NAME}.1"
    assert log.stat().st_size <= MAX_BYTES + 3000
    assert MAX_BYTES < before.stat().st_size <= MAX_BYTES + 3000
    assert [one.item for one in recent(tmp_path, 800)] == [str(number) for number in range(100, 900)]


@pytest.mark.parametrize(
    "junk",
    [
        b"\xff\xfe\n",
        b"[]\n",
        b"{}\n",
        b'{"time": "t", "item": "i"}\n',
        b'{"time": "t", "item": "i", "message": 1}\n',
        b'{"time": "t", "item": "i", "message": "m", "items": "1"}\n',
        b'{"time": "t", "item": "i", "message": "m", "items": true}\n',
        b"[" * 100_000 + b"\n",
        b'{"time": "t", "item": "i", "mess',
    ],
)
def test_lines_that_are_none_are_passed_over(tmp_path: Path, junk: bytes) -> None:
    record(tmp_path, ONE)
    with (tmp_path / FILE_NAME).open("ab") as file:
        file.write(junk)
    record(tmp_path, ALL)
    assert recent(tmp_path, 5) == [ONE, ALL]


def test_fields_of_a_later_version_do_no_harm(tmp_path: Path) -> None:
    (tmp_path / FILE_NAME).write_text('{"time": "t", "item": "i", "message": "m", "novel": {}}\n')
    assert recent(tmp_path, 5) == [Failure("t", "i", "m")]


@pytest.mark.parametrize("kind", ["folder", "pipe", "missing folder"])
def test_where_nothing_can_be_written_nothing_happens(tmp_path: Path, kind: str) -> None:
    if kind == "folder":
        (tmp_path / FILE_NAME).mkdir()
    elif kind == "pipe":
        os.mkfifo(tmp_path / FILE_NAME)
    directory = tmp_path / "none" if kind == "missing folder" else tmp_path
    record(directory, ONE)
    assert recent(directory, 5) == []


def test_a_log_of_which_nothing_is_there_is_not_too_long(tmp_path: Path) -> None:
    assert not rotate(tmp_path / "log")
    (tmp_path / "log").write_bytes(b"x" * MAX_BYTES)
    assert not rotate(tmp_path / "log")
    (tmp_path / "log").write_bytes(b"x" * (MAX_BYTES + 1))
    assert rotate(tmp_path / "log")
    assert [one.name for one in tmp_path.iterdir()] == ["log.1"]
