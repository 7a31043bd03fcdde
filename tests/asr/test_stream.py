from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from git_asr.asr import stream
from git_asr.asr.stream import Gap
from git_asr.asr.version import major
from git_asr.errors import AsrError

HEADER = b'{"type":"header","formatVersion":"0.1"}\n'
ONE, TWO = b'{"type":"a","seq":1}\n', b'{"type":"b","seq":2,"x":null}\n'


def test_files_are_joined_and_lines_may_run_on() -> None:
    files = [HEADER, ONE + TWO[:7], TWO[7:]]
    assert list(stream.read(files)) == [
        {"type": "header", "formatVersion": "0.1"},
        {"type": "a", "seq": 1},
        {"type": "b", "seq": 2, "x": None},
    ]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b"{nonsense\n", "not JSON"),
        (b"[1]\n", "not a record"),
        (b'{"seq":1}\n', "not a record"),
        (b'{"type":7}\n', "not a record"),
        (b"\n", "blank line"),
    ],
)
def test_a_damaged_line_costs_only_itself(line: bytes, reason: str) -> None:
    read = list(stream.read([HEADER + line + ONE]))
    assert read[1] == Gap(2, reason)
    assert read[2] == {"type": "a", "seq": 1}


def test_a_last_line_that_was_cut_off_is_ignored_and_a_whole_one_is_not() -> None:
    assert len(list(stream.read([HEADER + ONE + b'{"type":"b"']))) == 2
    assert len(list(stream.read([HEADER + ONE + b'{"type":"b"}']))) == 3


@given(st.lists(st.binary(), max_size=4))
def test_nothing_that_is_read_raises(files: list[bytes]) -> None:
    assert all(isinstance(one, Gap | dict) for one in stream.read(files))


def test_a_header_of_another_major_is_refused() -> None:
    with pytest.raises(stream.UnknownMajor, match=r"'1\.0'"):
        stream.header(b'{"type":"header","formatVersion":"1.0"}\n')
    assert stream.header(b'{"type":"header","formatVersion":"0.9","new":1}\n')["new"] == 1


@pytest.mark.parametrize("data", [b"", b"x\n", ONE])
def test_a_file_without_a_header_is_refused(data: bytes) -> None:
    with pytest.raises(AsrError, match="without a header"):
        stream.header(data)


@pytest.mark.parametrize(
    ("version", "number"),
    [("0.1", 0), ("12", 12), ("x.1", None), (None, None), ("²", None), ("1" * 11, None)],
)
def test_major(version: object, number: int | None) -> None:
    assert major(version) == number
