from __future__ import annotations

import hashlib

import pytest

from git_asr.converters.events.reading import MOST_TOLD
from tests.converters.events.conversion import SESSION, lines, told

OTHER = "66666666-7777-8888-9999-000000000000"


def test_lines_belong_to_the_session_that_they_or_the_line_before_names() -> None:
    data = lines(
        {"type": 1, "session_id": SESSION},
        {"type": 2},
        {"type": 1, "sessionId": OTHER},
        {"type": "TurnEnd", "session": SESSION},
        b"",
        b"no json",
        {"type": 3},
    )
    (first, second), found = told(data, None)
    assert (first.session, first.lines) == (SESSION, [1, 2, 4, 6, 7])
    assert [unit.position for unit in first.units] == [1, 2, 3, 4, 5]
    assert (second.session, second.lines) == (OTHER, [3])
    assert found == [("damaged-line", "file, line 6", "no JSON: kept as text")]


def test_bad_lines_are_told_with_their_number() -> None:
    data = lines(
        {"type": 8, "session_id": SESSION},
        {"type": "Other" * 30},
        {"type": True},
        {"type": [1]},
        {"no": "type"},
        [1],
        {"type": 1, "session_id": "../x"},
        {"type": 1, "session_id": "", "sessionId": OTHER},
    )
    sessions, found = told(data, None)
    assert [len(one.units) for one in sessions] == [7, 1]
    assert found == [
        ("unknown-event", "file, line 1", "type '8' is neither an event's nor a record's: kept as it is"),
        (
            "unknown-event",
            "file, line 2",
            f"type {('Other' * 30)[:40]!a} is neither an event's nor a record's: kept as it is",
        ),
        ("unknown-event", "file, line 3", "type 'True' is neither an event's nor a record's: kept as it is"),
        (
            "unknown-event",
            "file, line 4",
            "its type is neither an event's nor a record's: kept as it is",
        ),
        ("unknown-event", "file, line 5", "it has no type: kept as it is"),
        ("unknown-event", "file, line 6", "no object: kept as it is"),
        ("unusable-session-id", "file, line 7", "'../x' is no session ID"),
    ]


def test_lines_of_no_session_are_left_out() -> None:
    data = lines({"type": 1}, {"type": 2, "session_id": SESSION})
    (one,), found = told(data, None)
    assert one.lines == [2]
    assert found == [
        ("no-session", "file, line 1", "it names no session, and no line before it does: left out")
    ]
    assert [one.lines for one in told(data, OTHER)[0]] == [[1], [2]]


def test_many_bad_lines_are_not_all_told() -> None:
    _, found = told(lines(*[7] * (MOST_TOLD + 3)))
    assert len(found) == MOST_TOLD + 1
    assert found[-1] == ("bad-lines", "file", "and 3 more bad lines")


@pytest.mark.parametrize("last", [b'{"type":', b"\xff"])
def test_a_last_line_that_is_cut_off_is_left_for_the_next_time(last: bytes) -> None:
    whole = lines({"type": 1})
    (one,), found = told(whole + last)
    assert (len(one.units), found) == (1, [])
    (longer,), _ = told(whole + last + b"\n" + whole)
    assert longer.extends(one.size, one.digest)


def test_a_longer_file_is_known_again() -> None:
    start = [
        {"type": 1},
        b'{"type":2,"x":NaN}',
        b"\xff bad",
        b'{"type":2}{"type":3}',
        {"type": "\ud800".encode("utf-8", "surrogatepass").hex()},
    ]
    ((one,), _), ((longer,), _) = told(lines(*start, 1)), told(lines(*start, 1, 2))
    assert one.digest == hashlib.sha256(b"".join(one.stored)).hexdigest()
    assert [unit.index for unit in one.units] == [0] * len(one.units)
    assert one.lines == [1, 2, 3, 4, 4, 5, 6]
    assert longer.extends(one.size, one.digest)
    assert one.extends(one.size, one.digest)
    assert not one.extends(longer.size, longer.digest)
    ((other,), _) = told(lines(*reversed(start), 1, 2))
    assert not other.extends(one.size, one.digest)
    among = lines({"type": 1, "session_id": OTHER}, {"type": 1, "session_id": SESSION}, *start[1:], 1)
    assert len(told(among)[0][1].units) == 7


def test_nothing() -> None:
    assert told(b"") == ([], [])
    assert told(b"\n\n \n", None) == ([], [])
