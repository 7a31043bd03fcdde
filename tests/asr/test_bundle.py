from __future__ import annotations

import hashlib
import json
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from git_asr.asr import bundle, large, links
from git_asr.asr.bundle import BundleWriter, Manifest, load
from git_asr.asr.codec import Raw
from git_asr.asr.header import Header, Producer, SessionKey, is_sound
from git_asr.asr.parts import header_path, links_path, part_path
from git_asr.errors import AsrError

KEY = SessionKey("claude-code", "ses-1")


def head(stream: str = "ses-1") -> dict[str, Any]:
    return Header(
        stream, KEY, {"state": "partial", "through": 2}, Producer("opaque", 1, "converter", "x-jsonl")
    ).record()


def write(records: list[dict[str, Any]], own: list[dict[str, Any]]) -> tuple[dict[str, bytes], Manifest]:
    files: dict[str, bytes] = {}
    writer = BundleWriter(files.__setitem__)
    written = writer.records("ses-1", records)
    writer.stream(
        KEY, head(), written, own, records=len(records), summary={"agent": "a", "models": [], "commits": []}
    )
    return files, writer.close()


def test_a_bundle_lists_every_file_with_size_and_hash() -> None:
    own = links.unite([{"type": "vcs", "id": "x"}])
    files, manifest = write([{"type": "a/b", "seq": 1, "id": "i", "value": "v" * 70_000}], own)
    assert set(files) == {
        "bundle.json",
        header_path("ses-1"),
        part_path("ses-1", 1),
        links_path("ses-1"),
        f"blobs/sha256/{manifest.blobs[0].sha256}",
    }
    ((key, entry),) = bundle.streams(manifest)
    assert key == KEY
    assert [file.path for file in entry.files] == [
        header_path("ses-1"),
        part_path("ses-1", 1),
        links_path("ses-1"),
    ]
    for file in entry.files:
        assert (file.bytes, file.sha256) == (
            len(files[file.path]),
            hashlib.sha256(files[file.path]).hexdigest(),
        )
    assert entry.records == 2
    assert load(files["bundle.json"]) == manifest


def test_the_manifest_is_indented_and_in_the_order_of_the_profile() -> None:
    files, _ = write([], [])
    text = files["bundle.json"].decode()
    assert text.startswith(
        '{\n  "formatVersion": "0.1",\n  "producer": {\n    "name": "git-asr"\n  },\n  "shareable": false,\n'
    )
    assert text.endswith("\n}\n")
    assert list(orjson.loads(text)) == ["formatVersion", "producer", "shareable", "sessions", "blobs"]


def test_the_header_is_in_the_order_of_the_profile_and_leaves_out_the_unknown() -> None:
    full = Header(
        "s",
        KEY,
        {"state": "partial", "through": 1},
        Producer("claude-code", 3, "converter", "claude-code-jsonl", "2.1", [{"feature": "f"}]),
        started_at="a",
        ended_at="b",
        lineage={"continues": {}},
        workspace={"cwd": "/"},
        native_sources=[{"oid": "x"}],
        meta={"m": 1},
    ).record()
    assert " ".join(full) == (
        "type formatVersion stream session startedAt endedAt contentLevel capture producer lineage workspace"
        " nativeSources _meta"
    )
    assert full["producer"]["source"] == {"format": "claude-code-jsonl", "formatVersion": "2.1"}
    assert full["producer"]["version"] == "claude-code/3"
    assert " ".join(head()) == "type formatVersion stream session contentLevel capture producer"
    assert Producer("none", 1, "import").record() == {
        "name": "git-asr",
        "version": "none/1",
        "method": "import",
        "lossy": [],
    }


def test_the_same_blob_is_written_once_with_one_media_type() -> None:
    puts: list[str] = []
    writer = BundleWriter(lambda path, data: puts.append(path))
    text = "x" * 70_000
    values = [{"type": "git-asr/notice", "seq": n, "id": str(n), "text": text} for n in range(2)]
    raw = {"type": "git-asr/unit", "seq": 3, "id": "3", "value": Raw(text.encode())}
    written = writer.records("ses-1", [*values, raw])
    writer.stream(KEY, head(), written, [], records=3, summary={})
    manifest = writer.close()
    assert sum(path.startswith("blobs/") for path in puts) == 1
    assert [blob.media_type for blob in manifest.blobs] == ["application/json"]
    assert manifest.sessions[0].streams[0].blobs == {manifest.blobs[0].sha256: "application/json"}


def test_blobs_that_kept_links_name_are_adopted() -> None:
    data = b"m" * 70_000
    kept = large.describe(data, "application/json")
    other = large.describe(b"other", "application/json")
    writer = BundleWriter(lambda path, data: None, {one.sha256: one for one in (kept, other)})
    reference = {"blob": kept.sha256, "mediaType": kept.media_type, "bytes": kept.bytes}
    links = [{"type": "io.entire/checkpoint", "seq": 2**52, "id": "a", "_metaBlob": reference}]
    written = writer.stream(KEY, head(), (), links, records=0, summary={})
    assert writer.adopted == {kept.sha256}
    assert writer.close().blobs == (kept,)
    assert written.links == tuple(links)


def test_what_was_written_is_what_is_returned() -> None:
    writer = BundleWriter(lambda path, data: None)
    link = {"type": "io.entire/checkpoint", "seq": 2**52, "id": "a", "_meta": {"k": "v" * 70_000}}
    written = writer.stream(KEY, head(), (), [link], records=0, summary={})
    assert set(written.links[0]) == {"type", "seq", "id", "_metaBlob"}
    assert written.header == head()


def test_keys_know_whether_there_is_a_transcript_and_do_not_depend_on_the_source_of_the_id() -> None:
    assert SessionKey("unknown", "x").bare
    assert not KEY.bare
    assert SessionKey("a", "b", "native") == SessionKey("a", "b", "metadata")
    assert KEY.reference() == {"harness": "claude-code", "id": "ses-1"}
    assert KEY.pair == ("claude-code", "ses-1")


def test_unknown_fields_of_a_stream_entry_are_kept() -> None:
    files, _ = write([], [])
    record = orjson.loads(files["bundle.json"])
    record["sessions"][0]["streams"][0]["new"] = [1]
    record["forgotten"] = {"reason": "r"}
    record["_meta"] = {"k": 1}
    again = orjson.loads(load(orjson.dumps(record)).dump())
    assert again == record


@pytest.mark.parametrize(
    "damage",
    [
        b"",
        b"[]",
        b"{}",
        b'{"sessions":[{"session":{"harness":"h"},"streams":[]}],"blobs":[]}',
        b'{"sessions":[],"blobs":[{}]}',
        b'{"sessions":7,"blobs":[]}',
    ],
)
def test_a_damaged_manifest_is_an_error(damage: bytes) -> None:
    with pytest.raises(AsrError, match=r"damaged bundle\.json"):
        load(damage)


def test_a_manifest_that_names_a_file_elsewhere_is_refused() -> None:
    files, _ = write([], [])
    with pytest.raises(AsrError, match="not allowed"):
        load(files["bundle.json"].replace(b"sessions/ses-1.jsonl", b"sessions/../x.jsonl"))


def test_a_manifest_that_lists_a_file_twice_is_refused() -> None:
    files, _ = write([], [])
    manifest = json.loads(files["bundle.json"])
    listed = manifest["sessions"][0]["streams"][0]["files"]
    listed.append(listed[0])
    with pytest.raises(AsrError, match="listed twice"):
        load(json.dumps(manifest).encode())


@given(st.text())
def test_any_first_prompt_can_be_written(prompt: str) -> None:
    files: dict[str, bytes] = {}
    writer = BundleWriter(files.__setitem__)
    writer.stream(KEY, head(), (), (), records=0, summary={"firstPrompt": prompt})
    writer.close()
    ((_, entry),) = bundle.streams(load(files["bundle.json"]))
    assert entry.summary["firstPrompt"] == prompt


@pytest.mark.parametrize(
    ("field", "value", "fit"),
    [
        ("new", 1, True),
        ("session", "x", False),
        ("session", {"harness": "h"}, False),
        ("capture", "x", False),
        ("capture", {"through": "9"}, False),
        ("producer", [5], False),
        ("producer", {"version": "x/1"}, False),
        ("_meta", "x", False),
        ("_meta", {"io.entire/checkpoint": [5]}, False),
        ("_meta", {"io.entire/checkpoint": {"createdAt": 5}}, False),
        ("_meta", {"other": 5}, True),
    ],
)
def test_a_header_that_is_read_has_its_shapes(field: str, value: Any, fit: bool) -> None:
    assert is_sound(head())
    assert is_sound({**head(), field: value}) is fit


def manifest_with(**fields: Any) -> bytes:
    known = {
        "formatVersion": "0.1",
        "producer": {"name": "x"},
        "shareable": False,
        "sessions": [],
        "blobs": [],
    }
    return orjson.dumps({**known, **fields})


def listed(path: str, **other: Any) -> dict[str, Any]:
    return {"path": path, "bytes": 1, "sha256": "0" * 64, **other}


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"formatVersion": "1.0"}, "a bundle of format version '1.0', and only 0 is read"),
        ({"formatVersion": 7}, "a bundle of format version 7"),
        ({"blobs": [{"sha256": "../../x", "bytes": 1, "mediaType": "a/b"}]}, "where a SHA-256 should stand"),
        ({"sessions": None}, "damaged bundle.json: null where a list should stand"),
        ({"sessions": [5]}, "damaged bundle.json: 5 where an object should stand"),
        ({"sessions": [{"session": {"harness": "x", "id": "y"}}]}, "something lacks 'streams'"),
        ({"blobs": ["x"]}, '"x" where an object should stand'),
        ({"deep": [[[[]]]]}, None),
        ({"native": [listed("/etc/passwd")]}, None),
        ({"native": "none"}, None),
    ],
)
def test_a_manifest_from_elsewhere(fields: dict[str, Any], said: str | None) -> None:
    if said is None:
        assert orjson.loads(load(manifest_with(**fields)).dump()).items() >= fields.items()
        assert load(manifest_with(**fields)).files() == {}
        return
    with pytest.raises(AsrError, match=said):
        load(manifest_with(**fields))


def test_a_manifest_that_is_nested_too_deeply() -> None:
    deep = b'{"sessions":[],"blobs":[],"x":' + b"[" * 200 + b"]" * 200 + b"}"
    with pytest.raises(AsrError, match="nested too deeply"):
        load(deep)


def test_a_file_of_two_streams() -> None:
    stream = {
        "stream": "s",
        "files": [listed("sessions/s.jsonl")],
        "records": 0,
        "contentLevel": "full",
        "formatVersion": "0.1",
        "summary": {},
    }
    session = {"session": {"harness": "h", "id": "i"}, "streams": [stream, {**stream, "stream": "t"}]}
    with pytest.raises(AsrError, match="listed twice"):
        load(manifest_with(sessions=[session]))
    with pytest.raises(AsrError, match="a session that is listed twice"):
        load(manifest_with(sessions=[{**session, "streams": []}] * 2))
    stream["files"] = [listed("sessions/s.cbor")]
    session["streams"] = [stream]
    with pytest.raises(AsrError, match="a file name that is not allowed"):
        load(manifest_with(sessions=[session]))
    stream["formatVersion"] = "2.0"
    assert set(load(manifest_with(sessions=[session])).files()) == {"sessions/s.cbor"}
    stream["files"] = [listed("blobs/s.cbor")]
    with pytest.raises(AsrError, match="a file name that is not allowed"):
        load(manifest_with(sessions=[session]))


def test_what_is_unknown_is_listed_and_written_again() -> None:
    fields = {
        "native": [listed("native/a", format="x")],
        "_meta": {"x": [listed("extra/meta")]},
        "later": {
            "files": {"one": listed("extra/later")},
            "no": [listed("../x"), listed("bundle.json"), {"path": 1}],
        },
    }
    found = load(manifest_with(**fields))
    assert set(found.files()) == {"native/a", "extra/meta", "extra/later"}
    assert found.files()["native/a"].other == {"format": "x"}
    assert load(found.dump()) == found
    assert orjson.loads(found.dump()).items() >= fields.items()
