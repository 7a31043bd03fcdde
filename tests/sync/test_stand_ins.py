"""Entire's own transcript stands in where no native one can be read or is of a known agent."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from git_asr.converters import detect
from git_asr.converters.registry import FORMATS
from git_asr.converters.versions import VERSIONS
from tests.support.companion import StoredBundle, StoredStream, bundles
from tests.support.entire_repo import EntireRepo, Stored, claude
from tests.sync.syncing import only, run, run_codes, units
from tests.sync.test_unreadable import loose

SESSION = "11111111-2222-3333-4444-555555555555"
CP, CP2, CP3 = "0a1b2c3d4e50", "0a1b2c3d4e51", "0a1b2c3d4e52"
UNKNOWN = b'{"note":"of no agent"}\n{"note":"two"}\n'
WHOLE = {"compact_transcript_start": 0}


def compact(*said: str, agent: str = "claude-code") -> bytes:
    """Lines of the format, one a message."""
    lines = [
        {
            "v": 1,
            "agent": agent,
            "cli_version": "0.10.3",
            "type": "user" if number % 2 else "assistant",
            "ts": f"2026-05-04T09:00:{number:02}.000Z",
            **({} if number % 2 else {"id": f"msg_{one}", "input_tokens": 3, "output_tokens": 4}),
            "content": [{"text": one}],
        }
        for number, one in enumerate(said, 1)
    ]
    return "".join(json.dumps(line) + "\n" for line in lines).encode()


def stored(transcript: bytes | None, own: bytes | None, **metadata: Any) -> Stored:
    files = {} if own is None else {"transcript.jsonl": own}
    return Stored(SESSION, transcript, metadata={**WHOLE, **metadata}, files=files)


def repository(where: Path, **checkpoints: Stored) -> EntireRepo:
    repo = EntireRepo(where)
    for number, (identifier, one) in enumerate(checkpoints.items()):
        repo.checkpoint(identifier.removeprefix("_"), one if one.created else _later(one, number))
    repo.commit(*(one.removeprefix("_") for one in checkpoints))
    repo.build()
    return repo


def _later(one: Stored, seconds: int) -> Stored:
    return Stored(
        one.session_id, one.transcript, seconds, one.agent, one.start, one.prompt, one.metadata, one.files
    )


def plain(bundle: StoredBundle) -> StoredStream:
    return bundle.streams[SESSION]


def agent(bundle: StoredBundle) -> str:
    """By the session's key, and by the folder that it lies in."""
    (session,) = bundle.manifest["sessions"]
    assert session["session"]["id"] == SESSION
    assert bundle.path.startswith(f"{session['session']['harness']}/")
    return str(session["session"]["harness"])


def source(stream: StoredStream) -> tuple[str, str]:
    producer = stream.header["producer"]
    return producer["method"], producer["source"]["format"]


def texts(stream: StoredStream) -> list[str]:
    return [part["text"] for one in stream.records if one["type"] == "message" for part in one["content"]]


def kept(bundle: StoredBundle, checkpoint: str = CP) -> list[str]:
    (record,) = [one for one in bundle.links if one["id"] == checkpoint]
    return [part["path"] for part in record.get("content", ())]


@pytest.mark.parametrize("native", [None, b""], ids=["absent", "empty"])
def test_it_stands_in_for_what_is_not_stored(tmp_path: Path, native: bytes | None) -> None:
    path = repository(tmp_path / "r", **{f"_{CP}": stored(native, compact("one", "two"))}).path
    _, codes = run_codes(path)
    assert set(codes) == ({"missing-transcript"} if native is None else set())
    bundle = only(path)
    assert agent(bundle) == "claude-code"
    stream = plain(bundle)
    assert source(stream) == ("import", "entire-transcript")
    assert stream.header["producer"]["source"]["formatVersion"] == "1"
    assert texts(stream) == ["one", "two"]
    (record,) = [one for one in bundle.links if one["type"] == "io.entire/checkpoint"]
    assert (record["start"], record["through"], "capture" in record) == (1, 2, False)
    (given,) = stream.header["nativeSources"]
    assert (given["path"], given["positions"]) == ("0/transcript.jsonl", [1, 2])
    assert kept(bundle) == []


def test_a_native_transcript_replaces_it(tmp_path: Path) -> None:
    repo = repository(tmp_path / "r", **{f"_{CP}": stored(None, compact("one", "two"))})
    run(repo.path)
    repo.checkpoint(CP, stored(claude(SESSION, ["u1", "u2"]), compact("one", "two")))
    repo.build()
    outcome, _ = run(repo.path)
    assert (outcome.tally.changed, outcome.sessions) == (1, 1)
    assert source(plain(only(repo.path))) == ("converter", "claude-code-jsonl")


def test_one_of_another_agent_replaces_it(tmp_path: Path) -> None:
    """The label was wrong; the transcript tells."""
    repo = repository(tmp_path / "r", **{f"_{CP}": stored(None, compact("one", agent="Opencode"))})
    run(repo.path)
    assert agent(only(repo.path)) == "opencode"
    repo.checkpoint(CP, stored(claude(SESSION, ["u1"]), compact("one", agent="Opencode")))
    repo.build()
    run(repo.path)
    assert agent(only(repo.path)) == "claude-code"


def test_an_agent_that_is_not_known_is_called_by_its_label(tmp_path: Path) -> None:
    one = stored(None, compact("one", agent="Seedling"))
    path = repository(tmp_path / "r", **{f"_{CP}": one}).path
    run(path)
    assert (agent(only(path)), plain(only(path)).summary["agent"]) == ("entire", one.agent)


def test_it_is_not_mixed_with_native_transcripts(tmp_path: Path) -> None:
    """Another checkpoint has a native one: of the one without, Entire's own is kept as a file."""
    own = compact("one", "two", "three")
    path = repository(
        tmp_path / "r",
        **{f"_{CP}": stored(claude(SESSION, ["u1", "u2"]), own), f"_{CP2}": stored(None, own)},
    ).path
    run(path)
    bundle = only(path)
    assert units(path) == {SESSION: len(plain(bundle).units)}
    assert source(plain(bundle)) == ("converter", "claude-code-jsonl")
    assert (kept(bundle), kept(bundle, CP2)) == ([], ["0/transcript.jsonl"])


def test_it_stands_in_for_a_transcript_of_no_known_agent(tmp_path: Path) -> None:
    path = repository(tmp_path / "r", **{f"_{CP}": stored(UNKNOWN, compact("one", "two"))}).path
    _, found = run(path)
    (told,) = found
    assert (told.code, told.message) == (
        "unknown-transcript",
        "0/full.jsonl is of no known agent; Entire's own transcript stands in for it",
    )
    bundle = only(path)
    assert (agent(bundle), texts(plain(bundle))) == ("claude-code", ["one", "two"])
    assert kept(bundle) == ["0/full.jsonl"]


@pytest.mark.parametrize("own", [None, b"", b'{"v":1}\n', UNKNOWN])
def test_a_transcript_of_no_known_agent_stays_where_nothing_stands_in(
    tmp_path: Path, own: bytes | None
) -> None:
    path = repository(tmp_path / "r", **{f"_{CP}": stored(UNKNOWN, own)}).path
    outcome, found = run(path)
    assert [(one.code, one.message) for one in found] == [
        ("unknown-transcript", "0/full.jsonl is of no known agent; it is kept as it is")
    ]
    assert outcome.findings == tuple(found)
    bundle = only(path)
    assert agent(bundle) == "unknown"
    assert [one["value"]["note"] for one in plain(bundle).records] == ["of no agent", "two"]
    assert run(path)[1] == []


def test_copies_of_no_known_agent_of_which_one_has_a_stand_in(tmp_path: Path) -> None:
    path = repository(
        tmp_path / "r",
        **{
            f"_{CP}": stored(UNKNOWN, None),
            f"_{CP2}": stored(UNKNOWN, compact("one"), compact_transcript_start=0),
        },
    ).path
    run(path)
    bundle = only(path)
    assert texts(plain(bundle)) == ["one"]
    assert (kept(bundle), kept(bundle, CP2)) == (["0/full.jsonl"], ["0/full.jsonl"])


def test_a_converter_that_appears_later_replaces_an_unknown_transcript(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = repository(tmp_path / "r", **{f"_{CP}": stored(claude(SESSION, ["u1", "u2"]), None)}).path
    with monkeypatch.context() as before:
        before.setattr(detect, "FORMATS", tuple(one for one in FORMATS if one.harness != "claude-code"))
        before.delitem(VERSIONS, "claude-code")
        _, codes = run_codes(path)
        assert codes == ["unknown-transcript"]
        assert agent(only(path)) == "unknown"
        assert run(path)[0].findings
    outcome, codes = run_codes(path, reconvert=True)
    assert codes == []
    assert outcome.findings == ()
    assert agent(only(path)) == "claude-code"
    assert source(plain(only(path))) == ("converter", "claude-code-jsonl")


def test_a_blob_that_is_not_here_is_stood_in_for_until_it_is(tmp_path: Path) -> None:
    path = repository(tmp_path / "r", **{f"_{CP}": stored(claude(SESSION, ["u1"]), compact("one"))}).path
    lost = loose(path, CP)
    data = lost.read_bytes()
    lost.unlink()
    _, codes = run_codes(path)
    assert codes == ["absent-blob"]
    assert (agent(only(path)), texts(plain(only(path)))) == ("claude-code", ["one"])
    lost.write_bytes(data)
    outcome, codes = run_codes(path)
    assert (codes, outcome.findings) == ([], ())
    assert source(plain(only(path))) == ("converter", "claude-code-jsonl")


def test_nothing_is_taken_from_a_session_whose_native_transcript_was_read_before(tmp_path: Path) -> None:
    """Although the label of the stand-in says that it is another agent's."""
    own = compact("one", agent="Opencode")
    path = repository(tmp_path / "r", **{f"_{CP}": stored(claude(SESSION, ["u1", "u2"]), own)}).path
    run(path)
    before = only(path)
    loose(path, CP).unlink()
    _, codes = run_codes(path, full=True)
    assert codes == ["absent-blob"]
    after = only(path)
    assert (agent(after), plain(after).records) == (agent(before), plain(before).records)
    assert source(plain(after)) == ("converter", "claude-code-jsonl")


def test_slices_by_era(tmp_path: Path) -> None:
    """Since 0.8.0 the file holds the session, and the metadata say where the slice begins."""
    first, whole = compact("one", "two"), compact("one", "two", "three", "four")
    path = repository(
        tmp_path / "r",
        **{f"_{CP}": stored(None, first), f"_{CP2}": stored(None, whole, compact_transcript_start=2)},
    ).path
    run(path)
    bundle = only(path)
    assert list(bundle.streams) == [SESSION]
    assert texts(plain(bundle)) == ["one", "two", "three", "four"]
    assert slices(bundle) == {CP: (1, 2), CP2: (3, 4)}


def slices(bundle: StoredBundle) -> dict[str, tuple[int, int]]:
    return {
        one["id"]: (one["start"], one["through"])
        for one in bundle.links
        if one["type"] == "io.entire/checkpoint"
    }


def test_files_of_single_checkpoints_are_segments(tmp_path: Path) -> None:
    """In 0.7.8 the file holds what is new: each stands for itself, and says that it goes on."""
    parts = [compact("one", "two"), compact("three", "four"), compact("five", "six")]
    folders = {
        f"_{identifier}": Stored(SESSION, None, start=start, created=n, files={"transcript.jsonl": part})
        for n, (identifier, start, part) in enumerate(zip((CP, CP2, CP3), (0, 7, 12), parts, strict=True))
    }
    path = repository(tmp_path / "r", **folders).path
    run(path)
    bundle = only(path)
    assert {name: texts(one) for name, one in bundle.streams.items()} == {
        SESSION: ["one", "two"],
        f"{SESSION}@2026-05-04T09:00:01.000Z": ["three", "four"],
        f"{SESSION}@2026-05-04T09:00:01.000Z@{CP3}": ["five", "six"],
    }
    for name, stream in bundle.streams.items():
        lineage = stream.header.get("lineage", {}).get("continues")
        assert (lineage is None) is (name == SESSION)
        assert lineage is None or lineage["reason"] == "segment"
    assert slices(bundle) == {CP: (1, 2), CP2: (1, 2), CP3: (1, 2)}


def test_a_file_that_goes_on_alone_is_no_plain_stream(tmp_path: Path) -> None:
    part = Stored(SESSION, None, start=7, files={"transcript.jsonl": compact("three", "four")})
    path = repository(tmp_path / "r", **{f"_{CP}": part}).path
    run(path)
    assert list(only(path).streams) == [f"{SESSION}@2026-05-04T09:00:01.000Z"]


def test_in_v2_another_field_counts_its_lines(tmp_path: Path) -> None:
    repo = EntireRepo(tmp_path / "r")
    own = {"transcript.jsonl": compact("one", "two", "three")}
    repo.v2(CP, Stored(SESSION, None, start=2, files=own), generation=None)
    repo.commit(CP)
    path = repo.build()
    run(path)
    assert slices(only(path)) == {CP: (3, 3)}


def test_secret_answers_are_not_kept_as_a_file(tmp_path: Path) -> None:
    asked = {"questions": [{"id": "q", "isSecret": True}]}
    call = {"type": "tool_use", "name": "request_user_input", "input": asked, "result": {"output": "hunter2"}}
    line = {"v": 1, "agent": "codex", "cli_version": "0.10.3", "type": "assistant", "content": [call]}
    own = json.dumps(line).encode() + b"\n"
    path = repository(
        tmp_path / "r", **{f"_{CP}": stored(claude(SESSION, ["u1"]), None), f"_{CP2}": stored(None, own)}
    ).path
    _, found = run(path)
    said = {one.code: one.message for one in found}
    assert said.keys() == {"missing-transcript", "files-left-out"}
    assert said["files-left-out"] == "0/transcript.jsonl may hold secret answers and is not kept"
    alone = repository(tmp_path / "alone", **{f"_{CP}": stored(None, own)}).path
    run(alone)
    for where in (path, alone):
        assert not any(b"hunter2" in data for bundle in bundles(where) for data in bundle.files.values())
