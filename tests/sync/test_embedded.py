"""Subagents whose messages stand in the lines of their parent, and what a converter says of a stream."""

from __future__ import annotations

from pathlib import Path

from git_asr.git.repository import open_repository
from git_asr.sync.flow import Options, sync
from tests.converters.goldens import FIXTURES
from tests.support.companion import StoredBundle
from tests.support.entire_repo import EntireRepo, Stored
from tests.sync.syncing import only

SESSION = "7c1d0a52-3f4e-4b8a-9e57-1d2c3b4a5f60"
EMBEDDED = f"{SESSION}.a3ffb3d.embedded"
TEXT = (FIXTURES / "claude-code" / "embedded-subagent" / "input.jsonl").read_bytes()
LINES = TEXT.splitlines(keepends=True)
CPS = ("0a1b2c3d4e50", "0a1b2c3d4e51")


def synced(where: Path, *transcripts: bytes) -> StoredBundle:
    repo = EntireRepo(where)
    for number, (checkpoint, text) in enumerate(zip(CPS, transcripts, strict=False)):
        repo.checkpoint(checkpoint, Stored(SESSION, text, created=number))
        repo.commit(checkpoint)
    path = repo.build()
    sync(open_repository(path), Options(), lambda _: None)
    return only(path)


def test_a_subagent_is_a_stream_of_its_own(tmp_path: Path) -> None:
    bundle = synced(tmp_path / "r", TEXT)
    assert list(bundle.streams) == [SESSION, EMBEDDED]
    main, inner = bundle.streams[SESSION], bundle.streams[EMBEDDED]
    key = {"harness": "claude-code", "id": SESSION}
    assert inner.header["lineage"] == {
        "spawnedBy": {"session": key, "callId": "toolu_1", "evidence": "native_structure"}
    }
    assert inner.header["session"] == main.header["session"]
    assert inner.links == []
    assert main.header["producer"]["source"]["formatVersion"] == "2.1.39"
    assert inner.header["producer"]["source"]["formatVersion"] == "2.1.39"
    assert main.header["workspace"] == {"cwd": "/home/dev/weather", "vcs": {"branch": "main"}}
    assert "firstPrompt" not in inner.summary
    assert (main.summary["counts"]["inferences"], inner.summary["counts"]["inferences"]) == (2, 2)
    ended = [one for one in main.records if one["type"] == "subagent" and one["state"] == "ended"]
    assert [one["stream"] for one in ended] == [EMBEDDED]
    assert all(one["stream"] == EMBEDDED for one in main.records if one.get("stream"))


def test_it_grows_with_its_parent(tmp_path: Path) -> None:
    longer = synced(tmp_path / "long", LINES[0] + b"".join(LINES[1:5]), TEXT).streams
    whole = synced(tmp_path / "whole", TEXT).streams
    assert longer[EMBEDDED].records == whole[EMBEDDED].records
    shorter = synced(tmp_path / "short", b"".join(LINES[:5])).streams
    assert shorter[EMBEDDED].records == whole[EMBEDDED].records[: len(shorter[EMBEDDED].records)]
    assert list(synced(tmp_path / "none", b"".join(LINES[:2])).streams) == [SESSION]


def test_what_another_line_of_the_session_has_too_is_copied(tmp_path: Path) -> None:
    other = [*LINES[:7], LINES[10].replace(b'"u11"', b'"v11"').replace(b'"u10"', b'"u07"')]
    streams = synced(tmp_path / "r", TEXT, b"".join(other)).streams
    forked = f"{SESSION}@v11"
    assert list(streams) == [SESSION, EMBEDDED, forked, f"{forked}.a3ffb3d.embedded"]
    copies = streams[f"{forked}.a3ffb3d.embedded"].records
    assert copies
    assert all(one["copiedFrom"]["stream"] == EMBEDDED for one in copies)
    assert "counts" not in streams[f"{forked}.a3ffb3d.embedded"].summary


def test_a_subagent_called_twice_or_by_nobody_known(tmp_path: Path) -> None:
    again = [LINES[4].replace(b'"toolu_1"', b'"toolu_2"'), LINES[5].replace(b'"a3ffb3d"', b'"b"')]
    nobody = again[1].replace(b'"parentToolUseID":"toolu_1"', b'"parentToolUseID":null')
    streams = synced(tmp_path / "r", b"".join([*LINES[:4], again[0], nobody])).streams
    twice = streams[EMBEDDED].header["lineage"]["spawnedBy"]
    assert [facet["callId"] for facet in twice] == ["toolu_1", "toolu_2"]
    assert "callId" not in streams[f"{SESSION}.b.embedded"].header["lineage"]["spawnedBy"]
