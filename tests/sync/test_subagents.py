"""Subagents with a transcript of their own, in the task folders of checkpoints."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from git_asr.asr import reading, totals
from git_asr.asr.bundle import load, streams
from tests.converters.goldens import FIXTURES
from tests.support.companion import StoredBundle, bundles, tip
from tests.support.entire_repo import EntireRepo, Stored, claude
from tests.support.repo_builder import git
from tests.sync.syncing import only, run, run_codes

SESSION = "7c1d0a52-3f4e-4b8a-9e57-1d2c3b4a5f60"
AGENT = "a3ffb3d"
OWN, EMBEDDED = f"{SESSION}.{AGENT}", f"{SESSION}.{AGENT}.embedded"
TEXT = (FIXTURES / "claude-code" / "embedded-subagent" / "input.jsonl").read_bytes()
CPS = ("0a1b2c3d4e50", "0a1b2c3d4e51", "0a1b2c3d4e52")
UNNAMED = "com.anthropic.claude-code/later"
"""What has no ID in the parent's transcript, so that nothing tells whether it stands elsewhere too."""
KEY = {"harness": "claude-code", "id": SESSION}


def line(uuid: str, parent: str | None, **fields: Any) -> dict[str, Any]:
    return {
        "parentUuid": parent,
        "isSidechain": True,
        "sessionId": SESSION,
        "version": "2.1.39",
        "agentId": AGENT,
        "uuid": uuid,
        "timestamp": "2026-05-04T10:00:08.000Z",
        **fields,
    }


def assistant(uuid: str, parent: str, message: str, text: str, usage: dict[str, int]) -> dict[str, Any]:
    said = {"model": "claude-haiku-4-5", "id": message, "role": "assistant", "usage": usage}
    content = [{"type": "text", "text": text}]
    return line(uuid, parent, type="assistant", requestId="req_i", message={**said, "content": content})


def lines_of(file: list[dict[str, Any]]) -> bytes:
    return b"".join(json.dumps(one).encode() + b"\n" for one in file)


def inner() -> list[dict[str, Any]]:
    """The messages that stand in the parent's transcript, each in its last form."""
    last: dict[str, dict[str, Any]] = {}
    for one in map(json.loads, TEXT.splitlines()):
        message = one.get("data", {}).get("message", {})
        if "uuid" in message:
            last[message["uuid"]] = message
    parents = [None, *last]
    return [line(parent=parent, **one) for one, parent in zip(last.values(), parents, strict=False)]


LAST = json.loads(TEXT.splitlines()[9])["toolUseResult"]["usage"]
FILE = [*inner(), assistant("i4", "i3", "msg_last", "One file.", LAST)]
FACTS = json.dumps({"session_id": SESSION, "tool_use_id": "toolu_1", "agent_id": AGENT}).encode()


def task(file: list[dict[str, Any]] | bytes | None, call: str = "toolu_1") -> dict[str, bytes]:
    files = {f"tasks/{call}/checkpoint.json": FACTS}
    if file is not None:
        data = file if isinstance(file, bytes) else lines_of(file)
        files[f"tasks/{call}/agent-{AGENT}.jsonl"] = data
    return files


def repository(where: Path, *stored: Stored) -> Path:
    repo = EntireRepo(where)
    for number, (checkpoint, one) in enumerate(zip(CPS, stored, strict=False)):
        repo.checkpoint(checkpoint, Stored(SESSION, one.transcript, created=number, files=one.files))
        repo.commit(checkpoint)
    return repo.build()


def synced(where: Path, *stored: Stored) -> StoredBundle:
    path = repository(where, *stored)
    _, codes = run_codes(path)
    assert not codes
    return only(path)


def total(bundle: StoredBundle) -> totals.Total:
    listed = streams(load(bundle.files["bundle.json"]))
    return totals.total(reading.load(entry, bundle.files.get) for _, entry in listed)


def test_a_file_is_a_stream_of_its_own(tmp_path: Path) -> None:
    parent = claude(SESSION, ["u1", "u2"])
    bundle = synced(tmp_path / "r", Stored(SESSION, parent, files=task(FILE)))
    assert list(bundle.streams) == [SESSION, OWN]
    own = bundle.streams[OWN]
    assert own.header["lineage"] == {
        "spawnedBy": {"session": KEY, "callId": "toolu_1", "evidence": "native_structure"}
    }
    assert own.header["session"]["id"] == SESSION
    (source,) = own.header["nativeSources"]
    assert (source["checkpoint"], source["path"]) == (CPS[0], f"0/tasks/toolu_1/agent-{AGENT}.jsonl")
    assert source["positions"] == [1, 4]
    assert own.header["capture"] == {"state": "partial", "through": 4}
    assert own.links == []
    assert own.units == ["i1", "i2", "i3", "i4"]
    assert "firstPrompt" not in own.summary
    assert own.summary["counts"] == {"inferences": 2, "toolCalls": 1, "toolResults": 1}


def test_it_lies_below_the_checkpoint_as_well(tmp_path: Path) -> None:
    repo = EntireRepo(tmp_path / "r")
    base = f"{CPS[0][:2]}/{CPS[0][2:]}"
    repo.checkpoint(CPS[0], Stored(SESSION, claude(SESSION, ["u1"])), Stored("other", claude("other", ["v"])))
    repo.builder.commit(
        "refs/heads/entire/checkpoints/v1",
        "task\n",
        {f"{base}/{path}": data for path, data in task(FILE).items()},
    )
    repo.commit(CPS[0])
    path = repo.build()
    run(path)
    names = [one for bundle in bundles(path) for one in bundle.streams]
    assert sorted(names) == sorted([SESSION, OWN, "other"])


def test_what_stands_in_the_parent_too_counts_once(tmp_path: Path) -> None:
    alone = synced(tmp_path / "alone", Stored(SESSION, TEXT))
    both = synced(tmp_path / "both", Stored(SESSION, TEXT, files=task(FILE)))
    assert list(both.streams) == [SESSION, OWN, EMBEDDED]
    inside = both.streams[EMBEDDED].records
    origin = {"session": KEY, "stream": OWN}
    assert [one["copiedFrom"].get("id") for one in inside if one["type"] == "message"][:1] == ["i1"]
    copied = [one["copiedFrom"] for one in inside if one["type"] != UNNAMED]
    assert all(one.items() >= origin.items() for one in copied)
    assert "counts" not in both.streams[EMBEDDED].summary
    assert total(both) == total(alone)
    assert total(both).calls == 4


def test_the_last_response_counts_where_the_file_lacks_it(tmp_path: Path) -> None:
    alone = synced(tmp_path / "alone", Stored(SESSION, TEXT))
    short = synced(tmp_path / "short", Stored(SESSION, TEXT, files=task(FILE[:-1])))
    only_there = [one["type"] for one in short.streams[EMBEDDED].records if "copiedFrom" not in one]
    assert only_there == [UNNAMED, "inference"]
    assert total(short) == total(alone)
    other = synced(tmp_path / "other", Stored(SESSION, TEXT, files=task(FILE[:1])))
    assert total(other) == total(alone)
    assert [one["id"] for one in other.streams[EMBEDDED].records if "copiedFrom" in one] == ["i1"]


def test_copies_that_grow_are_one_stream_and_others_are_more(tmp_path: Path) -> None:
    parent = claude(SESSION, ["u1", "u2"])
    other = [*FILE[:2], assistant("x3", "i2", "msg_x", "Otherwise.", LAST)]
    stored = [Stored(SESSION, parent, files=task(one)) for one in (FILE[:2], FILE, other)]
    bundle = synced(tmp_path / "r", *stored)
    assert list(bundle.streams) == [SESSION, OWN, f"{OWN}@x3"]
    assert bundle.streams[OWN].units == ["i1", "i2", "i3", "i4"]
    lineage = bundle.streams[f"{OWN}@x3"].header["lineage"]
    assert list(lineage) == ["spawnedBy", "forkedFrom"]
    assert lineage["forkedFrom"]["stream"] == OWN
    copied = [one["id"] for one in bundle.streams[f"{OWN}@x3"].records if "copiedFrom" not in one]
    assert copied[0] == "x3"


def test_an_agent_that_two_calls_started(tmp_path: Path) -> None:
    files = {**task(FILE, "toolu_2"), **task(FILE[:2])}
    bundle = synced(tmp_path / "r", Stored(SESSION, TEXT, files=files))
    facets = bundle.streams[OWN].header["lineage"]["spawnedBy"]
    assert [one["callId"] for one in facets] == ["toolu_1", "toolu_2"]


def test_a_call_that_has_no_usable_id(tmp_path: Path) -> None:
    bundle = synced(tmp_path / "r", Stored(SESSION, TEXT, files=task(FILE, "[REDACTED]")))
    assert bundle.streams[OWN].header["lineage"] == {
        "spawnedBy": {"session": KEY, "evidence": "native_structure"}
    }


def test_other_formats_and_empty_files(tmp_path: Path) -> None:
    path = repository(tmp_path / "r", Stored(SESSION, TEXT, files=task(b'{"what":"ever"}\n')))
    _, codes = run_codes(path)
    assert codes == ["unknown-transcript"]
    (unit,) = only(path).streams[OWN].records
    assert unit["type"] == "git-asr/unit"
    assert list(synced(tmp_path / "empty", Stored(SESSION, TEXT, files=task(b""))).streams) == [
        SESSION,
        EMBEDDED,
    ]
    assert list(synced(tmp_path / "none", Stored(SESSION, TEXT, files=task(None))).streams) == [
        SESSION,
        EMBEDDED,
    ]


def test_of_a_session_without_a_transcript_it_is_a_file(tmp_path: Path) -> None:
    """Streams without a transcript follow from their link records alone, or merging them would depend on the order."""
    path = repository(tmp_path / "r", Stored(SESSION, None, files=task(FILE)))
    run(path)
    bundle = only(path)
    assert list(bundle.streams) == [SESSION]
    (checkpoint,) = [one for one in bundle.links if one["type"] == "io.entire/checkpoint"]
    (part,) = checkpoint["content"]
    assert part["path"] == f"0/tasks/toolu_1/agent-{AGENT}.jsonl"
    assert bundle.files[f"blobs/sha256/{part['blob']}"] == lines_of(FILE)


def test_a_file_that_is_absent_comes_later(tmp_path: Path) -> None:
    """What was converted stays while the file cannot be read, and what appears is converted."""
    data = lines_of(FILE)
    path = repository(tmp_path / "r", Stored(SESSION, TEXT, files=task(FILE)))
    run(path)
    before = tip(path)
    oid = git(path, "hash-object", "--stdin", stdin=data).strip()
    stored = path / ".git" / "objects" / oid[:2] / oid[2:]
    kept = stored.read_bytes()
    stored.unlink()
    _, codes = run_codes(path, full=True)
    assert set(codes) == {"absent-blob"}
    assert list(only(path).streams) == [SESSION, OWN, EMBEDDED]
    git(path, "update-ref", "-d", "refs/asr/sessions")
    run(path, full=True)
    assert list(only(path).streams) == [SESSION, EMBEDDED]
    stored.write_bytes(kept)
    _, codes = run_codes(path)
    assert not codes
    assert tip(path) == before


@pytest.mark.parametrize("backend", ["libgit2", "git"])
def test_again_and_from_scratch_nothing_moves(backend: str, tmp_path: Path) -> None:
    stored = [Stored(SESSION, TEXT, files=task(one)) for one in (FILE[:2], FILE)]
    path = repository(tmp_path / "r", *stored)
    run(path)
    before = tip(path)
    for options in ({}, {"full": True}, {"full": True, "backend": backend}):
        run(path, **options)
        assert tip(path) == before
