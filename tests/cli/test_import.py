"""``git asr import --events``."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from git_asr.cli import imported
from git_asr.errors import AsrError
from tests.support.companion import bundles, tip
from tests.support.entire_repo import EntireRepo, Stored, claude
from tests.support.run import PROJECT, Result, run_cli

SESSION = "11111111-2222-3333-4444-555555555555"
CP = "0a1b2c3d4e50"
EVENTS: list[Any] = [
    {"type": "SessionStart", "session_id": SESSION, "timestamp": "2026-05-04T09:00:00Z", "model": "m"},
    {"type": 2, "session_id": SESSION, "prompt": "Water the beans"},
    {"type": "message", "id": "m1", "role": "assistant", "content": "I will"},
    {"type": "append", "id": "m1", "content": " do so."},
    {"type": "usage", "id": "m1", "input_tokens": 3, "output_tokens": 4},
]


def lines(*values: Any) -> bytes:
    return b"".join((one if isinstance(one, bytes) else json.dumps(one).encode()) + b"\n" for one in values)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    repo = EntireRepo(tmp_path / "r")
    repo.commit()
    return repo.build()


def imports(path: Path, data: bytes, *options: str) -> Result:
    ended = run_cli(["import", "--events", "-", *options], path, stdin=data)
    assert "Traceback" not in ended.err
    return ended


def test_from_stdin_and_from_a_file(path: Path, tmp_path: Path) -> None:
    ended = imports(path, lines(*EVENTS))
    assert (ended.status, ended.err) == (0, "")
    assert ended.out.splitlines() == [f"entire {SESSION}: 5 lines, new", "1 session: 1 new"]
    file = tmp_path / "events.jsonl"
    file.write_bytes(lines(*EVENTS, {"type": 3}))
    ended = run_cli(["import", "--events", str(file)], path)
    assert ended.out.splitlines() == [f"entire {SESSION}: 6 lines, extended", "1 session: 1 extended"]
    assert imports(path, file.read_bytes()).out.splitlines()[1] == "1 session: 1 unchanged"


def test_it_is_shown_like_any_other(path: Path) -> None:
    imports(path, lines(*EVENTS), "--agent", "Claude Code")
    shown = run_cli(["show", SESSION[:8]], path).out
    assert "claude-code · m" in shown
    assert "Water the beans" in shown
    assert "I will do so." in shown
    assert "1 model call" in shown
    (one,) = json.loads(run_cli(["sessions", "--json"], path).out)["sessions"]
    assert (one["harness"], one["firstPrompt"], one["models"]) == ("claude-code", "Water the beans", ["m"])
    assert run_cli(["sync"], path).out == "up to date: 1 session, 0 links to commits\n"


def test_as_json(path: Path) -> None:
    ended = imports(path, lines(*EVENTS, b"oops", {"type": 3}), "--json")
    found = json.loads(ended.out)
    assert (found["version"], found["dryRun"], found["companion"]) == (1, False, tip(path))
    one = {"harness": "entire", "id": SESSION, "stream": SESSION, "lines": 7, "outcome": "new"}
    assert found["sessions"] == [one]
    said = {
        "code": "damaged-line",
        "where": "stdin, line 6",
        "message": "no JSON: kept as text",
        "hint": None,
    }
    assert found["diagnostics"] == [said]
    dry = json.loads(imports(path, lines(*EVENTS), "--json", "--dry-run").out)
    page = (PROJECT / "docs" / "json.md").read_text("utf-8")
    section = page.partition("## git asr import")[2].partition("\n## ")[0]
    documented = set(re.findall(r"`(\w+)`", section))
    assert {*found, *one, *said, *dry["sessions"][0]} - {"version"} <= documented


def test_a_dry_run_changes_nothing(path: Path) -> None:
    ended = imports(path, lines(*EVENTS, {"type": "drop", "id": "x"}), "--dry-run")
    assert ended.out.splitlines() == [
        f"entire {SESSION}: 6 lines, 1 git-asr/context, 1 inference, 1 io.entire.events/drop, 2 message, 1 state",
        "1 session",
    ]
    assert ended.err == "warning: stdin, line 6: it drops what is not there; it is kept as it is\n"
    assert tip(path) is None


def test_bad_lines_are_told_and_kept(path: Path) -> None:
    bad = lines(
        *EVENTS, b"\x00\xff\x1b[31m oops", {"type": "\x1b[2J"}, [1], b'{"type":2}{"type":3} junk', b'{"cut'
    )
    ended = imports(path, bad, "--strict")
    assert ended.status == 1
    assert "\x1b" not in ended.err
    assert [re.findall(r"line \d+", line)[0] for line in ended.err.splitlines()] == [
        *("line 6", "line 7", "line 8", "line 9"),
    ]
    assert imports(path, lines(*EVENTS), "--strict").status == 0
    (bundle,) = bundles(path)
    (stream,) = bundle.streams.values()
    assert [one["type"] for one in stream.records[-6:]] == [
        *(
            "git-asr/notice",
            "io.entire.events/unit",
            "io.entire.events/unit",
            "state",
            "state",
            "git-asr/notice",
        ),
    ]


def test_ids_do_not_steer_the_terminal(path: Path) -> None:
    other = {"type": "message", "session_id": SESSION, "id": "\u009b31m", "role": "user", "content": "no"}
    imports(path, lines(*EVENTS))
    ended = imports(path, lines(other))
    assert ended.out.splitlines()[0] == f"entire {SESSION}@<U+009B>31m: 1 line, new"
    ended = imports(path, lines({"type": 2, "session_id": "a\u009b31m"}))
    assert ended.err.splitlines()[0] == "warning: stdin, line 1: 'a\\x9b31m' is no session ID"


def test_a_closed_stdin(path: Path) -> None:
    command = f'exec "{sys.executable}" -m git_asr import --events - <&-'
    env = {**os.environ, "PYTHONPATH": str(PROJECT)}
    ended = subprocess.run(["sh", "-c", command], cwd=path, env=env, capture_output=True, check=False)
    assert (ended.returncode, ended.stderr) == (1, b"error: cannot read stdin: it is closed\n")


def test_a_session_that_a_checkpoint_holds(path: Path, tmp_path: Path) -> None:
    repo = EntireRepo(tmp_path / "held")
    repo.checkpoint(CP, Stored(SESSION, claude(SESSION, ["u1"])))
    repo.commit(CP)
    held = repo.build()
    ended = imports(held, lines(*EVENTS), "--agent", "claude-code")
    assert ended.out.splitlines() == [f"claude-code {SESSION}: 5 lines, refused", "1 session: 1 refused"]
    assert ended.err == f"warning: session {SESSION}: checkpoints hold it, and say more\n"
    assert imports(held, lines(*EVENTS), "--agent", "claude-code", "--strict").status == 1


def test_a_session_can_be_named(path: Path) -> None:
    assert imports(path, lines({"type": 1})).out == "0 sessions\n"
    assert imports(path, lines({"type": 1}), "--session", "s1").out.startswith("entire s1: 1 line, new")


@pytest.mark.parametrize(
    ("options", "status", "said"),
    [
        (
            [],
            2,
            "error: say what to import\nhint: git asr import BUNDLE   (or git asr import --events FILE)\n",
        ),
        (["--events", "-", "--agent", "nobody"], 2, "error: no agent is called 'nobody'"),
        (["--events", "-", "--session", "../x"], 2, "error: '../x' is no session ID"),
        (["--events", "nowhere.jsonl"], 1, "error: cannot read 'nowhere.jsonl': No such file or directory"),
        (["--events", "."], 1, "error: cannot read '.': Is a directory"),
    ],
)
def test_what_cannot_be_meant(path: Path, options: list[str], status: int, said: str) -> None:
    ended = run_cli(["import", *options], path)
    assert ended.status == status
    assert ended.err.startswith(said)
    assert tip(path) is None


def test_a_file_that_is_too_large(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "large"
    file.write_bytes(b"x" * 11)
    monkeypatch.setattr(imported, "MAX_BYTES", 10)
    with pytest.raises(AsrError, match="has more than 0 MiB"):
        imported.read(str(file), None, None, lambda _: None)
    with pytest.raises(AsrError, match="cannot read"):
        imported.read("a\0b", None, None, lambda _: None)


def test_no_repository(tmp_path: Path) -> None:
    ended = imports(tmp_path, lines(*EVENTS))
    assert (ended.status, "Traceback" in ended.err) == (2, False)
