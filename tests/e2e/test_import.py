"""Whatever a file of events holds, ``git asr import`` takes in what can be read, says what cannot, and ends well."""

from __future__ import annotations

import json
from pathlib import Path

from tests.e2e.sample_repos import repository, session
from tests.support.companion import bundles, tip
from tests.support.run import Result, run_cli

START = b'{"type":1,"session_id":"%s"}' % session(9).encode()
HOSTILE = [
    b"[" * 5_000 + b"]" * 5_000,
    b'{"type":' * 300 + b"1" + b"}" * 300,
    b'{"type":2,"prompt":"lone \\ud83d half"}',
    b'{"type":2,"prompt":"' + b"x" * 3_000_000 + b'"}',
    b'{"type":2,"tokens":340282366920938463463374607431768211456,"cost":1e999}',
    b'{"type":2,"n":NaN}',
    b'{"type":2}{"type":3}{"type":5}',
    b"\xef\xbb\xbf\x00" + b'{"type":3}',
    b'{"type":4,"value":{"type":"io.entire/checkpoint"}}',
    b'{"type":"checkpoint","sessionIds":["x"]}',
    b'{"type":"vcs","action":"commit","commit":"' + b"0" * 40 + b'"}',
    b'{"type":"message","id":"~1.0","role":"\\u001b[2J","content":[{"type":"text","text":"\\u001b]0;x\\u0007"}]}',
    b'{"type":"append","id":"REDACTED","content":null}',
    b'{"type":"result","call_id":"' + b"c" * 500 + b'","output":{"a":[[[[1]]]]}}',
    b'{"type":"usage","input_tokens":-1,"output_tokens":"many"}',
    b'{"type":"drop","id":"~1.0"}',
    b'{"type":6,"session_id":"a/../b","tool_use_id":{"x":1}}',
    b"\xff\xfe\x00garbage\x00",
]


def imported(path: Path, *lines: bytes) -> Result:
    ended = run_cli(["import", "--events", "-", "--json"], path, stdin=b"\n".join(lines) + b"\n")
    assert (ended.status, "Traceback" in ended.err, "\x1b" in ended.err) == (0, False, False)
    return ended


def test_each_hostile_line_costs_only_itself(tmp_path: Path) -> None:
    path = repository(tmp_path / "r", 1).path
    run_cli(["sync"], path)
    for number, line in enumerate(HOSTILE):
        identifier = f"s{number}"
        start = b'{"type":1,"session_id":"%s"}' % identifier.encode()
        found = json.loads(imported(path, start, line, b'{"type":"message","content":"still here"}').out)
        assert [one["outcome"] for one in found["sessions"]][:1] == ["new"], line[:60]
    texts = json.dumps([stream.records for one in bundles(path) for stream in one.streams.values()])
    assert texts.count("still here") == len(HOSTILE)
    assert len(bundles(path)) == len(HOSTILE) + 1


def test_all_of_them_at_once(tmp_path: Path) -> None:
    path = repository(tmp_path / "r", 1).path
    imported(path, START, *HOSTILE)
    first = tip(path)
    found = json.loads(imported(path, START, *HOSTILE).out)
    assert [one["outcome"] for one in found["sessions"]] == ["unchanged"]
    assert len({one["where"] for one in found["diagnostics"]}) >= 8
    assert tip(path) == first
    for command in (["show", session(9)], ["sessions"], ["log"], ["sync"], ["status"], ["coverage"]):
        ended = run_cli(command, path)
        assert (ended.status, "Traceback" in ended.err, "\x1b" in ended.out) == (0, False, False), command
    assert tip(path) == first
