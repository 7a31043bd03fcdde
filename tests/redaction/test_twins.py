"""Bundles that may be shared: what becomes of streams, headers, links, blobs and manifests."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from typing import Any

import pytest

from git_asr.asr import bundle, links
from git_asr.asr.bundle import MANIFEST, Bundle
from git_asr.asr.joining import join
from git_asr.errors import AsrError
from git_asr.redaction import policy
from git_asr.redaction.findings import Finding
from git_asr.redaction.policy_file import parse
from git_asr.redaction.redactor import Redactor
from tests.redaction.bundles import HEADER, Files, made, opened, places, redacted, streams
from tests.redaction.planted import FIELDS, SECRETS

DEFAULT, STRICT = policy.default(), policy.strict()
TOKEN, OTHER = SECRETS["github-token"], SECRETS["npm-token"]


def message(text: str, **more: Any) -> dict[str, Any]:
    return {**FIELDS["message text"](text), **more}


def manifest_of(files: Files) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(files[MANIFEST])
    return found


def test_the_header_tells_what_the_twin_is_made_from() -> None:
    files = made([message(f"x {TOKEN}"), message("y"), FIELDS["vcs"]("s")])
    twin, told = redacted(files, DEFAULT)
    (stream,) = streams(twin)
    (entry,) = [entry for _, entry in bundle.streams(bundle.load(files[MANIFEST]))]
    whole = b"".join(files[file.path] for file in entry.files)
    assert stream.header["derivedFrom"] == {
        "stream": "s",
        "sha256": hashlib.sha256(whole).hexdigest(),
        "policy": {"name": "default", "version": policy.own_version()},
        "findings": {"github-token": 1},
    }
    assert list(stream.header).index("derivedFrom") == list(stream.header).index("producer") + 1
    assert stream.header["contentLevel"] == "redacted"
    assert told.findings == {"s": {"github-token": 1}}
    assert told.total == {"github-token": 1}
    said = manifest_of(twin)
    assert said["shareable"] is True
    assert said["_meta"]["git-asr/redaction"] == {"policy": DEFAULT.record()}
    assert [one["type"] for one in (*stream.records, *stream.links)] == ["message", "message", "vcs"]


def test_what_was_changed_says_so_and_nothing_else() -> None:
    cut = message(f"cut {TOKEN}", capture={"state": "truncated"})
    (stream,) = streams(redacted(made([message(f"x {TOKEN}"), message("y"), cut]), DEFAULT)[0])
    first, second, third = stream.records
    assert first["capture"] == first["content"][0]["capture"] == {"state": "masked"}
    assert list(first)[:4] == ["type", "seq", "id", "capture"]
    assert second == {**message("y"), "seq": 2_000_000, "id": "r2"}
    assert third["capture"] == {"state": "truncated", "masked": True}


def test_ids_stay_consistent() -> None:
    key = f"call-{TOKEN}"
    records = [
        {"type": "tool_call", "callId": key, "name": "x", "arguments": {}, "id": f"r-{OTHER}"},
        {"type": "tool_result", "callId": key, "status": "ok", "content": [], "predecessors": [f"r-{OTHER}"]},
        {"type": "compaction", "replaces": {"calls": [key], "through": f"r-{OTHER}"}},
        {"type": "state", "state": "idle", "supersedes": f"r-{OTHER}"},
    ]
    (stream,) = streams(redacted(made(records), DEFAULT)[0])
    call, result, compaction, state = stream.records
    assert call["callId"] == result["callId"] == compaction["replaces"]["calls"][0] != key
    assert call["id"] == result["predecessors"][0] == compaction["replaces"]["through"] == state["supersedes"]
    assert call["id"] != call["callId"]


def test_sessions_and_files_are_renamed_where_their_name_is_a_secret() -> None:
    name = f"ses-{TOKEN}"
    head = {"stream": name, "session": {"harness": "codex", "id": name, "idSource": "native"}}
    child = {
        "stream": f"{name}.sub",
        "lineage": {"spawnedBy": {"session": {"harness": "codex", "id": name}, "callId": name}},
    }
    twin, _ = redacted(made([message("x")], **head, lineage=child["lineage"]), DEFAULT)
    (stream,) = streams(twin)
    renamed = stream.header["session"]["id"]
    assert renamed == stream.id == stream.header["lineage"]["spawnedBy"]["session"]["id"] == "redacted-1"
    assert f"sessions/{renamed}.jsonl" in twin
    assert places(twin, TOKEN) == []
    assert redacted(twin, DEFAULT)[0] == twin


def test_links_whose_id_changed_have_the_number_of_the_new_one() -> None:
    vcs = {**FIELDS["vcs"]("s"), "id": f"{TOKEN}@{'a' * 40}"}
    (stream,) = streams(redacted(made([vcs]), DEFAULT)[0])
    assert stream.links == tuple(links.unite(stream.links))


def test_links_of_another_shape_stay_beside_those_that_are_renamed() -> None:
    vcs = {**FIELDS["vcs"]("s"), "id": f"{TOKEN}@{'a' * 40}"}
    twin, _ = redacted(made([vcs, {**vcs, "id": ["x"]}, {**vcs, "id": 7}]), DEFAULT)
    ids = [json.loads(line)["id"] for line in twin["sessions/s~links.jsonl"].splitlines()]
    assert ids == ["redacted-1", ["x"], 7]


def test_the_first_prompt_is_cut_from_the_masked_text() -> None:
    text = "w " * 92 + TOKEN  # what is left of it in 200 characters is too short for the rule
    files = made([message(text), message("later")])
    before = manifest_of(files)["sessions"][0]["streams"][0]["summary"]["firstPrompt"]
    assert TOKEN[:12] in before
    twin, _ = redacted(files, DEFAULT)
    assert places(twin, TOKEN[:12]) == []
    after = manifest_of(twin)["sessions"][0]["streams"][0]["summary"]["firstPrompt"]
    assert after == "w " * 92 + "[REDACTED_SECRET"
    assert redacted(twin, DEFAULT)[0] == twin


def test_a_prompt_that_no_message_has_loses_its_last_word() -> None:
    files = made([{"type": "state", "state": "idle"}])
    said = manifest_of(files)
    said["sessions"][0]["streams"][0]["summary"]["firstPrompt"] = ("w " * 92 + TOKEN)[:200]
    files[MANIFEST] = json.dumps(said).encode()
    twin, _ = redacted(files, DEFAULT)
    assert manifest_of(twin)["sessions"][0]["streams"][0]["summary"]["firstPrompt"] == "w " * 92


def test_binary_content_is_left_out_or_kept_by_policy() -> None:
    image = {"type": "image", "data": b"\x89PNG\x00\x01", "mediaType": "image/png", "path": "a.png"}
    with_secret = {**image, "data": b"\x89PNG\x00" + TOKEN.encode("utf-16-le")}
    record = {"type": "message", "role": "user", "author": "human", "content": [image, with_secret]}
    twin, told = redacted(made([record]), DEFAULT)
    (stream,) = streams(twin)
    reason = "left out by the redaction policy"
    assert [part["capture"] for part in stream.records[0]["content"]] == [
        {"state": "omitted", "reason": reason}
    ] * 2
    assert stream.records[0]["content"][0]["value"] == {
        "type": "image",
        "mediaType": "image/png",
        "path": "a.png",
        "bytes": 6,
    }
    assert not [path for path in twin if path.startswith("blobs/")]
    assert told.total == {"binary": 2}
    keeping = parse('name = "k"\nversion = "1"\n[content]\nbinary = "keep"\n')
    twin, told = redacted(made([record]), keeping)
    (stream,) = streams(twin)
    kept, gone = stream.records[0]["content"]
    assert twin[f"blobs/sha256/{kept['blob']}"] == image["data"]
    assert gone["capture"]["state"] == "omitted" and "blob" not in gone
    assert redacted(twin, keeping)[0] == twin


def test_a_file_of_a_checkpoint_that_is_left_out_is_absent_there() -> None:
    image = {"type": "file", "path": "a.png", "data": b"\x89PNG\x00", "mediaType": "image/png"}
    files = made([{**FIELDS["checkpoint"]("s"), "content": [image]}])
    wanted = {"type": "file", "path": "a.png", "mediaType": "image/png", "absent": True}
    twin, _ = redacted(files, DEFAULT)
    assert streams(twin)[0].links[0]["content"][0].items() >= {**wanted, "bytes": 5}.items()
    there = {path: data for path, data in files.items() if not path.startswith("blobs/")}
    assert streams(redacted(there, DEFAULT)[0])[0].links[0]["content"][0].items() >= wanted.items()
    assert redacted(twin, DEFAULT)[0] == twin


def test_text_blobs_are_redacted_under_a_new_name() -> None:
    files = made([FIELDS["blob"](TOKEN), FIELDS["blob"]("clean")])
    twin, _ = redacted(files, DEFAULT)
    blobs = {path.rpartition("/")[2]: data for path, data in twin.items() if path.startswith("blobs/")}
    assert len(blobs) == 2
    assert all(hashlib.sha256(data).hexdigest() == name for name, data in blobs.items())
    (stream,) = streams(twin)
    assert {record["outputBlob"]["blob"] for record in stream.records} == set(blobs)
    assert len(blobs.keys() & {path.rpartition("/")[2] for path in files}) == 1


def test_a_blob_that_is_not_there_is_told() -> None:
    part = {
        "type": "message",
        "role": "user",
        "author": "human",
        "content": [{"type": "image", "data": b"\x00", "mediaType": "image/png"}],
    }
    files = made([FIELDS["blob"]("x"), part])
    there = {path: data for path, data in files.items() if not path.startswith("blobs/")}
    (stream,) = streams(redacted(there, DEFAULT)[0])
    absent = {"state": "omitted", "reason": "the blob is not there"}
    assert stream.records[0]["capture"] == absent and "outputBlob" not in stream.records[0]
    assert stream.records[1]["content"][0] == {
        "type": "json",
        "value": {"type": "image", "mediaType": "image/png"},
        "capture": absent,
    }


def test_strict_leaves_out_meta_and_what_vendors_write() -> None:
    meta = {"com.example/x": {"y": 1}, "git-asr/queue": "pending"}
    records = [
        message("x", _meta=meta),
        {**FIELDS["vendor record"]("secret thing"), "ts": "2026-01-01T00:00:00Z"},
        FIELDS["checkpoint"]("s"),
        FIELDS["context"]("main"),
    ]
    head = {
        "nativeSources": [
            {"format": "x", "checkpoint": "c", "path": "p", "oid": "1", "sha256": "2", "bytes": 3}
        ]
    }
    twin, _ = redacted(made(records, **head), STRICT)
    (stream,) = streams(twin)
    assert stream.records[0]["_meta"] == {"git-asr/queue": "pending"}
    assert stream.records[1] == {
        "type": "com.example/thing",
        "seq": 2_000_000,
        "id": "r2",
        "ts": "2026-01-01T00:00:00Z",
        "capture": {"state": "omitted", "reason": "left out by the redaction policy"},
    }
    assert stream.records[2]["branch"] == "main"
    assert stream.links[0]["_meta"] == {"io.entire/checkpoint": {}}
    assert "nativeSources" not in stream.header
    assert redacted(twin, STRICT)[0] == twin


def test_a_twin_of_a_twin_names_both_policies() -> None:
    first, _ = redacted(made([message(f"{TOKEN} /srv/app/x/y.py")]), DEFAULT)
    second, _ = redacted(first, STRICT)
    (stream,) = streams(second)
    derived = stream.header["derivedFrom"]
    assert (derived["policy"]["name"], derived["derivedFrom"]["policy"]["name"]) == ("strict", "default")
    assert stream.records[0]["content"][0]["text"] == "[REDACTED_SECRET_1] [REDACTED_PATH_2]"
    assert redacted(second, STRICT)[0] == second


@pytest.mark.parametrize(
    "head", [{"contentLevel": "full"}, {"_meta": {"io.entire/checkpoint": {"redaction": "unknown"}}}]
)
def test_streams_that_nothing_redacted_are_looked_at_closer(head: dict[str, Any]) -> None:
    text = "x Zk3vQ9tLm2XcR7bNw4HsYd8PfJ1aGu6E y"
    twin, _ = redacted(made([message(text)], **head), DEFAULT)
    assert streams(twin)[0].records[0]["content"][0]["text"] == "x [REDACTED_RANDOM_1] y"
    assert redacted(twin, DEFAULT)[0] == twin
    assert places(redacted(made([message(text)]), DEFAULT)[0], text)


def test_what_is_told_in_one_place_is_found_in_all() -> None:
    records = [
        message("the pass is korrekt-Pferd9, says marialopez"),
        message("DB_PASSWORD='korrekt-Pferd9'"),
        {"type": "git-asr/context", "cwd": "/home/marialopez/app"},
    ]
    twin, _ = redacted(made(records), DEFAULT)
    assert places(twin, "korrekt-Pferd9") == places(twin, "marialopez") == []
    assert (
        streams(twin)[0].records[0]["content"][0]["text"]
        == "the pass is [REDACTED_SECRET_1], says [REDACTED_USER_2]"
    )


def test_places_are_told_and_never_values() -> None:
    told: list[Finding] = []
    redacted(made([FIELDS["meta key"](TOKEN), FIELDS["output"](f"x {TOKEN}")]), DEFAULT, tell=told.append)
    assert Finding("github-token", "s", "r2", "output/n/1") in told
    assert Finding("github-token", "s", "r1", "_meta/com.example~1x/y") not in told
    assert {one.record for one in told} == {"r1", "r2"}
    assert not any(TOKEN in str(one) for one in told)


def test_a_line_that_is_no_record_leaves_a_gap() -> None:
    files = made([message("a"), message("b")])
    part = files["sessions/s~000001.jsonl"]
    first, second, _ = part.split(b"\n")
    broken = b"\n".join([first, b'{"broken": ' + TOKEN.encode(), second, b""])
    said = manifest_of(files)
    said["sessions"][0]["streams"][0]["files"][1] |= {
        "bytes": len(broken),
        "sha256": hashlib.sha256(broken).hexdigest(),
    }
    files |= {"sessions/s~000001.jsonl": broken, MANIFEST: json.dumps(said).encode()}
    (stream,) = streams(redacted(files, DEFAULT)[0])
    assert [one.get("predecessors") for one in stream.records] == [None, ["gap-3"]]


def test_what_cannot_be_redacted_is_left_out_and_listed() -> None:
    files = made([message("a")])
    said = manifest_of(files)
    entry = said["sessions"][0]["streams"][0]
    unknown = {
        **entry,
        "stream": "next",
        "formatVersion": "1.0",
        "files": [{"path": "sessions/next.jsonl", "bytes": 1, "sha256": "0" * 64}],
    }
    damaged = {
        **entry,
        "stream": "bad",
        "files": [{"path": "sessions/bad.jsonl", "bytes": 1, "sha256": "0" * 64}],
    }
    said["sessions"][0]["streams"] += [unknown, damaged]
    said["native"] = [{"path": "native/x", "bytes": 1, "sha256": "0" * 64}]
    said["com.example/more"] = {"files": [{"path": "more/x", "bytes": 1, "sha256": "0" * 64}], "t": TOKEN}
    said["com.example/note"] = f"for {TOKEN}"
    files |= {
        MANIFEST: json.dumps(said).encode(),
        "sessions/next.jsonl": b'{"type":"header","formatVersion":"1.0"}\n',
        "sessions/bad.jsonl": b"no header\n",
        "native/x": TOKEN.encode(),
        "more/x": TOKEN.encode(),
    }
    twin, told = redacted(files, DEFAULT)
    assert {one.what: one.reason for one in told.left_out} == {
        "stream next": "format version 1.0",
        "stream bad": "a stream without a header",
        "native/x": "native transcripts are not shared",
        "more/x": "only streams and their blobs are shared",
    }
    assert places(twin, TOKEN) == []
    assert manifest_of(twin)["com.example/note"].startswith("for [REDACTED")
    assert set(twin) == {MANIFEST, *bundle.load(twin[MANIFEST]).files()}


def test_a_file_that_is_missing_stops_it() -> None:
    files = made([message("a")])
    del files["sessions/s~000001.jsonl"]
    with pytest.raises(AsrError, match="lacks sessions/s~000001"):
        redacted(files, DEFAULT)


def test_joined_streams_are_read_too() -> None:
    source = opened(made([message(f"x {TOKEN}"), FIELDS["vcs"]("s")]))
    out: Files = {}
    Redactor(DEFAULT).bundle(join(source), out.__setitem__)
    assert out == {**redacted(made([message(f"x {TOKEN}"), FIELDS["vcs"]("s")]), DEFAULT)[0], **out}
    assert len(streams(out)[0].links) == 1


def test_a_forgotten_session_stays_so() -> None:
    forgotten = {"reason": f"because of {TOKEN}", "through": "x"}
    source = Bundle(replace(bundle.load(made([])[MANIFEST]), sessions=(), forgotten=forgotten), {}.get)
    out: Files = {}
    told: list[tuple[int, int]] = []
    Redactor(DEFAULT).bundle(source, out.__setitem__, progress=lambda *at: told.append(at))
    assert manifest_of(out)["forgotten"]["reason"] == "because of [REDACTED_SECRET_1]"
    assert told == []


def test_progress_is_told_twice_for_each_stream() -> None:
    told: list[tuple[int, int]] = []
    redacted(made([message("x")]), DEFAULT, progress=lambda *at: told.append(at))
    assert told == [(0, 2), (1, 2)]
    assert HEADER["stream"] == "s"
