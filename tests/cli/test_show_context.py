"""``git asr show --context``: what stood before the agent, by the records; and streams by their own ID."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from git_asr.views.words import PROJECTION
from tests.cli.test_show import FIRST, SECOND, TALK, called, line, show, shown
from tests.converters import goldens
from tests.support.companion import replace, tree_files
from tests.support.entire_repo import EntireRepo, Stored
from tests.support.repo_builder import git
from tests.support.run import run_cli

COPILOT = "e5c0f8a0-0000-4000-8000-000000000006"
CODEX = "019e0000-0000-7000-8000-000000000001"


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A session over two commits, one with subagents, one with rewinds, and one that is compacted."""
    repo = EntireRepo(tmp_path_factory.mktemp("context") / "r")
    repo.checkpoint("aaaa00000001", Stored(TALK, FIRST))
    repo.commit("aaaa00000001", message="first")
    repo.checkpoint("aaaa00000002", Stored(TALK, FIRST + SECOND, 60, start=4))
    repo.commit("aaaa00000002", message="second")
    for number, case in enumerate(
        ("copilot-cli/subagents", "codex/rolled-back", "claude-code/microcompaction")
    ):
        repo.checkpoint(f"bbbb0000000{number}", Stored(f"ses-{number}", goldens.chunks(case)[0]))
        repo.commit(f"bbbb0000000{number}", message=case)
    assert run_cli(["sync"], repo.build()).status == 0
    git(repo.path, "config", "asr.autosync", "false")
    return repo.path


def context(path: Path, *args: str) -> dict[str, Any]:
    """The one entry of the JSON."""
    (found,) = json.loads(shown(path, "--context", "--json", *args))["sessions"]
    assert isinstance(found, dict)
    return found


def heads(found: dict[str, Any]) -> list[str | None]:
    return [one["record"] for one in found["items"]]


def test_at_the_end_of_what_came_in_with_a_commit(path: Path) -> None:
    out = shown(path, "--context", "main~4")
    assert out == (
        f"commit {git(path, 'rev-parse', 'main~4').strip()}\n"
        "2026-01-01  Ann Author  first\n"
        "\n"
        f"session {TALK}\n"
        "claude-code · opus\n"
        f"context at u4: {PROJECTION}\n"
        "\n"
        "2026-01-01 (times as recorded, UTC)\n"
        "00:00:01 human\n"
        "           Set x to 2\n"
        "           please\n"
        "         now  folder /w\n"
        "00:00:02 agent\n"
        "           I will.\n"
        "00:00:03 Edit  a.py +1 −1  ok  1s\n"
        "           @@ -1 +1 @@\n"
        "           -x = 1\n"
        "           +x = 2\n"
    )
    whole = shown(path, "--context", "--whole", "main~4")
    assert "Bash  make  no result in this context\n" in whole
    assert "folded; --full" in whole
    assert "39 ^[[31mred" in shown(path, "--context", "--full", TALK)


def test_at_a_record(path: Path) -> None:
    found = context(path, "--at", "u2", TALK)
    assert found["context"] == {"head": "u2", "label": PROJECTION, "gaps": [], "unknown": [], "damaged": []}
    assert (found["stream"], found["through"]) == (TALK, 6)
    assert "u2" in heads(found)
    assert not {"u3", "u5"} & {str(one)[:2] for one in heads(found)}
    after = [
        json.loads(one) for one in shown(path, "--context", "--records", "--at", "u5", "main~3").splitlines()
    ]
    assert "header" not in {one["type"] for one in after}
    assert [one["id"] for one in after if one["type"] == "message"] == ["u1", "u2", "u5"]


def test_what_a_rewind_took_back_is_not_there(path: Path) -> None:
    assert [one["parts"][0]["text"] for one in context(path, CODEX)["items"] if one["kind"] == "message"] == [
        "# AGENTS.md instructions for /home/ann/garden\n\n<INSTRUCTIONS>\nBe brief.\n</INSTRUCTIONS>"
    ]
    at = context(path, CODEX, "--at", "~16.0")
    assert [one["parts"][0]["text"] for one in at["items"] if one["kind"] == "message"][1:3] == ["One", "1"]
    assert not any(one["aside"] for one in at["items"])


def test_what_a_compaction_cleared_is_not_there(path: Path) -> None:
    out = shown(path, "--context", "main")
    assert "10:00:02 Read  /a  no result in this context\n" in out
    assert "long text" not in out
    assert "10:00:04 ── context compacted (auto): the results of 1 call were cleared ──\n" in out


def test_a_subagents_stream_by_its_id_and_its_context(path: Path) -> None:
    stream = f"{COPILOT}.call_b.embedded"
    out = shown(path, f"{COPILOT}.call_b")
    assert out.startswith(f"\nsession {COPILOT}\ncopilot-cli · gpt-test-1, gpt-test-mini · stream {stream}\n")
    assert "stream e5c0f8a0-0000-4000-8000-000000000006.call_d.embedded\n" in out, "and those below it"
    found = json.loads(shown(path, "--json", stream))
    assert found["what"] == {"kind": "stream", "id": stream}
    assert [one["stream"] for one in found["sessions"]] == [stream]
    assert context(path, stream)["stream"] == stream
    deeper = "/".join(str(one["stream"]) for one in json.loads(shown(path, "--json", COPILOT))["sessions"])
    assert deeper == COPILOT, "the whole session shows them below their calls"
    ambiguous = show(path, f"{COPILOT}.call_")
    assert (ambiguous.status, ambiguous.err.splitlines()[2]) == (
        2,
        f"hint:   stream {COPILOT}.call_a.embedded",
    )
    (call,) = [one for one in context(path, COPILOT)["items"] if one["kind"] == "call"][:1]
    assert call["subagent"].get("stream") is None
    assert "subagent: its context is its own\n" in shown(path, "--context", COPILOT)


def test_a_record_of_a_subagent(path: Path) -> None:
    streams = json.loads("[" + ",".join(shown(path, "--records", COPILOT).splitlines()) + "]")
    headers = {one["stream"]: number for number, one in enumerate(streams) if one["type"] == "header"}
    place = headers[f"{COPILOT}.call_a.embedded"]
    spoken = next(one["id"] for one in streams[place:] if one["type"] == "message")
    assert context(path, COPILOT, "--at", spoken)["stream"] == f"{COPILOT}.call_a.embedded"


@pytest.mark.parametrize(
    ("args", "error", "hint"),
    [
        (["--at", "u2"], "--at is for --context", ""),
        (["--context", "--record", "u1"], "--context excludes --record", "--at RECORD"),
        (["--context", "--at", "nope", TALK], "no record 'nope' in what is shown", "git asr show --records"),
        (["--context", "--at", "u", TALK], "record 'u' is ambiguous", "more characters tell these apart:"),
        (["--context", "--html", "x", "--private"], "--html excludes --context", ""),
        (["--context", "--json", "--records"], "--json excludes --records and --record", ""),
        (["--width", "19"], "--width takes 20 or more, or 0 for lines of any length", ""),
    ],
)
def test_what_does_not_go(path: Path, args: list[str], error: str, hint: str) -> None:
    ended = show(path, *args)
    assert (ended.status, ended.out) == (2, "")
    assert ended.err.startswith(f"error: {error}\n")
    assert f"hint: {hint}" in ended.err or not hint


def test_records_that_cannot_be_told_apart(path: Path) -> None:
    many = show(path, "--context", "--at", "~", CODEX).err.splitlines()
    assert many[1:3] == ["hint: more characters tell these apart:", f"hint:   ~1.0 of stream {CODEX}"]
    assert many[-1].startswith("hint:   and ")


def test_records_with_one_id_in_two_streams(tmp_path: Path) -> None:
    repo = EntireRepo(tmp_path / "r")
    fork = FIRST + line(5, "user", "fork").replace(b"u5", b"x5")
    repo.checkpoint("aaaa00000001", Stored(TALK, FIRST + line(5, "user", "on")))
    repo.checkpoint("aaaa00000002", Stored(TALK, fork, 60))
    repo.commit("aaaa00000001", "aaaa00000002")
    assert run_cli(["sync"], repo.build()).status == 0
    ended = show(repo.path, "--context", "--at", "u1")
    assert ended.err.splitlines()[:2] == [
        "error: record 'u1' is ambiguous",
        "hint: name the stream, too: git asr show STREAM --context --at u1",
    ]
    assert context(repo.path, f"{TALK}@x5", "--at", "u1")["stream"] == f"{TALK}@x5"
    named = show(repo.path, "--context", "--at", "u1", "main").err
    assert f"hint:   u1 of stream {TALK}@x5\n" in named


def test_what_is_not_known_is_said(tmp_path: Path) -> None:
    repo = EntireRepo(tmp_path / "r")
    lost = line(5, "user", "Compacted", isCompactSummary=True).replace(b'"u4"', b'"gone"')
    repo.checkpoint("aaaa00000001", Stored(TALK, FIRST + lost + called(6, "Bash", {"command": "make"})))
    repo.commit("aaaa00000001")
    assert run_cli(["sync"], repo.build()).status == 0
    git(repo.path, "config", "asr.autosync", "false")
    files = tree_files(repo.path)
    part = next(name for name in files if name.endswith(f"{TALK}~000001.jsonl"))
    compaction = b'{"type":"compaction","seq":9000000,"id":"k","replaces":{"unknown":true}}\n'
    behind = b'{"type":"message","seq":9000001,"id":"b","role":"user","author":"human","content":[]}\n'
    replace(repo.path, {**files, part: files[part] + compaction + b"[]\n" + behind})
    out = show(repo.path, "--context", "--at", "k").out
    assert "what came before is not recorded (it follows gone)\n" in out
    assert "what compaction k replaced is not known: it may stand here still\n" in out
    assert "── context compacted: what it replaced is not known, no summary recorded ──\n" in out
    damaged = show(repo.path, "--context").out
    assert "lines before b cannot be read: what stood there is not known\n" in damaged
    found = json.loads(show(repo.path, "--context", "--json").out)["sessions"][0]
    assert found["context"]["damaged"] == ["b"]
    replace(repo.path, {**files, part: files[part] + b'{"type":"rewind","seq":9000000,"id":"k","to":null}\n'})
    emptied = show(repo.path, "--context").out
    assert f"context at k: {PROJECTION}\n" in emptied
    assert emptied.endswith("\nnothing stands in it\n\n")


def test_what_has_no_context(tmp_path: Path) -> None:
    repo = EntireRepo(tmp_path / "r")
    repo.checkpoint("aaaa00000001", Stored(TALK, None))
    repo.commit("aaaa00000001")
    assert run_cli(["sync"], repo.build()).status == 0
    assert "no transcript: no transcript is stored\n" in shown(repo.path, "--context")
    assert context(repo.path)["context"] is None
    assert shown(repo.path, "--context", "--records") == ""
    git(repo.path, "config", "asr.autosync", "false")
    files = tree_files(repo.path)
    head = next(name for name in files if name.endswith(f"{TALK}.jsonl"))
    vendor = b'{"type":"com.example/x","seq":1000000,"id":"v"}\n'
    replace(repo.path, {**files, head: files[head] + vendor})
    assert "no context: nothing was said\n" in show(repo.path, "--context").out


def test_an_idle_session_has_the_context_that_it_had(tmp_path: Path) -> None:
    repo = EntireRepo(tmp_path / "r")
    repo.checkpoint("aaaa00000001", Stored(TALK, FIRST))
    repo.checkpoint("aaaa00000002", Stored(TALK, FIRST, 60, start=4))
    repo.commit("aaaa00000001")
    repo.commit("aaaa00000002")
    assert run_cli(["sync"], repo.build()).status == 0
    assert shown(repo.path).endswith("\nnothing came in here\n")
    assert context(repo.path)["context"]["head"] == "u4"
