"""Which files a session touched, and with which commits that came in."""

from __future__ import annotations

from typing import Any

from git_asr.views.touched import part, touched
from tests.asr.records import record
from tests.asr.streams import checkpoint, stream, vcs

A, B, C = (letter * 40 for letter in "abc")
FIRST, SECOND, LOST = (f"{number:012x}" for number in (1, 2, 3))
LINKS = (checkpoint(FIRST, 1), checkpoint(SECOND, 3), vcs(FIRST, A), vcs(SECOND, B))


def call(identifier: str, path: str, **other: Any) -> dict[str, Any]:
    arguments = {"file_path": path, "old_string": "a", "new_string": "b"}
    return record(identifier, "tool_call", callId=identifier, name="Edit", arguments=arguments, **other)


def result(identifier: str, status: str, **other: Any) -> dict[str, Any]:
    return record(f"{identifier}.r", "tool_result", callId=identifier, status=status, **other)


def none(_: str) -> None:
    return None


def test_by_slice() -> None:
    one = stream(call("1", "/a"), call("2", "/b"), call("3", "/a"), call("4", "/c"), links=LINKS, through=9)
    assert touched([one], none) == {"/a": (A, B), "/b": (A,), "/c": (B,)}


def test_failed_edits_did_not_touch() -> None:
    records = [call("1", "/ok"), result("1", "ok"), call("2", "/bad"), result("2", "error"), call("3", "/no")]
    records += [result("3", "rejected"), call("4", "/open"), result("4", "unknown")]
    one = stream(*records, links=LINKS, through=9)
    assert touched([one], none) == {"/ok": (A,), "/open": (B,)}


def test_what_the_tool_says_it_did_goes_first() -> None:
    output = {"filePath": "/real", "structuredPatch": [{"lines": ["+x"]}]}
    one = stream(call("1", "/asked"), result("1", "ok", output=output), links=LINKS, through=9)
    assert touched([one], none) == {"/real": (A,)}


def test_a_subagent_came_in_where_it_was_started() -> None:
    main = stream(call("1", "/a"), call("2", "/b"), call("start", "/c"), links=LINKS, through=9)
    below = stream(call("x", "/sub"), call("deep", "/sub2"), identifier="s.1", calls=["start"], through=9)
    deepest = stream(call("y", "/deep"), identifier="s.2", calls=["deep"], through=9)
    lone = stream(call("z", "/lone"), identifier="s.3", calls=["nowhere"], through=9)
    found = touched([main, below, deepest, lone], none)
    assert (found["/sub"], found["/deep"], found["/lone"]) == ((B,), (B,), ())


def test_a_checkpoint_without_a_start_has_all_paths() -> None:
    one = stream(call("1", "/a"), call("2", "/b"), links=(*LINKS, checkpoint(LOST), vcs(LOST, C)), through=9)
    assert touched([one], none) == {"/a": (A, C), "/b": (A, C)}


def test_what_is_needed_of_records() -> None:
    assert part(call("1", "/a")) == call("1", "/a")
    assert part(record("m", "message")) is None
    assert part(record("m", "message", seq=1, supersedes="l", content=[])) == {
        "type": "message",
        "seq": 1,
        "id": "m",
        "supersedes": "l",
    }
    revised = stream(call("1", "/a"), {**call("2", "/b"), "supersedes": "1"}, links=LINKS, through=9)
    assert touched([revised], none) == {"/b": (A,)}
